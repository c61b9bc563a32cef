"""Progress of training: as a bar, on the terminal, to the caller's function."""
from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import Any, Callable, NamedTuple


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
    """Without tqdm: a line a second at most."""

    def __init__(self) -> None:
        self._last = 0.0

    def show(self, now: Progress | TuneProgress) -> None:
        if time.monotonic() - self._last < 1:
            return
        self._last = time.monotonic()
        if isinstance(now, TuneProgress):
            print(f"temper: {now.phase}: {now.done} of {now.all} fits", file=sys.stderr)
        else:
            print(f"temper: {now.phase}: iteration {now.iteration}, {_figures(now)}",
                  file=sys.stderr)

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


def _display(unit: str) -> _Bar | _Lines:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Lines()
    return _Bar(tqdm, unit)


class Follower:
    """Passes progress on; ``function`` is None where nobody wants it, and training stays in C."""

    def __init__(self, callback: Callable[..., Any] | None, verbose: int | bool,
                 kind: type[Progress] | type[TuneProgress] = Progress) -> None:
        self._callback = callback
        self._kind = kind
        unit = " iterations" if kind is Progress else " fits"
        self._display = _display(unit) if verbose else None
        self.function = self._follow if callback or verbose else None

    def _follow(self, *fields: Any) -> Any:
        now = self._kind(*fields)
        if self._display:
            self._display.show(now)
        return self._callback(now) if self._callback else False

    def __enter__(self) -> Follower:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        if self._display:
            self._display.close()


def on_main_thread() -> bool:
    """Where signals arrive."""
    return threading.current_thread() is threading.main_thread()
