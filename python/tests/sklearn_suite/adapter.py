"""A plugin of pytest that runs scikit-learn's own tests of LogisticRegression on this package.

    python -m pytest -p adapter --pyargs sklearn.linear_model.tests.test_logistic

It puts the two classes below in the place of scikit-learn's before the tests are imported. Tests that cannot pass are
named in expected.txt, each with the reason: one of these that passes is a failure, too, and so is a name that no test has.
"""
import contextlib
import functools
import inspect
import pathlib
import types

import pytest
import sklearn.linear_model

from temperlr import TemperedLogisticRegression, TemperedLogisticRegressionCV

EXPECTED = pathlib.Path(__file__).with_name("expected.txt")
HAS_L1 = "l1_ratio" in inspect.signature(TemperedLogisticRegression).parameters
LOGISTIC = {"loss": "logistic", "scale": "none", "calibrate": "none"}
# tol is relative to the gradient at W = 0 here, and absolute there: this is smaller than theirs in all of the tests.
TOLERANCE = 1e-3


def l1_ratio_of(value):
    """What the constructor takes of it, once there is such a penalty."""
    return {"l1_ratio": value} if HAS_L1 else {}


def refuse_l1(estimator, l1_ratio):
    if not HAS_L1 and l1_ratio:
        raise ValueError(f"{type(estimator).__name__}: l1_ratio={l1_ratio} is not supported")


@contextlib.contextmanager
def smaller_tol(estimator):
    asked = estimator.tol
    estimator.tol = TOLERANCE * asked
    try:
        yield
    finally:
        estimator.tol = asked


class LogisticRegression(TemperedLogisticRegression):
    """The signature and the objective of scikit-learn's."""

    def __init__(self, penalty="deprecated", *, C=1.0, l1_ratio=0.0, dual=False, tol=1e-4, fit_intercept=True,
                 intercept_scaling=1, class_weight=None, random_state=None, solver="lbfgs", max_iter=100, verbose=0,
                 warm_start=False, n_jobs=None):
        super().__init__(1.0, 1.0, **LOGISTIC, **l1_ratio_of(l1_ratio), penalty=penalty, C=C, dual=dual, tol=tol,
                         fit_intercept=fit_intercept, intercept_scaling=intercept_scaling, class_weight=class_weight,
                         random_state=random_state, solver=solver, max_iter=max_iter, verbose=verbose,
                         warm_start=warm_start, n_jobs=n_jobs)
        self.l1_ratio = l1_ratio

    def fit(self, X, y=None, sample_weight=None):
        refuse_l1(self, self.l1_ratio)
        with smaller_tol(self):
            return super().fit(X, y, sample_weight)


class LogisticRegressionCV(TemperedLogisticRegressionCV):
    """As far as there is such a search: Cs, folds, and scores by accuracy or log loss."""

    def __init__(self, *, Cs=10, l1_ratios="warn", fit_intercept=True, cv=None, dual=False, penalty="deprecated",
                 scoring="warn", solver="lbfgs", tol=1e-4, max_iter=100, class_weight=None, n_jobs=None, verbose=0,
                 refit=True, intercept_scaling=1.0, random_state=None, use_legacy_attributes="warn"):
        super().__init__(1.0, 1.0, only=True, **LOGISTIC, Cs=Cs, fit_intercept=fit_intercept, cv=cv, scoring=scoring,
                         solver=solver, tol=tol, max_iter=max_iter, class_weight=class_weight, n_jobs=n_jobs,
                         verbose=verbose, random_state=random_state)
        self.l1_ratios, self.dual, self.penalty, self.refit = l1_ratios, dual, penalty, refit
        self.intercept_scaling, self.use_legacy_attributes = intercept_scaling, use_legacy_attributes

    def fit(self, X, y, sample_weight=None):
        if not isinstance(self.l1_ratios, str):
            refuse_l1(self, max(self.l1_ratios))
        with smaller_tol(self):
            return super().fit(X, y, sample_weight)

    def _criterion(self):
        return "accuracy" if self.scoring == "warn" else super()._criterion()


sklearn.linear_model.LogisticRegression = LogisticRegression
sklearn.linear_model.LogisticRegressionCV = LogisticRegressionCV


def warns_whatever_words(original):
    """pytest.warns for kinds of warnings without their words, which are scikit-learn's own."""
    @functools.wraps(original)
    def warns(kind=Warning, *, match=None):
        return original(kind)
    return warns


def expected():
    """The reason of each test that cannot pass, by its name; a name without [...] is for all its parameters."""
    lines = [line for line in EXPECTED.read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.split("  ", 1) for line in lines)


def pytest_collection_modifyitems(items):
    for module in {item.module for item in items}:
        module.pytest = types.SimpleNamespace(**{**vars(pytest), "warns": warns_whatever_words(pytest.warns)})
    reasons, used = expected(), set()
    for item in items:
        for name in (item.name, item.originalname):
            if name in reasons:
                used.add(name)
                item.add_marker(pytest.mark.xfail(reason=reasons[name].strip(), strict=True))
                break
    unknown = sorted(set(reasons) - used)
    if unknown and items:
        raise pytest.UsageError(f"{EXPECTED.name} names tests that there are not: {', '.join(unknown)}")
