"""find_label_issues: which labels look wrong, and what should they be?"""
from __future__ import annotations

import html
from dataclasses import dataclass, field
from numbers import Integral
from typing import TYPE_CHECKING, Any, Callable, Protocol

import numpy as np
from scipy import sparse
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.utils.validation import _check_sample_weight

from . import _temper
from ._compat import as_matrix
from ._data import Labels, borrow, encode_rows, labels_of_names, on_cpu
from ._params import count, is_auto, number, scale_of, seed_of, threads_of, warn_caller, word
from ._progress import Follower, TuneProgress, on_main_thread
from ._tuning import fold_numbers, splits_of
from ._types import Folds, Numbers, RandomState, Rows, Verbose
from .tables import Table, from_arrow, is_table

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

__all__ = ["AuditReport", "find_label_issues"]

# Of temper_audit_suspect in temper.h, and the name of its type in NumPy.
_COLUMNS = {"score": "f8", "probability": "f8", "margin": "f8", "distance": "f8",
            "importance": "f8", "low": "f8", "high": "f8"}
_SHOWN = 10  # rows of the list in a notebook
_PAIRS = 5  # and pairs of classes


class Classifier(Protocol):
    """A classifier of scikit-learn that has probabilities."""

    def fit(self, X: object, y: object, /) -> object: ...

    def predict_proba(self, X: object, /) -> object: ...


@dataclass(frozen=True, eq=False, repr=False)
class AuditReport:
    """What :func:`find_label_issues` found. Arrays have an element for each row of X, in its order.

    ``indices()`` has the numbers of the rows to look at again, from 0 (the command ``temper audit``
    counts from 1), most suspicious first; ``mask()`` gives the same for each row; ``to_frame()`` is
    a table of them. Those three, and ``plot()``, take ``top`` for so many rows, or ``threshold``
    for the rows with such a score or more. Without either they take the rows that the evidence
    supports: those of a score of 0.5 or more (``kind="row"``: 3.5).

    Attributes
    ----------
    score : ndarray of shape (n_samples,)
        The probability that the given label is wrong; for ``kind="row"`` how far the row is from
        its neighbours, in robust standard deviations of the logarithm.
    given, suggested : ndarray of shape (n_samples,)
        The label, and the likeliest other one.
    probability : ndarray of shape (n_samples,)
        Of the suggested label. All is from models that have not seen the row.
    margin : ndarray of shape (n_samples,)
        The activation of the given class less the largest other.
    distance : ndarray of shape (n_samples,)
        To the neighbours of the row, that of the median row being 1; NaN without features.
    importance : ndarray of shape (n_samples,)
        ``p ** (t2 - t1)`` of the given label, p being what the models think of it.
    low, high : ndarray of shape (n_samples,)
        The score if the share of wrong labels is at the lower or upper end of its
        range of 90 %; NaN with more classes, and for ``kind="row"``.
    conflict : ndarray of bool, of shape (n_samples,)
        Whether a row with the same features has another label.
    ranking : ndarray of shape (n_samples,)
        The numbers of all rows, most suspicious first.
    n_issues : int
        So many of these the evidence supports.
    n_wrong : float
        How many labels are wrong, as far as can be told: the sum of probabilities.
    n_wrong_range : tuple of float, or None
        The range that has that number with a probability of 90 %, if the model of
        the noise is right; else None.
    classes : ndarray of shape (n_classes,)
        Sorted.
    transition : ndarray of shape (n_classes, n_classes) or None
        Rows to be expected by [true class, given class], in the order of ``classes``;
        ``transition_frame()`` has their names. None with more than 256 classes.
    undecided : bool
        The labels do not show whether any of them are wrong: ``n_issues`` is 0, and scores prove nothing. The order of
        the rows is still the best there is.
    gain, certainty : float
        Nats by which the labels are likelier with wrong ones among them than without, and the mean probability of the
        likeliest true class. Undecided below 4 and 0.6; also if the gain is less than 0.08 for each label that
        ``n_wrong`` counts, over ``len(classes) - 1``, unless the certainty is 0.98.
    in_pairs : bool
        Whether wrong labels keep to pairs of classes, or look evenly spread.
    t1, t2, l2 : float
        What was given or chosen; 1, 1 and NaN with probabilities of other models.
    accuracy : float
        Of the models, on rows that they have not seen, against the labels as given.
    n_splits : int
        Folds; 0 with probabilities of other models.
    kind : {"label", "row"}
    index : pandas.Index or None
        That of X, or else of y, which ``to_frame()`` has.
    notes, warnings : tuple of str
        What was assumed; what you should know, which is warned of, too.
    """

    score: np.ndarray
    given: np.ndarray
    suggested: np.ndarray
    probability: np.ndarray
    margin: np.ndarray
    distance: np.ndarray
    importance: np.ndarray
    low: np.ndarray
    high: np.ndarray
    conflict: np.ndarray
    ranking: np.ndarray
    n_issues: int
    n_wrong: float
    classes: np.ndarray
    transition: np.ndarray | None
    undecided: bool
    gain: float
    certainty: float
    in_pairs: bool
    t1: float
    t2: float
    l2: float
    accuracy: float
    n_splits: int
    kind: str
    _health: dict[str, Any]
    n_wrong_range: tuple[float, float] | None = None
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    index: pandas.Index | None = field(default=None)

    # ---- Which rows ------------------------------------------------------------------------------

    def indices(self, *, top: int | None = None, threshold: float | None = None) -> np.ndarray:
        """Numbers of the rows to look at again, from 0, most suspicious first."""
        return self.ranking[:self._count(top, threshold)].copy()

    def mask(self, *, top: int | None = None, threshold: float | None = None) -> np.ndarray:
        """For each row whether it is one of these."""
        listed = np.zeros(len(self.ranking), dtype=bool)
        listed[self.indices(top=top, threshold=threshold)] = True
        return listed

    def expected_precision(self, *, top: int | None = None,
                           threshold: float | None = None) -> float:
        """The share of wrong labels to expect among them; NaN for none, and for ``kind="row"``."""
        listed = self.indices(top=top, threshold=threshold)
        if not len(listed) or self.kind == "row":
            return float("nan")
        # One after the other, as the command adds them.
        return float(np.cumsum(self.score[listed])[-1] / len(listed))

    def expected_precision_range(self, *, top: int | None = None,
                                 threshold: float | None = None) -> tuple[float, float]:
        """The ends of its range of 90 %, given the model; NaN where there is none."""
        listed = self.indices(top=top, threshold=threshold)
        if not len(listed) or self.kind == "row":
            return float("nan"), float("nan")
        low, high = (float(np.cumsum(ends[listed])[-1] / len(listed))
                     for ends in (self.low, self.high))
        return low, high

    def _count(self, top: int | None, threshold: float | None) -> int:
        if top is not None and threshold is not None:
            raise ValueError("top and threshold both say how many rows to list; drop one of them")
        if top is not None:
            return min(count("top", top), len(self.ranking))
        if threshold is None:
            return self.n_issues
        below = self.score[self.ranking] < number("threshold", threshold)
        return int(below.argmax()) if below.any() else len(below)

    # ---- As tables -------------------------------------------------------------------------------

    def to_frame(self, *, top: int | None = None, threshold: float | None = None) -> pandas.DataFrame:
        """The rows to look at again as a pandas.DataFrame, most suspicious first, with the index of
        X where that has one; the column "row" has their numbers, from 0. ``top=len(y)``: all."""
        pd = _pandas()
        rows = self.indices(top=top, threshold=threshold)
        index = rows if self.index is None else self.index[rows]
        columns = {name: getattr(self, name)[rows]
                   for name in ("given", "suggested", *_COLUMNS, "conflict")}
        return pd.DataFrame({"row": rows, **columns}, index=index)

    def transition_frame(self) -> pandas.DataFrame:
        """``transition`` as a pandas.DataFrame: true classes down, given labels across."""
        if self.transition is None:
            raise ValueError(f"there is no table of transitions between {len(self.classes)} "
                             "classes; it ends at 256")
        pd = _pandas()
        return pd.DataFrame(self.transition, index=pd.Index(self.classes, name="true"),
                                columns=pd.Index(self.classes, name="given"))

    def health(self, what: str = "classes") -> pandas.DataFrame:
        """The health of the data set, as a pandas.DataFrame.

        ``what`` is "classes": a row for each class, with how many rows have its label, how many of
        these are expected to be wrong, how many rows of the class are expected to have another label
        ("missed"), the share of the labels that the models predict, and how many of the rows have a
        near duplicate, are outliers, or conflict with a row of the same features; and the class it
        overlaps with most: of the rows of either, the share that the models take for the other,
        apart from wrong labels. "pairs": the same for each pair of classes, with the rows of one that
        are expected to be labelled as the other ("a_as_b", "b_as_a"). "duplicates": pairs of rows that
        are equal (distance 0) or nearly so, those with different labels first; the unit is the median
        distance of a row to its nearest. "outliers": rows far from all others, furthest first.
        """
        tables = {"classes": self._class_health, "pairs": self._pair_health,
                  "duplicates": self._duplicates, "outliers": self._outliers}
        if what not in tables:
            raise ValueError(f"what has to be one of {', '.join(tables)}, and is {what!r}")
        return tables[what](_pandas())

    def _class_health(self, pd: Any) -> Any:
        figures = self._health["classes"]
        names = ("rows", "wrong", "missed", "predicted", "duplicates", "outliers", "conflicts")
        frame = pd.DataFrame(dict(zip(names, figures.T)), index=pd.Index(self.classes, name="class"))
        counts = ["rows", "duplicates", "outliers", "conflicts"]
        frame[counts] = frame[counts].astype(int)
        overlap = self._health["overlap"]
        if overlap is not None:
            frame["overlaps_with"] = self.classes[overlap.argmax(axis=1)]
            frame["overlap"] = overlap.max(axis=1)
        return frame

    def _pair_health(self, pd: Any) -> Any:
        overlap = self._health["overlap"]
        if overlap is None or self.transition is None:
            raise ValueError(f"there is no table of pairs of {len(self.classes)} classes; it ends at 256")
        a, b = np.triu_indices(len(self.classes), 1)
        frame = pd.DataFrame({"a": self.classes[a], "b": self.classes[b],
                                  "a_as_b": self.transition[a, b], "b_as_a": self.transition[b, a],
                                  "overlap": overlap[a, b]})
        order = np.lexsort((-frame["overlap"], -(frame["a_as_b"] + frame["b_as_a"])))
        return frame.iloc[order].reset_index(drop=True)

    def _duplicates(self, pd: Any) -> Any:
        found = self._health
        return pd.DataFrame({"row": found["row"], "other": found["other"],
                                 "given": self.given[found["row"]], "other_given": self.given[found["other"]],
                                 "distance": found["distance"], "across": found["across"]})

    def _outliers(self, pd: Any) -> Any:
        rows = self._health["outliers"]
        return pd.DataFrame({"row": rows, "given": self.given[rows],
                                 "score": self._health["outlier_scores"]})

    def _pairs(self) -> list[tuple[Any, Any, float]]:
        """(true, given, rows) of what is most often wrong."""
        if self.transition is None:
            return []
        wrong = self.transition.copy()
        np.fill_diagonal(wrong, 0)
        cells = np.argsort(-wrong, axis=None, kind="stable")[:_PAIRS]
        places = np.stack(np.unravel_index(cells, wrong.shape), axis=1)
        return [(self.classes[i], self.classes[j], float(wrong[i, j])) for i, j in places
                if wrong[i, j] >= 0.5]

    # ---- For people ------------------------------------------------------------------------------

    def plot(self, what: str = "margins", *, top: int | None = None,
             threshold: float | None = None, ax: Axes | None = None) -> Axes:
        """Draw with matplotlib; the axes are returned.

        ``what`` is "margins": a histogram, with the rows to look at again in another colour;
        "precision": the share of wrong labels to expect over the length of the list; "transition":
        how many rows of which class have got which other label.
        """
        from .plots import plot_audit

        return plot_audit(self, what, top=top, threshold=threshold, ax=ax)

    def _sentences(self) -> list[str]:
        rows = len(self.ranking)
        share = f"{self.n_wrong / rows:.1%}"
        if self.n_wrong_range is not None:
            low, high = self.n_wrong_range
            share += f"; {low / rows:.1%} to {high / rows:.1%}"
        wrong = f"about {self.n_wrong:,.0f} labels wrong ({share})"
        if self.n_wrong >= 0.5:
            wrong += ", between certain classes" if self.in_pairs else ", evenly spread"
        listed = f"{self.n_issues:,} to look at again"
        if self.kind == "row":
            listed += ", by their distance from other rows"
        elif self.n_issues:
            listed += f", of which {self.expected_precision():.0%} should be wrong"
        models = "probabilities as given"
        if self.n_splits:
            models = (f"t1 = {self.t1:g}, t2 = {self.t2:g}, l2 = {self.l2:.4g}, "
                      f"{self.n_splits} folds")
        return [f"{rows:,} rows of {len(self.classes)} classes",
                wrong, listed, f"models: {models}; {self.accuracy:.1%} of the labels predicted"]

    def __repr__(self) -> str:
        return "AuditReport: " + "\n  ".join(self._sentences())

    def _repr_html_(self) -> str:
        parts = ["<div><b>AuditReport</b><ul>"]
        parts += [f"<li>{html.escape(sentence)}</li>" for sentence in self._sentences()]
        parts += [f"<li>{html.escape(str(true))} called {html.escape(str(given))}: about "
                  f"{rows:,.0f}</li>" for true, given, rows in self._pairs()]
        parts += [f"<li><b>{html.escape(sentence)}</b></li>" for sentence in self.warnings]
        return "".join([*parts, "</ul>", self._table_html(), "</div>"])

    def _table_html(self) -> str:
        rows = self.indices()
        if not len(rows):
            return ""
        names = ["row" if self.index is None else "index", "given", "suggested", "score"]
        lines = ["<tr>" + "".join(f"<th>{name}</th>" for name in names) + "</tr>"]
        for row in rows[:_SHOWN]:
            cells = [row if self.index is None else self.index[row], self.given[row],
                     self.suggested[row], f"{self.score[row]:.4f}"]
            lines.append("<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in cells)
                         + "</tr>")
        more = f"<p>and {len(rows) - _SHOWN:,} more</p>" if len(rows) > _SHOWN else ""
        return "<table>" + "".join(lines) + "</table>" + more


def find_label_issues(X: Rows | None = None, y: Numbers | None = None, sample_weight: Numbers | None = None, *,
                      pred_probs: Numbers | None = None, features: Rows | None = None, clf: Classifier | None = None,
                      groups: Numbers | None = None, kind: str = "label",
                      t1: float | str = "auto", t2: float | str = "auto",
                      l2: float | str = "auto", grid: str | None = None, cv: Folds = 5,
                      solver: str = "auto", tol: float | str = "auto", max_iter: int = 1000,
                      fit_intercept: bool = True, scale: str = "auto",
                      n_jobs: int | None = None, random_state: RandomState = None,
                      verbose: Verbose = "auto",
                      callback: Callable[[TuneProgress], object] | None = None,
                      precision: str = "auto") -> AuditReport:
    """Which labels look wrong: what ``temper audit`` does, bit for bit.

    Models that have not seen a row, and its nearest neighbours, say what its label should be; a
    model of the noise turns that into the probability that the given one is wrong. X and y are
    not changed. The models are temper's own, those of ``clf``, or any whose probabilities are given
    as ``pred_probs``.

    Parameters
    ----------
    X : array, sparse matrix, data frame or Table of shape (n_samples, n_features), or None
        As for :class:`TemperedLogisticRegression`, and borrowed in the same way. The index of a
        data frame is that of :meth:`AuditReport.to_frame`. None with ``pred_probs``: labels and
        probabilities are enough. With ``clf`` whatever that is fitted to, such as texts.
    y : array of shape (n_samples,)
        Labels of any kind; None with a Table.
    sample_weight : array of shape (n_samples,) or None
        Of the rows in temper's own fits. A row of weight 0 teaches nothing, and is judged as all
        others.
    pred_probs : array or data frame of shape (n_samples, n_classes), or None
        Probabilities of any model, in place of temper's own fits. Each row must come from a model
        that was fitted without it, as ``cross_val_predict(..., method="predict_proba")`` gives
        them. Columns of an array are in the order of the sorted classes, as scikit-learn has them;
        those of a data frame are found by their names.
    features : array or sparse matrix of shape (n_samples, n_dimensions), or None
        The rows in another form, such as embeddings, in which neighbours are found; else X, if
        that is a matrix of numbers; else there are no neighbours.
    clf : classifier of scikit-learn, or None
        ``pred_probs`` are those of clones of it, out of fold by ``cross_val_predict``.
    groups : array of shape (n_samples,) or None
        Rows of one group stay in one fold.
    kind : {"label", "row"}
        Wrong labels first, or rows first that lie far from all others.
    t1, t2, l2 : float or "auto"
        Temperatures and penalty. Both temperatures "auto": chosen on two halves of the rows, with
        l2 if that is "auto" too, from a small grid. If one temperature is given, the other one is
        0.3 or 1, and l2="auto" is as for :class:`TemperedLogisticRegression`.
    grid : str or None
        What to choose from, as for :class:`TemperedLogisticRegressionCV`.
    cv : int, splitter or iterable of (train, test), default 5
        An int: so many folds, stratified, drawn by ``random_state``. Each row has to be in one test
        part.
    solver, tol, max_iter, fit_intercept, scale, n_jobs, precision
        As for :class:`TemperedLogisticRegression`; ``tol="auto"`` is what a ranking needs: 1e-2
        for two classes, 1e-3 for more. With it ``precision="auto"`` is "f32" where features are
        standardised.
    random_state : int, RandomState or None
        The seed of the folds; None is 1.
    verbose : int, bool or "auto", default "auto"
        As for :class:`TemperedLogisticRegression`.
    callback : callable or None
        Called with a :class:`temperlr.TuneProgress` now and then; a true answer ends the audit with
        an error.

    Returns
    -------
    AuditReport

    Notes
    -----
    Ctrl-C raises KeyboardInterrupt after the iteration it is in. Mistakes between look-alikes, and
    those that can be learnt from the features, are not found: docs/audit.md has the limits.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from temperlr import add_noise, find_label_issues
    >>> X, y = load_digits(return_X_y=True)
    >>> _, noisy, wrong = add_noise(X, y, rate=0.1, random_state=0)
    >>> report = find_label_issues(X, noisy, t1=0.3)
    >>> issues = report.indices()
    >>> bool(abs(report.n_wrong - len(wrong)) < 20), bool((noisy != y)[issues].mean() > 0.95)
    (True, True)
    >>> bool((report.suggested == y)[issues].mean() > 0.9)
    True
    >>> clean_X, clean_y = X[~report.mask()], noisy[~report.mask()]
    """
    _refuse_other_order(X, y)
    if clf is not None and pred_probs is not None:
        raise ValueError("clf and pred_probs are both given; give one of them")
    settings = {"t1": t1, "t2": t2, "l2": l2, "grid": grid, "tol": tol, "solver": solver,
                "sample_weight": sample_weight}
    if clf is not None or pred_probs is not None:
        _refuse_settings(settings, "clf" if pred_probs is None else "pred_probs")
    chosen = is_auto(t1) and is_auto(t2)
    if grid is not None and not chosen:
        raise ValueError("grid means nothing where temperatures are given; drop it, or them")
    options: dict[str, Any] = {
        "kind": word("kind", kind), "choose": chosen, "grid": grid,
        "t1": 0.3 if is_auto(t1) else number("t1", t1),
        "t2": 1.0 if is_auto(t2) else number("t2", t2),
        "l2": np.nan if is_auto(l2) else number("l2", l2),
        "scale": scale_of(scale), "solver": word("solver", solver),
        "precision": word("precision", precision), "starts": 1, "no_intercept": not fit_intercept,
        "tolerance": np.nan if is_auto(tol) else number("tol", tol),
        "max_iterations": count("max_iter", max_iter), "seed": seed_of(random_state),
        "threads": threads_of(n_jobs)}
    given: tuple[Any, ...] = (X, y, features)
    index = next((rows.index for rows in given if hasattr(rows, "iloc")), None)
    notes: list[str] = []
    if isinstance(X, Table):
        y = _labels_of_table(X, y, clf, sample_weight)
    y = on_cpu(y, "y")
    splits = splits_of(cv, groups, X, y, options["seed"])
    rows: Any = on_cpu(X, "X")
    if clf is not None:
        pred_probs = _out_of_fold(clf, rows, y, cv, splits, options["seed"])
        rows = _matrix_or_none(rows, features, notes)
    if rows is None and pred_probs is None:
        raise ValueError("X is None: give rows to fit models to, or pred_probs, the probabilities of "
                         "another model")
    table = is_table(rows)
    rows = None if rows is None else rows if table else as_matrix(rows)
    labels = _labels_of(rows, y)
    options["folds"], options["fold"] = _folds(cv, groups, splits, len(labels.codes))
    options["probabilities"] = None if pred_probs is None else _probabilities(pred_probs, labels)
    options["features"] = None if features is None else borrow(as_matrix(features))
    weights = None
    if sample_weight is not None:
        of = labels.codes if table else rows
        weights = _check_sample_weight(on_cpu(sample_weight, "sample_weight"), of, dtype=np.float64)
    data = _table_rows(rows, labels, weights, options["threads"]) if table else borrow(rows, labels, None, weights)
    with Follower(callback, verbose, TuneProgress) as follower:
        found = _temper.audit(data, follower.caller, on_main_thread(), **options)
    if found is None:
        raise RuntimeError("the callback ended the audit: there is no report; let it answer False "
                           "to go on")
    report = _report(found, labels, kind, index, notes)
    for sentence in report.warnings:
        warn_caller(sentence, UserWarning)
    return report


# ---- What is given -------------------------------------------------------------------------------

def _refuse_other_order(X: Any, y: Any) -> None:
    """cleanlab's function of the same name takes labels first, then probabilities."""
    if X is None or y is None or sparse.issparse(X) or np.ndim(X) != 1 or np.ndim(y) != 2:
        return
    if np.shape(y)[0] == len(X) and np.shape(y)[1] > 1:
        raise ValueError("the first argument has labels and the second one a row of numbers for each, "
                         "as cleanlab's find_label_issues takes them; here it is "
                         "find_label_issues(y=labels, pred_probs=pred_probs)")


def _labels_of_table(X: Table, y: Any, clf: Any, sample_weight: Any) -> np.ndarray | None:
    """Those that it has; others are refused."""
    if y is not None or sample_weight is not None:
        raise ValueError("a Table has its labels and weights in it; give them to read (label=, weights=), and no y or "
                         "sample_weight here")
    if clf is not None:
        raise ValueError("clf cannot be fitted to a Table; give it the columns themselves, or drop clf")
    return X.labels


def _table_rows(X: Any, labels: Labels, weights: np.ndarray | None, threads: int) -> _temper.Data:
    """Rows of a table with these labels."""
    if isinstance(X, Table):
        return X._data
    data = from_arrow(X, {"threads": threads}, None, labels.codes)
    _temper.attach(data, labels.names, weights)
    return data


def _refuse_settings(settings: dict[str, Any], instead: str) -> None:
    """Of fits that are not made."""
    for name, value in settings.items():
        if value is not None and not is_auto(value):
            raise ValueError(f"{name} means nothing with {instead}, with which temper fits no models; "
                             "drop it")


def _labels_of(X: Any, y: Any) -> Labels:
    if isinstance(X, Table) and y is not None:
        codes = np.frombuffer(X._data.labels or b"", dtype=np.uint32).astype(np.int32)
        return labels_of_names(X._data.class_names)._replace(codes=codes)
    if X is not None and not is_table(X):
        return encode_rows(X, y, "audit")
    if y is None:
        raise ValueError("This audit requires y to be passed, but the target y is None.")
    return encode_rows(np.empty((len(y), 0)), y, "audit")


def _probabilities(pred_probs: Any, labels: Labels) -> np.ndarray:
    """In the order of the library's classes."""
    classes = labels.classes
    if hasattr(pred_probs, "columns"):
        names = [str(name) for name in pred_probs.columns]
        wanted = [str(label) for label in classes]
        if sorted(names) != sorted(wanted):
            odd = sorted(set(names) ^ set(wanted)) or sorted(names)
            raise ValueError(f"the columns of pred_probs are {names[:_SHOWN]} and the classes of y "
                             f"{wanted[:_SHOWN]}; give one column for each class, named as the class "
                             f"({odd[0]!r} is not in both)")
        pred_probs = pred_probs.iloc[:, [names.index(name) for name in wanted]]
    given = np.asarray(on_cpu(pred_probs, "pred_probs"), dtype=np.float64)
    if given.ndim == 1 and len(classes) == 2:
        raise ValueError("pred_probs has one number a row; give both columns of predict_proba, one for "
                         "each class")
    if given.shape != (len(labels.codes), len(classes)):
        raise ValueError(f"pred_probs has the shape {given.shape}, and y has {len(labels.codes)} labels "
                         f"of {len(classes)} classes; give a row for each label and a column for each "
                         f"class, in the order of the sorted classes")
    return np.ascontiguousarray(given[:, labels.order])


def _folds(cv: Any, groups: Any, splits: list[Any] | None, rows: int) -> tuple[int, Any]:
    if splits is None:
        return int(cv), None
    fold, folds = fold_numbers(splits, np.arange(rows))
    if folds < 2:
        raise ValueError(f"cv has to make 2 folds or more, and makes {folds}")
    return folds, fold


def _out_of_fold(clf: Any, X: Any, y: Any, cv: Any, splits: list[Any] | None, seed: int) -> np.ndarray:
    """Its probabilities, of each row by a clone that has not seen it."""
    if not hasattr(clf, "predict_proba"):
        raise TypeError(f"{type(clf).__name__} has no predict_proba; wrap it in scikit-learn's "
                        "CalibratedClassifierCV, or give pred_probs")
    if X is None:
        raise ValueError("X is None: clf has nothing to be fitted to")
    if splits is None:
        cv = StratifiedKFold(int(cv), shuffle=True, random_state=seed % 2**32)
    return np.asarray(cross_val_predict(clf, X, y, cv=cv if splits is None else splits,
                                        method="predict_proba"))


def _matrix_or_none(X: Any, features: Any, notes: list[str]) -> Any:
    """X where rows can be compared by it: a classifier may take texts and columns of text."""
    if features is not None:
        return None
    try:
        return as_matrix(X)
    except (TypeError, ValueError):
        notes.append("X is no matrix of numbers, so that rows have no neighbours; features= takes "
                     "embeddings of the rows")
        return None


def _reordered(table: bytes | None, labels: Labels) -> np.ndarray | None:
    """A table of classes by classes in the order of scikit-learn."""
    if table is None:
        return None
    theirs = np.frombuffer(table).reshape(len(labels.classes), -1)
    ours = np.empty_like(theirs)
    ours[np.ix_(labels.order, labels.order)] = theirs
    return ours


def _health_of(found: dict[str, Any], labels: Labels) -> dict[str, Any]:
    theirs = np.frombuffer(found["classes"]).reshape(len(labels.classes), -1)
    classes = np.empty_like(theirs)
    classes[labels.order] = theirs
    rows = {name: np.frombuffer(found[name], dtype="u8").astype(np.intp)
            for name in ("row", "other", "outliers")}
    return {"classes": classes, "overlap": _reordered(found["overlap"], labels), **rows,
            "distance": np.frombuffer(found["distance"]).copy(),
            "across": np.frombuffer(found["across"], dtype="i4") != 0,
            "outlier_scores": np.frombuffer(found["outlier_scores"]).copy()}


def _report(found: dict[str, Any], labels: Labels, kind: str, index: Any,
            notes: list[str]) -> AuditReport:
    """From the order of the list to that of the rows, and to classes in the order of scikit-learn.
    """
    ranking = np.frombuffer(found["row"], dtype="u8").astype(np.intp)

    def by_row(name: str, dtype: str) -> np.ndarray:
        listed = np.frombuffer(found[name], dtype=dtype)
        out = np.empty_like(listed)
        out[ranking] = listed
        return out

    transition = _reordered(found["transition"], labels)
    wrong_range = None if np.isnan(found["wrong_low"]) else (found["wrong_low"], found["wrong_high"])
    return AuditReport(
        **{name: by_row(name, dtype) for name, dtype in _COLUMNS.items()},
        given=labels.classes[labels.order[by_row("given", "u4")]],
        suggested=labels.classes[labels.order[by_row("suggested", "u4")]],
        conflict=by_row("conflict", "i4") != 0, ranking=ranking, n_issues=found["supported"],
        n_wrong=found["wrong"], n_wrong_range=wrong_range, classes=labels.classes, transition=transition,
        undecided=found["undecided"], gain=found["gain"], certainty=found["certainty"],
        in_pairs=found["in_pairs"], t1=found["t1"], t2=found["t2"], l2=found["l2"],
        accuracy=found["accuracy"], n_splits=found["folds"], kind=kind,
        _health=_health_of(found["health"], labels),
        notes=(*found["notes"].splitlines(), *notes), warnings=tuple(found["warnings"].splitlines()),
        index=index)


def _pandas() -> Any:
    try:
        import pandas
    except ImportError as error:
        raise ImportError("tables need pandas: pip install pandas") from error
    return pandas
