"""Tables: files, and data frames of other packages, whose columns become features as ``temper train`` makes them."""
from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _temper
from ._data import class_values
from ._params import threads_of, warn_caller
from ._types import ArrowTable

if TYPE_CHECKING:
    from ._base import TemperedClassifier

__all__ = ["Table", "read"]

# The first bytes of files that other packages read for us, and the extensions.
_MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow", b"FEA1": "feather"}
_EXTENSIONS = {".parquet": "parquet", ".pq": "parquet", ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow"}
_PACKAGES = ("pyarrow", "polars", "duckdb")


class Table:
    """Rows that :func:`read` made: numbers, as the model sees them, and labels.

    ``TemperedLogisticRegression().fit(table)`` trains on it; the labels are in it.

    Examples
    --------
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "t.csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("size,kind\\n1,a\\n2,b\\n3,a\\n4,b\\n")
    >>> table = read(path)
    >>> table
    <Table of 4 rows, 1 features, classes a, b>
    >>> table.labels
    array(['a', 'b', 'a', 'b'], dtype='<U1')
    """

    def __init__(self, data: _temper.Data) -> None:
        self._data = data

    def __len__(self) -> int:
        return self._data.rows

    def __repr__(self) -> str:
        classes = f", classes {', '.join(map(str, self.classes))}" if self.labels is not None else ""
        return f"<Table of {len(self)} rows, {len(self.feature_names)} features{classes}>"

    @property
    def feature_names(self) -> list[str]:
        """Of the features that the columns became, such as ``city=Rome``."""
        return self._data.feature_names

    @property
    def classes(self) -> np.ndarray:
        """The different labels, in the order of the model: numbers where all of them are."""
        return class_values(self._data.class_names)

    @property
    def labels(self) -> np.ndarray | None:
        """The label of each row, or None."""
        codes = self._data.labels
        return None if codes is None else self.classes[np.frombuffer(codes, dtype=np.uint32)]

    @property
    def notes(self) -> list[str]:
        """What was inferred about the columns, filled or left out: a sentence each."""
        return self._data.notes.splitlines()


def _names(columns: str | Sequence[str] | None) -> str | None:
    """Columns as the command takes them."""
    return columns if columns is None or isinstance(columns, str) else ",".join(columns)


def read(source: str | os.PathLike[str] | ArrowTable, *, label: str | None = None, ignore: str | Sequence[str] | None = None,
         categorical: str | Sequence[str] | None = None, text: str | Sequence[str] | None = None,
         weights: str | None = None, missing: str | None = None, na: str | Sequence[str] | None = None,
         date: str | None = None, decimal: str | None = None, classes: str | Sequence[str] | None = None,
         class_weight: str | None = None, strict: bool = False, dtype: str = "float32",
         like: TemperedClassifier | None = None, n_jobs: int | None = None) -> Table:
    """A table for training, with columns of numbers, texts, dates and gaps.

    The same table gives the same model, byte for byte, from every source and by the command. Sentences
    that begin with "warning" become Python's warnings; all are in ``notes``.

    Parameters
    ----------
    source : path or table
        A file that ``temper train`` reads (CSV, JSON lines, libsvm, NPY ..., perhaps compressed), a
        folder or pattern of such files; a Parquet, Arrow or Feather file, or a folder of these, which
        pyarrow, polars or DuckDB opens, whichever is installed; or a table of any package that has the
        Arrow stream interface: polars, pyarrow, DuckDB, pandas.
    label : str, optional
        The column of the labels; without it, the last one, or one named label, class or target.
    ignore, categorical, text : str or list of str, optional
        Columns to leave out, to take as categories, and whose words become features.
    weights, missing, na, date, decimal, classes, class_weight
        As the options of ``temper train``.
    strict : bool, default False
        Infer nothing about columns: text and gaps are refused.
    dtype : {"float32", "float64"}
        Of the numbers.
    like : fitted estimator, optional
        Columns become the features of its model; the label may be missing. Of tables only.
    n_jobs : int or None

    Examples
    --------
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "t.csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("size,colour,kind\\n1.5,red,a\\n2,blue,b\\n3.5,red,a\\n4,blue,b\\n")
    >>> table = read(path)
    >>> table.feature_names
    ['size', 'colour=red', 'colour=blue']
    """
    if dtype not in ("float32", "float64"):
        raise ValueError(f"dtype={dtype!r} is neither \"float32\" nor \"float64\"")
    options = {"label": label, "ignore": _names(ignore), "categorical": _names(categorical), "text": _names(text),
               "weights": weights, "missing": missing, "na": _names(na), "date": date, "decimal": decimal,
               "classes": _names(classes), "class_weight": class_weight, "strict": bool(strict),
               "f64": dtype == "float64", "threads": threads_of(n_jobs)}
    model = None if like is None else _model_of(like)
    data = _read_path(source, options, model) if isinstance(source, (str, os.PathLike)) else \
        from_arrow(source, options, model)
    for note in data.notes.splitlines():
        if note.startswith("warning: "):
            warn_caller(note[len("warning: "):], UserWarning)
    return Table(data)


def _model_of(estimator: Any) -> _temper.Model:
    model = getattr(estimator, "_model", None)
    if model is None:
        raise ValueError("like= is to be a fitted estimator")
    return model  # type: ignore[no-any-return]


def has_stream(source: Any) -> bool:
    """Whether it is a table of another package: by the Arrow stream interface."""
    return hasattr(source, "__arrow_c_stream__")


def is_table(X: Any) -> bool:
    """Whether rows are to be made of columns here. Frames of pandas are converted by scikit-learn, as ever."""
    return isinstance(X, Table) or (has_stream(X) and not hasattr(X, "iloc"))


def from_arrow(source: Any, options: dict[str, Any], model: _temper.Model | None = None,
               labels: np.ndarray | None = None) -> _temper.Data:
    """Rows of a table of another package."""
    if not has_stream(source):
        raise TypeError(f"{type(source).__name__} is neither a path nor a table with the Arrow stream interface "
                        "(__arrow_c_stream__), as those of polars, pyarrow, DuckDB and pandas are")
    return _temper.arrow(source.__arrow_c_stream__(), options, model, labels)


# ---- Files of other packages ---------------------------------------------------------------------


def _kind_of_file(path: Path) -> str | None:
    """What other packages would read it as; None: the library reads it itself."""
    try:
        with open(path, "rb") as file:
            first = file.read(6)
    except OSError:
        return None  # the library says why
    for magic, kind in _MAGIC.items():
        if first.startswith(magic):
            return kind
    return None


def _columnar(path: str | os.PathLike[str]) -> tuple[list[Path], str] | None:
    """Files that other packages read, and their kind."""
    place = Path(path)
    if place.is_dir():
        files = sorted(file for file in place.iterdir() if file.suffix in _EXTENSIONS and file.is_file())
    else:
        files = [place]
    kinds = {_kind_of_file(file) for file in files}
    kind = kinds.pop() if len(kinds) == 1 else None
    return (files, kind) if kind else None


def _read_path(path: str | os.PathLike[str], options: dict[str, Any], model: _temper.Model | None) -> _temper.Data:
    columnar = _columnar(path)
    if columnar:
        return from_arrow(_open_columnar(*columnar), options, model)
    if model is not None:
        raise ValueError("like= is for tables; predict files by the command: temper predict -m MODEL FILE")
    return _temper.read(path, options)


def _open_columnar(files: list[Path], kind: str) -> Any:
    """A table of the first package that is there."""
    for name in _PACKAGES:
        try:
            importlib.import_module(name)
        except ImportError:
            continue
        opened = {"pyarrow": _by_pyarrow, "polars": _by_polars, "duckdb": _by_duckdb}[name](files, kind)
        if opened is not None:
            return opened
    raise ImportError(f"{files[0]}: a {kind.capitalize()} file needs one of {', '.join(_PACKAGES)} to be read; "
                      "install one: pip install pyarrow")


def _by_pyarrow(files: list[Path], kind: str) -> Any:
    import pyarrow
    from pyarrow import feather, parquet

    reader = parquet.read_table if kind == "parquet" else feather.read_table
    return pyarrow.concat_tables([reader(str(file)) for file in files])


def _by_polars(files: list[Path], kind: str) -> Any:
    import polars

    if kind == "feather":  # of the first version
        return None
    reader = polars.read_parquet if kind == "parquet" else polars.read_ipc
    return polars.concat([reader(file) for file in files])


def _by_duckdb(files: list[Path], kind: str) -> Any:
    import duckdb

    return duckdb.read_parquet([str(file) for file in files]) if kind == "parquet" else None
