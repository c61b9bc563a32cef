"""What scikit-learn's LogisticRegression means by its parameters, refuses and warns of, in words of this package."""
from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ._compat import VERSION
from ._data import Labels
from ._params import Penalty, number, warn_caller, word

SOLVERS = ("lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga")
_NARROW = ("liblinear", "sag", "saga")  # sparse indices of 32 bits alone
_LARGE = 1e30  # above it LIBLINEAR does not end


def deprecated(since: tuple[int, int], text: str) -> None:
    """A FutureWarning where scikit-learn's own class gives one: from this version on."""
    if VERSION >= since:
        warn_caller(text, FutureWarning)


def warn_of_penalty(replacement: str) -> None:
    deprecated((1, 8), f"scikit-learn deprecates penalty from 1.8 on, and will not have it in 1.10; {replacement}")


# ---- Penalties -----------------------------------------------------------------------------------

def check_ratio(value: Any) -> float:
    ratio = number("l1_ratio", value)
    if not 0 <= ratio <= 1:
        raise ValueError(f"l1_ratio has to be from 0 to 1, and is {value!r}")
    return ratio


def check_strength(value: Any) -> float:
    C = number("C", value)
    if C <= 0:
        raise ValueError(f"C has to be above 0, and is {C!r}; smaller is a stronger penalty")
    return C


def penalty_name(ratios: list[float]) -> str:
    """The penalty that these shares of L1 are."""
    if all(ratio == 0 for ratio in ratios):
        return "l2"
    return "l1" if all(ratio == 1 for ratio in ratios) else "elasticnet"


def regression_penalty(penalty: Any, C: Any, l1_ratio: Any) -> tuple[str | None, Penalty]:
    """The name of the penalty that LogisticRegression's parameters ask for, and the penalty."""
    C, ratio = check_strength(C), None if l1_ratio is None else check_ratio(l1_ratio)
    if penalty == "deprecated":
        if ratio is None:
            deprecated((1, 8), "scikit-learn deprecates l1_ratio=None from 1.8 on; l1_ratio=0 is the same")
        name = None if C == math.inf else penalty_name([ratio or 0.0])
        return name, Penalty(math.nan, C, 0.0, ratio or 0.0)
    if penalty not in ("l1", "l2", "elasticnet", None):
        raise ValueError(f'penalty={penalty!r} is not known; "l1", "l2", "elasticnet" or None')
    warn_of_penalty("l1_ratio=0 is L2, l1_ratio=1 is L1, what is between is elastic net, and C=inf is no penalty")
    if penalty == "elasticnet" and ratio is None:
        raise ValueError('penalty="elasticnet" needs l1_ratio, the share of the L1 penalty')
    if penalty in ("l1", "l2") and ratio is not None and ratio != (penalty == "l1"):
        warn_caller(f"l1_ratio={l1_ratio!r} has no effect with penalty={penalty!r}; give l1_ratio alone", UserWarning)
    if penalty is None and C != 1:  # the default
        warn_caller(f"C={C!r} has no effect with penalty=None", UserWarning)
    share = {"l1": 1.0, "l2": 0.0, None: 0.0, "elasticnet": ratio or 0.0}[penalty]
    return penalty, Penalty(math.nan, math.inf if penalty is None else C, 0.0, share)


# ---- Solvers -------------------------------------------------------------------------------------

def check_solver(solver: Any, penalty: str | None, dual: Any) -> None:
    """Refuses what the solver of this name cannot do there. Names of this package's solvers have no such limits."""
    if not isinstance(dual, (bool, np.bool_)):
        raise ValueError(f"dual has to be True or False, and is {dual!r}")
    if word("solver", solver) not in SOLVERS:
        return
    others = 'solver="auto" takes all of them'
    if dual and solver != "liblinear":
        raise ValueError(f'dual=True is for solver="liblinear", and solver is {solver!r}; both problems have the same minimum')
    if penalty in ("l1", "elasticnet") and solver not in ("liblinear", "saga"):
        raise ValueError(f'solver={solver!r} is for penalties by L2 or none, and this is {penalty!r}; {others}, "saga" too')
    if solver == "liblinear" and penalty == "elasticnet":
        raise ValueError(f'solver="liblinear" is for L1 or L2, not for both (elastic net); {others}, "saga" too')
    if solver == "liblinear" and penalty is None:
        raise ValueError(f'solver="liblinear" needs a penalty, and C=inf or penalty=None is none; {others}, "lbfgs" too')
    if dual and penalty == "l1":
        raise ValueError("dual=True is for L2 penalties, and this is L1; drop it")


def check_number_of_classes(solver: Any, classes: int) -> None:
    if solver == "liblinear" and classes > 2:
        raise ValueError('Only binary classification is supported. solver="liblinear" is for two classes, and there are '
                         f"{classes}; take another, or sklearn.multiclass.OneVsRestClassifier")


def check_rows(solver: Any, X: Any) -> None:
    """X as it is given."""
    wide = ("indices", "indptr", "row", "col")
    if solver in _NARROW and sparse.issparse(X) and any(
            getattr(getattr(X, name, None), "dtype", None) == np.int64 for name in wide):
        raise ValueError(f'solver={solver!r} is for sparse matrices with indices of 32 bits, and these have 64; '
                         'solver="lbfgs" takes both')


def check_values(solver: Any, X: Any) -> None:
    """X as the library takes it."""
    if solver == "liblinear" and X.size and X.max() > _LARGE:
        raise ValueError(f'solver="liblinear" is for values up to {_LARGE:g}, and X has {X.max():g}; scale the features, or '
                         'take solver="lbfgs"')


def check_intercept_scaling(value: Any, solver: Any) -> None:
    """It has an effect on LIBLINEAR alone, whose intercept is penalised; here none is."""
    if number("intercept_scaling", value) <= 0:
        raise ValueError(f"intercept_scaling has to be above 0, and is {value!r}")
    if value != 1 and solver == "liblinear":
        warn_caller(f"intercept_scaling={value!r} has no effect: the intercept is not penalised", UserWarning)


# ---- Weights -------------------------------------------------------------------------------------

def balanced_weights(labels: Labels, sample_weight: np.ndarray | None) -> np.ndarray:
    """class_weight="balanced" of each class, by its rows' weights, as scikit-learn 1.9 has it."""
    of_class = np.bincount(labels.codes, weights=sample_weight, minlength=len(labels.classes))
    with np.errstate(divide="ignore"):
        factors = of_class.sum() / (len(of_class) * of_class)
    return np.where(of_class > 0, factors, 0.0)


# ---- LogisticRegressionCV ------------------------------------------------------------------------

class Shares(NamedTuple):
    """The shares of L1 that a search tries: as given, as they are used, and the name of the penalty."""

    given: list[float | None]
    used: list[float]
    penalty: str


def search_shares(penalty: Any, l1_ratios: Any) -> Shares:
    """What LogisticRegressionCV makes of penalty and l1_ratios."""
    if isinstance(l1_ratios, str) and l1_ratios == "warn":
        deprecated((1, 8), "scikit-learn changes the default of l1_ratios to (0,) in 1.10; l1_ratios=(0,) keeps the result")
        l1_ratios = None
    elif l1_ratios is None and penalty == "deprecated":
        deprecated((1, 8), "scikit-learn deprecates l1_ratios=None from 1.8 on; l1_ratios=(0,) has the same result")
    ratios = None if l1_ratios is None else [check_ratio(ratio) for ratio in l1_ratios]
    if ratios == []:
        raise ValueError("l1_ratios has to have a value")
    if penalty == "deprecated":
        return Shares([None] if ratios is None else list(ratios), ratios or [0.0], penalty_name(ratios or [0.0]))
    if penalty not in ("l1", "l2", "elasticnet"):
        raise ValueError(f'penalty={penalty!r} is not known; "l1", "l2" or "elasticnet"')
    warn_of_penalty("l1_ratios=(0,) is L2, (1,) is L1, and what is between is elastic net")
    if penalty == "elasticnet":
        if ratios is None:
            raise ValueError('penalty="elasticnet" needs l1_ratios, the shares of the L1 penalty to try')
        return Shares(list(ratios), ratios, penalty)
    if ratios is not None:
        warn_caller(f"l1_ratios={l1_ratios!r} have no effect with penalty={penalty!r}; give l1_ratios alone", UserWarning)
    share = float(penalty == "l1")
    return Shares([None] if ratios is None else list(ratios), [share] * (1 if ratios is None else len(ratios)), penalty)
