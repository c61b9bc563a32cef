#!/usr/bin/env bash
# A Tab, typed into an interactive bash.
documents
note_arguments
printf '%s\n' '. documents/temper.bash' $'temper pl\tlo\t' $'temper plot --losses hinge,log\t' \
    $'temper plot --temp\t1' $'temper plot -o doc\t' |
    bash --norc --noprofile -i >log 2>&1
cat typed
