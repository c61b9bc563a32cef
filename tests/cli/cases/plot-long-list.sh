#!/usr/bin/env bash
temper_exit plot losses --temperatures "$(seq -s , 65)"
temper_exit plot losses --losses "$(yes hinge | head -n 65 | paste -s -d ,)"
temper_exit plot losses --temperatures "$(seq -s , 64)"
