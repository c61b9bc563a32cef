"""Runs one training of temper or of a peer, in processes of their own, and says how long it took (of the
processor, so that other programs do not count; with several threads on the wall) and how good it is."""
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # the folders of bench/ import each other
from peers import installed  # noqa: E402
from training import train_data  # noqa: E402

READS = 20_000_000  # bytes a second that LIBLINEAR reads, at the least
CLOCK = "train() "  # what bench/peers/liblinear_clock.c prints before the seconds

HERE = pathlib.Path(__file__).resolve().parent
SCRIPTS = {"vw bfgs": (sys.executable, ["peer_vw.py"]), "glmnet": (sys.executable, ["peer_glmnet.py"]),
           "torch lbfgs": (installed.TORCH_PYTHON, ["peer_torch.py", "fit"])}


class Missing(Exception):
    """A set cannot be had, or what is needed to judge it."""


def timed(command, cap, more=None):
    """(processor seconds, standard output), or None after `cap` of them. more: variables of the environment."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (cap, cap))
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               env={**installed.environment(), **(more or {})}, preexec_fn=limit)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode < 0:
        return None
    if process.returncode:
        raise Missing(f"{command[0]} has failed")
    return usage.ru_utime + usage.ru_stime, output


class Runner:
    """One set, and who trains on it; caps: {who, or "all others": the most seconds}."""

    def __init__(self, temper, folder, l2, caps, threads=1):
        self.temper, self.folder, self.l2, self.caps, self.threads = temper, folder, l2, caps, threads
        if not train_data.make(folder.name, folder, temper):
            raise Missing(f"the data of {folder.name} is not here (TEMPER_DATA names its folder)")
        self.sparse = (folder / "train.libsvm").exists()
        self.peer = None
        self.start()

    def start(self):
        self.peer = subprocess.Popen(
            [sys.executable, HERE.parent / "peers" / "train_peer.py", self.folder, str(self.l2), str(self.threads)], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=installed.environment(self.threads))
        about = json.loads(self.peer.stdout.readline())
        self.rows, self.classes = about["rows"], about["classes"]

    def close(self):
        self.peer.stdin.close()
        self.peer.wait()

    def ask(self, **what):
        """Its answer; None if it ran out of time, which its timer ends it for; a new one is started."""
        self.peer.stdin.write(json.dumps(what) + "\n")
        self.peer.stdin.flush()
        line = self.peer.stdout.readline()
        if line:
            return json.loads(line)
        code = self.peer.wait()
        self.start()
        if code != -signal.SIGPROF:
            raise Missing(f"it has failed with {code}")
        return None

    def cap(self, name):
        return self.caps.get(name, self.caps["all others"])

    def stop_after(self, seconds):
        """From now on, if that is earlier than before."""
        self.caps = {name: min(cap, seconds) for name, cap in self.caps.items()}

    def run(self, name, tol):
        if name in ("temper", "temper avx2"):
            return self.ours(tol, kernel=name.split()[-1] if " " in name else None)
        if name.startswith("liblinear -s"):
            return self.liblinear(name.split()[-1], tol, self.cap(name))
        if name in SCRIPTS:
            return self.script(name, tol)
        return self.ask(do="fit", solver=name, tol=tol, cap=self.cap(name))

    def script(self, name, tol):
        """A peer that needs a Python, or a process, of its own."""
        python, script = SCRIPTS[name]
        weights = self.folder / f"{script[0].split('.')[0]}.npz"
        done = timed([python, HERE.parent / "peers" / script[0], *script[1:], self.folder, str(self.l2), str(tol), weights],
                     20 + 2 * self.cap(name))
        told = done and json.loads(done[1])
        if not told or told["seconds"] > self.cap(name):
            return None
        return {"seconds": told["seconds"], **self.ask(do="weights", file=str(weights))}

    def ours(self, tol, cap=600, kernel=None):
        """kernel: what TEMPER_KERNEL names; None: the best of this processor."""
        model = self.folder / "model.temper"
        data = ["train.libsvm"] if self.sparse else ["train.npy", "--labels",
                                                     self.folder / "train.labels"]
        whole, output = timed(
            [self.temper, "train", self.folder / data[0], *data[1:], "-m", model, "--threads", str(self.threads),
             "--calibrate", "none", "--holdout", "none",  # no peer calibrates or estimates its accuracy: the same work
             "--scale", "none", "--loss", "logistic", "--l2", str(self.l2), "--tol", str(tol),
             "--max-iter", "100000", "--json", "--quiet"], cap, {"TEMPER_KERNEL": kernel} if kernel else {})
        told = json.loads(output)
        # On the wall, which other programs lengthen; with one thread all of the process is more in any case.
        seconds = min(told["seconds"]["train"], whole) if self.threads == 1 else told["seconds"]["train"]
        return {"seconds": seconds, "whole": whole, "solver": told["solver"],
                "evaluations": told["evaluations"], **self.ask(do="temper", model=str(model))}

    def text(self):
        """What LIBLINEAR reads."""
        return self.folder / ("train.libsvm" if self.sparse else "train.svm")

    def liblinear(self, kind, tol, cap):
        """LIBLINEAR's own command, with a clock around its training: bench/peers/liblinear_clock.c."""
        model, clock = self.folder / f"model.liblinear{kind}", self.temper.resolve().parent / "bin" / "liblinear_clock.so"
        if not clock.exists():
            raise Missing(f"{clock} is not built")
        reading = self.text().stat().st_size // READS  # is not training
        done = timed([shutil.which("liblinear-train"), "-s", kind, "-B", "1", "-q", "-e", str(tol),
                      "-c", f"{1 / (self.l2 * self.rows):.17g}", self.text(), model], cap + reading, {"LD_PRELOAD": str(clock)})
        if done is None:
            return None
        seconds = [float(line[len(CLOCK):]) for line in done[1].decode().splitlines() if line.startswith(CLOCK)]
        if len(seconds) != 1:
            raise Missing("liblinear-train has no call of train() that can be timed")
        return {"seconds": seconds[0], "whole": done[0], **self.ask(do="liblinear", model=str(model))}

    def stars(self):
        """The smallest objectives, ours and LIBLINEAR's (of two classes), found once for all."""
        path = self.folder / f"stars-{self.l2:g}.json"
        kept = json.loads(path.read_text()) if path.exists() else None
        if kept and (kept["liblinear"] is not None or self.classes != 2):
            return kept
        ours = self.ours(1e-7, cap=1200)
        stars = {"ours": ours["objective"], "accuracy": ours["accuracy"], "liblinear": None}
        if self.classes == 2 and self.text().exists() and shutil.which("liblinear-train"):
            stars["liblinear"] = self.liblinear("0", 1e-8, cap=600)["objective"]
        elif self.classes == 2:  # scikit-learn's copy of it, where LIBLINEAR itself is not installed
            stars["liblinear"] = self.ask(do="fit", solver="liblinear", tol=1e-8, cap=600)["objective"]
        path.write_text(json.dumps(stars) + "\n")
        return stars
