"""TemperedLogisticRegressionCV: temperatures and penalty chosen by cross-validation."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any, Callable, TypeAlias

import numpy as np
from sklearn.metrics import get_scorer

from . import _temper
from ._base import CountingRows, TemperedClassifier
from ._callbacks import FitTasks
from ._compat import validate, with_callbacks
from ._data import Labels, borrow, class_name, encode_labels, on_cpu
from ._params import count, number, penalties, solver_of, solver_options
from ._progress import TuneProgress
from ._tuning import TUNE_DEFAULTS, Tuned, fold_of_rows, run_tuning
from ._types import Candidates, ClassWeight, Folds, Numbers, RandomState, Rows, Verbose
from .tables import is_table

__all__ = ["TemperedLogisticRegressionCV"]

Trusted: TypeAlias = tuple[Rows, Numbers] | Mapping[int, object]

# Names of scikit-learn's scores for what chooses.
_CRITERIA = {"accuracy": "accuracy", "neg_log_loss": "log-loss"}


class TemperedLogisticRegressionCV(TemperedClassifier):
    """TemperedLogisticRegression with t1, t2 and l2 chosen by cross-validation.

    What ``temper tune`` does: every candidate is fitted to two halves of the rows, those with a
    chance to all folds, one is chosen, and fitted to all rows. The labels that it is measured by
    may be wrong, too; the rule "cv+c" sees some of the ways in which they can be.

    Parameters
    ----------
    t1, t2, l2 : float, list of float, str or None
        The candidates: all combinations. None is the list of the full grid: t1 of 0.1, 0.3, 0.5,
        0.7, 0.9, 1; t2 of 1, 1.12, 1.4, 1.9; l2 of 0.001, 0.01, 0.1, 1, 10 times what
        ``l2="auto"`` of :class:`TemperedLogisticRegression` is. Where all three are None, fewer
        than 2,000 rows, which cannot rank many candidates, have t1 of 0.1, 0.3, 0.7, 1; t2 of 1,
        1.4; l2 of 0.01, 0.1, 1, 10 times that. A str is as in ``grid``: "0.1..1:5" for 5 values
        from 0.1 to 1, "0.1x,1x" for multiples of that l2.
    grid : str or None
        All candidates in one text, instead of t1, t2, l2, loss and only: "small" and "full" are the
        two default grids, "paper" is that of the paper; else as in "t1=0.1,0.5 t2=1..2:5 l2=1e-5..1e-1:5 loss=tempered,hinge only".
    loss : str or list of str, default "tempered"
        Losses to choose from, as for :class:`TemperedLogisticRegression`; one with parameters of
        its own may occur several times: ["sce:0.1:1:-4", "sce:1:1:-4"].
    only : bool, default False
        Whether (1, 1), which is logistic regression, and (0.1, 1.12), which the rule asks, are left
        out where the lists do not have them.
    Cs : int, list of float or None
        Penalties as LogisticRegressionCV has them, in the place of ``l2``: ``l2 = 1 / (C * sum of the weights of the
        rows)``, on the features as scaled. An int: so many from 1e-4 to 1e4.
    cv : int, splitter or iterable of (train, test), default 5
        An int: so many folds, stratified, drawn by ``random_state``; with ``groups``, by StratifiedGroupKFold. Test
        parts of others have to hold each row once, and models are fitted to all rows but those. None is 5.
    criterion : {"cv+c", "accuracy", "log-loss", "bounded-loss"}
        What chooses; "cv+c" is accuracy, corrected for labels that are systematically wrong.
    scoring : {None, "accuracy", "neg_log_loss"}
        The criterion by the name that scikit-learn has for it, and what ``score`` computes. Others are refused:
        GridSearchCV takes any.
    assume : {None, "structured"}
        "structured": labels are wrong where x says so; the correction is readier.
    average : bool, default False
        Whether the model is the mean of all candidates within one standard error of the choice,
        each divided by the root mean square of its decisions.
    ask : int, default 0
        How many rows to name in ``ask_`` whose true labels would settle the choice.
    solver, tol, max_iter, class_weight, fit_intercept, scale, starts, precision, n_jobs
        As for :class:`TemperedLogisticRegression`. ``starts`` is of the final fit.
    calibrate, estimate_noise
        Of the final fit, as for :class:`TemperedLogisticRegression`. All candidates must have two
        temperatures for ``estimate_noise``.
    random_state : int, RandomState or None
        The seed of the folds; None is 1.
    verbose : int, bool or "auto", default "auto"
        As for :class:`TemperedLogisticRegression`.
    callback : callable or None
        Called with a :class:`temperlr.TuneProgress` now and then, from whatever thread is at work; a
        true answer ends tuning with an error.

    Attributes
    ----------
    t1_, t2_, l2_, C_, loss_
        What was chosen. Temperatures of the hinge are NaN. ``C_`` is ``l2_`` in LogisticRegression's unit.
    Cs_ : ndarray
        The penalties that ``Cs`` stands for, if it was given.
    best_score_ : float
        Its accuracy on rows that its models have not seen, by the labels as given. It was chosen for
        that, so that it is too high: ``expected_score_`` is what to expect.
    expected_score_, expected_score_error_ : float
        The accuracy to expect on new rows, labelled like these, and its standard error. Corrected by
        resampling rows (BBC-CV) where the most accurate candidate was chosen.
    expected_score_interval_ : tuple of float
        Its 95 % interval.
    suggested_ask_, suggested_reason_ : int, str
        How many rows to ask for (``ask``) and label because the choice is unsure, and why; 0 and ""
        where it is not.
    best_index_ : int
        Its place in ``cv_results_``.
    cv_results_ : dict of arrays
        All that is known of each candidate: "loss", "t1", "t2", "smoothing" (of hinge), "l2",
        "stage" (2: fitted to all folds; 1: to the halves alone, being hopeless), "accuracy" and its
        "accuracy_error", "log_loss", "bounded_loss", "trusted" (accuracy on trusted rows), and the
        figures of the rule: "half_accuracy", "agreement", "balance", "band_error", "top_error",
        "top_ratio", "undecided", "code_length". NaN: not known. ``pandas.DataFrame`` takes it
        without "band_error", which has 7 columns.
    decided_by_, reason_ : str
        What decided: "accuracy", "code-length", "undecided", "reference", "trusted", "log-loss" or
        "bounded-loss"; and the same as a sentence.
    gain_, gain_error_ : float
        The accuracy above that of the best logistic regression in the table, and its standard
        error.
    warnings_, notes_ : list of str
        What you should know of your labels and of the fit, which is warned of, too; what was left
        out or assumed.
    averaged_ : int
        With ``average``: how many candidates the model is the mean of; else 0.
    ask_ : ndarray
        Numbers of rows to label, the most telling first.
    n_splits_ : int
        Folds.
    folds_ : ndarray of shape (n_samples,)
        The fold of each row, from 0; -1 for a row of weight 0.
    classes_, coef_, intercept_, n_features_in_, feature_names_in_, n_iter_, stop_reason_, \
importance_, objective_, solver_
        Of the final fit, as in :class:`TemperedLogisticRegression`. ``importance_`` of a row of
        weight 0 is NaN.

    Notes
    -----
    Rows of weight 0 are dropped before folds are drawn: X is copied then. Ctrl-C raises
    KeyboardInterrupt after the iteration it is in; the estimator stays as it was.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from temperlr import TemperedLogisticRegressionCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = TemperedLogisticRegressionCV(t1=[0.5, 1], t2=1, cv=5).fit(X, y)
    >>> model.decided_by_, model.n_splits_
    ('accuracy', 5)
    >>> len(model.cv_results_["accuracy"])
    15
    >>> bool(model.best_score_ == model.cv_results_["accuracy"].max())
    True
    """

    def __init__(self, t1: Candidates = None, t2: Candidates = None, l2: Candidates = None, *, grid: str | None = None,
                 loss: str | Sequence[str] = "tempered", only: bool = False, cv: Folds | None = 5,
                 criterion: str = "cv+c", assume: str | None = None, ask: int = 0,
                 solver: str = "auto", tol: float = 1e-4, max_iter: int = 1000,
                 class_weight: ClassWeight = None, fit_intercept: bool = True, scale: str = "auto",
                 starts: int = 1, n_jobs: int | None = None, random_state: RandomState = None,
                 verbose: Verbose = "auto", callback: Callable[[TuneProgress], object] | None = None,
                 precision: str = "auto", average: bool = False, calibrate: str = "auto",
                 estimate_noise: bool = False, Cs: int | Sequence[float] | np.ndarray | None = None,
                 scoring: str | None = None) -> None:
        self.t1 = t1
        self.t2 = t2
        self.l2 = l2
        self.grid = grid
        self.loss = loss
        self.only = only
        self.cv = cv
        self.criterion = criterion
        self.assume = assume
        self.ask = ask
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.starts = starts
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback
        self.precision = precision
        self.average = average
        self.calibrate = calibrate
        self.estimate_noise = estimate_noise
        self.Cs = Cs
        self.scoring = scoring

    # ---- Tuning ----------------------------------------------------------------------------------

    @with_callbacks
    def fit(self, X: Rows, y: Numbers | None = None, sample_weight: Numbers | None = None, *, groups: Numbers | None = None,
            trusted: Trusted | None = None) -> TemperedLogisticRegressionCV:
        """Choose, and fit what was chosen to all rows.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Table of shape (n_samples, n_features)
            As for :class:`TemperedLogisticRegression`.
        y : array of shape (n_samples,)
            Labels of any kind; None with a Table.
        sample_weight : array of shape (n_samples,) or None
            Weights of the rows. Those of weight 0 are in no fold.
        groups : array of shape (n_samples,) or None
            Rows of one group stay in one fold; a splitter as ``cv`` is given them.
        trusted : (X, y), mapping or None
            Rows whose labels are known to be right, and which then decide: other rows as a pair (X, y), or some of X
            as a mapping from their numbers to their labels, whatever y says of them.

        Returns
        -------
        TemperedLogisticRegressionCV
            The estimator itself.
        """
        sample_weight = on_cpu(sample_weight, "sample_weight")
        tasks = FitTasks.of(self, X, y, sample_weight)
        options = {**TUNE_DEFAULTS, "criterion": self._criterion(), "assume": self.assume,
                   "ask": count("ask", self.ask), "average": bool(self.average), **solver_options(self)}
        rows, weight, dtype = self._searched_rows(X, y, sample_weight)
        options["grid"] = self._grid_text(weight)
        options["solver"] = solver_of(self.solver, len(rows.labels.classes))
        options["fold"], options["folds"] = fold_of_rows(5 if self.cv is None else self.cv, rows, groups,
                                                         options["seed"])
        others = None
        if isinstance(trusted, Mapping):
            options.update(_own_rows(trusted, rows, len(rows.y) if rows.kept is None else len(rows.kept)))
        elif trusted is not None:
            if is_table(X):
                raise ValueError("trusted rows of a table are some of it, by their numbers: {row: label}")
            others = self._other_rows(trusted)
        tuned = run_tuning(rows.borrowed, others, self, tasks, options)
        self._take(tuned.model, rows.labels, dtype)
        self._take_report(tuned.report["training"])
        self._take_choice(tuned, rows)
        self.C_ = 1 / (self.l2_ * weight) if self.l2_ else np.inf
        self._take_importance(rows.borrowed, rows)
        if tasks:
            tasks.end()
        tuned.warn()
        return self

    def _searched_rows(self, X: Any, y: Any, sample_weight: Any) -> tuple[CountingRows, float, Any]:
        """The rows that folds are drawn from, the sum of their weights, and the type of X."""
        if is_table(X):
            data, labels, weight = self._table_data(X, y, sample_weight)
            rows = CountingRows.of_table(X, y, labels)
            rows.borrowed = data
            return rows, weight, np.float64
        matrix = validate(self, X, reset=True)
        rows = self._counting_rows(matrix, y, sample_weight)
        weights = self._weights(rows.X, rows.labels, rows.weights)
        rows.data(self)
        return rows, float(len(rows.y) if weights is None else weights.sum()), matrix.dtype

    def _take_choice(self, tuned: Tuned, rows: CountingRows) -> None:
        report = tuned.report
        self._take_loss(tuned.loss, tuned.t1, tuned.t2)
        self.cv_results_ = tuned.table
        self.best_index_ = report["best"]
        self.best_score_ = float(tuned.of_best("accuracy"))
        expected, error, low, high = report["expected"]
        self.expected_score_, self.expected_score_error_ = expected, error
        self.expected_score_interval_ = (low, high)
        self.averaged_ = report["averaged"]
        self.suggested_ask_ = report["suggested_ask"]
        self.suggested_reason_ = report["suggested_reason"]
        self.decided_by_, self.reason_ = report["decided_by"], report["reason"]
        self.gain_, self.gain_error_ = report["gain"], report["gain_error"]
        self.warnings_, self.notes_ = tuned.warnings, report["notes"].splitlines()
        self.ask_ = np.array([rows.given(row) for row in report["ask"]], dtype=np.intp)
        self.n_splits_ = report["folds"]
        fold = np.frombuffer(report["fold"], dtype=np.uint32).astype(np.intp)
        self.folds_ = rows.spread(fold, -1)

    # ---- What is asked for -----------------------------------------------------------------------

    def _grid_text(self, weight: float) -> str | None:
        self.__dict__.pop("Cs_", None)
        candidates = {name: getattr(self, name) for name in ("t1", "t2", "l2")}
        if self.Cs is not None:
            if self.l2 is not None or self.grid is not None:
                raise ValueError("Cs are the penalties in another unit, which l2 and grid have, too; give one of them")
            self.Cs_ = penalties(self.Cs)
            candidates["l2"] = 1 / (self.Cs_ * weight)
        words = [f"{name}={_values(name, values)}" for name, values in candidates.items() if values is not None]
        if not (isinstance(self.loss, str) and self.loss == "tempered"):
            losses = [self.loss] if isinstance(self.loss, str) else list(self.loss)
            words.append("loss=" + ",".join(losses))
        if self.only:
            words.append("only")
        if self.grid is None:
            return " ".join(words) or None
        if words:
            raise ValueError("grid says all of the candidates, so t1, t2, l2, loss and only have "
                             "to be left as they are: put them into it, or drop it")
        return self.grid

    def _criterion(self) -> str:
        """LogisticRegressionCV's scoring in our words, or the criterion."""
        if self.scoring is None:
            return self.criterion
        if self.criterion != "cv+c":
            raise ValueError("scoring and criterion both say what chooses; give one of them")
        if self.scoring not in _CRITERIA:
            raise ValueError(f"scoring={self.scoring!r} does not choose here; {', '.join(map(repr, _CRITERIA))} do. By any "
                             "other score: GridSearchCV(TemperedLogisticRegression(), {\"t1\": [...], \"C\": [...]}, "
                             "scoring=...)")
        return _CRITERIA[self.scoring]

    def score(self, X: Rows, y: Numbers, sample_weight: Numbers | None = None) -> float:
        """The score that ``scoring`` names, of these rows; without it, the accuracy."""
        scorer = get_scorer(self.scoring or "accuracy")
        return float(scorer(self, X, y) if sample_weight is None else scorer(self, X, y, sample_weight=sample_weight))

    def _other_rows(self, trusted: Any) -> _temper.Data:
        try:
            X, y = trusted
        except (TypeError, ValueError):
            raise ValueError("trusted has to be a pair (X, y), or a mapping from numbers of rows "
                             "to labels") from None
        X = validate(self, X, reset=False)
        labels = encode_labels(y)
        if len(labels.codes) != X.shape[0]:
            raise ValueError(f"trusted: {X.shape[0]} rows, and {len(labels.codes)} labels")
        return borrow(X, labels)


def _values(name: str, values: Any) -> str:
    """A list in the language of the grid."""
    if isinstance(values, (str, Real)):
        values = [values]
    items = [item if isinstance(item, str) else repr(number(name, item)) for item in values]
    if not items or any(not item or " " in item for item in items):
        raise ValueError(f"{name} has to be a number, or a list that has some, and is {values!r}")
    return ",".join(items)


def _own_rows(trusted: Mapping[Any, Any], rows: CountingRows, given: int) -> dict[str, Any]:
    """Numbers among the rows that count, and of classes."""
    places = rows.places(given)
    code_of = _codes(rows.labels)
    found, codes = [], []
    for row, label in trusted.items():
        if not isinstance(row, Integral) or not 0 <= int(row) < given:
            raise ValueError(f"trusted: there is no row {row!r}; X has {given}, from 0")
        place = places[int(row)]
        if place < 0:
            raise ValueError(f"trusted: row {row} has weight 0, so it is in no fold; give it as "
                             "one of other rows (X, y)")
        name = class_name(label)
        if name not in code_of:
            raise ValueError(f"trusted: row {row} has the label {label!r}, which no row of y has; "
                             "drop it")
        found.append(place)
        codes.append(code_of[name])
    return {"trusted_rows": np.array(found, dtype=np.uint64),
            "trusted_labels": np.array(codes, dtype=np.uint32)}


def _codes(labels: Labels) -> dict[str, int]:
    return {name: code for code, name in enumerate(labels.names)}
