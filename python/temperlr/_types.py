"""Types of arguments that the public functions share."""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, Union

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from .tables import Table


class SparseMatrix(Protocol):
    """Matrices and arrays of scipy.sparse, which has no types of its own."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    def tocsr(self) -> object: ...


class ArrowTable(Protocol):
    """Tables of polars, pyarrow, DuckDB and others that have the Arrow stream interface."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


class DLPackArray(Protocol):
    """Arrays of PyTorch, JAX and other packages of the array API."""

    def __dlpack_device__(self) -> tuple[int, int]: ...


class Splitter(Protocol):
    """A splitter of scikit-learn."""

    def split(self, X: object, y: object = None, groups: object = None) -> Iterable[tuple[ArrayLike, ArrayLike]]: ...


Rows: TypeAlias = Union[ArrayLike, SparseMatrix, ArrowTable, DLPackArray, "Table"]
Numbers: TypeAlias = Union[ArrayLike, DLPackArray]
Folds: TypeAlias = Union[int, Splitter, Iterable[tuple[ArrayLike, ArrayLike]]]
RandomState: TypeAlias = Union[int, np.random.RandomState, np.random.Generator, None]
ClassWeight: TypeAlias = Union[Mapping[int, float], Mapping[str, float], Mapping[float, float], Mapping[bool, float],
                               Literal["balanced"], None]
Candidates: TypeAlias = Union[float, str, Sequence[float], np.ndarray, None]
Verbose: TypeAlias = Union[int, bool, Literal["auto"]]
