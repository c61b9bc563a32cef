#!/usr/bin/env bash
# The line of progress is for terminals, without colours if NO_COLOR says so, and erased at the end.
need python3
cat >terminal.py <<'END'
import os, pty, re, subprocess, sys

def run(*options, **environment):
    """What the command writes to a terminal as its standard error."""
    main, terminal = pty.openpty()
    command = os.environ["TEMPER"].split() + ["train", sys.argv[1], "-m", "model", "--tol", "1e-9"]
    child = subprocess.Popen(command + list(options), stdout=subprocess.DEVNULL, stderr=terminal,
                             env={**os.environ, "TERM": "xterm", **environment})
    os.close(terminal)
    written = b""
    try:
        while piece := os.read(main, 65536):
            written += piece
    except OSError:
        pass  # the terminal is closed
    assert child.wait() == 0
    return re.sub(r"temper: note: .*\n", "", written.decode().replace("\r\n", "\n"))

shown = run()
print(bool(re.search(r"\r\x1b\[1mtrain\x1b\[0m [0-9]+  objective [0-9.]+  gradient [0-9.e+-]+  "
                     r"accuracy [0-9.]+ %  [0-9]:[0-9]{2}", shown)))
print(bool(re.search(r"\r +\r$", shown)))
print("\x1b" in run(NO_COLOR="1"), "\x1b" in run(TERM="dumb"))
print(repr(run("-q")), "\r" in run("--json"))
END
python3 terminal.py "$CLI_TESTS/data/three.csv"
