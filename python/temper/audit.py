"""find_label_issues: which labels look wrong, and what should they be?"""
from __future__ import annotations

import html
import warnings
from dataclasses import dataclass, field
from typing import Any, Callable

import numpy as np
from sklearn.utils.validation import _check_sample_weight

from . import _temper
from ._compat import as_matrix
from ._data import Labels, borrow, encode_rows
from ._params import count, is_auto, number, scale_of, seed_of, threads_of, word
from ._progress import Follower, TuneProgress, on_main_thread

__all__ = ["AuditReport", "find_label_issues"]

# Of temper_audit_suspect in temper.h, and the name of its type in NumPy.
_COLUMNS = {"score": "f8", "probability": "f8", "margin": "f8", "distance": "f8",
            "importance": "f8", "low": "f8", "high": "f8"}
_SHOWN = 10  # rows of the list in a notebook
_PAIRS = 5  # and pairs of classes


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
        To the neighbours of the row, that of the median row being 1.
    importance : ndarray of shape (n_samples,)
        ``p ** (t2 - t1)`` of the given label, p being what the models think of it.
    low, high : ndarray of shape (n_samples,)
        Of two classes, the score if the share of wrong labels is at the lower or upper end of its
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
        Of two classes, the range that has that number with a probability of 90 %, if the model of
        the noise is right; else None.
    classes : ndarray of shape (n_classes,)
        Sorted.
    transition : ndarray of shape (n_classes, n_classes) or None
        Rows to be expected by [true class, given class], in the order of ``classes``;
        ``transition_frame()`` has their names. None with more than 256 classes.
    in_pairs : bool
        Whether wrong labels keep to pairs of classes, or look evenly spread.
    t1, t2, l2 : float
        What was given or chosen.
    accuracy : float
        Of the models, on rows that they have not seen, against the labels as given.
    n_splits : int
        Folds.
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
    in_pairs: bool
    t1: float
    t2: float
    l2: float
    accuracy: float
    n_splits: int
    kind: str
    n_wrong_range: tuple[float, float] | None = None
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    index: Any = field(default=None)

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
        """The ends of its range of 90 %; NaN with more than two classes, too."""
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

    def to_frame(self, *, top: int | None = None, threshold: float | None = None) -> Any:
        """The rows to look at again as a pandas.DataFrame, most suspicious first, with the index of
        X where that has one; the column "row" has their numbers, from 0. ``top=len(y)``: all."""
        pandas = _pandas()
        rows = self.indices(top=top, threshold=threshold)
        index = rows if self.index is None else self.index[rows]
        columns = {name: getattr(self, name)[rows]
                   for name in ("given", "suggested", *_COLUMNS, "conflict")}
        return pandas.DataFrame({"row": rows, **columns}, index=index)

    def transition_frame(self) -> Any:
        """``transition`` as a pandas.DataFrame: true classes down, given labels across."""
        if self.transition is None:
            raise ValueError(f"there is no table of transitions between {len(self.classes)} "
                             "classes; it ends at 256")
        pandas = _pandas()
        return pandas.DataFrame(self.transition, index=pandas.Index(self.classes, name="true"),
                                columns=pandas.Index(self.classes, name="given"))

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
             threshold: float | None = None, ax: Any = None) -> Any:
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
        return [f"{rows:,} rows of {len(self.classes)} classes",
                wrong, listed,
                f"models: t1 = {self.t1:g}, t2 = {self.t2:g}, l2 = {self.l2:.4g}, "
                f"{self.n_splits} folds; {self.accuracy:.1%} of the labels predicted"]

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


def find_label_issues(X: Any, y: Any, sample_weight: Any = None, *, kind: str = "label",
                      t1: float | str = "auto", t2: float | str = "auto",
                      l2: float | str = "auto", grid: str | None = None, cv: int = 5,
                      solver: str = "auto", tol: float | str = "auto", max_iter: int = 1000,
                      fit_intercept: bool = True, scale: str = "auto",
                      n_jobs: int | None = None, random_state: Any = None,
                      verbose: int | bool = 0,
                      callback: Callable[[TuneProgress], Any] | None = None,
                      precision: str = "auto") -> AuditReport:
    """Which labels look wrong: what ``temper audit`` does, bit for bit.

    Models that have not seen a row, and its nearest neighbours, say what its label should be; a
    model of the noise turns that into the probability that the given one is wrong. X and y are
    not changed.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        As for :class:`TemperedLogisticRegression`, and borrowed in the same way. The index of a
        data frame is that of :meth:`AuditReport.to_frame`.
    y : array of shape (n_samples,)
        Labels of any kind.
    sample_weight : array of shape (n_samples,) or None
        Of the rows in the fits. A row of weight 0 teaches nothing, and is judged as all others.
    kind : {"label", "row"}
        Wrong labels first, or rows first that lie far from all others.
    t1, t2, l2 : float or "auto"
        Temperatures and penalty. Both temperatures "auto": chosen on two halves of the rows, with
        l2 if that is "auto" too, from a small grid. If one temperature is given, the other one is
        0.3 or 1, and l2="auto" is as for :class:`TemperedLogisticRegression`.
    grid : str or None
        What to choose from, as for :class:`TemperedLogisticRegressionCV`.
    cv : int, default 5
        Folds, stratified, drawn by ``random_state``.
    solver, tol, max_iter, fit_intercept, scale, n_jobs, precision
        As for :class:`TemperedLogisticRegression`; ``tol="auto"`` is what a ranking needs: 1e-2
        for two classes, 1e-3 for more.
    random_state : int, RandomState or None
        The seed of the folds; None is 1.
    verbose : int or bool, default 0
        Show progress: a tqdm bar where that is installed.
    callback : callable or None
        Called with a :class:`temper.TuneProgress` now and then; a true answer ends the audit with
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
    >>> from temper import add_noise, find_label_issues
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
    chosen = is_auto(t1) and is_auto(t2)
    if grid is not None and not chosen:
        raise ValueError("grid means nothing where temperatures are given; drop it, or them")
    if count("cv", cv) < 2:
        raise ValueError(f"cv has to be 2 folds or more, and is {cv}")
    options: dict[str, Any] = {
        "kind": word("kind", kind), "folds": int(cv), "choose": chosen, "grid": grid,
        "t1": 0.3 if is_auto(t1) else number("t1", t1),
        "t2": 1.0 if is_auto(t2) else number("t2", t2),
        "l2": np.nan if is_auto(l2) else number("l2", l2),
        "scale": scale_of(scale), "solver": word("solver", solver),
        "precision": word("precision", precision), "starts": 1, "no_intercept": not fit_intercept,
        "tolerance": np.nan if is_auto(tol) else number("tol", tol),
        "max_iterations": count("max_iter", max_iter), "seed": seed_of(random_state),
        "threads": threads_of(n_jobs)}
    index = next((rows.index for rows in (X, y) if hasattr(rows, "iloc")), None)
    X = as_matrix(X)
    labels = encode_rows(X, y, "audit")
    if sample_weight is not None:
        sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
    data = borrow(X, labels, None, sample_weight)
    with Follower(callback, verbose, TuneProgress) as follower:
        found = _temper.audit(data, follower.function, on_main_thread(), **options)
    if found is None:
        raise RuntimeError("the callback ended the audit: there is no report; let it answer False "
                           "to go on")
    report = _report(found, labels, kind, index)
    for sentence in report.warnings:
        warnings.warn(sentence, UserWarning, stacklevel=2)
    return report


def _report(found: dict[str, Any], labels: Labels, kind: str, index: Any) -> AuditReport:
    """From the order of the list to that of the rows, and to classes in the order of scikit-learn.
    """
    ranking = np.frombuffer(found["row"], dtype="u8").astype(np.intp)

    def by_row(name: str, dtype: str) -> np.ndarray:
        listed = np.frombuffer(found[name], dtype=dtype)
        out = np.empty_like(listed)
        out[ranking] = listed
        return out

    transition = found["transition"]
    if transition is not None:
        theirs = np.frombuffer(transition).reshape(len(labels.classes), -1)
        transition = np.empty_like(theirs)
        transition[np.ix_(labels.order, labels.order)] = theirs
    wrong_range = None if np.isnan(found["wrong_low"]) else (found["wrong_low"], found["wrong_high"])
    return AuditReport(
        **{name: by_row(name, dtype) for name, dtype in _COLUMNS.items()},
        given=labels.classes[labels.order[by_row("given", "u4")]],
        suggested=labels.classes[labels.order[by_row("suggested", "u4")]],
        conflict=by_row("conflict", "i4") != 0, ranking=ranking, n_issues=found["supported"],
        n_wrong=found["wrong"], n_wrong_range=wrong_range, classes=labels.classes, transition=transition,
        in_pairs=found["in_pairs"], t1=found["t1"], t2=found["t2"], l2=found["l2"],
        accuracy=found["accuracy"], n_splits=found["folds"], kind=kind,
        notes=tuple(found["notes"].splitlines()), warnings=tuple(found["warnings"].splitlines()),
        index=index)


def _pandas() -> Any:
    try:
        import pandas
    except ImportError as error:
        raise ImportError("tables need pandas: pip install pandas") from error
    return pandas
