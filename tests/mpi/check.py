#!/usr/bin/env python3
"""temper-mpi against temper: the same bytes for any number of processes, and what happens when
something goes wrong in one of them.

tests/mpi/check.py TEMPER TEMPER_MPI MPIRUN CHECK...    with CHECK of: same, wrong, tcp, kill:TIMES
Exits with 77 where MPI cannot start processes here.
"""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

TEMPER, TEMPER_MPI, MPIRUN = (os.path.abspath(word) for word in sys.argv[1:4])
asked = subprocess.run([MPIRUN, "--version"], capture_output=True).stdout
OPEN_MPI = b"Open MPI" in asked or b"OpenRTE" in asked or b"open-mpi.org" in asked
PATIENCE = 120  # seconds; a command that takes longer hangs
failures = []


def mpirun(ranks, *more):
    """As root in a container, and on fewer cores than processes: both have to be allowed."""
    allowed = ["--allow-run-as-root", "--oversubscribe"] if OPEN_MPI else []
    return [MPIRUN, *allowed, *more, "-n", str(ranks)]


def quiet():
    """Without words of its own about exit codes."""
    return ["--quiet"] if OPEN_MPI else []


def run(words, code=0):
    done = subprocess.run([str(word) for word in words], capture_output=True, timeout=PATIENCE)
    expect(done.returncode == code, f"exit code {done.returncode}, not {code}: {words}\n"
           + done.stderr.decode(errors="replace"))
    return done


def together(ranks, *words, code=0, more=()):
    return run([*mpirun(ranks, *quiet(), *more), TEMPER_MPI, *words, "--threads", "1"], code)


def expect(holds, what):
    if not holds:
        failures.append(what)
        print("failed:", what)


def read(path):
    return pathlib.Path(path).read_bytes()


# ---- Data ------------------------------------------------------------------------------------------

def make(name, rows, columns, classes, density, seed=1):
    """Rows of a linear rule with some wrong labels, as libsvm text, or CSV where they are dense."""
    draw = random.Random(seed)
    rule = [[draw.gauss(0, 1) for _ in range(columns)] for _ in range(classes)]
    with open(name, "w") as out:
        if name.endswith(".csv"):
            out.write(",".join(f"x{j}" for j in range(columns)) + ",class\n")
        for _ in range(rows):
            x = {j: round(draw.gauss(0, 1), 3) for j in range(columns) if draw.random() < density}
            scores = [sum(weights[j] * value for j, value in x.items()) for weights in rule]
            label = scores.index(max(scores)) if draw.random() < 0.8 else draw.randrange(classes)
            if name.endswith(".csv"):
                out.write(",".join(str(x[j]) for j in range(columns)) + f",c{label}\n")
            else:
                out.write(f"c{label} " + " ".join(f"{j + 1}:{v}" for j, v in x.items()) + "\n")


def make_all():
    make("two.csv", 3000, 12, 2, 1)
    make("many.csv", 3000, 12, 4, 1)
    make("two.svm", 3000, 30, 2, 0.5)
    make("many.svm", 3000, 30, 4, 0.5)
    make("wide.svm", 2000, 1500, 2, 0.02)
    make("wide-many.svm", 2000, 1500, 3, 0.02)
    make("few.csv", 40, 3, 2, 1)  # one part: all but one process have no rows
    for name in ("two.csv", "many.svm", "few.csv"):
        run([TEMPER, "convert", name, name + ".tmpr", "-q"])


# ---- The same bytes --------------------------------------------------------------------------------

def solvers_for(name):
    return ["lbfgs", "tron"] if "many" in name else ["newton", "lbfgs", "tron"]


def check_same_models():
    for name in ("two.csv", "many.csv", "two.svm", "many.svm", "wide.svm", "wide-many.svm",
                 "two.csv.tmpr", "many.svm.tmpr", "few.csv.tmpr"):
        for solver in solvers_for(name):
            if (name, solver) == ("wide.svm", "newton"):
                continue  # a matrix of 1,500 by 1,500: other tests have Hessians
            options = ["--solver", solver, "--max-iter", "12"]
            run([TEMPER, "train", name, "-m", "one.temper", *options])
            for ranks in (1, 2, 3, 4):
                together(ranks, "train", name, "-m", "all.temper", *options)
                expect(read("one.temper") == read("all.temper"),
                       f"{name}, {solver}: {ranks} processes train another model")


def check_same_options():
    """What is agreed on beyond the sums: weights, classes, scaling, validation rows, starts."""
    run([TEMPER, "train", "two.svm", "-m", "warm.temper"])
    for name, options in (("two.csv", ["--class-weight", "balanced"]),
                          ("many.csv", ["--classes", "c1,c3"]),
                          ("two.csv", ["--valid", "two.csv", "--scale", "minmax"]),
                          ("many.svm", ["--scale", "maxabs", "--starts", "2"]),
                          ("two.svm", ["--warm-start", "warm.temper", "--loss", "hinge"]),
                          ("many.csv", ["--loss", "logistic", "--precision", "f64"])):
        one = run([TEMPER, "train", name, "-m", "one.temper", *options])
        all_of_them = together(3, "train", name, "-m", "all.temper", *options)
        expect(read("one.temper") == read("all.temper"), f"{name} {options}: another model")
        expect(one.stderr == all_of_them.stderr, f"{name} {options}: another message\n"
               f"{one.stderr!r}\n{all_of_them.stderr!r}")


def without_seconds(text):
    found = json.loads(text)
    del found["seconds"]
    return found


def check_same_predictions():
    pathlib.Path("large.svm").write_bytes(read("many.svm") * 60)  # some portions of text
    for name in ("two.csv", "many.svm", "many.svm.tmpr", "few.csv.tmpr", "large.svm"):
        model = ("large" if "large" in name else name.split(".")[0]) + ".temper"
        run([TEMPER, "train", name, "-m", model, "--max-iter", "5"])
        for ranks in (1, 2, 4):
            for output in ([], ["--proba"], ["--decision"]):
                one = run([TEMPER, "predict", "-m", model, name, *output])
                several = together(ranks, "predict", "-m", model, name, *output)
                expect(one.stdout == several.stdout, f"{name} {output}: {ranks} predict otherwise")
            one = run([TEMPER, "eval", "-m", model, name, "--json"])
            several = together(ranks, "eval", "-m", model, name, "--json")
            expect(without_seconds(one.stdout) == without_seconds(several.stdout),
                   f"{name}: {ranks} processes evaluate otherwise")
        together(2, "predict", "-m", model, name, "-o", "predicted.txt")
        expect(read("predicted.txt") == run([TEMPER, "predict", "-m", model, name]).stdout,
               f"{name}: another file of predictions")


def check_same():
    check_same_models()
    check_same_options()
    check_same_predictions()


# ---- What goes wrong -------------------------------------------------------------------------------

def check_wrong():
    lines = read("two.svm").splitlines(True) * 60  # some portions of text
    run([TEMPER, "train", "two.svm", "-m", "two.temper"])
    for number in (1, len(lines) // 3, len(lines) // 2, len(lines)):
        spoilt = lines.copy()
        spoilt[number - 1] = b"c1 1:x\n"
        if number < len(lines):
            spoilt[-1] = b"c1 2:y\n"  # the first one is told
        pathlib.Path("spoilt.svm").write_bytes(b"".join(spoilt))
        for words in (["train", "spoilt.svm", "-m", "none.temper"],
                      ["predict", "-m", "two.temper", "spoilt.svm", "-o", "none.txt"]):
            one = run([TEMPER, *words], 65)
            several = together(3, *words, code=65)
            expect(f"spoilt.svm:{number}:6:".encode() in several.stderr, f"no place: {several}")
            expect(one.stderr.splitlines()[-1] in several.stderr, f"other words: {several.stderr}")
            expect(several.stderr.count(b"is not a number") == 1, f"said twice: {several.stderr}")
            expect(not os.path.exists("none.temper") and not os.path.exists("none.txt"),
                   "something was saved")
    together(2, "train", "nowhere.svm", code=66)
    together(2, "train", "two.svm", "-m", "no-folder/x.temper", code=74)
    together(2, "train", "two.svm", "--t1", "auto", code=2)
    together(2, "tune", "two.svm", code=2)
    together(2, "train", "-", "-m", "x.temper", code=2)
    together(2, "train", "two.svm", "--no-such-option", code=2)
    together(2, "train", "two.svm", "--memory", "500M", code=2)
    together(2, "predict", "-m", "two.temper", "two.svm", "--memory", "500M", code=2)


def check_tcp():
    """Between end points of TCP, as between machines, and not through memory."""
    how = ["--mca", "btl", "tcp,self", "--mca", "pml", "ob1"] if OPEN_MPI else []
    if not OPEN_MPI:
        os.environ["FI_PROVIDER"] = "tcp"
        os.environ["MPIR_CVAR_NOLOCAL"] = "1"
    for name in ("many.csv", "wide.svm"):
        run([TEMPER, "train", name, "-m", "one.temper"])
        together(3, "train", name, "-m", "all.temper", more=how)
        expect(read("one.temper") == read("all.temper"), f"{name}: another model over TCP")


# ---- Killed ----------------------------------------------------------------------------------------

def descendants(parent):
    """Process numbers of the program below mpirun, whatever lies between."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            name = os.readlink(folder / "exe")
            above = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue
        found.append((int(folder.name), above, name))
    family, grown = {parent}, True
    while grown:
        born = {pid for pid, above, _ in found if above in family} - family
        grown = bool(born)
        family |= born
    return sorted(pid for pid, _, name in found if pid in family and name == TEMPER_MPI)


def killed_once(words, draw, signal_number):
    """Starts a training, and ends one of its processes at a random moment."""
    job = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    time.sleep(draw.uniform(0.2, 1.6))
    workers = descendants(job.pid)
    if workers:
        try:
            os.kill(draw.choice(workers), signal_number)
        except ProcessLookupError:
            pass
    try:
        said = job.communicate(timeout=PATIENCE)[1]
    except subprocess.TimeoutExpired:
        for pid in descendants(job.pid):
            os.kill(pid, signal.SIGKILL)
        job.kill()
        said = job.communicate()[1]
        expect(False, "a killed process leaves the others waiting")
    return job.returncode, said


def check_kill(times):
    draw = random.Random(7)
    options = ["--checkpoint", "going.resume", "--checkpoint-seconds", "0", "--loss", "tempered",
               "--t1", "0.1", "--t2", "1.9", "--solver", "lbfgs", "--tol", "1e-8",
               "--precision", "f64", "--threads", "1"]
    make("kill.csv", 20000, 30, 3, 1, seed=3)
    run([TEMPER, "convert", "kill.csv", "kill.tmpr", "-q"])
    train = ["train", "kill.tmpr", "-m", "kill.temper", *options]
    run([TEMPER, *train])
    wanted, killed, resumed = read("kill.temper"), 0, 0
    for number in range(times):
        for name in ("going.resume", "kill.temper"):
            pathlib.Path(name).unlink(missing_ok=True)
        ranks = draw.choice((2, 3))
        how = signal.SIGTERM if number % 5 == 4 else signal.SIGKILL
        code, said = killed_once([*mpirun(ranks), TEMPER_MPI, *train], draw, how)
        killed += code != 0
        if how == signal.SIGKILL:
            expect(code == 0 or said, "nothing was said of a killed process")
            expect(code == 0 or not os.path.exists("kill.temper")
                   or read("kill.temper") == wanted, "a killed job has left a wrong model")
        resumed += os.path.exists("going.resume")
        together(draw.choice((1, 2, 3)), *train[:-2], "--resume")
        expect(read("kill.temper") == wanted, f"kill {number}: resumed to another model")
    print(f"{killed} of {times} jobs were ended before their end, {resumed} left a checkpoint")
    expect(killed > 0 and resumed > 0, "nothing was killed in time: the test shows nothing")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        start = subprocess.run([*mpirun(2), TEMPER_MPI, "version"], capture_output=True)
        if start.returncode != 0:
            print("MPI does not start here:", start.stderr.decode(errors="replace"))
            sys.exit(77)
        expect(start.stdout.count(b"temper ") == 1, f"not said once: {start.stdout}")
        make_all()
        for check in sys.argv[4:]:
            name, _, count = check.partition(":")
            checks = {"same": check_same, "wrong": check_wrong, "tcp": check_tcp}
            if name == "kill":
                check_kill(int(count))
            else:
                checks[name]()
        os.chdir("/")
    print(f"{len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
