"""Callbacks of scikit-learn, which it has since 1.9: a task for the fit, and one for each iteration in it."""
from __future__ import annotations

from typing import Any, Callable

from . import _temper

# Phases in which no model of all rows is trained.
_OTHER_PHASES = {"calibrate", "noise", "clean", "hold out"}


class FitTasks:
    """Calls the hooks of ``set_callbacks``.

    As in LogisticRegression, the last task is begun after the last iteration and ends with no iteration in it, and there
    is one before it even where no iteration was made.
    """

    def __init__(self, estimator: Any, X: Any, y: Any, sample_weight: Any) -> None:
        self._given = {"estimator": estimator, "X": X, "y": y,
                       "metadata": None if sample_weight is None else {"sample_weight": sample_weight}}
        self._root = estimator._init_callback_context(max_subtasks=None)
        self._task: Any = None
        self._begun = 0
        # Of a copy that predicts: classes_ and so on, which fit has not set yet.
        self.attributes: dict[str, Any] = {}
        self._root.call_on_fit_task_begin(**self._given)

    @classmethod
    def of(cls, estimator: Any, X: Any, y: Any, sample_weight: Any) -> FitTasks | None:
        """None where nobody listens."""
        wanted = hasattr(estimator, "_skl_callbacks") or hasattr(estimator, "_parent_callback_ctx")
        return cls(estimator, X, y, sample_weight) if wanted else None

    def after(self, phase: str, iteration: int, model: _temper.Model | None) -> bool:
        """Ends the task of an iteration and begins the next; whether a callback wants to stop."""
        if phase in _OTHER_PHASES or (iteration == 0 and self._task is not None):
            return False
        return self._next_task(None if model is None else lambda: {**self.attributes, "_model": model})

    def _next_task(self, attributes: Callable[[], Any] | None) -> bool:
        stop = False
        if self._task is not None:
            stop = self._task.call_on_fit_task_end(**self._given, reconstruction_attributes=attributes)
        self._task = self._root.subcontext(task_name="iteration")
        self._task.call_on_fit_task_begin(**self._given, reconstruction_attributes=attributes)
        self._begun += 1
        return bool(stop)

    def end(self) -> None:
        """After the fit, when the estimator predicts by itself."""
        if self._begun == 1:
            self._next_task(None)
        if self._task is not None:
            self._task.call_on_fit_task_end(estimator=self._given["estimator"])
        self._root.call_on_fit_task_end(**self._given, reconstruction_attributes={})
