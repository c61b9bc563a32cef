#!/usr/bin/env bash
# Pictures, pages and packed data do not go to a terminal by accident; pipes, and -o -, stay as they are.
need python3
cat >terminal.py <<'END'
import os, pty, subprocess, sys

def run(*words):
    """What the command writes to a terminal as its standard output, and its exit code."""
    main, terminal = pty.openpty()
    child = subprocess.Popen(os.environ["TEMPER"].split() + list(words), stdout=terminal)
    os.close(terminal)
    written = b""
    try:
        while piece := os.read(main, 65536):
            written += piece
    except OSError:
        pass  # the terminal is closed
    return written[:5], child.wait()

data = sys.argv[1]
for words in (["plot", "losses"], ["plot", "path", data], ["plot", "report", "-m", "model", data],
              ["plot", "losses", "-o", "-"], ["convert", data, "-", "--to", "tmpr"],
              ["convert", data, "-", "-q", "--to", "csv"]):
    print(" ".join(words[:2] if words[0] == "plot" else words[:1]), *run(*words), flush=True)
END
$TEMPER train -q "$CLI_TESTS/data/three.csv" -m model >/dev/null
python3 terminal.py "$CLI_TESTS/data/three.csv"
$TEMPER plot losses | head -c 4
