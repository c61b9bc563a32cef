#!/usr/bin/env bash
# A Tab, typed into an interactive zsh.
need zsh script
documents
zsh -n documents/temper.zsh
note_arguments
printf '%s\n' 'autoload -Uz compinit && compinit -u -D' 'source documents/temper.zsh' >.zshrc
printf '%s\n' $'temper pl\tlo\t' $'temper plot --losses hinge,log\t' $'temper plot --temp\t1' \
    $'temper plot -o docu\t' exit |
    ZDOTDIR=$PWD timeout 600 script -qec 'zsh -i' /dev/null >log 2>&1
cat typed
