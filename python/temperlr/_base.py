"""What the estimators share: conversion of labels and row weights, and a trained model."""
from __future__ import annotations

import os
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d

from . import _temper
from ._compat import available_if, validate
from ._data import Labels, borrow, encode_labels, encode_rows
from ._params import threads_of
from .tables import Table, from_arrow, is_table

# Of temper_prediction in temper.h.
_LABELS, _PROBABILITIES, _RAW_PROBABILITIES, _DECISIONS, _TRUE_PROBABILITIES = range(5)

# Name: is it a two-temperature loss, and does it leave t1 and t2 to the user?
_LOSSES = _temper.losses()


class Explanation(NamedTuple):
    """What the features of each row add to its decision: see ``explain``."""

    contributions: np.ndarray  # (rows, features) for two classes, else (rows, classes, features)
    base: Any  # a number for two classes, else one for each: the decision on a row at the means
    feature_names: np.ndarray  # those of a data frame, else numbers from 0


def method_of(loss: Any) -> str:
    """The name of a loss, without its parameters: "sce" of "sce:0.1:1:-4"."""
    return str(loss).partition(":")[0]


def is_two_temperature(loss: Any) -> bool:
    """Whether a loss is one of the paper's, under any name."""
    return bool(_LOSSES.get(method_of(loss), (False,))[0])


def free_temperatures(loss: Any) -> tuple[str, ...]:
    """The temperatures that a loss leaves open."""
    _, t1, t2 = _LOSSES.get(method_of(loss), (False, True, True))
    return ("t1",) * t1 + ("t2",) * t2


def _known(estimator: Any, name: str) -> Any:
    """What was chosen or, before fit, what was asked for; None if that is several."""
    value = getattr(estimator, name + "_", getattr(estimator, name))
    return value if isinstance(value, (str, Real)) else None


def _has_raw_probabilities(estimator: Any) -> bool:
    if method_of(_known(estimator, "loss")) == "hinge":
        raise AttributeError("the hinge loss has no probabilities of its own; use predict_proba or "
                             "decision_function")
    return True


def _has_probabilities(estimator: Any) -> bool:
    """Every calibrated model has them; before fit, what is asked for decides."""
    model = getattr(estimator, "_model", None)
    if model is not None:
        missing = model.width(_PROBABILITIES) == 0
    else:
        missing = estimator.calibrate == "none" and (
            method_of(_known(estimator, "loss")) == "hinge"
            or (_known(estimator, "t1") == 0 and is_two_temperature(_known(estimator, "loss"))))
    if missing:
        raise AttributeError("a model of the hinge loss, or of t1 = 0, has no probabilities unless "
                             "it is calibrated; use decision_function, or calibrate=\"auto\" with "
                             "more rows")
    return True


def _has_partial_fit(estimator: Any) -> bool:
    raise AttributeError("a part of the rows does not determine the weights of all; fit all of them, which are not "
                         "copied (numpy.memmap works), begin with the last weights by warm_start=True, or train on "
                         "rows of several machines by temperlr.shards")


@dataclass
class CountingRows:
    """The rows of X whose weight is not 0: folds are drawn from these alone."""

    X: Any
    y: np.ndarray
    weights: np.ndarray | None
    kept: np.ndarray | None  # a mask of the rows as given; None: all
    labels: Labels

    @classmethod
    def of(cls, X: Any, y: np.ndarray, weights: np.ndarray | None) -> CountingRows:
        kept = None if weights is None or weights.all() else weights != 0
        if kept is not None and weights is not None:
            if not kept.any():
                raise ValueError("sample_weight is 0 for every row; some have to count")
            X, y, weights = X[kept], y[kept], weights[kept]
        labels = encode_labels(y)
        if len(labels.classes) < 2:
            raise ValueError("rows of weight above 0 are of one class only: "
                             f"{labels.classes[0]!r}")
        return cls(X, y, weights, kept, labels)

    def data(self, estimator: TemperedClassifier) -> _temper.Data:
        """For the library."""
        self.borrowed = borrow(self.X, self.labels, getattr(estimator, "feature_names_in_", None),
                               estimator._weights(self.X, self.labels, self.weights))
        return self.borrowed

    def given(self, row: int) -> int:
        """The number that a row had before."""
        return row if self.kept is None else int(np.flatnonzero(self.kept)[row])

    def places(self, count: int) -> np.ndarray:
        """The number here of each row as given; -1 for one that does not count."""
        if self.kept is None:
            return np.arange(count)
        return np.where(self.kept, np.cumsum(self.kept) - 1, -1)

    def spread(self, values: np.ndarray, none: float = np.nan) -> np.ndarray:
        """One for each row as given; `none` for those that do not count."""
        if self.kept is None:
            return values
        out = np.full(len(self.kept), none, dtype=values.dtype)
        out[self.kept] = values
        return out


class TemperedClassifier(ClassifierMixin, BaseEstimator):
    """A linear model of the library."""

    # Parameters that every estimator has.
    loss: Any
    t1: Any
    n_jobs: int | None
    class_weight: Any

    # ---- Rows ------------------------------------------------------------------------------------

    def _encode(self, X: Any, y: Any) -> Labels:
        return encode_rows(X, y, f"{type(self).__name__} estimator")

    def _weights(self, X: Any, labels: Labels, sample_weight: Any) -> np.ndarray | None:
        weights: np.ndarray | None = None
        if sample_weight is not None:
            weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
        if self.class_weight is None:
            return weights
        classes = labels.classes[labels.order]
        y = classes[labels.codes]
        of_class = compute_class_weight(self.class_weight, classes=classes, y=y)
        factors = np.asarray(of_class, dtype=np.float64)[labels.codes]
        return factors if weights is None else np.asarray(weights * factors)

    def _counting_rows(self, X: Any, y: Any, sample_weight: Any) -> CountingRows:
        """Rows for folds: those of weight 0 are none."""
        self._encode(X, y)  # refuses what is wrong with any row
        weights = None
        if sample_weight is not None:
            weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
        return CountingRows.of(X, column_or_1d(y), weights)

    # ---- What was trained ------------------------------------------------------------------------

    def _take(self, model: _temper.Model, labels: Labels) -> None:
        self._model = model
        self.classes_ = labels.classes
        self._order = labels.order
        self._read_weights()

    def _read_weights(self) -> None:
        """coef_ and intercept_, in the order of classes_."""
        known = self._model.width(_DECISIONS)
        coef, intercept = np.empty((known, self.n_features_in_)), np.empty(known)
        self._model.weights(coef, intercept)
        if known == 1 and self._order[0] == 1:
            coef, intercept = -coef, -intercept
        elif known > 1 and not self._in_order():
            coef[self._order], intercept[self._order] = coef.copy(), intercept.copy()
        coef.flags.writeable = intercept.flags.writeable = False
        self._coef, self._intercept, self._sparse = coef, intercept, False

    def _in_order(self) -> bool:
        return bool(self._order[0] == 0 and np.all(self._order[1:] > self._order[:-1]))

    def _take_report(self, report: dict[str, Any]) -> None:
        self.n_iter_ = report["iterations"]
        self.stop_reason_ = report["stop"]
        self.l2_, self.l1_ = report["l2"], report["l1"]
        self.objective_ = report["objective"]
        self.solver_ = report["solver"]

    def _take_loss(self, loss: str, t1: float, t2: float) -> None:
        """t1_ and t2_ mean nothing where there are no temperatures."""
        self.loss_ = loss
        self.t1_, self.t2_ = (np.nan, np.nan) if method_of(loss) == "hinge" else (t1, t2)

    def _take_importance(self, data: _temper.Data, rows: CountingRows | None = None) -> None:
        """Of rows that do not count: NaN. None at all where the loss has none."""
        importance = self._weigh_rows(data)
        self.__dict__.pop("importance_", None)
        if importance is not None:
            self.importance_ = rows.spread(importance) if rows else importance

    def _weigh_rows(self, data: _temper.Data) -> np.ndarray | None:
        """importance_ of these rows, where the loss has one."""
        if not is_two_temperature(self.loss_):
            return None
        out = np.empty(data.rows)
        self._model.importances(data, threads_of(self.n_jobs), out)
        return out

    @property
    def coef_(self) -> Any:
        """Weights of the features as they are, of shape (1 or n_classes, n_features)."""
        coef = self._fitted("_coef", "coef_")
        return sparse.csr_matrix(coef) if self._sparse else coef

    @property
    def intercept_(self) -> np.ndarray:
        """Of shape (1 or n_classes,)."""
        intercept: np.ndarray = self._fitted("_intercept", "intercept_")
        return intercept

    def _fitted(self, inside: str, name: str) -> Any:
        try:
            return self.__dict__[inside]
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no {name} before fit") from None

    def sparsify(self) -> Self:
        """Give ``coef_`` as a sparse matrix from now on. Predictions stay what they are."""
        check_is_fitted(self)
        self._sparse = True
        return self

    def densify(self) -> Self:
        """Give ``coef_`` as an array again."""
        check_is_fitted(self)
        self._sparse = False
        return self

    # ---- Prediction ------------------------------------------------------------------------------

    def _predict(self, X: Any, output: int) -> np.ndarray:
        check_is_fitted(self)
        data = self._table_rows(X) if is_table(X) else borrow(validate(self, X, reset=False))
        width = self._model.width(output)
        out = np.empty((data.rows, width))
        self._model.predict(data, output, threads_of(self.n_jobs), out)
        return out

    def _table_rows(self, X: Any) -> _temper.Data:
        """Rows of a table as the features of the model."""
        if not isinstance(X, Table):
            return from_arrow(X, {"label": "none", "threads": threads_of(self.n_jobs)}, self._model)
        if X.feature_names != self._model.describe()["feature_names"]:
            raise ValueError("the table has other features than the model; read it with like=, the fitted estimator")
        return X._data

    def _by_class(self, out: np.ndarray) -> np.ndarray:
        """Columns from the order of the model to that of classes_."""
        if self._in_order():
            return out
        sorted_out = np.empty_like(out)
        sorted_out[:, self._order] = out
        return sorted_out

    def decision_function(self, X: Any) -> np.ndarray:
        """Activations: one number a row for two classes, above 0 for ``classes_[1]``; else one for
        each class."""
        out = self._predict(X, _DECISIONS)
        if out.shape[1] > 1:
            return self._by_class(out)
        return -out[:, 0] if self._order[0] == 1 else out[:, 0]

    def predict(self, X: Any) -> np.ndarray:
        """The most likely class of each row."""
        codes = self._predict(X, _LABELS)[:, 0].astype(np.intp)
        return np.asarray(self.classes_[self._order[codes]])

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Calibrated probabilities, in the order of ``classes_``: of the label as it would be
        given, mistakes included. Where a tenth of the labels is wrong, none is much above 0.9."""
        return self._by_class(self._predict(X, _PROBABILITIES))

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Their logarithms."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def predict_true_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the true label: those of the given one, with the noise of the labels
        taken out. The model must have been trained with ``estimate_noise=True``."""
        check_is_fitted(self)
        if self._model.width(_TRUE_PROBABILITIES) == 0:
            raise ValueError("the model has no estimate of the label noise; fit it with "
                             "estimate_noise=True")
        return self._by_class(self._predict(X, _TRUE_PROBABILITIES))

    @available_if(_has_raw_probabilities)
    def raw_proba(self, X: Any) -> np.ndarray:
        """The probabilities of the loss itself, not calibrated: too confident for t1 < 1."""
        return self._by_class(self._predict(X, _RAW_PROBABILITIES))

    def explain(self, X: Any) -> Explanation:
        """What each feature adds to the decision on each row.

        Contributions are relative to a row with the mean of the training rows in all features, or to
        zeros where the model has no means (sparse rows, ``scale`` without means), and add up to
        ``decision_function``, as those of the command ``temper explain`` do.

        Examples
        --------
        >>> import numpy as np, temperlr
        >>> X, y = np.array([[0., 5.], [1., 4.], [2., 5.], [3., 4.]] * 10), [0, 0, 1, 1] * 10
        >>> model = temperlr.TemperedLogisticRegression().fit(X, y)
        >>> found = model.explain(X[:2])
        >>> found.contributions.shape
        (2, 2)
        >>> np.allclose(found.contributions.sum(-1) + found.base, model.decision_function(X[:2]))
        True
        """
        check_is_fitted(self)
        data = self._table_rows(X) if is_table(X) else borrow(validate(self, X, reset=False))
        features = self.n_features_in_
        out = np.empty((data.rows, len(self._intercept), features + 1))
        self._model.contributions(data, threads_of(self.n_jobs), out)
        names = getattr(self, "feature_names_in_", np.arange(features))
        if out.shape[1] == 1:
            signed = (-1 if self._order[0] == 1 else 1) * out[:, 0]
            return Explanation(signed[:, :-1], signed[0, -1], np.asarray(names))
        ordered = self._by_class(out)
        return Explanation(ordered[:, :, :-1], ordered[0, :, -1], np.asarray(names))

    @available_if(_has_partial_fit)
    def partial_fit(self, X: Any, y: Any) -> Self:
        """Not there: see the message."""
        raise NotImplementedError  # _has_partial_fit has refused

    # ---- Files -----------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as ``temper train`` does; the command and :func:`temperlr.load` read it."""
        check_is_fitted(self)
        self._model.save(path)

    def to_onnx(self, path: str | os.PathLike[str]) -> None:
        """Write the model as ONNX: float input ``x``, outputs ``label`` (string) and
        ``probabilities``."""
        check_is_fitted(self)
        self._model.export(path, "onnx")

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        for name in ("_coef", "_intercept"):  # the model has them
            state.pop(name, None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "_model" in self.__dict__:
            was_sparse = self._sparse
            self._read_weights()
            self._sparse = was_sparse

    # ---- What scikit-learn asks ------------------------------------------------------------------

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _more_tags(self) -> dict[str, Any]:
        return {}  # until scikit-learn 1.5; all of its defaults are right
