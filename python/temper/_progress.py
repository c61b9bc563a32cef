"""What training says on its way: to a bar, to the terminal, to the caller."""
from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import Any, Callable, NamedTuple


class Progress(NamedTuple):
    """Where training is; what a ``callback`` is given after every iteration."""

    phase: str
    """"train"; with several starts "start 2 of 3" and the like."""
    iteration: int
    max_iterations: int
    objective: float
    gradient: float
    """Its norm, relative to that at W = 0."""
    tolerance: float
    """Training ends when ``gradient`` is below it."""
    accuracy: float
    """On the training rows, weighted."""
    seconds: float


class _Lines:
    """Without tqdm: a line a second at most."""

    def __init__(self) -> None:
        self._last = 0.0

    def show(self, now: Progress) -> None:
        if time.monotonic() - self._last >= 1:
            self._last = time.monotonic()
            print(f"temper: {now.phase}: iteration {now.iteration}, {_figures(now)}",
                  file=sys.stderr)

    def close(self) -> None:
        pass


class _Bar:
    """Counts iterations; how many there will be is not known. The last figures stay."""

    def __init__(self, tqdm: Any) -> None:
        self._bar = tqdm(unit=" iterations", leave=True)

    def show(self, now: Progress) -> None:
        self._bar.set_description_str(f"temper: {now.phase}", refresh=False)
        self._bar.set_postfix_str(_figures(now), refresh=False)
        self._bar.update(1)

    def close(self) -> None:
        self._bar.close()


def _figures(now: Progress) -> str:
    return (f"objective {now.objective:.6g}, gradient {now.gradient:.1e} of {now.tolerance:.0e}, "
            f"accuracy {now.accuracy:.3f}")


def _display() -> _Bar | _Lines:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Lines()
    return _Bar(tqdm)


class Follower:
    """Passes progress on; ``function`` is None where nobody wants it, and training stays in C."""

    def __init__(self, callback: Callable[[Progress], Any] | None, verbose: int | bool) -> None:
        self._callback = callback
        self._display = _display() if verbose else None
        self.function = self._follow if callback or verbose else None

    def _follow(self, *fields: Any) -> Any:
        now = Progress(*fields)
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
