#!/usr/bin/env bash
# What cases need: the runner has bash read this before each of them.

skip() { # skip WHY: the runner and ctest count the case as skipped
    echo "$*" >&2
    exit 77
}

need() { # need PROGRAM...
    local program
    for program in "$@"; do
        command -v "$program" >/dev/null || skip "needs $program"
    done
}

on_terminal() { # on_terminal SCRIPT ARGUMENT...: Python that may import on_terminal
    need python3
    PYTHONPATH=$CLI_TESTS PYTHONDONTWRITEBYTECODE=1 python3 "$@"
}

temper_exit() { # temper_exit ARGUMENT...: runs it and prints its exit code
    $TEMPER "$@"
    echo "exit $?"
}

# Permissions mean nothing to root, so the command runs as an ordinary user.
temper_as_nobody() { # temper_as_nobody ARGUMENT...
    if [ "$(id -u)" = 0 ]; then
        # shellcheck disable=SC2086 # a command with arguments
        setpriv --reuid=65534 --regid=65534 --clear-groups $TEMPER "$@"
    else
        $TEMPER "$@"
    fi
}

# Gives the folder of the case to that somebody.
become_unprivileged() {
    if [ "$(id -u)" = 0 ]; then
        need setpriv
        chown -R 65534:65534 .
        temper_as_nobody version >/dev/null 2>&1 || skip "user 65534 cannot run $TEMPER"
    fi
}

# A private folder with what 'temper documents' writes.
documents() {
    $TEMPER documents documents
}

# Completes a line in bash as a Tab behind its last word would: a candidate a line.
bash_complete() { # bash_complete WORD...
    # shellcheck disable=SC2034 # bash's interface to completion functions
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    _temper
    echo "$*: ${COMPREPLY[*]}"
}

# A command of that name in PATH which notes its arguments in the file "typed".
note_arguments() {
    mkdir bin
    printf '#!/bin/sh\n{ printf "[%%s]" "$@" && echo; } >>typed\n' >bin/temper
    chmod +x bin/temper
    export PATH=$PWD/bin:$PATH TERM=dumb
}

# A table of 'temper train' or 'temper eval', or its JSON, without what differs between machines:
# times, counts of iterations, and all but three digits of other fractions.
steady() {
    sed -E -e 's/^(seconds|passes)  .*/\1  .../' \
        -e 's/"(read|train|write|seconds|iterations|evaluations|products|hessians|passes)": [0-9.e-]+/"\1": N/g' \
        -e 's/"gradient_norm": [0-9.e-]+/"gradient_norm": N/' \
        -e 's/([0-9]\.0*[1-9][0-9]{2})[0-9]+/\1/g'
}

# A model of data that comes with the tests, without a word: train_on NAME MODEL OPTION...
train_on() {
    local data=$CLI_TESTS/data/$1 model=$2
    shift 2
    $TEMPER train -q "$data" -m "$model" "$@" >/dev/null
}
