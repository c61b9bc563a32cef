"""Remote shards: the model is that of all rows, and what can go wrong."""
import importlib.util
import os
import pickle
import signal
import subprocess
import threading

import numpy as np
import pytest
from conftest import ROOT, as_kind, made
from scipy import sparse

from temperlr import TemperedLogisticRegression, load
from temperlr.shards import Plan, Question, Shard, survey

CUTS = {1: [0, 600], 2: [0, 150, 600], 3: [0, 40, 333, 600], 5: [0, 1, 100, 101, 420, 600]}


def fit(X, y, count, estimator, weights=None, order=1):
    """As an engine would, but here; messages are pickled in between."""
    parts = [slice(*ends) for ends in zip(CUTS[count], CUTS[count][1:])]
    weights = [None if weights is None else weights[p] for p in parts]
    take = (lambda p: X.iloc[p]) if hasattr(X, "iloc") else (lambda p: X[p])
    surveys = [survey(take(p), y[p], w) for p, w in zip(parts, weights)]
    plan = pickle.loads(pickle.dumps(Plan(surveys, estimator)))
    shards = [pickle.loads(pickle.dumps(Shard(plan, take(p), y[p], w)))
              for p, w in zip(parts, weights)]

    def ask(question, w):
        question = pickle.loads(pickle.dumps(question))
        answers = [shard.answer(question, w) for shard in shards[::order]]
        return answers[::order]

    return plan.fit(ask)


def same(model, whole, tolerance=1e-7):
    size = np.abs(whole.coef_).max()
    assert np.abs(model.coef_ - whole.coef_).max() <= tolerance * size
    apart = model.intercept_ - whole.intercept_
    if len(apart) > 1:  # what all classes have in common changes nothing, and is not penalised
        apart -= apart.mean()
    assert np.abs(apart).max() <= tolerance * size
    assert list(model.classes_) == list(whole.classes_)
    assert model.l2_ == pytest.approx(whole.l2_, rel=1e-12)


@pytest.mark.parametrize("count", CUTS)
@pytest.mark.parametrize("classes", [2, 3])
def test_shards_give_the_model_of_all_rows(kind, classes, count):
    X, y = made(classes=classes)
    X = as_kind(X, kind)
    estimator = TemperedLogisticRegression(solver="lbfgs", tol=1e-10)
    same(fit(X, y, count, estimator), estimator.fit(X, y))


def test_weights_words_and_names():
    pd = pytest.importorskip("pandas")
    X, y = made(classes=3)
    X = pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])])
    y = np.array(["cat", "dog", "eel"])[y]
    weights = np.arange(600) % 4 / 2
    estimator = TemperedLogisticRegression(loss="logistic", l2=0.01, solver="lbfgs", tol=1e-10)
    model = fit(X, y, 3, estimator, weights)
    same(model, estimator.fit(X, y, weights))
    assert list(model.feature_names_in_) == list(X.columns)
    assert np.all(model.predict(X) == estimator.predict(X))


def test_who_answers_first_changes_nothing():
    X, y = made(classes=3, dtype=np.float32)
    first, second = (fit(X, y, 5, TemperedLogisticRegression(), order=order) for order in (1, -1))
    assert pickle.dumps(first._model) == pickle.dumps(second._model)


def test_the_command_reads_the_model(command, tmp_path):
    X, y = made()
    model = fit(X, y, 3, TemperedLogisticRegression())
    model.save(tmp_path / "m.temper")
    np.savetxt(tmp_path / "x.csv", X, delimiter=",")
    done = subprocess.run([command, "predict", "-m", tmp_path / "m.temper", tmp_path / "x.csv"],
                          capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(label) for label in model.predict(X)]
    assert np.array_equal(load(tmp_path / "m.temper").coef_, model.coef_)


def test_a_warm_start_goes_on():
    X, y = made()
    estimator = TemperedLogisticRegression(warm_start=True, solver="lbfgs").fit(X, y)
    assert fit_warm(X, y, estimator).n_iter_ <= 1


def fit_warm(X, y, estimator):
    plan = Plan([survey(X, y)], estimator)
    shard = Shard(plan, X, y)
    return plan.fit(lambda question, w: [shard.answer(question, w)])


@pytest.mark.parametrize("kind", ["float64", "csr"])
def test_arrays_that_begin_anywhere(kind):
    """As they do behind a socket."""
    X, y = made()
    raw = np.empty(X.nbytes + 1, dtype=np.uint8)[1:].view(np.float64).reshape(X.shape)
    raw[...] = X
    assert not raw.flags.aligned
    wanted = TemperedLogisticRegression().fit(as_kind(X, kind), y)
    if kind == "csr":
        X = as_kind(X, kind)
        data = np.empty(X.data.nbytes + 1, dtype=np.uint8)[1:].view(np.float32)
        data[...] = X.data
        raw = sparse.csr_matrix((data, X.indices, X.indptr), shape=X.shape)
    assert np.array_equal(TemperedLogisticRegression().fit(raw, y).coef_, wanted.coef_)


# ---- What can go wrong ---------------------------------------------------------------------------

def one_shard(**parameters):
    X, y = made()
    plan = Plan([survey(X, y)], TemperedLogisticRegression(**parameters))
    return plan, Shard(plan, X, y)


class Lost(Exception):
    pass


@pytest.mark.parametrize("at", [1, 2, 5])
def test_an_exception_of_a_worker_is_the_callers(at):
    plan, shard = one_shard()
    asked = []

    def ask(question, w):
        asked.append(question)
        if len(asked) == at:
            raise Lost("worker 3")
        return [shard.answer(question, w)]

    with pytest.raises(Lost, match="worker 3"):
        plan.fit(ask)
    assert len(asked) == at


@pytest.mark.parametrize("wrong", [lambda a: a[:-1], lambda a: np.append(a, 0), lambda a: a[None]])
def test_answers_of_another_shape_are_refused(wrong):
    plan, shard = one_shard()
    with pytest.raises(ValueError, match="answer 0, counted from 0, has the shape"):
        plan.fit(lambda question, w: [wrong(shard.answer(question, w))])


def test_shards_that_do_not_agree_are_refused():
    X, y = made()
    with pytest.raises(ValueError, match="shard 2 has 7 dense features, and those before it 8"):
        Plan([survey(X, y), survey(X[:, :7], y)])
    with pytest.raises(ValueError, match="one class, '1'"):
        Plan([survey(X[y == 1], y[y == 1])])
    with pytest.raises(ValueError, match="no survey of a shard"):
        Plan([survey(X, y)[:-1]])
    with pytest.raises(ValueError, match="no shards"):
        Plan([])
    plan, _ = one_shard()
    with pytest.raises(ValueError, match="has the class '2', which the plan does not have"):
        Shard(plan, X, np.where(y == 1, 2, y))
    with pytest.raises(ValueError, match="has 7 dense features"):
        Shard(plan, X[:, :7], y)


@pytest.mark.parametrize("parameters, words", [
    ({"class_weight": "balanced"}, "pass sample_weight"), ({"t1": "auto"}, "t1 has to be a number"),
    ({"scale": "log"}, "logarithms"), ({"t1": -1.0}, "temperatures must be numbers"),
    ({"solver": "newton"}, "not for shards"), ({"estimate_noise": True}, "rows in one place"),
    ({"calibrate": "folds"}, "not 'folds'"), ({"loss": "trimmed"}, "in one place"),
    ({"loss": "forward"}, "in one place")])
def test_parameters_that_shards_cannot_have(parameters, words):
    with pytest.raises(ValueError, match=words):
        one_shard(**parameters)


@pytest.mark.parametrize("parameters, words", [
    ({"solver": "newton"}, "not for shards"), ({"estimate_noise": True}, "rows in one place"),
    ({"calibrate": "folds"}, "not 'folds'")])
def test_what_is_changed_after_the_plan_is_refused_too(parameters, words):
    plan, shard = one_shard()
    plan.estimator.set_params(**parameters)
    with pytest.raises(ValueError, match=words):
        plan.fit(lambda question, w: [shard.answer(question, w)])


def test_a_shard_answers_one_request_at_a_time():
    X, y = made(rows=60_000, columns=50)
    plan = Plan([survey(X, y)])
    shard, question = Shard(plan, X, y), Question(0, "tempered", 0.3, 1.0, 0.0)
    refused, w = [], np.zeros(plan.n_weights)

    def ask_often():
        for _ in range(40):
            try:
                shard.answer(question, w)
            except RuntimeError as error:
                refused.append(str(error))

    others = [threading.Thread(target=ask_often) for _ in range(2)]
    for other in others:
        other.start()
    for other in others:
        other.join()
    assert all("one request at a time" in words for words in refused)
    assert np.isfinite(shard.answer(question, w)).all()


# ---- A real engine -------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def example():
    pytest.importorskip("distributed", reason="dask and distributed are not installed")
    spec = importlib.util.spec_from_file_location("dask_shards",
                                                  ROOT / "python/examples/dask_shards.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def client(example):
    with example.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with example.Client(cluster) as client:
            yield client


@pytest.mark.long
def test_dask_partitions(example, client):
    X, y = made(rows=900, classes=3)
    import dask.array
    rows = dask.array.from_array(X, chunks=(200, X.shape[1]))
    labels = dask.array.from_array(y, chunks=200)
    estimator = TemperedLogisticRegression(solver="lbfgs", tol=1e-10)
    first, second = (example.fit(client, rows, labels, estimator) for _ in range(2))
    same(first, estimator.fit(X, y))
    assert pickle.dumps(first._model) == pickle.dumps(second._model)


@pytest.mark.long
def test_a_worker_of_dask_that_dies_is_made_up_for(example, client):
    import dask.array
    X, y = made()
    rows = dask.array.from_array(X, chunks=(100, X.shape[1]))
    labels = dask.array.from_array(y, chunks=100)
    workers = client.run(os.getpid)
    asked = []

    def after(progress):
        asked.append(progress)
        if len(asked) == 3:
            os.kill(next(iter(workers.values())), signal.SIGKILL)

    estimator = TemperedLogisticRegression(solver="lbfgs", tol=1e-10, callback=after)
    model = example.fit(client, rows, labels, estimator)
    same(model, TemperedLogisticRegression(solver="lbfgs", tol=1e-10).fit(X, y))
    assert len(asked) > 3
