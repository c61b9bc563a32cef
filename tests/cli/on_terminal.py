"""For cases: temper with a terminal as its standard output or error."""
import os
import pty
import signal
import subprocess


def run(words, stream, stop_at=None, **environment):
    """(what it writes to the terminal, its exit code); `stream` is stdout or stderr, the standard output goes nowhere else.
    SIGTERM is sent when the bytes `stop_at` have been written."""
    main, terminal = pty.openpty()
    child = subprocess.Popen(os.environ["TEMPER"].split() + list(words), env={**os.environ, **environment},
                             **{"stdout": subprocess.DEVNULL, stream: terminal})
    os.close(terminal)
    written = b""
    try:
        while piece := os.read(main, 65536):
            written += piece
            if stop_at and stop_at in written:
                child.send_signal(signal.SIGTERM)
                stop_at = None
    except OSError:
        pass  # the terminal is closed
    return written, child.wait()
