"""Among the tools of scikit-learn, in processes and in threads."""
import multiprocessing
import threading

import joblib
import numpy as np
import pytest
from conftest import made, until_others_ran
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from temperlr import TemperedLogisticRegression, find_label_issues

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_grid_search():
    X, y = made(rows=300)
    search = GridSearchCV(TemperedLogisticRegression(), {"t1": [0.3, 1.0], "l2": [1e-4, 1e-1]},
                          cv=3, n_jobs=2).fit(X, y)
    assert set(search.best_params_) == {"t1", "l2"} and search.best_score_ > 0.8
    assert (search.predict(X) == y).mean() > 0.8


def test_pipeline():
    X, y = made()
    pipeline = make_pipeline(StandardScaler(), TemperedLogisticRegression(scale="none"))
    pipeline.set_params(temperedlogisticregression__t1=0.5).fit(X, y)
    assert pipeline.score(X, y) > 0.85
    assert SelectFromModel(TemperedLogisticRegression()).fit(X, y).transform(X).shape[1] < 8


def test_cross_validation():
    X, y = made()
    assert cross_val_score(TemperedLogisticRegression(), X, y, cv=3).mean() > 0.8
    p = cross_val_predict(TemperedLogisticRegression(), X, y, cv=3, method="predict_proba")
    np.testing.assert_allclose(p.sum(axis=1), 1)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("loss", ["hinge", "tempered"])
def test_calibration(method, loss):
    X, y = made(classes=3)
    model = CalibratedClassifierCV(TemperedLogisticRegression(loss=loss), method=method, cv=3)
    assert model.fit(X, y).predict_proba(X).shape == (len(y), 3)
    assert model.score(X, y) > 0.8


def test_one_vs_rest():
    X, y = made(classes=3)
    model = OneVsRestClassifier(TemperedLogisticRegression()).fit(X, y)
    assert len(model.estimators_) == 3 and model.score(X, y) > 0.7


# ---- Processes and threads -----------------------------------------------------------------------

def _fit(seed, threads=1):
    X, y = made(seed=seed, classes=3)
    return TemperedLogisticRegression(n_jobs=threads).fit(X, y)


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_joblib(backend):
    alone = [_fit(seed).coef_ for seed in range(4)]
    together = joblib.Parallel(n_jobs=2, backend=backend)(
        joblib.delayed(_fit)(seed, 2) for seed in range(4))
    for expected, model in zip(alone, together):
        assert np.array_equal(model.coef_, expected)
    audits = joblib.Parallel(n_jobs=2, backend=backend)(
        joblib.delayed(_audit)(seed, 2) for seed in range(2))
    for seed, scores in enumerate(audits):
        assert np.array_equal(scores, _audit(seed))


def _audit(seed, threads=1):
    return find_label_issues(*made(seed=seed, classes=3), t1=0.3, n_jobs=threads).score


def _work_in_child(work, connection):
    connection.send(work())
    connection.close()


@pytest.mark.parametrize("work", [lambda: _fit(1, threads=2).coef_, lambda: _audit(1, threads=2)],
                         ids=["fit", "audit"])
def test_after_fork(work):
    """Threads of the parent, joblib's and ours, are not in the child; nothing waits for them."""
    expected = work()
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_work_in_child, args=(work, theirs))
    child.start()
    assert ours.poll(30), "the child hangs"
    assert np.array_equal(ours.recv(), expected)
    child.join(30)
    assert child.exitcode == 0


def test_sixteen_predictions_at_once():
    X, y = made(rows=20000, classes=5)
    model = TemperedLogisticRegression(n_jobs=2).fit(X, y)
    expected, answers = model.predict_proba(X), [None] * 16

    def predict(i):
        answers[i] = model.predict_proba(X)

    threads = [threading.Thread(target=predict, args=(i,)) for i in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(answer, expected) for answer in answers)


def test_training_on_threads_of_python():
    X, y = made(classes=3)
    model, answers = TemperedLogisticRegression(), []
    expected = clone(model).fit(X, y).coef_
    threads = [threading.Thread(target=lambda: answers.append(clone(model).fit(X, y).coef_))
               for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 4 and all(np.array_equal(coef, expected) for coef in answers)


def test_training_lets_others_run():
    """The GIL is free: another thread counts while C works through an iteration."""
    rng = np.random.RandomState(0)
    X, y = rng.normal(size=(50000, 150)).astype(np.float32), rng.randint(0, 3, 50000)
    with until_others_ran() as follow:
        model = TemperedLogisticRegression(l2=1e-9, tol=1e-30, max_iter=300, callback=follow)
        model.fit(X, y)
    assert model.stop_reason_ == "interrupted", "the other thread stood still"
