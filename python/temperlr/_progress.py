"""Progress of training: as a bar, on the terminal, to the caller's function."""
from __future__ import annotations

import sys
import threading
from types import TracebackType
from typing import Any, Callable, NamedTuple

from ._callbacks import FitTasks

QUIET_SECONDS = 10.0  # before verbose="auto" shows anything


class Progress(NamedTuple):
    """Where training is; what a ``callback`` is given after every iteration."""

    phase: str
    """"train"; with several starts "start 2 of 3" and the like; then "calibrate" and, with
    ``estimate_noise``, "noise", whose iterations are fits."""
    iteration: int
    max_iterations: int
    objective: float
    gradient: float
    """Its norm, relative to that at W = 0."""
    tolerance: float
    """Training ends when ``gradient`` is below it, and the objective is estimated to be within a
    thousandth of it of its minimum."""
    accuracy: float
    """On the training rows, weighted."""
    seconds: float


class TuneProgress(NamedTuple):
    """Where tuning or an audit is; what a ``callback`` is given after every few fits."""

    phase: str
    """"halves", "folds", "ask", "check", "final fit" or "average"; of an audit, also that of
    ``estimate_noise``, "halves" and "audit"."""
    done: int
    """Fits so far."""
    all: int
    """As far as is known: candidates that have no chance are dropped early."""
    seconds: float
    left: float
    """Seconds, by the fits so far; NaN if that is not known yet."""


class _Lines:
    """Lines on stderr, one in `every` seconds at most, after the first seconds."""

    def __init__(self, first: float, every: float) -> None:
        self._next, self._every = first, every

    def show(self, now: Progress | TuneProgress) -> None:
        if now.seconds < self._next:
            return
        self._next = now.seconds + self._every
        if isinstance(now, TuneProgress):
            print(f"temper: {now.phase}: {now.done} of {now.all} fits, {now.seconds:.0f} s", file=sys.stderr, flush=True)
        else:
            print(f"temper: {now.phase}: iteration {now.iteration}, {_figures(now)}, {now.seconds:.0f} s",
                  file=sys.stderr, flush=True)

    def close(self) -> None:
        pass


class _Bar:
    """Counts iterations, of which it is not known how many there will be, or fits. The last figures
    stay."""

    def __init__(self, tqdm: Any, unit: str) -> None:
        self._bar = tqdm(unit=unit, leave=True)

    def show(self, now: Progress | TuneProgress) -> None:
        self._bar.set_description_str(f"temper: {now.phase}", refresh=False)
        if isinstance(now, TuneProgress):
            self._bar.total = now.all
            self._bar.update(now.done - self._bar.n)
            return
        self._bar.set_postfix_str(_figures(now), refresh=False)
        self._bar.update(1)

    def close(self) -> None:
        self._bar.close()


def _figures(now: Progress) -> str:
    return (f"objective {now.objective:.6g}, gradient {now.gradient:.1e} of {now.tolerance:.0e}, "
            f"accuracy {now.accuracy:.3f}")


def _display(verbose: Any, unit: str) -> _Bar | _Lines | None:
    """What shows the progress: of "auto" lines, once the work has taken ten seconds; None: nothing does."""
    if isinstance(verbose, str):
        if verbose != "auto":
            raise ValueError(f'verbose has to be a number or "auto", and is {verbose!r}')
        return _Lines(QUIET_SECONDS, QUIET_SECONDS)
    if not verbose:
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Lines(0, 1)
    return _Bar(tqdm, unit)


class Follower:
    """Passes progress on. ``caller`` is what the extension calls, from when on, and whether with the model; None where
    nobody wants it, and training stays in C."""

    def __init__(self, callback: Callable[..., object] | None, verbose: Any,
                 kind: type[Progress] | type[TuneProgress] = Progress, tasks: FitTasks | None = None) -> None:
        self._callback = callback
        self._kind = kind
        self._tasks = tasks
        self._display = _display(verbose, " iterations" if kind is Progress else " fits")
        after = QUIET_SECONDS if isinstance(verbose, str) and not callback and not tasks else 0.0
        wanted = callback or tasks or self._display
        self.caller = (self._follow, after, tasks is not None and kind is Progress) if wanted else None

    def _follow(self, *fields: Any) -> bool:
        size = len(self._kind._fields)
        now = self._kind(*fields[:size])
        if self._display:
            self._display.show(now)
        stop = bool(self._callback(now)) if self._callback else False
        if self._tasks:
            count = now.done if isinstance(now, TuneProgress) else now.iteration
            stop |= self._tasks.after(now.phase, count, fields[size] if len(fields) > size else None)
        return stop

    def __enter__(self) -> Follower:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        if self._display:
            self._display.close()


def on_main_thread() -> bool:
    """Where signals arrive."""
    return threading.current_thread() is threading.main_thread()
