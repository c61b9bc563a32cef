"""TemperedLogisticRegression: logistic regression that some wrong labels do not bend."""
from __future__ import annotations

import os
import warnings
from numbers import Integral, Real
from typing import Any, Callable

import joblib
import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from . import _temper
from ._compat import validate
from ._data import Labels, borrow, encode_labels
from ._progress import Follower, Progress, on_main_thread

# Of temper_output in temper.h.
_LABELS, _PROBABILITIES, _RAW_PROBABILITIES, _DECISIONS = range(4)

_TWO_TEMPERATURES = ("tempered", "logistic", "t-logistic", "gce")


def _has_raw_probabilities(estimator: Any) -> bool:
    if estimator.loss == "hinge":
        raise AttributeError("the hinge loss has no probabilities; use decision_function")
    return True


def _has_probabilities(estimator: Any) -> bool:
    _has_raw_probabilities(estimator)
    if estimator.t1 == 0 and estimator.loss in ("tempered", "gce"):
        raise AttributeError("a model of t1 = 0 has no calibrated probabilities; use "
                             "raw_proba or decision_function")
    return True


class TemperedLogisticRegression(ClassifierMixin, BaseEstimator):
    """Logistic regression with two temperatures: for labels that are partly wrong.

    Minimises the weighted mean of the loss plus ``l2 / 2 * ||W||**2``, the intercept being free.
    With ``t1 < t2`` the loss of a single row is bounded, so a wrong label can only do so much.

    Parameters
    ----------
    t1, t2 : float, default 0.3 and 1
        The temperatures. ``t1 = t2 = 1`` is logistic regression. Lower ``t1`` caps the loss of a
        row at ``1 / (1 - t1)``; higher ``t2`` gives heavier tails.
    l2 : float or "auto", default "auto"
        The penalty lambda, on the features as scaled. LogisticRegression's ``C`` is
        ``1 / (l2 * n_samples)``. "auto" is ``2e-4 * trace(cov(X)) / (n_classes - 1)``.
    loss : {"tempered", "logistic", "t-logistic", "gce", "hinge", "bregman"}
        "logistic", "t-logistic" and "gce" fix temperatures: (1, 1), (1, t2) and (t1, 1).
    solver : {"auto", "newton", "lbfgs", "tron"}
        "auto" takes the fastest for the data.
    tol : float, default 1e-4
        Training ends when the norm of the gradient is this share of that at W = 0.
    max_iter : int, default 1000
    class_weight : dict, "balanced" or None
    fit_intercept : bool, default True
    scale : {"auto", "none", "standard", "minmax", "maxabs", "log"}
        How features are scaled for the solver; ``coef_`` is for rows as they are. "auto" is
        "standard" for dense X and "none" for sparse X.
    warm_start : bool, default False
        Begin with the weights of the last call of fit.
    starts : {1, 2, 3}
        Train from several starts, and warn if they disagree.
    n_jobs : int or None
        Threads; None is 1, -1 is all. The result is the same, bit for bit.
    random_state : int, RandomState or None
        The seed; None is 1. Training from W = 0 draws nothing.
    verbose : int or bool, default 0
        Show progress: a tqdm bar where that is installed.
    callback : callable or None
        Called with a :class:`temper.Progress` after each iteration; a true answer ends training
        with the best weights so far.
    precision : {"auto", "f32", "f64"}
        Of sums within blocks of rows. "auto" is "f64" for float64 and sparse X, else "f32".

    Attributes
    ----------
    classes_, coef_, intercept_, n_features_in_, feature_names_in_
        As in LogisticRegression. ``coef_`` and ``intercept_`` are read-only.
    n_iter_ : int
    stop_reason_ : str
        "converged", "max-iter", "stalled" or "interrupted".
    importance_ : ndarray of shape (n_samples,)
        ``p ** (t2 - t1)`` of each training row, p being the model's own probability of its given
        label: near 0 for a row that the model does not believe. Not for hinge and bregman.
    l2_, objective_, solver_
        The penalty that was used, the objective at the end, the solver that was taken.
    loss_curve_ : ndarray
        The objective after each iteration.

    Notes
    -----
    Ctrl-C ends training after the iteration it is in. KeyboardInterrupt is raised, and the
    estimator is fitted: with the best weights so far, and ``stop_reason_`` "interrupted".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from temper import TemperedLogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = TemperedLogisticRegression().fit(X, y)
    >>> model.predict(X[:3])
    array([0, 0, 0])
    >>> model.stop_reason_
    'converged'
    """

    def __init__(self, t1: float = 0.3, t2: float = 1.0, l2: float | str = "auto", *,
                 loss: str = "tempered", solver: str = "auto", tol: float = 1e-4,
                 max_iter: int = 1000, class_weight: Any = None, fit_intercept: bool = True,
                 scale: str = "auto", warm_start: bool = False, starts: int = 1,
                 n_jobs: int | None = None, random_state: Any = None, verbose: int | bool = 0,
                 callback: Callable[[Progress], Any] | None = None,
                 precision: str = "auto") -> None:
        self.t1 = t1
        self.t2 = t2
        self.l2 = l2
        self.loss = loss
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.warm_start = warm_start
        self.starts = starts
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback
        self.precision = precision

    # ---- Training --------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> TemperedLogisticRegression:
        """Fit to the rows of X and their labels.

        X may be float64, float32 or uint8 in C order, or CSR with float32 values: none of these
        is copied. Everything else is converted first.
        """
        options = self._train_options()
        X = validate(self, X, reset=True)
        labels = self._encode(X, y)
        data = borrow(X, labels, getattr(self, "feature_names_in_", None),
                      self._weights(X, labels, sample_weight))
        labels = labels._replace(codes=labels.codes[:0].copy())  # the library has its own
        with Follower(self.callback, self.verbose) as follower:
            model, report, interruption = _temper.train(
                data, self._warm_model(), follower.function, on_main_thread(), **options)
        self._take(model, labels)
        self._take_report(report)
        if self.loss in _TWO_TEMPERATURES:
            self.importance_ = np.empty(data.rows)
            model.importances(data, options["threads"], self.importance_)
        if interruption is not None:
            raise interruption
        for sentence in report["warnings"].splitlines():
            warnings.warn(sentence, ConvergenceWarning, stacklevel=2)
        return self

    def _encode(self, X: Any, y: Any) -> Labels:
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but "
                             "the target y is None.")
        labels = encode_labels(y)
        if len(labels.codes) != X.shape[0]:
            raise ValueError(f"Found input variables with inconsistent numbers of samples: "
                             f"[{X.shape[0]}, {len(labels.codes)}]")
        if len(labels.classes) < 2:
            raise ValueError("This solver needs samples of at least 2 classes in the data, but the "
                             f"data contains only one class: {labels.classes[0]!r}")
        return labels

    def _weights(self, X: Any, labels: Labels, sample_weight: Any) -> np.ndarray | None:
        weights = None
        if sample_weight is not None:
            weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
        if self.class_weight is None:
            return weights
        classes = labels.classes[labels.order]
        y = classes[labels.codes]
        of_class = compute_class_weight(self.class_weight, classes=classes, y=y)
        factors = np.asarray(of_class, dtype=np.float64)[labels.codes]
        return factors if weights is None else weights * factors

    def _warm_model(self) -> _temper.Model | None:
        return getattr(self, "_model", None) if self.warm_start else None

    def _train_options(self) -> dict[str, Any]:
        return {"loss": self.loss, "t1": _number("t1", self.t1), "t2": _number("t2", self.t2),
                "l2": np.nan if self.l2 == "auto" else _number("l2", self.l2),
                "scale": None if self.scale == "auto" else self.scale, "solver": self.solver,
                "precision": self.precision, "starts": _count("starts", self.starts),
                "no_intercept": not self.fit_intercept, "tolerance": _number("tol", self.tol),
                "max_iterations": _count("max_iter", self.max_iter), "seed": self._seed(),
                "threads": self._threads()}

    def _seed(self) -> int:
        return seed_of(self.random_state)

    def _threads(self) -> int:
        return 1 if self.n_jobs is None else joblib.effective_n_jobs(self.n_jobs)

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
        self.l2_ = report["l2"]
        self.objective_ = report["objective"]
        self.solver_ = report["solver"]
        self.loss_curve_ = np.frombuffer(report["history"]).reshape(-1, 2)[:, 0].copy()

    @property
    def coef_(self) -> Any:
        """Weights of the features as they are, of shape (1 or n_classes, n_features)."""
        coef = self._fitted("_coef", "coef_")
        return sparse.csr_matrix(coef) if self._sparse else coef

    @property
    def intercept_(self) -> np.ndarray:
        """Of shape (1 or n_classes,)."""
        return self._fitted("_intercept", "intercept_")

    def _fitted(self, inside: str, name: str) -> Any:
        try:
            return self.__dict__[inside]
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no {name} before fit") from None

    def sparsify(self) -> TemperedLogisticRegression:
        """Give ``coef_`` as a sparse matrix from now on. Predictions stay what they are."""
        check_is_fitted(self)
        self._sparse = True
        return self

    def densify(self) -> TemperedLogisticRegression:
        """Give ``coef_`` as an array again."""
        check_is_fitted(self)
        self._sparse = False
        return self

    # ---- Prediction ------------------------------------------------------------------------------

    def _predict(self, X: Any, output: int) -> np.ndarray:
        check_is_fitted(self)
        data = borrow(validate(self, X, reset=False))
        width = self._model.width(output)
        out = np.empty((data.rows, width))
        self._model.predict(data, output, self._threads(), out)
        return out

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
        return self.classes_[self._order[codes]]

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Calibrated probabilities, in the order of ``classes_``: of the label as it would be
        given, mistakes included."""
        return self._by_class(self._predict(X, _PROBABILITIES))

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Their logarithms."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @available_if(_has_raw_probabilities)
    def raw_proba(self, X: Any) -> np.ndarray:
        """The probabilities of the model itself, which are too sure of themselves for t1 < 1."""
        return self._by_class(self._predict(X, _RAW_PROBABILITIES))

    # ---- Files -----------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as ``temper train`` does; the command and :func:`temper.load` read it."""
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
            turned_sparse = self._sparse
            self._read_weights()
            self._sparse = turned_sparse

    # ---- What scikit-learn asks ------------------------------------------------------------------

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _more_tags(self) -> dict[str, Any]:
        return {}  # until scikit-learn 1.5; all of its defaults are right


def _number(name: str, value: Any) -> float:
    if isinstance(value, Real) and not isinstance(value, bool):
        return float(value)
    raise ValueError(f"{name} has to be a number, and is {value!r}")


def _count(name: str, value: Any) -> int:
    if isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 0:
        return int(value)
    raise ValueError(f"{name} has to be a whole number, 0 or more, and is {value!r}")


def seed_of(random_state: Any) -> int:
    """A seed for the library: the number itself, or one drawn from a generator; None is 1, as on
    the command line."""
    if random_state is None:
        return 1
    if isinstance(random_state, Integral):
        if random_state < 0:
            raise ValueError(f"random_state has to be 0 or more, and is {random_state}")
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    return int(random_state.randint(2**31 - 1))
