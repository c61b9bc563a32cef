"""Training on rows that lie with the workers of another engine, such as Dask or Spark.

The engine moves bytes and arrays; what is in them, and the solver, are here. In order:

* each worker: ``survey(X, y)`` of its rows, which gives bytes;
* the caller: ``Plan(surveys, TemperedLogisticRegression(...))``;
* each worker: ``Shard(plan, X, y)``;
* the caller: ``plan.fit(ask)``, where ``ask(question, w)`` gives ``shard.answer(question, w)`` of
  all shards, in the order of the surveys.

Everything but the shards themselves pickles into little; a shard pickles with its rows, so that an
engine can move it. ``python/examples/dask_shards.py`` does this with Dask.

>>> import numpy as np
>>> from sklearn.datasets import load_iris
>>> from temperlr import TemperedLogisticRegression
>>> X, y = load_iris(return_X_y=True)
>>> parts = [slice(0, 70), slice(70, 150)]
>>> plan = Plan([survey(X[p], y[p]) for p in parts], TemperedLogisticRegression())
>>> shards = [Shard(plan, X[p], y[p]) for p in parts]
>>> model = plan.fit(lambda question, w: [shard.answer(question, w) for shard in shards])
>>> whole = TemperedLogisticRegression(solver="lbfgs").fit(X, y)
>>> bool(np.all(model.predict(X) == whole.predict(X)))
True
"""
from __future__ import annotations

from typing import Any, Callable, Iterable, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import _check_sample_weight

from . import _temper
from ._compat import validate
from ._data import borrow, encode_labels
from ._params import threads_of, warn_caller
from ._progress import Follower, on_main_thread
from ._types import Numbers, Rows
from .estimator import TemperedLogisticRegression
from .files import fill

__all__ = ["Plan", "Question", "Shard", "survey"]


class Question(NamedTuple):
    """What all shards are asked at once. A worker hands it on to :meth:`Shard.answer`."""

    asked: int
    loss: str
    t1: float
    t2: float
    smoothing: float


def _rows(X: Any, y: Any, sample_weight: Any) -> _temper.Data:
    """A shard may lack classes, even all but one."""
    reader = TemperedLogisticRegression()
    X = validate(reader, X, reset=True)
    labels = encode_labels(y)
    if len(labels.codes) != X.shape[0]:
        raise ValueError(f"there are {len(labels.codes)} labels for {X.shape[0]} rows")
    weights = None
    if sample_weight is not None:
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
    return borrow(X, labels, getattr(reader, "feature_names_in_", None), weights)


def survey(X: Rows, y: Numbers, sample_weight: Numbers | None = None, *, n_jobs: int | None = None) -> bytes:
    """What has to be known of the rows of a shard: classes, weights, and statistics of columns."""
    return _temper.survey(_rows(X, y, sample_weight), threads_of(n_jobs))


class Plan:
    """What all shards agree on: classes, scaling, the loss and its penalty.

    ``estimator`` has the parameters; it stays as it is. ``solver`` may be "auto" or "lbfgs",
    ``scale`` anything but "log", ``calibrate`` "auto" or "none": the model is not calibrated.
    ``class_weight``, ``C``, temperatures of "auto", ``estimate_noise``, ``clean`` and the losses "trimmed" and
    "forward" are refused.
    """

    def __init__(self, surveys: Iterable[bytes],
                 estimator: TemperedLogisticRegression | None = None) -> None:
        self.estimator = TemperedLogisticRegression() if estimator is None else estimator
        if self.estimator.class_weight is not None:
            raise ValueError("class_weight does not go with shards, none of which knows all rows; "
                             "pass sample_weight")
        if self.estimator.C is not None:
            raise ValueError("C depends on the weight of all rows; give l2")
        self._plan = _temper.plan(list(surveys), None, None, False,
                                  **self.estimator._train_options())

    @classmethod
    def _from_text(cls, text: bytes) -> Plan:
        """As another process has made it; for answering, not for fitting."""
        plan = cls.__new__(cls)
        plan.estimator = TemperedLogisticRegression()
        plan._plan = _temper.plan_from_text(text)
        return plan

    @property
    def n_weights(self) -> int:
        """How many numbers ``w`` has."""
        return self._plan.size

    @property
    def l2(self) -> float:
        """The penalty: what was given, or what "auto" means for these rows."""
        return self._plan.l2

    def reduce(self, question: Question, answers: Iterable[ArrayLike]) -> np.ndarray:
        """The sum of the answers of all shards, always in the same order of additions."""
        length = self._plan.answer_length(question.asked)
        rows = [np.ascontiguousarray(answer, dtype=np.float64) for answer in answers]
        for number, row in enumerate(rows):
            if row.shape != (length,):
                raise ValueError(f"answer {number}, counted from 0, has the shape {row.shape}, and "
                                 f"({length},) was expected: it is not one of this plan")
        out = np.empty(length)
        _temper.reduce(np.array(rows), out)
        return out

    def fit(self, ask: Callable[[Question, np.ndarray], Iterable[ArrayLike]]
            ) -> TemperedLogisticRegression:
        """A fitted copy of the estimator. ``ask(question, w)`` gives the answers of all shards, in
        the order of the surveys; an exception in it ends the training. Classes are as
        :func:`temperlr.load` has them."""
        return self._train(lambda question, w: self.reduce(question, ask(question, w)))

    def _train(self, total: Callable[[Question, np.ndarray], np.ndarray]) -> TemperedLogisticRegression:
        """The same, where ``total`` gives the sum of the answers."""
        def sum_of(*told: Any) -> np.ndarray:
            return total(Question(*told[:-1]), np.frombuffer(told[-1]))

        fitted: TemperedLogisticRegression = clone(self.estimator)
        with Follower(fitted.callback, fitted.verbose) as follower:
            model, report, interruption = _temper.train(
                (self._plan, sum_of), self.estimator._warm_model(), follower.caller,
                on_main_thread(), **fitted._train_options())
        fill(fitted, model)
        fitted.loss_curve_ = np.frombuffer(report["history"]).reshape(-1, 2)[:, 0].copy()
        if interruption is not None:
            raise interruption
        for sentence in report["warnings"].splitlines():
            warn_caller(sentence, ConvergenceWarning)
        return fitted


class Shard:
    """Rows that answer questions, one at a time. Made where they are to stay."""

    def __init__(self, plan: Plan, X: Rows, y: Numbers, sample_weight: Numbers | None = None, *,
                 n_jobs: int | None = None) -> None:
        self._made_of = (plan, X, y, sample_weight, n_jobs)
        self._shard = _temper.shard(_rows(X, y, sample_weight), plan._plan, threads_of(n_jobs))

    def __reduce__(self) -> tuple[Callable[..., Shard], tuple[object, ...]]:
        return (_remake, self._made_of)

    def answer(self, question: Question, w: ArrayLike) -> np.ndarray:
        """The share of these rows in a mean over all rows: of the loss, the accuracy, and the
        gradient of the loss at ``w``; or of the square of the activations that ``w`` gives."""
        plan = self._made_of[0]
        out = np.empty(plan._plan.answer_length(question.asked))
        self._shard.answer(*question, np.ascontiguousarray(w, dtype=np.float64), out)
        return out


def _remake(plan: Plan, X: Any, y: Any, sample_weight: Any, n_jobs: int | None) -> Shard:
    return Shard(plan, X, y, sample_weight, n_jobs=n_jobs)
