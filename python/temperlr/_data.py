"""From X and y to the rows that the library borrows."""
from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from . import _temper

# Python's own int() and float() take more: 1_000, nan.
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)

_SHOWN = 5  # columns in a message
_FEW = 100_000  # labels that are counted, not sorted


_CPU = 1  # kDLCPU of DLPack


def on_cpu(array: Any, name: str) -> Any:
    """Arrays of other packages, such as PyTorch and JAX, as NumPy sees them, without a copy; all else as it is. What is
    in the memory of another device is refused: moving it is the caller's to decide. So is a sparse matrix that
    contradicts itself."""
    if isinstance(array, np.ndarray):
        return array
    if sparse.issparse(array):
        _refuse_broken(array, name)
        return array
    if not hasattr(array, "__dlpack_device__"):
        return array
    kind = f"{type(array).__module__.partition('.')[0]}.{type(array).__name__}"
    if int(array.__dlpack_device__()[0]) != _CPU:
        where = getattr(array, "device", "another device")
        raise TypeError(f"{name} is a {kind} on {where}, and temper computes on the CPU; move it there first: "
                        "tensor.cpu() of PyTorch, cupy.asnumpy(array), jax.device_get(array)")
    if getattr(array, "requires_grad", False):
        raise TypeError(f"{name} is a {kind} that requires gradients, which fit and predict do not pass on; "
                        "give tensor.detach()")
    try:
        return np.asarray(array)  # by __array__, which shares the memory
    except (TypeError, RuntimeError) as error:
        raise TypeError(f"{name} is a {kind} of {getattr(array, 'dtype', 'a type')} that NumPy cannot take ({error}); "
                        "convert it first, as tensor.float() does") from None


def _fault_of_indices(indices: np.ndarray, limit: int) -> str:
    """What is wrong with indices of an axis of so many columns or rows, or ""."""
    if indices.ndim != 1 or indices.dtype.kind not in "iu":
        return f"indices have {indices.ndim} dimensions and type {indices.dtype}"
    if indices.size and (int(indices.min()) < 0 or int(indices.max()) >= limit):
        return f"indices are from {indices.min()} to {indices.max()}, outside of 0 to {limit - 1}"
    return ""


def _fault_of_compressed(X: Any) -> str:
    """What is wrong with the arrays of a CSR, CSC or BSR matrix, or ""."""
    block = X.data.shape[1:] if X.format == "bsr" else (1, 1)
    axis = 1 if X.format == "csc" else 0
    count, start = X.shape[axis] // max(block[axis], 1), X.indptr
    if start.ndim != 1 or start.dtype.kind not in "iu" or len(start) != count + 1:
        return f"indptr has {start.size} entries of type {start.dtype}, not {count + 1} integers"
    if start[0] != 0:
        return f"indptr begins with {start[0]}, not 0"
    if np.any(start[1:] < start[:-1]):
        return f"indptr decreases after entry {int(np.argmax(start[1:] < start[:-1]))}"
    if start[-1] > min(len(X.indices), len(X.data)):
        return (f"indptr ends with {start[-1]}, and there are {len(X.indices)} indices and {len(X.data)} values")
    return _fault_of_indices(X.indices[:start[-1]], X.shape[1 - axis] // max(block[1 - axis], 1))


def _refuse_broken(X: Any, name: str) -> None:
    """SciPy reads and writes out of bounds where the arrays of a sparse matrix do not fit each other: a program that
    sets them, as X.indptr[5] = -1 does, would crash it. Looked at by NumPy alone."""
    fault = ""
    if X.format in ("csr", "csc", "bsr"):
        fault = _fault_of_compressed(X)
    elif X.format == "coo" and X.ndim == 2:
        if not len(X.row) == len(X.col) == len(X.data):
            fault = f"{len(X.row)} rows, {len(X.col)} columns and {len(X.data)} values are not as many"
        fault = fault or _fault_of_indices(X.row, X.shape[0]) or _fault_of_indices(X.col, X.shape[1])
    if fault:
        raise ValueError(f"{name} is a damaged sparse matrix: {fault}; X.check_format() of SciPy explains what is "
                         "expected")


class Labels(NamedTuple):
    """Labels as numbers, in the order that ``temper train`` gives its classes."""

    classes: np.ndarray  # sorted, as scikit-learn has them
    order: np.ndarray  # the place in `classes` of each class of the model
    names: list[str]  # of the model's classes
    codes: np.ndarray  # the model's class of each row


def class_name(label: Any) -> str:
    """A label as the command line would read it: 1.0 is 1."""
    if isinstance(label, (float, np.floating)) and float(label).is_integer():
        return str(int(label))
    return str(label)


def are_numbers(names: list[str]) -> bool:
    return all(_NUMBER.fullmatch(name) for name in names)


def model_order(names: list[str], first_rows: np.ndarray) -> np.ndarray:
    """Numbers ascending, other names as they first appear: the rule of the command line."""
    keys = [float(name) for name in names] if are_numbers(names) else first_rows
    return np.argsort(keys, kind="stable")


def _is_missing(label: Any) -> bool:
    """None, NaN, or what pandas has in their place."""
    return (label is None or (isinstance(label, float) and label != label)
            or type(label).__name__ in ("NAType", "NaTType"))


def _refuse_missing(y: np.ndarray) -> None:
    """A label that is missing is no class."""
    missing = [row for row, label in enumerate(y) if _is_missing(label)]
    if missing:
        raise ValueError(f"y has no label (None or NaN) in {len(missing)} of {len(y)} rows, first in "
                         f"row {missing[0]}; leave these rows out")


def class_values(names: list[str]) -> np.ndarray:
    """Names of classes as values: numbers where all of them are, whole ones if all are whole."""
    if not are_numbers(names):
        return np.array(names)
    whole = all(name.lstrip("+-").isdigit() for name in names)
    return np.array([int(name) if whole else float(name) for name in names])


def labels_of_names(names: list[str]) -> Labels:
    """The classes of a model, by their names in its order."""
    classes, first = np.unique(class_values(names), return_index=True)
    return Labels(classes, np.argsort(first, kind="stable"), names, np.empty(0, dtype=np.int32))


def encode_labels(y: Any) -> Labels:
    y = column_or_1d(on_cpu(y, "y"), warn=True)
    if y.dtype.kind == "O":
        _refuse_missing(y)
    if y.dtype.kind in "iu" and y.size and int(y.max()) - int(y.min()) < _FEW:
        return _encode_integers(y)
    check_classification_targets(y)
    classes, first, inverse = np.unique(y, return_index=True, return_inverse=True)
    names = [class_name(label) for label in classes]
    order = model_order(names, first)
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return Labels(classes, order, [names[i] for i in order], place[inverse.reshape(-1)])


def encode_rows(X: Any, y: Any, who: str) -> Labels:
    """Labels of the rows of X: one for each, and of two classes at least."""
    if y is None:
        raise ValueError(f"This {who} requires y to be passed, but the target y is None.")
    labels = encode_labels(y)
    if len(labels.codes) != X.shape[0]:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: "
                         f"[{X.shape[0]}, {len(labels.codes)}]")
    if len(labels.classes) < 2:
        raise ValueError("This solver needs samples of at least 2 classes in the data, but the "
                         f"data contains only one class: {labels.classes[0]!r}")
    return labels


def _encode_integers(y: np.ndarray) -> Labels:
    """The same by counting, which is faster than sorting and takes less memory."""
    offsets = y - y.min()
    present = np.bincount(offsets) > 0
    place = np.cumsum(present, dtype=np.int32) - np.int32(1)
    classes = (np.flatnonzero(present) + int(y.min())).astype(y.dtype)
    return Labels(classes, np.arange(len(classes)), [str(label) for label in classes],
                  place[offsets])


def _sparse_parts(X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """The arrays of a CSR matrix as they are: integers of 32 or 64 bits, floats or doubles."""
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    count = X.indptr[-1]
    values = X.data[:count]
    if values.dtype not in (np.float64, np.float32):  # of bytes, which are borrowed if dense
        values = values.astype(np.float32)
    return (_aligned(X.indptr), _aligned(X.indices[:count]), _aligned(values), X.shape[1])


def _aligned(array: np.ndarray) -> np.ndarray:
    """Arrays that came through a socket may begin anywhere, which the library cannot read."""
    return np.require(array, requirements="A")


def _where_not_finite(X: Any, names: list[str] | None) -> str:
    """Which columns, and what to do about it; of sparse rows, nothing."""
    if sparse.issparse(X):
        return ""
    bad = ~np.isfinite(X)
    columns = np.flatnonzero(bad.any(axis=0))
    shown = ", ".join(repr(names[i]) if names else str(i) for i in columns[:_SHOWN])
    return (f" It is in column{'s' * (len(columns) > 1)} {shown}{', ...' * (len(columns) > _SHOWN)}, "
            f"in {int(bad.any(axis=1).sum())} of {len(X)} rows: fill the gaps, as scikit-learn's "
            "SimpleImputer does, or leave these rows out.")


def borrow(X: Any, labels: Labels | None = None, feature_names: Any = None,
           weights: np.ndarray | None = None) -> _temper.Data:
    """Rows for the library. X must have been validated; None: labels alone."""
    if X is None and labels is not None:
        return _temper.data(None, labels.codes, labels.names, None, weights)
    arrays = _sparse_parts(X) if sparse.issparse(X) else _aligned(X)
    names = None if feature_names is None else [str(name) for name in feature_names]
    try:
        if labels is None:
            return _temper.data(arrays, None, None, names, weights)
        return _temper.data(arrays, labels.codes, labels.names, names, weights)
    except ValueError:
        # In the words that users of scikit-learn know.
        try:
            assert_all_finite(X.data if sparse.issparse(X) else X, input_name="X")
        except ValueError as error:
            raise ValueError(f"{error}{_where_not_finite(X, names)}") from None
        raise
