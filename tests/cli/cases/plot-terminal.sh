#!/usr/bin/env bash
# Pictures, pages and packed data do not go to a terminal by accident; pipes, and -o -, stay as they are.
cat >terminal.py <<'END'
import sys
import on_terminal

data = sys.argv[1]
for words in (["plot", "losses"], ["plot", "path", data], ["plot", "report", "-m", "model", data],
              ["plot", "losses", "-o", "-"], ["convert", data, "-", "--to", "tmpr"],
              ["convert", data, "-", "-q", "--to", "csv"]):
    written, code = on_terminal.run(words, "stdout")
    print(" ".join(words[:2] if words[0] == "plot" else words[:1]), written[:5], code, flush=True)
END
$TEMPER train -q "$CLI_TESTS/data/three.csv" -m model >/dev/null
on_terminal terminal.py "$CLI_TESTS/data/three.csv"
$TEMPER plot losses | head -c 4
