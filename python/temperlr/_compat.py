"""What scikit-learn calls differently from version to version (1.1.3 and later)."""
from __future__ import annotations

import functools
import types
from typing import TYPE_CHECKING, Any, Callable, TypeVar

import numpy as np
import sklearn
from sklearn.utils.validation import check_array

_VERSION = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
_SHOWN = 5  # columns in a message
_FINITE = "ensure_all_finite" if _VERSION >= (1, 6) else "force_all_finite"

if _VERSION >= (1, 6):
    from sklearn.utils.validation import validate_data as _validate
else:

    def _validate(estimator: Any, /, *args: Any, **keywords: Any) -> Any:
        return estimator._validate_data(*args, **keywords)


if TYPE_CHECKING:  # scikit-learn has no types: what it decorates would have none either
    _Method = TypeVar("_Method")

    def available_if(check: Callable[[Any], bool]) -> Callable[[_Method], _Method]: ...
else:

    class _Available:
        """A method that is there only if the check raises nothing. As scikit-learn's, whose message
        leaves out why it is not there."""

        def __init__(self, method, check):
            functools.update_wrapper(self, method)
            self.method, self.check = method, check

        def _require(self, estimator):
            try:
                self.check(estimator)
            except AttributeError as error:
                raise AttributeError(f"This {type(estimator).__name__!r} has no attribute "
                                     f"{self.method.__name__!r}: {error}") from None

        def __get__(self, estimator, owner=None):
            if estimator is not None:
                self._require(estimator)
                return types.MethodType(self.method, estimator)

            @functools.wraps(self.method)
            def unbound(estimator, *args, **keywords):
                self._require(estimator)
                return self.method(estimator, *args, **keywords)

            return unbound

    def available_if(check):
        return lambda method: _Available(method, check)


def _kind_of(column: Any) -> str | None:
    """What a column of a data frame holds, if it is no numbers."""
    kind = getattr(column.dtype, "kind", "O")
    if kind in "biuf":
        return None
    if kind in "mM":
        return "dates"
    try:
        np.asarray(column, dtype=float)
    except (TypeError, ValueError):
        return "text"
    return None


def _refuse_columns(X: Any) -> None:
    """Names the columns of a data frame that are no numbers: NumPy's message has none of them."""
    if not hasattr(X, "iloc") or not hasattr(X, "columns"):
        return
    kinds = [(str(name), _kind_of(X.iloc[:, i])) for i, name in enumerate(X.columns)]
    found = [(name, kind) for name, kind in kinds if kind]
    if found:
        shown = ", ".join(f"{name!r} ({kind})" for name, kind in found[:_SHOWN])
        raise ValueError(
            f"X has columns without numbers: {shown}{', ...' * (len(found) > _SHOWN)}; leave out what "
            "is of no use (X.drop(columns=[...])), and make numbers of the others: "
            "pandas.get_dummies or scikit-learn's OneHotEncoder, where texts are few") from None


def validate(estimator: Any, X: Any, *, reset: bool) -> Any:
    """X as the library takes it. Numbers are not looked at: the library does that anyway."""
    try:
        return _validate(estimator, X, accept_sparse="csr", dtype=_TYPES, order="C", reset=reset,
                         **{_FINITE: False})
    except (TypeError, ValueError):
        _refuse_columns(X)
        raise


def as_matrix(X: Any) -> Any:
    """The same where there is no estimator."""
    try:
        return check_array(X, accept_sparse="csr", dtype=_TYPES, order="C", **{_FINITE: False})
    except (TypeError, ValueError):
        _refuse_columns(X)
        raise


# The first is what all other types become.
_TYPES = ["float64", "float32", "uint8"]
