#!/usr/bin/env bash
# The line of progress counts fits, and is erased at the end.
cat >terminal.py <<'END'
import re, sys
import on_terminal

words = ["tune", sys.argv[1], "-m", "model", "--folds", "5", "--grid", "t1=0.1,1 t2=1"]
shown, code = on_terminal.run(words, "stderr", TERM="xterm", NO_COLOR="1")
print(code, bool(re.search(rb"\rhalves  \d+ of \d+ fits  \d:\d\d", shown)), b"\r" in shown[-200:])
END
on_terminal terminal.py "$CLI_TESTS/data/three.csv"
