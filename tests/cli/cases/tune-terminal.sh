#!/usr/bin/env bash
# The line of progress counts fits, and is erased at the end.
need python3
cat >terminal.py <<'END'
import os, pty, re, subprocess, sys

main, terminal = pty.openpty()
command = os.environ["TEMPER"].split() + ["tune", sys.argv[1], "-m", "model", "--folds", "5", "--grid", "t1=0.1,1 t2=1"]
child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=terminal,
                         env={**os.environ, "TERM": "xterm", "NO_COLOR": "1"})
os.close(terminal)
shown = b""
try:
    while piece := os.read(main, 65536):
        shown += piece
except OSError:
    pass  # the terminal is closed
print(child.wait(), bool(re.search(rb"\rhalves  \d+ of \d+ fits  \d:\d\d", shown)), b"\r" in shown[-200:])
END
python3 terminal.py "$CLI_TESTS/data/three.csv"
