"""LogisticRegression and LogisticRegressionCV by the names, parameters and answers of scikit-learn.

The line that imports them is all that changes in a program::

    from temperlr.linear_model import LogisticRegression, LogisticRegressionCV
"""
from __future__ import annotations

import copy
import inspect
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import sklearn
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import get_scorer
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_sample_weight, column_or_1d

from . import _temper
from ._base import TemperedClassifier
from ._callbacks import FitTasks
from ._compat import UNUSED, routing_enabled, validate, with_callbacks
from ._data import Labels, borrow, on_cpu
from ._params import Penalty, penalties, solver_of, solver_options, threads_of, warn_caller
from ._progress import Follower, TuneProgress, on_main_thread
from ._sklearn_params import (SOLVERS, Shares, balanced_weights, check_intercept_scaling, check_number_of_classes,
                              check_rows, check_solver, check_values, deprecated, regression_penalty, search_shares)
from ._types import ClassWeight, Folds, Numbers, RandomState, Rows, Verbose
from .estimator import TemperedLogisticRegression

__all__ = ["LogisticRegression", "LogisticRegressionCV"]

Scorer: TypeAlias = Callable[..., float]
ByClass: TypeAlias = dict[object, np.ndarray]

# tol is relative to the gradient at W = 0 here, and absolute there: with this share of it, results agree as closely as
# scikit-learn's tests compare them.
_TOLERANCE = 1e-3
# The fits to folds end by scikit-learn's rule, where no entry of the gradient exceeds tol, with this share of it: so their
# objectives are as near to the minimum as scikit-learn's or nearer, although other steps lead there.
_FOLD_TOLERANCE = 0.2
# temper_stop of the library: the limit of iterations came first.
_MAX_ITER = 1


class _Solvers(TemperedClassifier):
    """What scikit-learn asks about the solver."""

    solver: str

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self.solver != "liblinear"
        return tags

    def _more_tags(self) -> dict[str, Any]:
        return {**super()._more_tags(), "binary_only": self.solver == "liblinear"}


class LogisticRegression(_Solvers, TemperedLogisticRegression):
    """scikit-learn's LogisticRegression: its parameters, objective, attributes, errors and warnings.

    What it computes is ``TemperedLogisticRegression(1, 1, loss="logistic", scale="none", calibrate="none", C=C)``. A
    program runs the same with either import; what this class has in addition are temperatures for noisy labels, threads,
    ``explain``, ``save`` and ``to_onnx``.

    Parameters
    ----------
    penalty : {"l1", "l2", "elasticnet", None}, deprecated
        As ``l1_ratio`` of 1, 0, what is between, and ``C=inf``. A FutureWarning where scikit-learn's class has one.
    C : float, default 1
        The inverse of the penalty; ``inf`` is none.
    l1_ratio : float, default 0
        The share of the L1 penalty.
    dual : bool, default False
        For solver="liblinear" and L2 penalties; it changes nothing, as both problems have the same minimum.
    tol : float, default 1e-4
        A thousandth of it is that of :class:`temperlr.TemperedLogisticRegression`, which is relative to the gradient at
        W = 0; with it, results agree with scikit-learn's as closely as its own tests compare its solvers.
    fit_intercept : bool, default True
    intercept_scaling : float, default 1
        No effect: the intercept is not penalised, with solver="liblinear" neither.
    class_weight : dict, "balanced" or None
        "balanced" counts rows by their weights, as scikit-learn 1.9 does.
    random_state : int, RandomState or None
        Nothing is drawn.
    solver : {"lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga"}
        "newton-cg" and "newton-cholesky" are Newton's method for two classes, and TRON, a truncated Newton method, for
        more; "liblinear" is TRON; "sag" and "saga" are what is fastest for the data. What a solver refuses there is
        refused: L1 but for "liblinear" and "saga", more than two classes by "liblinear", and so on. "auto" and the other
        names of :class:`temperlr.TemperedLogisticRegression` have no such limits.
    max_iter : int, default 100
        A fit that ends there gives a ConvergenceWarning.
    verbose : int, default 0
    warm_start : bool, default False
    n_jobs : int or None
        Threads of the fit. A FutureWarning where scikit-learn's class has one, which has no use for it.
    t1, t2 : float or "auto", default 1
        The temperatures. 1 is logistic regression; ``t1=0.3`` bounds the loss of a row, so that a wrong label can only do so
        much. Other than 1, probabilities are calibrated.

    Attributes
    ----------
    classes_, coef_, intercept_, n_features_in_, feature_names_in_, n_iter_
        As there; and all those of :class:`temperlr.TemperedLogisticRegression`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from temperlr.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> round(float(LogisticRegression().fit(X, y).score(X, y)), 3)
    0.973
    >>> robust = LogisticRegression(t1=0.3).fit(X, y)
    >>> robust.importance_.shape
    (150,)
    """

    # What TemperedLogisticRegression has parameters for.
    l2 = "auto"
    l1 = 0.0
    loss = "tempered"
    scale = "none"
    precision = "f64"
    calibrate = "auto"
    starts = 1
    estimate_noise = False
    clean = None
    callback = None
    cv = 10
    multi_class = "auto"

    def __init__(self, penalty: str | None = "deprecated", *, C: float = 1.0, l1_ratio: float | None = 0.0, dual: bool = False,
                 tol: float = 1e-4, fit_intercept: bool = True, intercept_scaling: float = 1, class_weight: ClassWeight = None,
                 random_state: RandomState = None, solver: str = "lbfgs", max_iter: int = 100, verbose: Verbose = 0,
                 warm_start: bool = False, n_jobs: int | None = None, t1: float | str = 1.0, t2: float | str = 1.0) -> None:
        self.penalty = penalty
        self.C = C
        self.l1_ratio = l1_ratio
        self.dual = dual
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.random_state = random_state
        self.solver = solver
        self.max_iter = max_iter
        self.verbose = verbose
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.t1 = t1
        self.t2 = t2

    def set_callbacks(self, *callbacks: object) -> LogisticRegression:
        """As scikit-learn 1.9 has it. All solvers call them here; with others than "lbfgs", whose callbacks scikit-learn
        ignores, there is its warning."""
        super().set_callbacks(*callbacks)
        if self.solver != "lbfgs":
            warn_caller(f"scikit-learn ignores callbacks unless solver is \"lbfgs\", and it is {self.solver!r}; here they are "
                        "called", UserWarning)
        return self

    # ---- What the parameters mean ----------------------------------------------------------------

    def _penalty(self) -> Penalty:
        name, penalty = regression_penalty(self.penalty, self.C, self.l1_ratio)
        check_solver(self.solver, name, self.dual)
        check_intercept_scaling(self.intercept_scaling, self.solver)
        if self.n_jobs is not None:
            deprecated((1, 8), f"scikit-learn ignores n_jobs={self.n_jobs!r} from 1.8 on, and will not have it in 1.10; here it "
                       "is the number of threads. TemperedLogisticRegression has it without this warning")
        return penalty

    def _solver_options(self) -> dict[str, Any]:
        options = solver_options(self)
        options["tolerance"] *= _TOLERANCE
        return {**options, "calibrate": "none"} if self._is_plain() else options

    def _is_plain(self) -> bool:
        """Whether it is logistic regression, whose own probabilities are as scikit-learn's."""
        return self.t1 == 1 and self.t2 == 1

    def _solver_name(self, classes: int) -> str:
        if classes > 2 and self.solver in ("newton-cg", "newton-cholesky"):
            return "tron"
        return solver_of(self.solver, classes, l1=self.solver in ("liblinear", "saga") and self._has_l1())

    def _has_l1(self) -> bool:
        return self.penalty == "l1" or (self.penalty in ("deprecated", "elasticnet") and bool(self.l1_ratio))

    def _check_classes(self, classes: int) -> None:
        check_number_of_classes(self.solver, classes)

    def _weights(self, X: Any, labels: Labels, sample_weight: Any) -> np.ndarray | None:
        if self.class_weight != "balanced":
            return super()._weights(X, labels, sample_weight)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        factors = balanced_weights(labels, sample_weight)[labels.codes]
        return factors if sample_weight is None else np.asarray(factors * sample_weight)

    # ---- Training --------------------------------------------------------------------------------

    def _validated(self, X: Any) -> Any:
        check_rows(self.solver, X)
        X = super()._validated(X)
        check_values(self.solver, X)
        return X

    def _train(self, data: _temper.Data, labels: Labels, options: dict[str, Any], dtype: Any = np.float64,
               tasks: FitTasks | None = None) -> None:
        # LIBLINEAR has weights of float64 alone.
        super()._train(data, labels, options, np.float64 if self.solver == "liblinear" else dtype, tasks)

    def _warnings_of(self, report: dict[str, Any]) -> list[str]:
        """Of logistic regression those of the solver alone, as scikit-learn's class has them."""
        found = super()._warnings_of(report)
        return [text for text in found if text.startswith(("stopped ", "stalled "))] if self._is_plain() else found


class _Search(NamedTuple):
    """What the folds of a search have in common."""

    X: Any
    labels: Labels
    weights: np.ndarray | None  # with those of the classes
    shares: Shares
    score: Callable[[LogisticRegression, np.ndarray], float]  # on these rows
    accuracy_weights: np.ndarray | bool | None  # of the rows, where the score is accuracy; None: equal, False: it is not


class _Paths(NamedTuple):
    """Of one fold, or of all of them: an axis for the shares of L1, and one for Cs."""

    coefs: np.ndarray  # then one for classes, and one for weights with the intercept
    scores: np.ndarray
    iterations: np.ndarray


class LogisticRegressionCV(_Solvers):
    """scikit-learn's LogisticRegressionCV: its parameters, folds, scores, attributes, errors and warnings.

    It fits :class:`LogisticRegression` to the rows of every split of ``cv`` with every penalty, beginning with the weights of
    the one before, and takes what scores best. Fits of two classes share passes over the rows where the splits are folds and
    the solver may be any: "lbfgs", "sag" or "saga", with L2 penalties. :class:`temperlr.TemperedLogisticRegressionCV` chooses
    temperatures, too, by a rule for noisy labels, and shares work between candidates.

    Parameters
    ----------
    Cs : int or list of float, default 10
        Inverses of penalties. An int: so many from 1e-4 to 1e4.
    l1_ratios : list of float or None
        Shares of the L1 penalty to try; None, the default of scikit-learn 1.9, is L2 alone and leaves their axis out of
        the attributes.
    fit_intercept : bool, default True
    cv : int, splitter, iterable of (train, test) or None
        As there: 5 stratified folds by default, in the order of the rows. Any splitter will do, and test parts may overlap.
    dual, penalty, intercept_scaling, solver, max_iter, class_weight, random_state
        As for :class:`LogisticRegression`. ``class_weight="balanced"`` is of all rows.
    tol : float, default 1e-4
        As for :class:`LogisticRegression`, but for fits that share passes: they end where no entry of the gradient of the mean
        loss with its penalty exceeds a fifth of it, which is the rule of scikit-learn's "lbfgs" with a smaller limit.
    scoring : str, callable or None
        The score that chooses, by any name or function that scikit-learn takes; None is accuracy. Classes that are in no
        test row of a split count, too.
    n_jobs : int or None
        Splits at a time, on threads. The result is the same, bit for bit.
    verbose : int, default 0
    refit : bool, default True
        Whether the penalty of the highest mean score is fitted to all rows. Else weights, C and l1_ratio are the means over
        splits of what scored best on each.
    use_legacy_attributes : bool
        The form of the attributes below. True is the default, as in scikit-learn 1.9.

    Attributes
    ----------
    classes_, coef_, intercept_, n_features_in_, feature_names_in_
        As in :class:`LogisticRegression`.
    Cs_, l1_ratios_ : ndarray
        What was tried.
    C_, l1_ratio_ : float
        What was chosen. With ``use_legacy_attributes`` an array that repeats it for each class.
    scores_ : ndarray of shape (n_folds, n_l1_ratios, n_cs)
        With ``use_legacy_attributes`` a dict of arrays of shape (n_folds, n_cs[, n_l1_ratios]), by class.
    coefs_paths_ : ndarray of shape (n_folds, n_l1_ratios, n_cs, n_classes or 1, n_features + 1)
        The weights of every fit, the intercept last if there is one. With ``use_legacy_attributes`` a dict of arrays of
        shape (n_folds, n_cs[, n_l1_ratios], n_features + 1), by class.
    n_iter_ : ndarray of shape (n_folds, n_l1_ratios, n_cs)
        With ``use_legacy_attributes`` of shape (1, n_folds, n_cs[, n_l1_ratios]).
    stop_reason_, l2_, l1_, objective_, solver_, importance_
        Of the final fit, as in :class:`temperlr.TemperedLogisticRegression`; none with ``refit=False``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import scale
    >>> from temperlr.linear_model import LogisticRegressionCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegressionCV(Cs=[0.01, 0.1, 1], l1_ratios=(0, 0.5), solver="saga", scoring="neg_log_loss",
    ...                              max_iter=1000, use_legacy_attributes=False).fit(scale(X), y)
    >>> model.scores_.shape, model.coefs_paths_.shape
    ((5, 2, 3), (5, 2, 3, 3, 5))
    >>> bool(model.C_ in model.Cs_)
    True
    """

    # What TemperedLogisticRegression has parameters for.
    loss = "tempered"
    t1 = t2 = 1.0
    calibrate = "none"

    # Read by scikit-learn: weights of score are routed to the scorer, not taken by the estimator.
    __metadata_request__score = {"sample_weight": UNUSED}

    scores_: np.ndarray | ByClass
    coefs_paths_: np.ndarray | ByClass
    C_: float | np.ndarray
    l1_ratio_: float | np.ndarray

    def __init__(self, *, Cs: int | Sequence[float] | np.ndarray = 10,
                 l1_ratios: Sequence[float] | np.ndarray | str | None = "warn", fit_intercept: bool = True, cv: Folds | None = None, dual: bool = False, penalty: str = "deprecated",
                 scoring: str | Scorer | None = "warn", solver: str = "lbfgs", tol: float = 1e-4, max_iter: int = 100,
                 class_weight: ClassWeight = None, n_jobs: int | None = None, verbose: Verbose = 0, refit: bool = True,
                 intercept_scaling: float = 1.0, random_state: RandomState = None,
                 use_legacy_attributes: bool | str = "warn") -> None:
        self.Cs = Cs
        self.l1_ratios = l1_ratios
        self.fit_intercept = fit_intercept
        self.cv = cv
        self.dual = dual
        self.penalty = penalty
        self.scoring = scoring
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.refit = refit
        self.intercept_scaling = intercept_scaling
        self.random_state = random_state
        self.use_legacy_attributes = use_legacy_attributes

    # ---- Training --------------------------------------------------------------------------------

    @with_callbacks
    def fit(self, X: Rows, y: Numbers, sample_weight: Numbers | None = None, **params: object) -> LogisticRegressionCV:
        """Choose, and fit what was chosen to all rows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            Labels of any kind.
        sample_weight : array of shape (n_samples,) or None
            Weights of the rows: for fits, and for scores unless metadata routing says otherwise.
        **params
            For the scorer and the splitter, by scikit-learn's metadata routing: ``groups``, for one.

        Returns
        -------
        LogisticRegressionCV
            The estimator itself.
        """
        self._require_routing(params, "fit")
        shares, legacy = self._check_parameters()
        sample_weight = on_cpu(sample_weight, "sample_weight")
        tasks = FitTasks.of(self, X, y, sample_weight)
        check_rows(self.solver, X)
        matrix = validate(self, X, reset=True)
        check_values(self.solver, matrix)
        labels = self._encode(matrix, y)
        check_number_of_classes(self.solver, len(labels.classes))
        given: np.ndarray = column_or_1d(on_cpu(y, "y"))
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, matrix, dtype=np.float64)
        weights = self._regression()._weights(matrix, labels, sample_weight)
        split_params, score_params = self._routed(sample_weight, params)
        score = self._score_of(matrix, given, labels, score_params)
        search = _Search(matrix, labels, weights, shares, score, self._accuracy_weights(score_params))
        folds = list(check_cv(self.cv, given, classifier=True).split(matrix, given, **split_params))
        self._fit_folds(search, folds, tasks, legacy)
        if tasks:
            tasks.end()
        return self

    def _check_parameters(self) -> tuple[Shares, bool]:
        """The penalties, and whether attributes have the old form."""
        shares = search_shares(self.penalty, self.l1_ratios)
        check_solver(self.solver, shares.penalty, self.dual)
        check_intercept_scaling(self.intercept_scaling, self.solver)
        self.Cs_ = penalties(self.Cs)
        if isinstance(self.scoring, str) and self.scoring == "warn":
            deprecated((1, 9), 'scikit-learn changes the default of scoring to "neg_log_loss" in 1.11; scoring="accuracy" keeps '
                       "what it is")
        if self.use_legacy_attributes == "warn":
            deprecated((1, 8), "scikit-learn changes the default of use_legacy_attributes to False in 1.10: scores_, coefs_paths_ "
                       "and n_iter_ are arrays then, C_ and l1_ratio_ numbers; give True or False")
        return shares, bool(self.use_legacy_attributes)

    def _regression(self, share: float = 0.0) -> LogisticRegression:
        """An estimator for a fold, or for all rows."""
        name = self.solver
        if name in SOLVERS and share:
            name = "saga"  # L1 is refused by now where scikit-learn refuses it
        return LogisticRegression(l1_ratio=share, tol=self.tol, fit_intercept=self.fit_intercept, class_weight=self.class_weight,
                                  random_state=self.random_state, solver=name, max_iter=self.max_iter)

    def _fit_folds(self, search: _Search, folds: list[tuple[Any, Any]], tasks: FitTasks | None, legacy: bool) -> None:
        began, found = time.monotonic(), []
        with Follower(None, self.verbose, TuneProgress, tasks) as follower:
            for fold in self._each_fold(search, folds):
                found.append(fold)
                seconds = time.monotonic() - began
                left = seconds / len(found) * (len(folds) - len(found))
                if follower.caller and follower.caller[0]("folds", len(found), len(folds), seconds, left):
                    raise RuntimeError("a callback ended the search before a penalty was chosen: there is no model; let it "
                                       "answer False to go on")
        paths = _Paths(*map(np.stack, zip(*found)))
        if self.refit:
            C, share = self._take_best(search, paths)
        else:
            C, share = self._take_mean(search, paths)
        self._take_paths(search, paths, legacy)
        self._take_choice(search, C, share, legacy)

    def _each_fold(self, search: _Search, folds: list[tuple[Any, Any]]) -> Iterator[_Paths]:
        """In their order, on n_jobs threads, which have the configuration of scikit-learn that the caller has."""
        fold = self._fold_of_rows(search, folds)
        if fold is not None:
            yield from self._fit_together(search, fold, len(folds))
            return
        threads = threads_of(self.n_jobs)
        if threads == 1:
            yield from (self._fit_fold(search, *fold) for fold in folds)
            return
        config = sklearn.get_config()

        def configured(fold: tuple[Any, Any]) -> _Paths:
            with sklearn.config_context(**config):
                return self._fit_fold(search, *fold)

        with ThreadPoolExecutor(threads) as pool:
            yield from pool.map(configured, folds)

    def _fold_of_rows(self, search: _Search, folds: list[tuple[Any, Any]]) -> np.ndarray | None:
        """The fold of each row, where all fits can share passes over the rows: two classes, L2 alone, a solver that may be
        any, and test parts that hold every row once, with all other rows in the training part; else None."""
        count, codes = search.X.shape[0], search.labels.codes
        if (len(search.labels.classes) != 2 or any(search.shares.used) or self.solver not in ("auto", "lbfgs", "sag", "saga")
                or (search.weights is not None and not (search.weights > 0).all())):
            return None
        fold = np.full(count, len(folds), dtype=np.uint32)
        for number, (train, test) in enumerate(folds):
            train, test = _numbers(train), _numbers(test)
            used = np.zeros(count, dtype=bool)
            used[train] = True
            if used[test].any() or used.sum() != len(train) or len(train) + len(test) != count or len(np.unique(codes[train])) < 2:
                return None
            fold[test] = number
        sizes = np.bincount(fold, minlength=len(folds))
        return fold if len(folds) > 1 and len(sizes) == len(folds) and sizes.all() else None

    def _fit_together(self, search: _Search, fold: np.ndarray, folds: int) -> Iterator[_Paths]:
        """Every penalty on every split, by passes over the rows that serve all splits."""
        rows, features, many = len(fold), search.X.shape[1], len(self.Cs_)
        weights = np.ones(rows) if search.weights is None else search.weights
        inside = np.bincount(fold, weights, folds)
        l2 = np.array([[Penalty(np.nan, C, 0.0).value(weights.sum() - part) for C in self.Cs_] for part in inside])
        coefs, intercepts, scores = np.empty((folds, many, features)), np.empty((folds, many)), np.empty((many, rows))
        iterations, stops = np.empty((folds, many), dtype=np.uint64), np.empty((folds, many), dtype=np.uint64)
        options = {**self._regression()._train_options(), "l2": 1.0, "l1": 0.0, "solver": "lbfgs",
                   "tolerance": _FOLD_TOLERANCE * self.tol, "threads": threads_of(self.n_jobs)}
        _temper.fit_folds(borrow(search.X, search.labels, None, search.weights),
                          (folds, many, _FOLD_TOLERANCE * self.tol, fold, l2, coefs, intercepts, scores, iterations, stops), None, on_main_thread(),
                          **options)
        if (stops == _MAX_ITER).any():
            warn_caller(f"{int((stops == _MAX_ITER).sum())} of {folds * many} fits stopped at max_iter={self.max_iter}; pass "
                        "max_iter with a larger number, or scale the features", ConvergenceWarning)
        if search.labels.order[0] == 1:
            coefs, intercepts = -coefs, -intercepts
        right = (scores > 0) == (search.labels.codes == 1)
        blank = self._any_model(search) if search.accuracy_weights is False else None
        for number in range(folds):
            test = np.flatnonzero(fold == number)
            if blank is None:
                each = [_accuracy(search, of_C, test) for of_C in right]
            else:
                each = [self._score_weights(search, blank, (coefs[number, i], intercepts[number, i]), test) for i in range(many)]
            found = np.column_stack([coefs[number], intercepts[number]]) if self.fit_intercept else coefs[number]
            yield _Paths(found[np.newaxis, :, np.newaxis], np.array([each]), iterations[np.newaxis, number].astype(np.int32))

    def _score_weights(self, search: _Search, blank: _temper.Model, weights: tuple[np.ndarray, float], test: np.ndarray) -> float:
        """The score on these rows of a model with these weights and intercept; `blank` has its features and classes."""
        model = self._regression()
        model.n_features_in_ = self.n_features_in_
        model._take(blank, search.labels)
        model._take_loss("logistic", 1.0, 1.0)
        model._write_weights(weights[0][np.newaxis], np.array([weights[1]]))
        return search.score(model, test)

    def _accuracy_weights(self, params: dict[str, Any]) -> np.ndarray | bool | None:
        """Weights of the rows, where the score is the mean accuracy by them; None: all are equal. False: it is another."""
        named = self.scoring is None or (isinstance(self.scoring, str) and self.scoring in ("warn", "accuracy"))
        if not named or set(params) - {"sample_weight"}:
            return False
        return None if params.get("sample_weight") is None else np.asarray(params["sample_weight"], dtype=np.float64)

    def _fit_fold(self, search: _Search, train: Any, test: Any) -> _Paths:
        """Every penalty on the rows of one split."""
        train, test = _numbers(train), _numbers(test)
        train_one = self._trainer(search, train)
        paths: list[tuple[Any, ...]] = []
        for share in search.shares.used:
            model = self._regression(share).set_params(warm_start=True)
            model.n_features_in_ = search.X.shape[1]
            for C in self.Cs_:
                train_one(model, C)
                paths.append((self._weights_of(model), search.score(model, test), model.n_iter_[0]))
        shape = (len(search.shares.used), len(self.Cs_))
        coefs, scores, iterations = (np.array(column) for column in zip(*paths))
        return _Paths(coefs.reshape(*shape, *coefs.shape[1:]), scores.reshape(shape), iterations.reshape(shape))

    def _trainer(self, search: _Search, train: np.ndarray) -> Callable[[LogisticRegression, float], None]:
        """What fits a model to these rows. A class that they lack is one of the model's all the same."""
        codes = search.labels.codes[train]
        weights = np.ones(len(train)) if search.weights is None else search.weights[train]
        present = np.unique(codes[weights > 0])
        if len(present) == 1 and self.fit_intercept:
            return lambda model, C: self._take_constant(model, search, int(present[0]))
        absent = np.setdiff1d(np.arange(len(search.labels.classes)), codes).astype(codes.dtype)
        rows = np.append(train, np.repeat(train[:1], len(absent)))  # of no weight, so that their features do not matter
        labels = search.labels._replace(codes=np.append(codes, absent))
        data = borrow(search.X[rows], labels, None, np.append(weights, np.zeros(len(absent))))
        return lambda model, C: self._train_one(model, data, labels, float(weights.sum()), C)

    def _take_constant(self, model: LogisticRegression, search: _Search, present: int) -> None:
        """The fit to rows of one class. There is no minimum: the intercept grows without bound, and no other weight has a
        use. It ends where the gradient, which is the probability of other classes, is tol."""
        count = len(search.labels.classes)
        margin = np.log((count - 1) * (1 / max(self.tol, np.finfo(float).tiny) - 1))
        intercepts = np.full(count, -margin / count)
        intercepts[search.labels.order[present]] += margin
        model._take(self._any_model(search), search.labels)
        model._take_loss("logistic", 1.0, 1.0)
        intercepts = intercepts[1:] - intercepts[:1] if count == 2 else intercepts
        model._write_weights(np.zeros((len(intercepts), self.n_features_in_)), intercepts)
        model.n_iter_ = np.zeros(1, dtype=np.int32)

    @staticmethod
    def _train_one(model: LogisticRegression, data: _temper.Data, labels: Labels, weight: float, C: float) -> None:
        model.C = C
        penalty = Penalty(np.nan, C, 0.0, model.l1_ratio or 0.0)
        options = {**model._train_options(penalty), "l2": penalty.value(weight), "l1": penalty.absolute(weight)}
        model._train(data, labels, options)

    def _weights_of(self, model: TemperedClassifier) -> np.ndarray:
        """Those of each class, the intercept last."""
        coef, intercept = model._read_weights()
        return np.column_stack([coef, intercept]) if self.fit_intercept else coef

    # ---- The choice ------------------------------------------------------------------------------

    def _take_best(self, search: _Search, paths: _Paths) -> tuple[float, float | None]:
        """Fits the penalty of the highest mean score, the first of several, to all rows."""
        total = paths.scores.sum(axis=0).T
        of_C, of_share = np.unravel_index(int(np.argmax(total)), total.shape)
        model = self._regression(search.shares.used[of_share])
        model.n_features_in_ = self.n_features_in_
        data = borrow(search.X, search.labels, getattr(self, "feature_names_in_", None), search.weights)
        weight = float(search.X.shape[0] if search.weights is None else search.weights.sum())
        self._train_one(model, data, search.labels, weight, self.Cs_[of_C])
        self._take(model._model, search.labels)
        self._take_loss("logistic", 1.0, 1.0)
        for name in ("stop_reason_", "l2_", "l1_", "objective_", "solver_", "importance_"):
            setattr(self, name, getattr(model, name))
        return float(self.Cs_[of_C]), search.shares.given[of_share]

    def _take_mean(self, search: _Search, paths: _Paths) -> tuple[float, float | None]:
        """Means over folds of what scored best on each."""
        scores = paths.scores.swapaxes(1, 2)
        best = [np.unravel_index(int(np.argmax(of_fold)), of_fold.shape) for of_fold in scores]
        mean = np.mean([coefs[of_share, of_C] for coefs, (of_C, of_share) in zip(paths.coefs, best)], axis=0)
        features = self.n_features_in_
        self._take(self._any_model(search), search.labels)
        self._take_loss("logistic", 1.0, 1.0)
        self._write_weights(mean[:, :features], mean[:, features] if self.fit_intercept else np.zeros(len(mean)))
        for name in ("stop_reason_", "l2_", "l1_", "objective_", "solver_", "importance_"):
            self.__dict__.pop(name, None)
        elastic = search.shares.penalty == "elasticnet"
        share = float(np.mean([search.shares.used[of_share] for _, of_share in best])) if elastic else 0.0
        return float(np.mean([self.Cs_[of_C] for of_C, _ in best])), share

    def _any_model(self, search: _Search) -> _temper.Model:
        """One of these features and classes, whose weights are to be replaced."""
        model = self._regression().set_params(max_iter=0)
        options = {**model._train_options(), "l2": 1.0, "l1": 0.0, "solver": "lbfgs"}
        names = getattr(self, "feature_names_in_", None)
        return _temper.train(borrow(search.X, search.labels, names), None, None, False, **options)[0]

    # ---- Attributes ------------------------------------------------------------------------------

    def _take_paths(self, search: _Search, paths: _Paths, legacy: bool) -> None:
        self.l1_ratios_ = np.asarray(search.shares.given)
        if not legacy:
            self.coefs_paths_, self.scores_, self.n_iter_ = paths.coefs, paths.scores, paths.iterations
            return
        coefs, scores, iterations = (array.swapaxes(1, 2) for array in paths)
        if search.shares.given == [None]:
            coefs, scores, iterations = coefs[:, :, 0], scores[:, :, 0], iterations[:, :, 0]
        classes = search.labels.classes if coefs.shape[-2] > 1 else search.labels.classes[1:]
        self.coefs_paths_ = {label: coefs[..., place, :] for place, label in enumerate(classes)}
        self.scores_ = {label: scores.copy() for label in classes}
        self.n_iter_ = iterations[np.newaxis]

    def _take_choice(self, search: _Search, C: float, share: float | None, legacy: bool) -> None:
        if not legacy:
            self.C_, self.l1_ratio_ = C, float(search.shares.penalty == "l1") if share is None else share
            return
        count = len(self.intercept_)
        self.C_, self.l1_ratio_ = np.full(count, C), np.array([share] * count)

    # ---- Scores ----------------------------------------------------------------------------------

    def _get_scorer(self) -> Scorer:
        """The scorer that ``scoring`` is a name of, or is."""
        named = isinstance(self.scoring, str) and self.scoring != "warn"
        scorer: Scorer = get_scorer(self.scoring if named or callable(self.scoring) else "accuracy")
        return scorer

    def _score_of(self, X: Any, y: np.ndarray, labels: Labels,
                  params: dict[str, Any]) -> Callable[[LogisticRegression, np.ndarray], float]:
        """The score of a model on some of these rows; ``params`` are for the scorer."""
        scorer = _with_labels(self._get_scorer(), labels.classes)

        def score(model: LogisticRegression, rows: np.ndarray) -> float:
            of_rows = {name: _of_rows(value, len(y), rows) for name, value in params.items()}
            return float(scorer(model, X[rows], y[rows], **of_rows))

        return score


    def score(self, X: Rows, y: Numbers, sample_weight: Numbers | None = None, **params: object) -> float:
        """The score that ``scoring`` names, of these rows; ``params`` are for the scorer, by metadata routing."""
        self._require_routing(params, "score")
        if sample_weight is not None:
            params["sample_weight"] = sample_weight
        if routing_enabled():
            from sklearn.utils.metadata_routing import process_routing
            params = process_routing(self, "score", **params).scorer.score
        return float(self._get_scorer()(self, X, y, **params))

    # ---- Metadata routing ------------------------------------------------------------------------

    def _require_routing(self, params: dict[str, object], method: str) -> None:
        if params and not routing_enabled():
            raise ValueError(f"{type(self).__name__}.{method} takes {', '.join(params)} for scorers and splitters only with "
                             "metadata routing: sklearn.set_config(enable_metadata_routing=True), from scikit-learn 1.4 on")

    def _routed(self, sample_weight: Any, params: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """What the splitter is given, and what the scorer. Accuracy that nobody has asked for always has the weights."""
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        if not routing_enabled():
            return {}, weights
        from sklearn.utils.metadata_routing import process_routing
        routed = process_routing(self, "fit", sample_weight=sample_weight, **params)
        default = self.scoring is None or self.scoring == "warn"
        return routed.splitter.split, weights if default else routed.scorer.score

    def get_metadata_routing(self) -> object:
        """Who is given which parameters of fit and score: scikit-learn asks it."""
        from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
        of_scorer = MethodMapping().add(caller="score", callee="score").add(caller="fit", callee="score")
        return (MetadataRouter(owner=self).add_self_request(self)
                .add(splitter=self.cv, method_mapping=MethodMapping().add(caller="fit", callee="split"))
                .add(scorer=self._get_scorer(), method_mapping=of_scorer))


def _accuracy(search: _Search, right: np.ndarray, test: np.ndarray) -> float:
    """The share of these rows, by their weights, that are predicted as they are labelled."""
    weights = search.accuracy_weights
    return float(np.average(right[test], weights=weights[test] if isinstance(weights, np.ndarray) else None))


def _numbers(part: Any) -> np.ndarray:
    """Rows of a split, which may be a mask."""
    part = np.asarray(part)
    return np.flatnonzero(part) if part.dtype == bool else part.astype(np.intp, copy=False)


def _of_rows(value: Any, count: int, rows: np.ndarray) -> Any:
    """That of these rows, of what has one for each row."""
    if isinstance(value, (str, bytes, dict)) or not (hasattr(value, "shape") or hasattr(value, "__len__")):
        return value
    shape = getattr(value, "shape", None)
    size = len(value) if shape is None else shape[0] if shape else None
    return _safe_indexing(value, rows) if size == count else value


def _with_labels(scorer: Scorer, classes: np.ndarray) -> Scorer:
    """The scorer with all classes, where its function has ``labels``: test rows may lack some."""
    function = getattr(scorer, "_score_func", None)
    if function is None or "labels" not in inspect.signature(function).parameters:
        return scorer
    named: dict[str, Any] = {"labels": classes}
    if len(classes) == 2 and "pos_label" in inspect.signature(function).parameters:
        named["pos_label"] = classes[1]
    known = copy.copy(scorer)
    known._kwargs = {**named, **scorer._kwargs}  # type: ignore[attr-defined]
    return known
