"""consensus: one label for each item from several annotators, and how reliable each of them is."""
from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from . import _temper
from ._compat import as_matrix
from ._data import _is_missing, borrow
from ._params import count, seed_of, threads_of, warn_caller, word
from ._progress import Follower, TuneProgress, on_main_thread
from ._types import Numbers, RandomState, Rows, Verbose

if TYPE_CHECKING:
    import pandas

__all__ = ["ConsensusReport", "consensus"]

_NO_LABEL = 2**32 - 1  # TEMPER_NO_LABEL
_FLAGS = {1: "random", 2: "inverted", 4: "constant"}  # temper_annotator_summary.flags
_LONG = (("item", "task", "task_id", "item_id", "row", "id", "example", "question"),
         ("annotator", "worker", "worker_id", "annotator_id", "rater", "user"),
         ("label", "answer", "response", "vote", "annotation"))
_SHOWN = 10  # annotators in a notebook


@dataclass(frozen=True, eq=False, repr=False)
class ConsensusReport:
    """What :func:`consensus` found. Arrays of items have an element for each item, in the order of
    ``items``; those of annotators are in the order of ``annotators``.

    ``to_frame()`` is a table of the items, ``annotators_frame()`` one of the annotators,
    ``confusion_frame(annotator)`` the confusion matrix of one of them; ``again()`` names the items
    that one more label would help most.

    Attributes
    ----------
    items : ndarray of shape (n_items,)
        Names of the items: the index of a wide data frame, or numbers from 0.
    label : ndarray of shape (n_items,)
        The consensus: the most probable class; None for an item with neither labels nor a model.
    probability : ndarray of shape (n_items,)
        Of that class; for ``method="majority"`` the share of the labels.
    posterior : ndarray of shape (n_items, n_classes)
        Of every class, in the order of ``classes``.
    n_labels : ndarray of shape (n_items,)
        How many labels each item has.
    agreement : ndarray of shape (n_items,)
        The share of an item's labels that are the consensus; NaN without labels.
    entropy : ndarray of shape (n_items,)
        Of the posterior, in nats.
    gain : ndarray of shape (n_items,)
        By how much one more label of an average annotator is expected to raise the probability of
        the most probable class.
    ranking : ndarray of shape (n_items,)
        Numbers of the items, those to label again first: by gain, then by entropy.
    n_again : int
        So many of these are suggested: as many as the consensus has wrong labels, by expectation.
    n_wrong : float
        That expectation; NaN for "majority".
    classes : ndarray of shape (n_classes,)
        Sorted.
    shares : ndarray of shape (n_classes,)
        Of the classes among the items.
    annotators : ndarray of shape (n_annotators,)
        Names of the annotators.
    accuracy, low, high : ndarray of shape (n_annotators,)
        Estimated share of right labels, on the items that the annotator has labelled, and the ends
        of its interval of 90 %.
    confusion : ndarray of shape (n_annotators, n_classes, n_classes) or None
        Probabilities [annotator, true class, label]; None if that were more than 2**25 numbers.
    flags : ndarray of str, of shape (n_annotators,)
        "random": labels hardly depend on the class; "inverted": wrong more often than by chance;
        "constant": nearly always the same label; "" otherwise. From ten labels on.
    strength : float
        By how many labels of each class the prior of a confusion matrix counts; infinite: an
        ability alone describes each annotator.
    sharpness, model_agreement : float
        Exponent that the probabilities of the model get, and the share of the consensus that the
        model alone would give; NaN without a model.
    log_likelihood : float
        Log posterior at the end of EM; NaN for "majority".
    n_iter : int
        Iterations of EM.
    method : str
    notes : tuple of str
    """

    items: np.ndarray
    label: np.ndarray
    probability: np.ndarray
    posterior: np.ndarray
    n_labels: np.ndarray
    agreement: np.ndarray
    entropy: np.ndarray
    gain: np.ndarray
    ranking: np.ndarray
    n_again: int
    n_wrong: float
    classes: np.ndarray
    shares: np.ndarray
    annotators: np.ndarray
    accuracy: np.ndarray
    low: np.ndarray
    high: np.ndarray
    confusion: np.ndarray | None
    flags: np.ndarray
    strength: float
    sharpness: float
    model_agreement: float
    log_likelihood: float
    n_iter: int
    method: str
    notes: tuple[str, ...]
    _of_annotators: dict[str, np.ndarray]

    def again(self, k: int | None = None) -> np.ndarray:
        """Names of the items to label again, those first that one more label would help most; as
        many as the consensus has wrong labels, by expectation, or ``k``."""
        k = self.n_again if k is None else count("k", k)
        return np.asarray(self.items[self.ranking[:k]])

    def to_frame(self) -> pandas.DataFrame:
        """The items as a pandas.DataFrame, by name."""
        pd = _pandas()
        names = ("label", "probability", "n_labels", "agreement", "entropy", "gain")
        return pd.DataFrame({name: getattr(self, name) for name in names},
                                index=pd.Index(self.items, name="item"))

    def annotators_frame(self) -> pandas.DataFrame:
        """The annotators as a pandas.DataFrame, by name: labels, accuracy with its interval,
        agreement with the consensus, the most frequent mistake, and flags."""
        pd = _pandas()
        of = self._of_annotators
        some = of["confused_labels"] > 0
        confused, given = (np.where(some, self.classes[of[name]].astype(object), None)
                           for name in ("confused", "confused_with"))
        return pd.DataFrame(
            {"n_labels": of["labels"], "accuracy": self.accuracy, "low": self.low,
             "high": self.high, "chance": of["chance"], "agreement": of["agreement"],
             "confused": confused, "confused_with": given,
             "confused_labels": of["confused_labels"], "flag": self.flags},
            index=pd.Index(self.annotators, name="annotator"))

    def confusion_frame(self, annotator: object) -> pandas.DataFrame:
        """The confusion matrix of an annotator as a pandas.DataFrame: true classes down, labels
        across; rows sum to 1."""
        if self.confusion is None:
            raise ValueError("there are no confusion matrices: annotators and classes are too many")
        found = np.flatnonzero(self.annotators == annotator)
        if not len(found):
            raise ValueError(f"there is no annotator {annotator!r}")
        pd = _pandas()
        return pd.DataFrame(self.confusion[found[0]],
                                index=pd.Index(self.classes, name="true"),
                                columns=pd.Index(self.classes, name="label"))

    def _sentences(self) -> list[str]:
        votes = int(self.n_labels.sum())
        wrong = ("" if np.isnan(self.n_wrong) else
                 f"about {self.n_wrong:,.0f} consensus labels wrong "
                 f"({self.n_wrong / len(self.items):.1%}), if annotators err independently")
        flagged = [f"{name} ({flag})" for name, flag in zip(self.annotators, self.flags) if flag]
        shown = ", ".join(flagged[:_SHOWN]) + (", ..." if len(flagged) > _SHOWN else "")
        model = ("" if np.isnan(self.sharpness) else
                 f"model: sharpness {self.sharpness:.2g}, gives {self.model_agreement:.1%} of the labels")
        return [sentence for sentence in (
            f"{votes:,} labels by {len(self.annotators):,} annotators on {len(self.items):,} items "
            f"of {len(self.classes)} classes", wrong, model, f"to look at: {shown}" if shown else "")
            if sentence]

    def __repr__(self) -> str:
        return "ConsensusReport: " + "\n  ".join(self._sentences())

    def _repr_html_(self) -> str:
        parts = ["<div><b>ConsensusReport</b><ul>"]
        parts += [f"<li>{html.escape(sentence)}</li>" for sentence in self._sentences()]
        lines = ["<tr><th>annotator</th><th>labels</th><th>accuracy</th><th>90 %</th><th></th></tr>"]
        for a in np.argsort(self.accuracy, kind="stable")[:_SHOWN]:
            cells = [self.annotators[a], self._of_annotators["labels"][a], f"{self.accuracy[a]:.3f}",
                     f"{self.low[a]:.3f} to {self.high[a]:.3f}", self.flags[a]]
            lines.append("<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in cells)
                         + "</tr>")
        return "".join([*parts, "</ul><table>", *lines, "</table></div>"])


def consensus(votes: Numbers | tuple[ArrayLike, ArrayLike, ArrayLike], *, columns: Sequence[Hashable] | None = None,
              X: Rows | None = None, pred_probs: Numbers | None = None, classes: ArrayLike | None = None,
              method: str = "dawid-skene", cv: int = 5, rounds: int = 3, n_jobs: int | None = None,
              random_state: RandomState = None, verbose: Verbose = "auto",
              callback: Callable[[TuneProgress], object] | None = None) -> ConsensusReport:
    """One label for each item from those of several annotators: what ``temper annotators`` does.

    A confusion matrix for each annotator is estimated together with the true classes (Dawid and
    Skene, 1979). The matrix of an annotator with few labels is drawn towards that of all, with the
    annotator's own ability; how strongly is estimated from the labels.

    Parameters
    ----------
    votes : array or data frame of shape (n_items, n_annotators), or long
        Wide: a row for each item and a column for each annotator; None or NaN where there is no
        label. Long: a data frame with a row for each label, and columns for item, annotator and
        label, by the names in ``columns`` or by common ones ("task", "worker", "label"); or a tuple
        of three arrays.
    columns : three names, or None
        Of a long data frame: item, annotator, label.
    X : array or sparse matrix of shape (n_items, n_features), or None
        Features of the items, in the order of the rows of wide votes; of long votes, in the order
        of first appearance of the items, or, if X is a data frame, by its index. Models that are
        fitted to the consensus of other rows become one more source, as far as they prove right.
    pred_probs : array of shape (n_items, n_classes) or None
        The same from any other model, in the order of ``classes``, for rows that the model has not
        seen. Data frames are matched by index and by names of columns.
    classes : array or None
        All classes, in the order of ``pred_probs``; None: the labels that occur, sorted.
    method : {"dawid-skene", "one-coin", "majority"}
        A matrix for each annotator, as far as the labels suffice; an ability for each; most votes.
    cv, rounds : int
        Folds of the models of X, and rounds of models and consensus.
    n_jobs, random_state, verbose, callback
        As for :func:`find_label_issues`.

    Returns
    -------
    ConsensusReport

    Notes
    -----
    Annotators are taken to err independently of each other. Where all make the same mistake, or
    most labels are worse than chance, no method finds the truth without other information.

    Examples
    --------
    >>> import numpy as np
    >>> from temperlr import consensus
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(3, size=300)
    >>> guess = rng.integers(3, size=(300, 6))
    >>> right = rng.random((300, 6)) < [0.9, 0.8, 0.8, 0.6, 0.5, 0.0]
    >>> votes = np.where(right, truth[:, None], guess).astype(float)
    >>> votes[rng.random(votes.shape) < 0.3] = np.nan
    >>> report = consensus(votes)
    >>> bool((report.label == truth).mean() > 0.9)
    True
    >>> report.flags[5]
    'random'
    >>> int(report.accuracy.argmax())
    0
    >>> len(report.again(20))
    20
    """
    table = _read_votes(votes, columns)
    index = _index_of(X) if pred_probs is None else _index_of(pred_probs)
    table = _match_items(table, index)
    names, codes = _encode(table.labels, classes)
    rows = None if X is None or pred_probs is not None else _features(X, len(table.items))
    probabilities = None if pred_probs is None else _probabilities(pred_probs, names, len(table.items))
    with Follower(callback, verbose, TuneProgress) as follower:
        found = _temper.consensus(
            table.item, table.annotator, codes, follower.caller, on_main_thread(),
            items=len(table.items), annotators=len(table.annotators), classes=len(names),
            method=word("method", method), data=rows, probabilities=probabilities,
            folds=count("cv", cv), rounds=count("rounds", rounds), seed=seed_of(random_state),
            threads=threads_of(n_jobs))
    if found is None:
        raise RuntimeError("the callback ended the estimate: there is no report; let it answer False "
                           "to go on")
    report = _report(found, table, names, method)
    for sentence in report.notes:
        if sentence.startswith("warning: "):
            warn_caller(sentence.removeprefix("warning: "), UserWarning)
    return report


# ---- Votes ---------------------------------------------------------------------------------------


@dataclass
class _Votes:
    """A label for each (item, annotator); both by number."""

    items: np.ndarray  # names
    annotators: np.ndarray
    item: np.ndarray  # numbers, of each vote
    annotator: np.ndarray
    labels: np.ndarray  # as the caller has them


def _present(labels: np.ndarray) -> np.ndarray:
    """Where there is a label."""
    if labels.dtype.kind == "f":
        return np.asarray(~np.isnan(labels))
    if labels.dtype.kind != "O":
        return np.ones(labels.shape, dtype=bool)
    return np.array([not _is_missing(label) for label in labels.ravel()],
                    dtype=bool).reshape(labels.shape)


def _read_votes(votes: Any, columns: Sequence[Any] | None) -> _Votes:
    if isinstance(votes, tuple) and len(votes) == 3:
        return _read_long(*votes)
    if hasattr(votes, "columns") and hasattr(votes, "iloc"):
        found = columns if columns is not None else _long_columns(list(votes.columns))
        if found is not None:
            if len(found) != 3:
                raise ValueError(f"columns has to name item, annotator and label, and is {columns!r}")
            return _read_long(*(votes[name] for name in found))
        return _read_wide(votes.to_numpy(dtype=object), np.asarray(votes.index),
                          np.asarray(votes.columns))
    if columns is not None:
        raise ValueError("columns names those of a data frame, and votes is none")
    array = np.asarray(votes)
    if array.ndim != 2:
        raise ValueError(f"votes has to have a row for each item and a column for each annotator, "
                         f"and has {array.ndim} dimension{'' if array.ndim == 1 else 's'}; give three "
                         "arrays (items, annotators, labels) as a tuple for a label a row")
    return _read_wide(array, np.arange(array.shape[0]), np.arange(array.shape[1]))


def _long_columns(names: list[Any]) -> list[Any] | None:
    """Item, annotator and label, if columns have names for all of them."""
    lower = {str(name).lower(): name for name in names}
    found = [next((lower[word] for word in words if word in lower), None) for words in _LONG]
    return None if any(name is None for name in found) else found


def _numbers(values: Any) -> tuple[np.ndarray, np.ndarray]:
    """Distinct values in the order of their first appearance, and the number of each element."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError("items, annotators and labels have to be arrays of one dimension")
    numbers: dict[Any, int] = {}
    codes = np.fromiter((numbers.setdefault(value, len(numbers)) for value in array.tolist()),
                        dtype=np.uint32, count=len(array))
    names = np.empty(len(numbers), dtype=object)
    names[:] = list(numbers)
    return (names.astype(array.dtype) if array.dtype.kind != "O" else names), codes


def _read_long(items: Any, annotators: Any, labels: Any) -> _Votes:
    labels = np.asarray(labels)
    item_names, item = _numbers(items)
    annotator_names, annotator = _numbers(annotators)
    if not len(item) == len(annotator) == len(labels):
        raise ValueError(f"items, annotators and labels have {len(item)}, {len(annotator)} and "
                         f"{len(labels)} elements; give one of each for every label")
    some = _present(labels)
    return _Votes(item_names, annotator_names, item[some], annotator[some], labels[some])


def _read_wide(table: np.ndarray, items: np.ndarray, annotators: np.ndarray) -> _Votes:
    item, annotator = np.nonzero(_present(table))
    return _Votes(items, annotators, item.astype(np.uint32), annotator.astype(np.uint32),
                  table[item, annotator])


def _encode(labels: np.ndarray, classes: Any) -> tuple[np.ndarray, np.ndarray]:
    """The classes, and the number of each label among them."""
    if labels.dtype.kind == "O":  # a column that had gaps: numbers as numbers again
        labels = np.array(labels.tolist())
    if labels.dtype.kind == "f" and len(labels) and np.all(labels == np.round(labels)):
        labels = labels.astype(np.int64)  # whole numbers, which NaN has made floats
    if not len(labels):
        raise ValueError("votes has no label; give at least one")
    if classes is None:
        names, codes = np.unique(labels, return_inverse=True)
        return names, codes.reshape(-1).astype(np.uint32)
    names = np.asarray(classes)
    place = {name: i for i, name in enumerate(names.tolist())}
    unknown = [label for label in labels.tolist() if label not in place]
    if unknown:
        raise ValueError(f"votes has the label {unknown[0]!r}, which is not among classes")
    return names, np.fromiter((place[label] for label in labels.tolist()), dtype=np.uint32,
                              count=len(labels))


# ---- Items as rows -------------------------------------------------------------------------------


def _index_of(rows: Any) -> np.ndarray | None:
    return np.asarray(rows.index) if hasattr(rows, "iloc") else None


def _match_items(table: _Votes, index: np.ndarray | None) -> _Votes:
    """Items in the order of the rows of a data frame, by its index; rows may have no labels."""
    if index is None or (len(index) == len(table.items) and np.array_equal(index, table.items)):
        return table
    place = {name: i for i, name in enumerate(index.tolist())}
    if len(place) != len(index):
        raise ValueError("the index of the rows has repetitions; give each item a name of its own")
    unknown = [name for name in table.items.tolist() if name not in place]
    if unknown:
        raise ValueError(f"item {unknown[0]!r} is not in the index of the rows; give every item a row")
    rows = np.fromiter((place[name] for name in table.items.tolist()), dtype=np.uint32,
                       count=len(table.items))
    return _Votes(index, table.annotators, rows[table.item], table.annotator, table.labels)


def _features(X: Any, items: int) -> _temper.Data:
    X = as_matrix(X)
    if X.shape[0] != items:
        raise ValueError(f"X has {X.shape[0]} rows for {items} items; give one for each")
    return borrow(X)


def _probabilities(pred_probs: Any, classes: np.ndarray, items: int) -> np.ndarray:
    """In the order of the classes; columns of a data frame by name, if they have the names."""
    if hasattr(pred_probs, "columns"):
        names = list(pred_probs.columns)
        if set(classes.tolist()) <= set(names):
            pred_probs = pred_probs[classes.tolist()]
    array = np.ascontiguousarray(pred_probs, dtype=np.float64)
    if array.shape != (items, len(classes)):
        raise ValueError(f"pred_probs has shape {array.shape}, and {(items, len(classes))} was expected: "
                         "a row for each item and a column for each class; classes= names classes "
                         "that no label has")
    return array


# ---- The report ----------------------------------------------------------------------------------

_ITEM = {"label": "u4", "votes": "u8", "probability": "f8", "agreement": "f8", "entropy": "f8",
         "gain": "f8"}
_ANNOTATOR = {"labels": "u8", "accuracy": "f8", "low": "f8", "high": "f8", "chance": "f8",
              "agreement": "f8", "confused": "u4", "confused_with": "u4", "confused_labels": "f8",
              "flags": "u4"}


def _report(found: dict[str, Any], table: _Votes, classes: np.ndarray, method: str) -> ConsensusReport:
    item = {name: np.frombuffer(found["item"][name], dtype=dtype) for name, dtype in _ITEM.items()}
    of = {name: np.frombuffer(found["annotator"][name], dtype=dtype)
          for name, dtype in _ANNOTATOR.items()}
    known = item["label"] != _NO_LABEL
    label = classes[np.where(known, item["label"], 0)]
    if not known.all():
        label = label.astype(object)
        label[~known] = None
    confusion = found["confusion"]
    if confusion is not None:
        confusion = np.frombuffer(confusion).reshape(-1, len(classes), len(classes))
    return ConsensusReport(
        items=table.items, label=label, probability=item["probability"],
        posterior=np.frombuffer(found["posterior"]).reshape(-1, len(classes)),
        n_labels=item["votes"].astype(np.intp), agreement=item["agreement"],
        entropy=item["entropy"], gain=item["gain"],
        ranking=np.frombuffer(found["again"], dtype="u8").astype(np.intp),
        n_again=found["suggested_again"], n_wrong=found["wrong"], classes=classes,
        shares=np.frombuffer(found["shares"]), annotators=table.annotators,
        accuracy=of["accuracy"], low=of["low"], high=of["high"], confusion=confusion,
        flags=np.array([_FLAGS.get(int(flag), "") for flag in of["flags"]], dtype=object),
        strength=found["strength"], sharpness=found["sharpness"],
        model_agreement=found["model_agreement"], log_likelihood=found["likelihood"],
        n_iter=found["iterations"], method=method, notes=tuple(found["notes"].splitlines()),
        _of_annotators=of)


def _pandas() -> Any:
    try:
        import pandas
    except ImportError as error:
        raise ImportError("tables need pandas: pip install pandas") from error
    return pandas
