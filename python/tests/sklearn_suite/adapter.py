"""A plugin of pytest that runs scikit-learn's own tests of LogisticRegression on this package.

    python -m pytest -p adapter --pyargs sklearn.linear_model.tests.test_logistic

It puts the classes of temperlr.linear_model in the place of scikit-learn's before the tests are imported. Tests that cannot
pass are named in expected.txt, each with the reason: one of these that passes is a failure, too, and so is a name that no test
has. With SCIPY_ARRAY_API=1 in the environment there are those of array API input, too, of which the ones for NumPy run.
"""
import functools
import pathlib
import types

import pytest
import sklearn.linear_model
import sklearn.linear_model._logistic
from sklearn.linear_model._base import LinearClassifierMixin

from temperlr.linear_model import LogisticRegression, LogisticRegressionCV

EXPECTED = pathlib.Path(__file__).with_name("expected.txt")
# What they look for in a message, and what there is in ours. Any other text is looked for as it is.
WORDS = {
    "The 'liblinear' solver does not support multiclass classification.": 'solver="liblinear" is for two classes, and there are 3',
    "The 'liblinear' solver does not support multiclass classification": 'solver="liblinear" is for two classes, and there are 3',
    "Only 'saga' solver supports elasticnet penalty, got solver=liblinear.": 'solver="liblinear" is for L1 or L2, not for both',
    "penalty=None is not supported for the liblinear solver": 'solver="liblinear" needs a penalty',
    "Only sparse matrices with 32-bit integer indices": "is for sparse matrices with indices of 32 bits",
    "Using the 'liblinear' solver while X contains a maximum value > 1e30 results in a frozen fit. Please choose another "
    "solver or rescale the input X.": r'solver="liblinear" is for values up to 1e\+30, and X has 1e\+100; scale the features',
    **{f"Solver {name} supports only 'l2' or None penalties,": f"solver='{name}' is for penalties by L2 or none, and this is 'l1'"
       for name in ("lbfgs", "newton-cg", "newton-cholesky", "sag")},
    **{f"Solver {name} supports only dual=False, got dual=True": f"dual=True is for solver=\"liblinear\", and solver is '{name}'"
       for name in ("lbfgs", "newton-cg", "newton-cholesky", "sag", "saga")},
    "is only supported if enable_metadata_routing=True": "only with metadata routing",
    # Warnings
    "newton-cg failed to converge.* Increase the number of iterations.": "stopped after [1-4] iterations? with the gradient at",
    "Liblinear failed to converge, increase the number of iterations.": "stopped after [1-4] iterations? with the gradient at",
    "The max_iter was reached which means the coef_ did not converge": "stopped after [1-4] iterations? with the gradient at",
    "lbfgs failed to converge": "stopped after [1-4] iterations? with the gradient at",
    "Newton solver did not converge after [0-9]* iterations": "stopped after [1-4] iterations? with the gradient at",
    r"l1_ratio parameter is only used when penalty is 'elasticnet'\. Got \(penalty=l1\)": "l1_ratio=0.5 has no effect with penalty='l1'",
    "Inconsistent values: penalty=l1 with l1_ratio=0.0": "l1_ratio=0.0 has no effect with penalty='l1'",
    "Inconsistent values: penalty=l2 with l1_ratio=1.0": "l1_ratio=1.0 has no effect with penalty='l2'",
    "Setting penalty=None will ignore the C": "C=4.0 has no effect with penalty=None",
    "'penalty' was deprecated": "deprecates penalty from 1.8 on",
    "'l1_ratio=None' was deprecated": "deprecates l1_ratio=None from 1.8 on",
    "'l1_ratios=None' was deprecated": "deprecates l1_ratios=None from 1.8 on",
    "The default value for l1_ratios will change": r"changes the default of l1_ratios to \(0,\)",
    "The default value of use_legacy_attributes will change from True": "changes the default of use_legacy_attributes to False",
    "The default value of the parameter 'scoring' will change": 'changes the default of scoring to "neg_log_loss"',
    "'n_jobs' has no effect": "ignores n_jobs=1 from 1.8 on",
    "Callbacks are only supported in LogisticRegression for solver='lbfgs'": 'ignores callbacks unless solver is "lbfgs"',
}


def scoring_path(X, y, train, test, *, Cs, scoring, penalty, l1_ratio, classes, max_squared_sum, score_params, sample_weight,
                 **params):
    """scikit-learn's private function for the penalties of one fold: a search with that one fold."""
    assert penalty == "l2" and not l1_ratio and max_squared_sum is None and score_params is None and sample_weight is None
    search = LogisticRegressionCV(Cs=Cs, l1_ratios=(0.0,), cv=[(train, test)], scoring=scoring, use_legacy_attributes=False,
                                  **{name: value for name, value in params.items() if name not in ("t1", "t2")}).fit(X, y)
    assert list(search.classes_) == list(classes)
    return search.coefs_paths_[0, 0], search.Cs_, search.scores_[0, 0], search.n_iter_[0, 0]


sklearn.linear_model.LogisticRegression = LogisticRegression
sklearn.linear_model.LogisticRegressionCV = LogisticRegressionCV
sklearn.linear_model._logistic._log_reg_scoring_path = scoring_path
# A private method of theirs: probabilities of each class against the rest, by decision_function.
LogisticRegression._predict_proba_lr = LinearClassifierMixin._predict_proba_lr


def in_our_words(original):
    """pytest.warns and pytest.raises with the texts of WORDS."""
    @functools.wraps(original)
    def expects(kind=Warning, *, match=None):
        return original(kind, match=WORDS.get(match, match))
    return expects


def expected():
    """The reason of each test that cannot pass, by its name; a name without [...] is for all its parameters."""
    lines = [line for line in EXPECTED.read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.split("  ", 1) for line in lines)


def pytest_collection_modifyitems(items):
    ours = {name: in_our_words(getattr(pytest, name)) for name in ("warns", "raises")}
    for module in {item.module for item in items}:
        module.pytest = types.SimpleNamespace(**{**vars(pytest), **ours})
    reasons, used = expected(), set()
    for item in items:
        if getattr(item, "callspec", None) and item.callspec.params.get("array_namespace", "numpy") != "numpy":
            item.add_marker(pytest.mark.skip(reason="answers to arrays of other packages are arrays of NumPy"))
        for name in (item.name, item.originalname):
            if name in reasons:
                used.add(name)
                item.add_marker(pytest.mark.xfail(reason=reasons[name].strip(), strict=True))
                break
    unknown = sorted(set(reasons) - used)
    if unknown and items:
        raise pytest.UsageError(f"{EXPECTED.name} names tests that there are not: {', '.join(unknown)}")
