#!/usr/bin/env python3
"""Ends trainings at random moments: no model is ever lost, and a resumed one is the same.

    TEMPER=build/gcc/temper tests/cli/kill.py [ROUNDS [SEED]]

Each round trains over an old model, with a checkpoint, and does one of three things:

- SIGKILL, once or several times in a row with --resume between them: after each, the model is the
  old one or the finished new one, byte for byte; in the end --resume has to give the model of a
  training that was never stopped, byte for byte. A killed training may leave one temporary file,
  .temper-PID-N.tmp, beside the model or the checkpoint, and nothing else.
- SIGINT or SIGTERM: the exit code is 130 or 143, or 0 if it was done by then; the model is the old
  one or a new one that can be read; no temporary file is left; and --resume gives the same model.
- both at once: it ends without waiting for the iteration, so that the model is the old one, or the
  new one if it was there by then.

First of all, a signal just after the first iteration has to give a model between the two.
"""
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

COMMAND = os.environ["TEMPER"].split()
COMMAND[-1] = os.path.abspath(COMMAND[-1])
ROWS, FEATURES = 1500, 24


class Fault(Exception):
    pass


def expect(condition, words):
    if not condition:
        raise Fault(words)


def write_data(path, source):
    """Three classes that overlap, with a tenth of the labels wrong: some dozens of iterations."""
    with open(path, "w") as out:
        for row in range(ROWS):
            kind = row % 3
            values = [source.gauss(kind == column % 3, 1) for column in range(FEATURES)]
            label = source.randrange(3) if source.random() < 0.1 else kind
            print(*(f"{value:.4f}" for value in values), f"class{label}", sep=",", file=out)


def default_signals():
    """A shell without job control has its background jobs ignore SIGINT, and we may be one."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Playground:
    def __init__(self, folder, source):
        self.folder, self.source = pathlib.Path(folder), source
        self.model, self.state = self.folder / "model.temper", self.folder / "state"
        write_data(self.folder / "data.csv", source)
        self.readable = set()
        self.finish(["-m", "old.temper", "--max-iter", "2", "--t1", "0.9"])
        start = time.monotonic()
        self.finish(self.options())
        self.seconds = time.monotonic() - start
        self.old = (self.folder / "old.temper").read_bytes()
        self.new = self.model.read_bytes()
        expect(self.old != self.new, "the two models do not differ: the test would see nothing")
        self.counts = {"old": 0, "new": 0, "between": 0, "temporary": 0}

    def options(self, *more):
        # Every iteration is saved, so that there is always something to break.
        return ["-m", "model.temper", "--solver", "lbfgs", "--tol", "1e-7", "--threads", "2",
                "--checkpoint", "state", "--checkpoint-seconds", "0", *more]

    def start(self, options):
        return subprocess.Popen(COMMAND + ["train", "-q", "data.csv", *options], cwd=self.folder,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                preexec_fn=default_signals)

    def finish(self, options):
        child = self.start(options)
        message = child.communicate()[1].decode()
        expect(child.returncode == 0, f"train {' '.join(options)}: {child.returncode}: {message}")

    def reset(self):
        self.model.write_bytes(self.old)
        self.state.unlink(missing_ok=True)
        self.sweep()

    def temporaries(self):
        return [path for path in self.folder.iterdir() if path.name.startswith(".temper-")]

    def sweep(self):
        for path in self.temporaries():
            path.unlink()

    def end_at_random(self, numbers, options):
        """Starts a training, sends the signals at a random moment and returns its exit code."""
        child = self.start(options)
        time.sleep(self.source.uniform(0, 1.1 * self.seconds))
        for number in numbers:
            child.send_signal(number)
        message = child.communicate(timeout=1200)[1].decode()
        return child.returncode, message

    def check_readable(self, content):
        if content in self.readable:
            return
        done = subprocess.run(COMMAND + ["info", "-q", "model.temper"], cwd=self.folder,
                              capture_output=True, text=True)
        expect(done.returncode == 0, f"the model cannot be read: {done.stderr}")
        self.readable.add(content)

    def check_resumed(self):
        self.finish(self.options("--resume"))
        expect(self.model.read_bytes() == self.new, "the resumed model is another one")


def kill_round(reference):
    for _ in range(reference.source.choice((1, 1, 2, 4))):
        before = len(reference.temporaries())
        code, message = reference.end_at_random([signal.SIGKILL], reference.options("--resume"))
        expect(code in (0, -signal.SIGKILL), f"exit code {code}: {message}")
        content = reference.model.read_bytes()
        expect(content in (reference.old, reference.new), "the model is neither the old nor the new one")
        reference.check_readable(content)
        reference.counts["new" if content == reference.new else "old"] += 1
        left = len(reference.temporaries()) - before
        expect(left <= 1, f"{left} temporary files are left by one kill")
        reference.counts["temporary"] += left
    reference.check_resumed()


def interrupt_round(reference):
    number = reference.source.choice((signal.SIGINT, signal.SIGTERM))
    code, message = reference.end_at_random([number], reference.options())
    content = reference.model.read_bytes()
    if code == -number:  # so early that the program had not begun
        expect(content == reference.old, "the model has changed before the program began")
    else:
        expect(code in (0, 128 + number), f"exit code {code} after signal {number}: {message}")
        expect(code == 0 or content == reference.old or "interrupted" in message,
               f"nothing is said: {message}")
    reference.check_readable(content)
    known = {reference.old: "old", reference.new: "new"}
    reference.counts[known.get(content, "between")] += 1
    expect(not reference.temporaries(), "a temporary file is left")
    reference.check_resumed()


def twice_round(reference):
    # Stopped in between, it cannot answer one before the other is there.
    both = [signal.SIGSTOP, signal.SIGINT, signal.SIGTERM, signal.SIGCONT]
    code, message = reference.end_at_random(both, reference.options())
    expect(code in (0, 130, 143, -signal.SIGINT, -signal.SIGTERM), f"exit code {code}: {message}")
    content = reference.model.read_bytes()
    expect(content in (reference.old, reference.new), "the model is neither the old nor the new one")
    reference.counts["new" if content == reference.new else "old"] += 1
    reference.check_resumed()


def check_early(reference, number):
    """A signal just after the first iteration has to stop the optimiser; a busy machine may deliver it too late, to the
    calibration or to nothing, which the message has to name as well."""
    for _ in range(50):
        reference.reset()
        child = reference.start(reference.options())
        while child.poll() is None and not reference.state.exists():
            time.sleep(0.001)
        child.send_signal(number)
        message = child.communicate(timeout=1200)[1].decode()
        content = reference.model.read_bytes()
        reference.check_readable(content)
        if child.returncode == 128 + number and content not in (reference.old, reference.new):
            late = "the training had ended by then" in message
            expect(late or "best model so far" in message, f"the message does not name the model: {message}")
            if not late:
                return
    raise Fault(f"signal {number} does not end a training early: {child.returncode}: {message}")


def main(rounds, seed):
    source = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        reference = Playground(folder, source)
        number = 0
        try:
            check_early(reference, signal.SIGINT)
            check_early(reference, signal.SIGTERM)
            for number in range(1, rounds + 1):
                reference.reset()
                kind = (kill_round, kill_round, interrupt_round, twice_round)[number % 4]
                kind(reference)
        except Fault as fault:
            sys.exit(f"kill: round {number} of seed {seed}: {fault}")
    counts = ", ".join(f"{count} {name}" for name, count in reference.counts.items())
    print(f"kill: {rounds} rounds of up to {1.1 * reference.seconds:.2f} s; "
          f"models found: {counts} files left by kills")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 12, int(sys.argv[2]) if len(sys.argv) > 2 else 1)
