"""A tuning by the library: what it is asked, and what it says."""
from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any, Iterable

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedGroupKFold

from . import _temper
from ._callbacks import FitTasks
from ._data import on_cpu
from ._params import warn_caller
from ._progress import Follower, TuneProgress, on_main_thread

if TYPE_CHECKING:
    from ._base import CountingRows

# What the command does if it is not told otherwise.
TUNE_DEFAULTS: dict[str, Any] = {"grid": None, "folds": 10, "fold": None, "criterion": None,
                                 "assume": None, "ask": 0, "trusted_rows": None,
                                 "trusted_labels": None, "average": False}


@dataclass
class Tuned:
    """The model of the chosen setting, and the table that it was chosen from."""

    model: _temper.Model
    report: dict[str, Any]
    table: dict[str, np.ndarray]

    @property
    def loss(self) -> str:
        return str(self.of_best("loss"))

    @property
    def t1(self) -> float:
        return float(self.of_best("t1"))

    @property
    def t2(self) -> float:
        return float(self.of_best("t2"))

    @property
    def warnings(self) -> list[str]:
        return str(self.report["warnings"]).splitlines()

    def of_best(self, name: str) -> Any:
        return self.table[name][self.report["best"]]

    def warn(self) -> None:
        """Those of the final fit are about convergence, the others about the labels."""
        of_training = self.report["training"]["warnings"].splitlines()
        for sentence in self.warnings:
            kind = ConvergenceWarning if sentence in of_training else UserWarning
            warn_caller(sentence, kind)


def run_tuning(data: _temper.Data, trusted: _temper.Data | None, estimator: Any, tasks: FitTasks | None,
               options: dict[str, Any]) -> Tuned:
    """`estimator` has the callback and verbose."""
    with Follower(estimator.callback, estimator.verbose, TuneProgress, tasks) as follower:
        model, report, exception = _temper.tune(data, trusted, follower.caller, on_main_thread(),
                                                **options)
    if exception is not None:
        raise exception
    if model is None:
        raise RuntimeError("the callback ended tuning before a setting was chosen: there is no "
                           "model; let it answer False to go on")
    return Tuned(model, report, _table(report["table"]))


def _table(columns: dict[str, Any]) -> dict[str, np.ndarray]:
    table = {}
    for name, values in columns.items():
        array = np.frombuffer(values) if isinstance(values, bytes) else np.array(values)
        table[name] = array.copy()
    hinge = np.array([str(loss).startswith("hinge") for loss in table["loss"]], dtype=bool)
    table["smoothing"][~hinge] = np.nan  # no other loss has one
    table["band_error"] = table["band_error"].reshape(len(table["l2"]), -1)
    return table


# ---- Folds ---------------------------------------------------------------------------------------

def splits_of(cv: Any, groups: Any, X: Any, y: Any, seed: int) -> list[Any] | None:
    """(train, test) of each fold; None: the library draws ``int(cv)`` of them, stratified."""
    if groups is not None:
        groups = np.asarray(on_cpu(groups, "groups"))
        if groups.shape != (len(y),):
            raise ValueError(f"groups has the shape {groups.shape}, and there are {len(y)} rows; give one for each row")
    if isinstance(cv, Integral) and not isinstance(cv, bool):
        if cv < 2:
            raise ValueError(f"cv has to be 2 folds or more, and is {cv}")
        if groups is None:
            return None
        cv = StratifiedGroupKFold(int(cv), shuffle=True, random_state=seed % 2**32)
    elif isinstance(cv, (str, bool)) or not (hasattr(cv, "split") or isinstance(cv, Iterable)):
        raise ValueError("cv has to be a number of folds, a splitter of scikit-learn or an iterable of (train, test), "
                         f"and is {cv!r}")
    return list(cv.split(y if X is None else X, y, groups) if hasattr(cv, "split") else cv)


def fold_of_rows(cv: Any, rows: CountingRows, groups: Any, seed: int) -> tuple[np.ndarray | None, int]:
    """The fold of each row that counts, and how many there are; None: the library draws them."""
    counted = len(rows.y)
    given = counted if rows.kept is None else len(rows.kept)
    if groups is not None and rows.kept is not None:
        groups = np.asarray(on_cpu(groups, "groups"))
        groups = groups[rows.kept] if len(groups) == given else groups
    splits = splits_of(cv, groups, rows.X, rows.y, seed)
    if splits is None:
        return None, int(cv)
    drawn = hasattr(cv, "split") or isinstance(cv, Integral)  # from the rows that count; else for all
    return fold_numbers(splits, np.arange(counted) if drawn else rows.places(given))


def fold_numbers(splits: Iterable[Any], places: np.ndarray) -> tuple[np.ndarray, int]:
    """The fold of each row that counts, from splits (train, test) of ``len(places)`` rows, and how
    many folds there are. ``places`` has the numbers of those that count, and -1 for the others.
    """
    rows = len(places)
    fold_of = np.full(rows, -1, dtype=np.int64)
    folds = 0
    for number, pair in enumerate(splits):
        train, test = _parts(number, pair, rows)
        _check_parts(number, train, test, fold_of)
        fold_of[test] = number
        folds += 1
    missing = np.flatnonzero(fold_of < 0)
    if len(missing):
        raise ValueError(f"cv: row {missing[0]} is in the test part of no split ({len(missing)} "
                         "rows are not); every row has to be in one, as KFold has it and "
                         "TimeSeriesSplit and ShuffleSplit do not")
    return _renumber(fold_of[places >= 0])


def _renumber(fold_of: np.ndarray) -> tuple[np.ndarray, int]:
    """Without folds that have lost all their rows."""
    present, numbers = np.unique(fold_of, return_inverse=True)
    return numbers.reshape(-1).astype(np.uint32), len(present)


def _parts(number: int, pair: Any, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Both as masks."""
    try:
        train, test = pair
        return _mask(train, rows), _mask(test, rows)
    except (TypeError, ValueError, IndexError) as error:
        raise ValueError(f"cv: split {number} has to be a pair of arrays (train, test) of row "
                         f"numbers below {rows}: {error}") from error


def _mask(part: Any, rows: int) -> np.ndarray:
    mask, part = np.zeros(rows, dtype=bool), np.asarray(part)
    mask[part if part.size else []] = True
    return mask


def _check_parts(number: int, train: np.ndarray, test: np.ndarray, fold_of: np.ndarray) -> None:
    twice = np.flatnonzero(test & (fold_of >= 0))
    if len(twice):
        raise ValueError(f"cv: row {twice[0]} is in the test parts of split {fold_of[twice[0]]} "
                         f"and of split {number}; they must not overlap, as those of ShuffleSplit "
                         "and RepeatedKFold do")
    if not test.any():
        raise ValueError(f"cv: split {number} has no row to test on; drop it")
    odd = np.flatnonzero(train == test)
    if len(odd):
        where = "both parts" if test[odd[0]] else "neither part"
        raise ValueError(f"cv: row {odd[0]} is in {where} of split {number}; models are fitted to "
                         "all rows but those of the test part, so that has to be what the train "
                         "part is")
