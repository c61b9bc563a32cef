"""Label noise on purpose: for tests of how much a method can bear."""
from __future__ import annotations

import os
import tempfile
from typing import Any, Mapping, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from . import _temper
from ._compat import as_matrix
from ._data import Labels, borrow, class_name, encode_labels, on_cpu
from ._params import seed_of, threads_of
from ._types import Numbers, RandomState, Rows

__all__ = ["Noisy", "add_noise"]


Pairs: TypeAlias = Mapping[int, int] | Mapping[str, str] | Mapping[float, float] | Mapping[bool, bool]


class Noisy(NamedTuple):
    """What :func:`add_noise` returns."""

    X: Rows
    """The rows: X itself, or an array where features were changed ("instance")."""
    y: np.ndarray
    """The labels after the noise."""
    changed: np.ndarray
    """The rows that changed, counted from 0."""


def add_noise(X: Rows, y: Numbers, rate: float = 0.1, kind: str = "random", *, random_state: RandomState = None,
              pairs: Pairs | None = None, matrix: ArrayLike | None = None, pool: Rows | None = None,
              rank_l2: float = 1e-4, rank_scale: str | None = None,
              n_jobs: int | None = None) -> Noisy:
    """Change the labels of a share of the rows, as ``temper noise`` does, seed for seed.

    Parameters
    ----------
    X, y
        Rows and their labels. X is looked at by margin noise, and changed by "instance" only.
    rate : float
        The share of all rows that change. "matrix" has none.
    kind : {"random", "pair", "matrix", "small-margin", "large-margin", "instance"}
        Another class by chance; each class to the next, or to what ``pairs`` says; by a ``matrix``
        of probabilities [given, new], in the order of the sorted classes; the rows that a logistic
        regression is least, or most, sure of; features of rows of a ``pool`` (or of other classes)
        in place of the row's own.
    random_state : int or None
        The seed; None is 1.
    pairs : mapping or None
        Of "pair": the class that each class becomes.
    matrix : array of shape (n_classes, n_classes) or None
        Of "matrix": the probability of each new label, by [given, new].
    pool : array or sparse matrix, or None
        Of "instance": the rows whose features are taken.
    rank_l2, rank_scale
        Penalty and scaling (as ``scale`` of the estimators; None is their default) of the logistic
        regression that ranks rows by their margins. It is solved to its minimum.
    n_jobs : int or None
        Threads; None is 1, -1 is all.

    Returns
    -------
    Noisy
        Rows, labels, and the numbers of the rows that changed.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.zeros((10, 1)), np.array(["ham", "spam"] * 5)
    >>> noisy = add_noise(X, y, rate=0.2)
    >>> int((noisy.y != y).sum()), len(noisy.changed)
    (2, 2)
    """
    rows_of: Any = as_matrix(X)
    labels = encode_labels(y)
    changes = _changes(rows_of, labels, rate, kind, pool, {
        "seed": seed_of(random_state), "map": _pairs_text(pairs), "rank_l2": rank_l2,
        "rank_scale": rank_scale, "threads": threads_of(n_jobs)}, matrix)
    rows, _, new, origin = np.array(changes, dtype=np.int64).reshape(-1, 4).T
    noisy_y = np.array(np.asarray(on_cpu(y, "y")).reshape(-1), copy=True)
    if kind != "instance":
        noisy_y[rows] = labels.classes[labels.order[new]]
        return Noisy(X, noisy_y, rows)
    return Noisy(_replace_rows(rows_of, rows, rows_of if pool is None else as_matrix(pool), origin), noisy_y,
                 rows)


def _pairs_text(pairs: Any) -> str | None:
    if pairs is None:
        return None
    return ",".join(f"{class_name(a)}={class_name(b)}" for a, b in pairs.items())


def _changes(X: Any, labels: Labels, rate: float, kind: str, pool: Any, options: dict[str, Any],
             matrix: Any) -> list[tuple[int, int, int, int]]:
    data = borrow(X, labels)
    others = None if pool is None else borrow(as_matrix(pool))
    if matrix is None:
        return _temper.noise(data, others, kind=kind, rate=rate, matrix=None, **options)
    # The library reads it from a file; classes there are in its own order.
    p = np.asarray(matrix, dtype=np.float64)[np.ix_(labels.order, labels.order)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "matrix.csv")
        np.savetxt(path, p, fmt="%.17g", delimiter=",")
        return _temper.noise(data, others, kind=kind, rate=rate, matrix=path, **options)


def _replace_rows(X: Any, rows: np.ndarray, source: Any, origin: np.ndarray) -> Any:
    if sparse.issparse(X):
        both, take = sparse.vstack([X, source[origin]], format="csr"), np.arange(X.shape[0])
        take[rows] = X.shape[0] + np.arange(len(rows))
        return both[take]
    changed = X.copy()
    changed[rows] = source[origin]
    return changed
