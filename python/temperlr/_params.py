"""Parameters of estimators as the library takes them."""
from __future__ import annotations

import math
import sys
import warnings
from numbers import Integral, Real
from typing import Any, NamedTuple

import joblib
import numpy as np


def solver_options(estimator: Any) -> dict[str, Any]:
    """What training and tuning have in common."""
    return {"scale": scale_of(estimator.scale), "solver": solver_of(estimator.solver, l1=has_l1(estimator)),
            "precision": word("precision", estimator.precision),
            "calibrate": word("calibrate", estimator.calibrate),
            "estimate_noise": bool(estimator.estimate_noise),
            "clean": clean_of(getattr(estimator, "clean", None)),
            "starts": count("starts", estimator.starts),
            "no_intercept": not estimator.fit_intercept,
            "tolerance": number("tol", estimator.tol),
            "max_iterations": count("max_iter", estimator.max_iter),
            "seed": seed_of(estimator.random_state), "threads": threads_of(estimator.n_jobs)}


def warn_caller(text: str, kind: type[Warning]) -> None:
    """A warning at the line that called the package, through scikit-learn's decorator of fit or without it."""
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__name__", "").startswith(("temperlr", "sklearn.callback")):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, kind, stacklevel=level)


def threads_of(n_jobs: int | None) -> int:
    return 1 if n_jobs is None else joblib.effective_n_jobs(n_jobs)


def word(name: str, value: Any) -> str:
    """The library knows which there are; None would be its default, whatever was meant."""
    if isinstance(value, str):
        return value
    raise ValueError(f"{name} has to be a str, and is {value!r}")


def scale_of(value: Any) -> str | None:
    if value is None:
        raise ValueError('scale has to be a str, and is None; for features as they are, '
                         'scale="none"')
    return None if is_auto(value) else word("scale", value)


# LogisticRegression's names: all of them reach the same minimum.
_THEIR_SOLVERS = {"newton-cg": "newton", "newton-cholesky": "newton", "liblinear": "tron", "sag": "auto",
                  "saga": "auto"}


def solver_of(value: Any, classes: int = 2, l1: bool = False) -> str:
    """The library's "newton" is for two classes; theirs are for any number."""
    name = word("solver", value)
    if name in ("newton-cg", "newton-cholesky") and classes > 2:
        return "auto"
    return "auto" if l1 and name in ("liblinear", "saga") else _THEIR_SOLVERS.get(name, name)


def has_l1(estimator: Any) -> bool:
    """Whether there is an L1 penalty."""
    return getattr(estimator, "l1", 0.0) != 0 or bool(ratio_of(estimator))


def check_theirs(estimator: Any, classes: int) -> None:
    """Parameters of LogisticRegression that choose among its methods: understood, or refused where this package has
    no such model."""
    if not isinstance(estimator.dual, (bool, np.bool_)):
        raise ValueError(f"dual has to be True or False, and is {estimator.dual!r}; both reach the same minimum")
    if number("intercept_scaling", estimator.intercept_scaling) <= 0:
        raise ValueError(f"intercept_scaling has to be above 0, and is {estimator.intercept_scaling!r}")
    if estimator.intercept_scaling != 1:
        warn_caller(f"intercept_scaling={estimator.intercept_scaling!r} has no effect: the intercept is not penalised",
                    UserWarning)
    if estimator.multi_class not in ("auto", "multinomial", "deprecated", "ovr"):
        raise ValueError(f'multi_class has to be "auto", "multinomial" or "ovr", and is {estimator.multi_class!r}')
    if estimator.multi_class == "ovr" and classes > 2:
        raise ValueError(f'multi_class="ovr" is a model for each of the {classes} classes, and here all classes have '
                         "one model: sklearn.multiclass.OneVsRestClassifier(TemperedLogisticRegression(...))")


class Penalty(NamedTuple):
    """lambda and the L1 penalty; or LogisticRegression's C, of which a share `ratio` is the latter. One of l2 and C is
    NaN; both: "auto"."""

    l2: float
    C: float
    l1: float = 0.0
    ratio: float = 0.0

    def value(self, weight: float) -> float:
        """lambda for rows of this total weight; NaN: "auto"."""
        return self.l2 if math.isnan(self.C) else (1 - self.ratio) / (self.C * weight)

    def absolute(self, weight: float) -> float:
        """The L1 penalty for such rows."""
        return self.l1 if math.isnan(self.C) else self.ratio / (self.C * weight)


def ratio_of(estimator: Any) -> float | None:
    """The share of the L1 penalty by penalty and l1_ratio, as LogisticRegression reads them; None: neither says."""
    ratio, penalty = getattr(estimator, "l1_ratio", None), getattr(estimator, "penalty", "l2")
    if penalty == "elasticnet" and ratio is None:
        raise ValueError('penalty="elasticnet" needs l1_ratio, the share of the L1 penalty')
    if ratio is not None:
        ratio = number("l1_ratio", ratio)
        if not 0 <= ratio <= 1:
            raise ValueError(f"l1_ratio has to be from 0 to 1, and is {ratio!r}")
    return 1.0 if penalty == "l1" else ratio


def penalty_of(estimator: Any) -> Penalty:
    """Of the parameters l1, l2, C, penalty and l1_ratio; what contradicts itself is refused."""
    if estimator.penalty not in ("l1", "l2", "elasticnet", None, "none", "deprecated"):
        raise ValueError(f'penalty={estimator.penalty!r} is not known; "l1", "l2", "elasticnet" or None')
    l2 = math.nan if is_auto(estimator.l2) else number("l2", estimator.l2)
    l1, ratio = number("l1", getattr(estimator, "l1", 0.0)), ratio_of(estimator)
    if estimator.penalty == "l1" and getattr(estimator, "l1_ratio", None) not in (None, 1):
        warn_caller(f'l1_ratio={estimator.l1_ratio!r} has no effect with penalty="l1"', UserWarning)
    if estimator.C is not None and not (math.isnan(l2) and l1 == 0):
        name = "l2" if l1 == 0 else "l1"
        raise ValueError(f"{name} and C are the same penalty in two units; give one of them")
    if estimator.penalty in (None, "none"):
        if l1 != 0 or ratio or not math.isnan(l2):
            raise ValueError("penalty=None leaves nothing for l2, l1 and l1_ratio to say; drop them, or penalty")
        if estimator.C not in (None, 1):  # LogisticRegression's default
            warn_caller(f"C={estimator.C!r} has no effect with penalty=None", UserWarning)
        return Penalty(0.0, math.nan)
    if estimator.C is None and (ratio is None or l1 != 0 or not math.isnan(l2)):
        if getattr(estimator, "l1_ratio", None) is not None:
            raise ValueError("l1_ratio divides C; give C, or l1 and l2")
        if estimator.penalty == "l1" and l1 == 0:
            raise ValueError('penalty="l1" leaves nothing for l2 to say; give l1 or C, or drop penalty')
        return Penalty(l2, math.nan, l1)
    if estimator.C is None:
        return Penalty(math.nan, 1.0, 0.0, ratio or 0.0)  # LogisticRegression's own default
    C = number("C", estimator.C)
    if C <= 0:
        raise ValueError(f"C has to be above 0, and is {C!r}; smaller is a stronger penalty")
    return Penalty(math.nan, C, 0.0, ratio or 0.0)


def penalties(Cs: Any) -> np.ndarray:
    """As LogisticRegressionCV has them: a number of them, from 1e-4 to 1e4, or themselves."""
    if isinstance(Cs, Integral) and not isinstance(Cs, bool):
        if Cs < 1:
            raise ValueError(f"Cs has to be 1 or more, or a list, and is {Cs}")
        return np.logspace(-4, 4, int(Cs))
    values = np.array([number("Cs", C) for C in Cs])
    if not len(values) or not (values > 0).all():
        raise ValueError(f"Cs have to be numbers above 0, and are {Cs!r}")
    return values


def clean_of(value: Any) -> str | None:
    return None if value is None else word("clean", value)


def is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == "auto"


def number(name: str, value: Any) -> float:
    """Not NaN: the library has it for "auto", which a NaN of the caller is not."""
    if isinstance(value, Real) and not isinstance(value, bool) and not math.isnan(value):
        return float(value)
    raise ValueError(f"{name} has to be a number, and is {value!r}")


def count(name: str, value: Any) -> int:
    if isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 0:
        return int(value)
    raise ValueError(f"{name} has to be a whole number, 0 or more, and is {value!r}")


def seed_of(random_state: Any) -> int:
    """A seed for the library: the number itself, or one drawn from a generator; None is 1, as on
    the command line."""
    if random_state is None:
        return 1
    if isinstance(random_state, Integral):
        if random_state < 0:
            raise ValueError(f"random_state has to be 0 or more, and is {random_state}")
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    return int(random_state.randint(2**31 - 1))
