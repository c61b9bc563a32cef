#!/usr/bin/env bash
# Without a page there is no success.
temper_exit demo -o no-such-folder/page.html
temper_exit demo page.html
