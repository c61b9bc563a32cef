"""Runs a command and reports the peak memory of it and of the processes it waited for.

    peak.py COMMAND...    its output, then a last line with the bytes

A process counts what its parent held at the moment it was started for its own: so this one stands between, and loads
nothing. Less than its own 10 MB or so cannot be told."""
import resource
import subprocess
import sys


def peak_of(command):
    """(what the command wrote, its peak in bytes), by a process of little memory."""
    done = subprocess.run([sys.executable, "-I", "-S", __file__, *command], check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)
    if done.returncode:
        raise SystemExit("failed: " + " ".join(command))
    output, _, peak = done.stdout.rstrip(b"\n").rpartition(b"\n")
    return output, int(peak)


def main():
    done = subprocess.run(sys.argv[1:], check=False)
    print("\n" + str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024))
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
