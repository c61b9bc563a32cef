#!/usr/bin/env bash
# Interrupted after the fit, in the calibration or in the estimate of the noise: the model is saved, the message says what
# it lacks, and a tuning keeps its checkpoint.
need python3
python3 - >noisy.csv <<'PY'
import random
random.seed(3)
print(",".join(f"f{j}" for j in range(20)) + ",label")
for i in range(600):
    x = [random.gauss(0, 1) for _ in range(20)]
    print(",".join(f"{v:.3f}" for v in x), (x[0] + x[1] > 0) != (i % 10 == 0), sep=",")
PY
cat >late.py <<'PY'
import os, signal, socket, subprocess, sys
import on_terminal


def train(stop_at, *words):
    """SIGTERM when the log reaches a phase. The log goes to a socket of little space, so that temper waits for this reader."""
    log, to = socket.socketpair()
    to.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
    child = subprocess.Popen(os.environ["TEMPER"].split() + ["train", "noisy.csv", "--verbose", *words], stderr=to,
                             stdout=subprocess.DEVNULL)
    to.close()
    written = b""
    while piece := log.recv(100):
        written += piece
        if stop_at and stop_at in written:
            child.send_signal(signal.SIGTERM)
            stop_at = None
    print(child.wait(), written.decode().splitlines()[-1])


quick = ["--t1", "1", "--t2", "1"]
# At the optimum no iteration is needed, but the model is a finished one.
train(b"calibrate 1:", *quick, "-m", "warm", "--warm-start", "start", "--calibrate", "folds")
train(b"calibrate 1:", *quick, "-m", "both", "--calibrate", "folds", "--estimate-noise")
train(b"noise 0:", *quick, "-m", "noise", "--estimate-noise")
train(b"noise 0:", *quick, "-m", "plain", "--calibrate", "none", "--estimate-noise")
# The signal may come too late.
slow = "t1=0.1 t2=2 l2=1e-5x only"
tune = ["tune", "noisy.csv", "-m", "tuned", "--grid", slow, "--folds", "2", "--calibrate", "none", "--tol", "1e-12",
        "--solver", "lbfgs", "--threads", "1", "--estimate-noise"]
for i in range(200):
    shown, code = on_terminal.run(tune, "stderr", stop_at=b"\raudit", TERM="dumb")
    if code != 0:
        break
print(code, shown.decode().splitlines()[-1])
PY
$TEMPER train -q noisy.csv --t1 1 --t2 1 -m start --calibrate none --tol 1e-8 >/dev/null
on_terminal late.py
ls warm both noise plain tuned tuned.tuning
$TEMPER info --json tuned | grep noise_rate
$TEMPER tune -q noisy.csv -m tuned --grid "t1=0.1 t2=2 l2=1e-5x only" --folds 2 --calibrate none --tol 1e-12 \
    --solver lbfgs --threads 1 --estimate-noise --resume --json | grep -c '"resumed": true'
$TEMPER info --json tuned | grep -c '"noise_rate": 0'
[ -e tuned.tuning ] || echo "gone"
