#!/usr/bin/env bash
# The story holds: right labels are easy for both; flipped ones add noise to one of them only.
$TEMPER demo >said
grep -c 'temper-demo.html' said
awk '/right labels/ { print ($5 > 99 && $7 > 99) ? "both" : $0 }
    /10 % flipped/ { print ($6 < 90 && $8 > 99) ? "one" : $0 }' said
awk '/^Flipped labels found/ { found = 1 }
    found && /features/ { print ($3 < 0.9 * $5 && $6 > 0.98 * $8) ? "found" : $0 }' said
head -n 1 temper-demo.html
grep -c '<svg' temper-demo.html
grep -cE '<script|src=|href=' temper-demo.html
# Equal seeds give equal pages, others others.
$TEMPER demo --threads 1 -o again.html >again
cmp temper-demo.html again.html
$TEMPER demo --seed 2 -o second.html | tail -n 5
cmp -s temper-demo.html second.html || echo "another seed, another page"
ls
