"""What the estimators share: conversion of labels and row weights, and a trained model."""
from __future__ import annotations

import os
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d

from . import _temper
from ._compat import CallbackSupportMixin, available_if, validate
from ._data import Labels, borrow, encode_labels, encode_rows, labels_of_names, on_cpu
from ._params import threads_of
from ._types import ClassWeight, Numbers, Rows
from .tables import Table, from_arrow, is_table

# Of temper_prediction in temper.h.
_LABELS, _PROBABILITIES, _RAW_PROBABILITIES, _DECISIONS, _TRUE_PROBABILITIES = range(5)

# Name: is it a two-temperature loss, and does it leave t1 and t2 to the user?
_LOSSES = _temper.losses()
_FEW_WEIGHTS = 10_000
_LITTLE_WORK = 100_000  # multiplications, for which one thread is best


class Explanation(NamedTuple):
    """What the features of each row add to its decision: see ``explain``."""

    contributions: np.ndarray  # (rows, features) for two classes, else (rows, classes, features)
    base: float | np.ndarray  # a number for two classes, else one for each: the decision on a row at the means
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


def weight_type(dtype: Any) -> np.dtype[Any]:
    """The type of coef_ for rows of this one: LogisticRegression converts all but float32 to float64."""
    return np.dtype(np.float32 if dtype == np.float32 else np.float64)


def iterations_of(report: dict[str, Any]) -> np.ndarray:
    """n_iter_, as LogisticRegression has it."""
    return np.array([report["iterations"]], dtype=np.int32)


@dataclass
class CountingRows:
    """The rows of X whose weight is not 0: folds are drawn from these alone."""

    X: Any  # None of a table, whose rows the library has made
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

    @classmethod
    def of_table(cls, X: Any, y: Any, labels: Labels) -> CountingRows:
        """All rows of a table, which the library has made."""
        given = X.labels if isinstance(X, Table) else column_or_1d(on_cpu(y, "y"))
        return cls(None, np.asarray(given), None, None, labels)

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


class TemperedClassifier(CallbackSupportMixin, ClassifierMixin, BaseEstimator):
    """A linear model of the library."""

    # Parameters that every estimator has.
    n_jobs: int | None
    class_weight: ClassWeight

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
        return CountingRows.of(X, column_or_1d(on_cpu(y, "y")), weights)

    # ---- Tables ----------------------------------------------------------------------------------

    def _table_data(self, X: Any, y: Any, sample_weight: Any) -> tuple[_temper.Data, Labels, float]:
        """The rows of a table, their labels, and the sum of their weights."""
        if isinstance(X, Table):
            if y is not None or sample_weight is not None or self.class_weight is not None:
                raise ValueError("a Table has its labels and weights in it; give them to read (label=, weights=, "
                                 "class_weight=), and no y, sample_weight or class_weight here")
            data, labels, total = X._data, labels_of_names(X._data.class_names), float(len(X))
        else:
            data, labels, total = self._arrow_data(X, y, sample_weight)
        if len(labels.classes) < 2:
            raise ValueError("This solver needs samples of at least 2 classes in the data, but there are "
                             f"{len(labels.classes)}")
        self.n_features_in_ = len(data.feature_names)
        self.feature_names_in_ = np.array(data.feature_names, dtype=object)
        return data, labels, total

    def _arrow_data(self, X: Any, y: Any, sample_weight: Any) -> tuple[_temper.Data, Labels, float]:
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is "
                             "None. A column of the table as label: fit(temperlr.read(X, label=NAME))")
        labels = encode_labels(np.asarray(y))
        data = from_arrow(X, {"threads": threads_of(self.n_jobs)}, None, labels.codes)
        weights = self._weights(labels.codes, labels, sample_weight)
        _temper.attach(data, labels.names, weights)
        return data, labels, float(data.rows if weights is None else weights.sum())

    # ---- What was trained ------------------------------------------------------------------------

    def _take(self, model: _temper.Model, labels: Labels, dtype: Any = np.float64) -> None:
        """A new model. `dtype` is that of X: coef_ has it, as LogisticRegression's has."""
        self._forget_weights()
        self._model = model
        self.classes_ = labels.classes
        self._order = labels.order
        self._dtype = weight_type(dtype)

    def _read_weights(self) -> tuple[np.ndarray, np.ndarray]:
        """Weights and intercepts of the model, in the order of classes_."""
        known = self._model.width(_DECISIONS)
        coef, intercept = np.empty((known, self.n_features_in_)), np.empty(known)
        self._model.weights(coef, intercept)
        if known == 1 and self._order[0] == 1:
            return -coef, -intercept
        if known > 1 and not self._in_order():
            coef[self._order], intercept[self._order] = coef.copy(), intercept.copy()
        return coef, intercept

    def _write_weights(self, coef: np.ndarray, intercept: np.ndarray) -> None:
        """The inverse. The model is replaced, not changed: copies of the estimator may have it, too."""
        if len(coef) == 1 and self._order[0] == 1:
            coef, intercept = -coef, -intercept
        elif len(coef) > 1:
            coef, intercept = coef[self._order], intercept[self._order]
        self._model = self._model.with_weights(np.ascontiguousarray(coef), np.ascontiguousarray(intercept))

    def _in_order(self) -> bool:
        order = self._order.tolist()
        return bool(order == list(range(len(order))))

    def _take_report(self, report: dict[str, Any]) -> None:
        self.n_iter_ = iterations_of(report)
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

    # coef_ and intercept_ are the caller's to change, as LogisticRegression's are. They are made when they are first
    # asked for; from then on the model is compared with them before it is used.

    @property
    def coef_(self) -> np.ndarray:
        """Weights of the features as they are, of shape (1 or n_classes, n_features); a sparse matrix after
        ``sparsify``. What is assigned to it, or to its elements, predicts."""
        coef: np.ndarray = self._handed_out("coef_")
        return coef

    @coef_.setter
    def coef_(self, value: ArrayLike) -> None:
        self._replace("coef_", value)

    @property
    def intercept_(self) -> np.ndarray:
        """Of shape (1 or n_classes,). What is assigned to it, or to its elements, predicts."""
        intercept: np.ndarray = self._handed_out("intercept_")
        return intercept

    @intercept_.setter
    def intercept_(self, value: ArrayLike) -> None:
        self._replace("intercept_", value)

    def _handed_out(self, name: str) -> Any:
        if "_model" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__} has no {name} before fit")
        if "_shown" not in self.__dict__:
            coef, intercept = self._read_weights()
            self._shown = {"coef_": coef.astype(self._dtype, copy=False),
                           "intercept_": intercept.astype(self._dtype, copy=False)}
        return self._shown[name]

    def _replace(self, name: str, value: Any) -> None:
        if "_model" not in self.__dict__:
            raise AttributeError(f"{name} of a {type(self).__name__} that is not fitted: there are no weights to replace; "
                                 "fit it first, or load a model file")
        shape = self._handed_out(name).shape
        if not sparse.issparse(value):
            value = np.asarray(value)
            value = value if value.dtype == np.float32 else value.astype(np.float64, copy=False)
        if value.shape != shape:
            raise ValueError(f"{name} has the shape {shape}, which {value.shape} is not: the model has "
                             f"{self.n_features_in_} features and {len(self.classes_)} classes")
        self._shown[name] = value
        self._shown.pop("compared", None)
        self._dtype = np.result_type(self._shown["coef_"].dtype, np.float32)

    def _forget_weights(self) -> None:
        self.__dict__.pop("_shown", None)

    def _current(self) -> _temper.Model:
        """The model, with the weights that coef_ and intercept_ have by now."""
        shown = self.__dict__.get("_shown")
        if shown and not self._compared_before(shown):
            coef = shown["coef_"].toarray() if sparse.issparse(shown["coef_"]) else shown["coef_"]
            trained = self._read_weights()
            # Where nothing was changed the digits that float32 does not show are kept.
            changed = [now != was.astype(now.dtype) for now, was in zip((coef, shown["intercept_"]), trained)]
            if changed[0].any() or changed[1].any():
                self._write_weights(np.where(changed[0], coef, trained[0]),
                                    np.where(changed[1], shown["intercept_"], trained[1]))
        return self._model

    @staticmethod
    def _compared_before(shown: dict[str, Any]) -> bool:
        """Whether coef_ and intercept_, which may have been changed in place, have the bytes that were last compared
        with the weights of the model. For many weights the comparison itself is as fast."""
        coef = shown["coef_"]
        if sparse.issparse(coef) or coef.size > _FEW_WEIGHTS:
            return False
        now = coef.tobytes() + shown["intercept_"].tobytes()
        if now == shown.get("compared"):
            return True
        shown["compared"] = now
        return False

    def sparsify(self) -> Self:
        """Make ``coef_`` a sparse matrix. Predictions stay what they are."""
        check_is_fitted(self)
        self._shown = {"coef_": sparse.csr_matrix(self.coef_), "intercept_": self.intercept_}
        return self

    def densify(self) -> Self:
        """Make ``coef_`` an array again."""
        check_is_fitted(self)
        coef: Any = self.coef_
        self._shown = {"coef_": coef.toarray() if sparse.issparse(coef) else coef, "intercept_": self.intercept_}
        return self

    # ---- Prediction ------------------------------------------------------------------------------

    def _rows(self, X: Any) -> tuple[_temper.Data, Any, Any]:
        """Rows to predict, the type of what is said of them, float32 if they and coef_ are, as NumPy has it, and the
        array that they are of."""
        check_is_fitted(self)
        if is_table(X):
            return self._table_rows(X), np.float64, X
        X = validate(self, X, reset=False)
        return borrow(X), np.result_type(X.dtype, self._dtype), X

    def _predict(self, X: Any, output: int) -> np.ndarray:
        read = self._predict_in_place(X, output)
        if read is not None:
            return read
        data, dtype, checked = self._rows(X)
        if isinstance(checked, np.ndarray) and checked.dtype == np.float32:  # the bits of rows that are read in place
            read = self._predict_array(np.ascontiguousarray(checked), output)
            if read is not None:
                return read
        model = self._current()
        out = np.empty((data.rows, model.width(output)))
        model.predict(data, output, threads_of(self.n_jobs), out)
        return out if output == _LABELS else out.astype(dtype, copy=False)

    def _predict_in_place(self, X: Any, output: int) -> np.ndarray | None:
        """Of an array that needs no conversion, without scikit-learn's checks, which take longer than the
        prediction of some rows. None for anything else, and for what is refused: the checks say why."""
        if type(X) is not np.ndarray or X.ndim != 2 or "_model" not in self.__dict__ or hasattr(self, "feature_names_in_"):
            return None
        return self._predict_array(X, output)

    def _predict_array(self, X: np.ndarray, output: int) -> np.ndarray | None:
        """The same of a fitted model and a matrix."""
        model = self._current()
        dtype = np.float64 if output == _LABELS or X.dtype != np.float32 else self._dtype
        out = np.empty((X.shape[0], model.width(output)), dtype=dtype)
        little = X.size * out.shape[1] < _LITTLE_WORK  # joblib's answer would take longer
        threads = 1 if little else threads_of(self.n_jobs)
        return out if model.predict_rows(X, output, threads, out) else None

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

    def decision_function(self, X: Rows) -> np.ndarray:
        """Activations: one number a row for two classes, above 0 for ``classes_[1]``; else one for
        each class."""
        out = self._predict(X, _DECISIONS)
        if out.shape[1] > 1:
            return self._by_class(out)
        return -out[:, 0] if self._order[0] == 1 else out[:, 0]

    def predict(self, X: Rows) -> np.ndarray:
        """The most likely class of each row."""
        codes = self._predict(X, _LABELS)[:, 0].astype(np.intp)
        return np.asarray(self.classes_[self._order[codes]])

    @available_if(_has_probabilities)
    def predict_proba(self, X: Rows) -> np.ndarray:
        """Calibrated probabilities, in the order of ``classes_``: of the label as it would be
        given, mistakes included. Where a tenth of the labels is wrong, none is much above 0.9."""
        return self._by_class(self._predict(X, _PROBABILITIES))

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Rows) -> np.ndarray:
        """Their logarithms."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def predict_true_proba(self, X: Rows) -> np.ndarray:
        """Probabilities of the true label: those of the given one, with the noise of the labels
        taken out. The model must have been trained with ``estimate_noise=True``."""
        check_is_fitted(self)
        if self._model.width(_TRUE_PROBABILITIES) == 0:
            raise ValueError("the model has no estimate of the label noise; fit it with "
                             "estimate_noise=True")
        return self._by_class(self._predict(X, _TRUE_PROBABILITIES))

    @available_if(_has_raw_probabilities)
    def raw_proba(self, X: Rows) -> np.ndarray:
        """The probabilities of the loss itself, not calibrated: too confident for t1 < 1."""
        return self._by_class(self._predict(X, _RAW_PROBABILITIES))

    def explain(self, X: Rows) -> Explanation:
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
        data, _, _ = self._rows(X)
        model, features = self._current(), self.n_features_in_
        out = np.empty((data.rows, model.width(_DECISIONS), features + 1))
        model.contributions(data, threads_of(self.n_jobs), out)
        names = getattr(self, "feature_names_in_", np.arange(features))
        if out.shape[1] == 1:
            signed = (-1 if self._order[0] == 1 else 1) * out[:, 0]
            return Explanation(signed[:, :-1], signed[0, -1], np.asarray(names))
        ordered = self._by_class(out)
        return Explanation(ordered[:, :, :-1], ordered[0, :, -1], np.asarray(names))

    @available_if(_has_partial_fit)
    def partial_fit(self, X: Rows, y: Numbers) -> Self:
        """Not there: see the message."""
        raise NotImplementedError  # _has_partial_fit has refused

    # ---- Files -----------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as ``temper train`` does; the command and :func:`temperlr.load` read it."""
        check_is_fitted(self)
        self._current().save(path)

    def to_onnx(self, path: str | os.PathLike[str]) -> None:
        """Write the model as ONNX: float input ``x``, outputs ``label`` (string) and
        ``probabilities``."""
        check_is_fitted(self)
        self._current().export(path, "onnx")

    def __getstate__(self) -> dict[str, Any]:
        if "_model" in self.__dict__:
            self._current()
        state = dict(super().__getstate__())
        shown = state.pop("_shown", None)  # the model has them
        if shown and sparse.issparse(shown["coef_"]):
            state["_sparse"] = True
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if self.__dict__.pop("_sparse", False):
            self.sparsify()

    # ---- What scikit-learn asks ------------------------------------------------------------------

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _more_tags(self) -> dict[str, Any]:
        return {}  # until scikit-learn 1.5; all of its defaults are right
