"""What scikit-learn calls differently from version to version (1.1.3 and later)."""
from __future__ import annotations

import functools
import importlib
import types
from typing import TYPE_CHECKING, Any, Callable, Self, TypeVar

import numpy as np
import sklearn
from sklearn.utils.validation import check_array

from ._data import on_cpu

VERSION = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
_SHOWN = 5  # columns in a message
_FINITE = "ensure_all_finite" if VERSION >= (1, 6) else "force_all_finite"

if VERSION >= (1, 6):
    from sklearn.utils.validation import validate_data as _validate
else:

    def _validate(estimator: Any, /, *args: Any, **keywords: Any) -> Any:
        return estimator._validate_data(*args, **keywords)


# Of a parameter of a method that the estimator does not take itself; from scikit-learn 1.3 on.
UNUSED: object = getattr(importlib.import_module("sklearn.utils.metadata_routing"), "UNUSED") if VERSION >= (1, 3) else None


def routing_enabled() -> bool:
    """Whether parameters of fit and score are routed to scorers and splitters, as scikit-learn does since 1.4."""
    return VERSION >= (1, 4) and bool(sklearn.get_config().get("enable_metadata_routing", False))


if TYPE_CHECKING:  # scikit-learn has no types: what it decorates would have none either
    _Method = TypeVar("_Method")

    def with_callbacks(method: _Method) -> _Method: ...

    class CallbackSupportMixin:
        def set_callbacks(self, *callbacks: object) -> Self: ...

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

    try:
        from sklearn.callback import CallbackSupportMixin, with_callbacks
    except ImportError:  # before scikit-learn 1.9

        def with_callbacks(method):
            return method

        def _has_callbacks(estimator):
            raise AttributeError(f"scikit-learn has callbacks since version 1.9, and this is {sklearn.__version__}; "
                                 "the parameter callback takes a function")

        class CallbackSupportMixin:
            @available_if(_has_callbacks)
            def set_callbacks(self, *callbacks):
                """Not there: see the message."""


def _kind_of(column: Any) -> str | None:
    """What a column of a data frame holds, if it is no numbers."""
    kind = getattr(column.dtype, "kind", None) if hasattr(column, "dtype") else None
    kind = kind or np.asarray(column).dtype.kind  # of polars and pyarrow
    if kind in "biuf":
        return None
    if kind in "mM":
        return "dates"
    try:
        np.asarray(column, dtype=float)
    except (TypeError, ValueError):
        return "text"
    return None


def _columns_of(X: Any) -> list[tuple[str, Any]]:
    """Names and columns of a data frame of pandas, polars, pyarrow and others; none of anything else."""
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        return [(str(name), X.iloc[:, i]) for i, name in enumerate(X.columns)]
    if hasattr(X, "__arrow_c_stream__"):
        names = getattr(X, "column_names", getattr(X, "columns", []))
        try:
            return [(str(name), X[name]) for name in names]
        except (AttributeError, KeyError, TypeError, ValueError):
            return []
    return []


def _refuse_columns(X: Any) -> None:
    """Names the columns of a data frame that are no numbers: NumPy's message has none of them."""
    found = [(name, kind) for name, kind in ((name, _kind_of(column)) for name, column in _columns_of(X)) if kind]
    if found:
        shown = ", ".join(f"{name!r} ({kind})" for name, kind in found[:_SHOWN])
        drop = "X.drop(columns=[...])" if hasattr(X, "iloc") else "X.drop([...])"
        encode = "pandas.get_dummies or scikit-learn's OneHotEncoder" if hasattr(X, "iloc") else "X.to_dummies()"
        raise ValueError(
            f"X has columns without numbers: {shown}{', ...' * (len(found) > _SHOWN)}; leave out what "
            f"is of no use ({drop}), and make numbers of the others: {encode}, where texts are few; "
            "temperlr.read(X, label=...) takes columns of any kind") from None


def validate(estimator: Any, X: Any, *, reset: bool) -> Any:
    """X as the library takes it. Numbers are not looked at: the library does that anyway."""
    try:
        return _validate(estimator, on_cpu(X, "X"), accept_sparse="csr", dtype=_TYPES, order="C", reset=reset,
                         **{_FINITE: False})
    except (TypeError, ValueError):
        _refuse_columns(X)
        raise


def as_matrix(X: Any) -> Any:
    """The same where there is no estimator."""
    try:
        return check_array(on_cpu(X, "X"), accept_sparse="csr", dtype=_TYPES, order="C", **{_FINITE: False})
    except (TypeError, ValueError):
        _refuse_columns(X)
        raise


# The first is what all other types become.
_TYPES = ["float64", "float32", "uint8"]
