"""scikit-learn's own tests of an estimator."""
import os
import time

import pytest
import sklearn
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

import temper


@parametrize_with_checks([temper.TemperedLogisticRegression(),
                          temper.TemperedLogisticRegression(1, 1, loss="logistic"),
                          temper.TemperedLogisticRegression(0.5, 1.5, scale="none", n_jobs=2),
                          temper.TemperedLogisticRegressionCV(l2="0.1x,1x", t1=[0.3, 1], t2=1)])
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore")
def test_all_of_them_in_under_a_minute():
    began = time.monotonic()
    check_estimator(temper.TemperedLogisticRegression())
    assert time.monotonic() - began < 60


def test_the_version_that_was_asked_for():
    wanted = os.environ.get("TEMPER_SKLEARN")
    if not wanted:
        pytest.skip("no version is asked for in $TEMPER_SKLEARN")
    assert sklearn.__version__ == wanted
