#!/usr/bin/env bash
# The line of progress is for terminals, without colours if NO_COLOR says so, and erased at the end.
cat >terminal.py <<'END'
import re, sys
import on_terminal

def run(*options, **environment):
    """What the command writes to a terminal as its standard error."""
    words = ["train", sys.argv[1], "-m", "model", "--tol", "1e-9", *options]
    written, code = on_terminal.run(words, "stderr", **{"TERM": "xterm", **environment})
    assert code == 0
    return re.sub(r"temper: note: .*\n", "", written.decode().replace("\r\n", "\n"))

shown = run()
print(bool(re.search(r"\r\x1b\[1mtrain\x1b\[0m [0-9]+  objective [0-9.]+  gradient [0-9.e+-]+  "
                     r"accuracy [0-9.]+ %  [0-9]:[0-9]{2}", shown)))
print(bool(re.search(r"\r +\r$", shown)))
print("\x1b" in run(NO_COLOR="1"), "\x1b" in run(TERM="dumb"))
print(repr(run("-q")), "\r" in run("--json"))
END
on_terminal terminal.py "$CLI_TESTS/data/three.csv"
