"""Compiles, links and runs with a changed file in place of one of the tree, beside an existing build that stays as it is."""
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PASSED, SKIPPED = 0, 77
CPU_FACTOR, CPU_LEAST = 10, 5  # a run may take so many times the processor time of the unchanged program, plus seconds
IDLE = 60  # seconds without use of a processor, after which a run is a deadlock
LARGEST_FILE, MEMORY_MB = 1 << 30, 3000
COMPILE_SECONDS = 300
# The changed file is compiled without these: a warning is no verdict, and libFuzzer has no part here.
DROPPED = ("-Werror", "-fsanitize=fuzzer-no-link", "-g", "-g1", "-Wall", "-Wextra")


STOP = threading.Event()  # set by a signal: what is in progress is finished, nothing new is begun


def stop_on_signals():
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: STOP.set())


class BuildError(Exception):
    """The unchanged tree does not build, or does not pass: no verdict on any mutation."""


def run_quietly(command, folder):
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False)


class Build:
    """A configured and built folder: how its objects are compiled, what they include, how its programs are linked."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        commands = json.loads((self.folder / "compile_commands.json").read_text())
        self.sanitized = any("-fsanitize=" in entry["command"] for entry in commands)
        self.objects = {}  # object -> (source below the root, words of the command)
        for entry in commands:
            words = entry["command"].split()
            source = os.path.relpath(entry["file"], ROOT)
            if "CMakeFiles/temper_objects.dir/" in entry["command"] and source.startswith("src/"):
                self.objects[words[words.index("-o") + 1]] = (source, words)
        self.includers = self.find_includers()
        self.link_commands = {}

    def find_includers(self):
        """Source or header below the root -> the objects that are compiled from it."""
        includers, current = {}, None
        for line in run_quietly(["ninja", "-t", "deps"], self.folder).stdout.splitlines():
            if not line.startswith(" "):
                current = line.split(":")[0]
            elif current in self.objects:
                path = os.path.relpath(os.path.join(self.folder, line.strip()), ROOT)
                includers.setdefault(path, []).append(current)
        return includers

    def link_command(self, program):
        if program not in self.link_commands:
            done = run_quietly(["ninja", "-t", "commands", "-s", program], self.folder)
            self.link_commands[program] = done.stdout.strip().splitlines()[-1]
        return self.link_commands[program]


def limit_compiler():
    """By processor time, so that a busy machine or a stopped run does not count."""
    resource.setrlimit(resource.RLIMIT_CPU, (COMPILE_SECONDS, COMPILE_SECONDS))


class Overlay:
    """A changed file of src/, the objects compiled with it, and programs that are linked with these."""

    def __init__(self, build, folder, path, source):
        self.build, self.folder, self.path = build, pathlib.Path(folder), path
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / path).parent.mkdir(parents=True)
        (self.folder / path).write_bytes(source)
        self.replaced = {}  # object of the build -> the one with the change

    def command(self, original, output, dropped=DROPPED):
        """The command that compiled an object, with the changed file in front of that of the tree."""
        source, words = self.build.objects[original]
        compiled = str(self.folder / source) if source == self.path else words[-1]
        kept = [word for word in words[1:-1] if word not in dropped and not word.startswith(("-W", "-O"))]
        kept[kept.index("-o") + 1] = str(output)
        # Kernels without optimisation run for long; other files are compiled in a fifth of the time without.
        level = "-O1" if source.startswith("src/kernel/") and not self.build.sanitized else "-O0"
        return [words[0], f"-I{self.folder}/src", *kept, level, "-w", compiled]

    def compile(self):
        """None, or what the compiler said."""
        for number, original in enumerate(self.build.includers[self.path]):
            output = self.folder / f"{number}.o"
            done = subprocess.run(self.command(original, output), cwd=self.build.folder, text=True, errors="replace",
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=limit_compiler, check=False)
            if done.returncode != 0 and "error:" not in done.stdout:
                raise BuildError(f"{original} cannot be compiled:\n{done.stdout}")
            if done.returncode != 0:
                return done.stdout
            self.replaced[original] = str(output)
        return None

    def code(self):
        """The optimised object code without sanitizers, of all objects that have the file: to compare by."""
        objects = []
        for original in self.build.includers[self.path]:
            source, words = self.build.objects[original]
            output = self.folder / "plain.o"
            kept = [w for w in words[1:-1] if w not in DROPPED and not w.startswith(("-fsanitize", "-fno-sanitize", "-O", "-W"))]
            if "-mllvm" in kept:  # of AddressSanitizer
                at = kept.index("-mllvm")
                del kept[at:at + 2]
            kept[kept.index("-o") + 1] = str(output)
            # From inside the folder, so that names of files in the object are the same for every overlay.
            compiled = source if source == self.path else words[-1]
            done = run_quietly([words[0], "-Isrc", *kept, "-O2", "-w", compiled], self.folder)
            if done.returncode != 0:
                raise BuildError(done.stdout)
            objects.append(output.read_bytes())
        return objects

    def link(self, program):
        """The path of the program with the change in it."""
        output = self.folder / pathlib.Path(program).name
        words = [self.replaced.get(word, word) for word in self.build.link_command(program).split(" ")]
        words[words.index("-o") + 1] = str(output)
        done = run_quietly(["sh", "-c", " ".join(words)], self.build.folder)
        if done.returncode != 0:
            raise BuildError(f"{program} cannot be linked:\n{done.stdout[-2000:]}")
        return output


# ---- Running a test ---------------------------------------------------------------------------------------------------


def limit_resources(sanitized):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
    if not sanitized:  # AddressSanitizer maps terabytes, and has a limit of its own
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MB << 20, MEMORY_MB << 20))


def group_seconds(group):
    """Processor time of the processes of a group that are running now."""
    ticks = 0
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = pathlib.Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[2]) == group:
                ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def end_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def hangs(process, allowed):
    """Waits for the end of a process; True if it used more processor time than allowed, or none for a long time."""
    last, since = 0.0, time.monotonic()
    while True:
        try:
            process.wait(timeout=1)
            return False
        except subprocess.TimeoutExpired:
            used = group_seconds(process.pid)
        if abs(used - last) > 0.02:
            last, since = used, time.monotonic()
        if used > allowed or time.monotonic() - since > IDLE:
            return True


def run(command, environment, scratch, allowed, sanitized=True):
    """(verdict, seconds of processor time, last lines of output); the verdict is "passed", "failed" or "hang"."""
    scratch = pathlib.Path(scratch)
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    environment = dict(environment, TMPDIR=str(scratch))
    options = environment.get("ASAN_OPTIONS", "")
    environment["ASAN_OPTIONS"] = ":".join(filter(None, (options, f"hard_rss_limit_mb={MEMORY_MB}")))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(scratch / "output", "w+b") as output:
        process = subprocess.Popen(command, cwd=scratch, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=lambda: limit_resources(sanitized))
        hung = hangs(process, allowed)
        end_group(process)
        output.seek(0)
        text = output.read()[-4000:].decode(errors="replace")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["chmod", "-R", "u+rwX", scratch], check=False)
    shutil.rmtree(scratch, ignore_errors=True)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if hung:
        return "hang", seconds, text
    return ("passed" if process.returncode in (PASSED, SKIPPED) else "failed"), seconds, text
