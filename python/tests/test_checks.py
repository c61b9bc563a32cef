"""scikit-learn's own tests of an estimator."""
import os
import time

import pytest
import sklearn
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

import temperlr
from temperlr.linear_model import LogisticRegression, LogisticRegressionCV


@parametrize_with_checks([temperlr.TemperedLogisticRegression(),
                          temperlr.TemperedLogisticRegression(1, 1, loss="logistic"),
                          temperlr.TemperedLogisticRegression(0.5, 1.5, scale="none", n_jobs=2),
                          temperlr.TemperedLogisticRegressionCV(l2="0.1x,1x", t1=[0.3, 1], t2=1)])
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.long  # most of these are above once more
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", [temperlr.TemperedLogisticRegression(), temperlr.TemperedLogisticRegressionCV(),
                                       LogisticRegression(), LogisticRegression(solver="liblinear", t1=0.5),
                                       LogisticRegressionCV(cv=3)], ids=lambda estimator: type(estimator).__name__)
def test_all_of_them_in_under_a_minute(estimator):
    began = time.process_time()  # other programs do not count
    check_estimator(estimator)
    seconds = time.process_time() - began
    print(f"{type(estimator).__name__}: {seconds:.1f} s")
    assert seconds < 60


def test_the_version_that_was_asked_for():
    wanted = os.environ.get("TEMPER_SKLEARN")
    if not wanted:
        pytest.skip("no version is asked for in $TEMPER_SKLEARN")
    assert sklearn.__version__ == wanted
