"""What the estimator promises by itself."""
import copy
import pickle
import warnings

import numpy as np
import pytest
from conftest import as_kind, made
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

import temperlr
from temperlr import TemperedLogisticRegression, TemperedLogisticRegressionCV

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def objective(model, X, y, l2, t1, t2):
    """J(W), from the definition, for unscaled features."""
    a = model.decision_function(X)
    rows = np.stack([-a / 2, a / 2], axis=1) if a.ndim == 1 else a
    losses = temperlr.tempered_loss(rows, np.searchsorted(model.classes_, y), t1, t2)
    return losses.mean() + l2 / 2 * (model.coef_ ** 2).sum()


# ---- The optimum ---------------------------------------------------------------------------------

@pytest.mark.parametrize("classes", [2, 4])
def test_logistic_is_that_of_scikit_learn(classes):
    X, y = made(classes=classes)
    l2 = 1e-3
    ours = TemperedLogisticRegression(loss="logistic", l2=l2, scale="none", tol=1e-10,
                                      calibrate="none").fit(X, y)
    theirs = LogisticRegression(C=1 / (l2 * len(y)), tol=1e-10, max_iter=10000).fit(X, y)
    # Theirs is the less exact: lbfgs of old versions ends where the objective hardly falls.
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=2e-3, atol=1e-5)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-3)
    a = theirs.decision_function(X)
    rows = np.stack([-a / 2, a / 2], axis=1) if classes == 2 else a
    at_theirs = temperlr.tempered_loss(rows, y, loss="logistic").mean()
    assert ours.objective_ <= at_theirs + l2 / 2 * (theirs.coef_ ** 2).sum() + 1e-12


def test_objective_is_the_defined_one_and_a_minimum():
    X, y = made(classes=3)
    model = TemperedLogisticRegression(0.4, 1.3, 1e-3, scale="none", tol=1e-9).fit(X, y)
    assert objective(model, X, y, 1e-3, 0.4, 1.3) == pytest.approx(model.objective_, rel=1e-12)
    assert model.loss_curve_[0] > model.loss_curve_[-1] == pytest.approx(model.objective_)
    worse = copy.deepcopy(model)
    rng = np.random.RandomState(1)
    for _ in range(5):
        worse.coef_ = model.coef_ + rng.normal(scale=0.1, size=model.coef_.shape)
        a = X @ worse.coef_.T + model.intercept_
        losses = temperlr.tempered_loss(a, y, 0.4, 1.3)
        assert losses.mean() + 1e-3 / 2 * (worse.coef_ ** 2).sum() > model.objective_


@pytest.mark.parametrize("classes", [2, 3])
def test_every_kind_of_rows_gives_the_same_model(kind, classes):
    X, y = made(classes=classes)
    options = {"l2": 1e-3, "scale": "none", "tol": 1e-9, "precision": "f64"}
    plain = TemperedLogisticRegression(**options).fit(X, y)
    other = TemperedLogisticRegression(**options).fit(as_kind(X, kind), y)
    np.testing.assert_allclose(other.coef_, plain.coef_, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(other.predict_proba(as_kind(X, kind)), plain.predict_proba(X),
                               atol=1e-6)
    assert (other.predict(as_kind(X, kind)) == plain.predict(X)).all()


def test_threads_change_no_bit():
    X, y = made(rows=5000, classes=3)
    one, two = (TemperedLogisticRegression(n_jobs=n).fit(X, y) for n in (1, 2))
    assert np.array_equal(one.coef_, two.coef_)
    assert np.array_equal(one.predict_proba(X), two.predict_proba(X))


@pytest.mark.parametrize("classes", [2, 4])
def test_rows_that_are_read_in_place_have_the_bits_of_others(classes):
    X, y = made(classes=classes)
    model = TemperedLogisticRegression().fit(X, y)
    narrow = X.astype(np.float32)
    for call in (model.predict_proba, model.decision_function, model.predict, model.raw_proba):
        expected = call(X.tolist())  # converted and checked by scikit-learn
        for rows in (X, np.asfortranarray(X), X[:, ::-1].copy()[:, ::-1]):
            np.testing.assert_array_equal(call(rows), expected)
        np.testing.assert_array_equal(np.concatenate([call(row[None]) for row in X[:9]]), expected[:9])
        np.testing.assert_array_equal(call(narrow), call(narrow.astype(float)))
    gap = X.copy()
    gap[3, 1] = np.nan
    with pytest.raises(ValueError, match="contains NaN.* It is in column 1, in 1 of"):
        model.predict_proba(gap)
    with pytest.raises(ValueError, match=f"expecting {X.shape[1]} features"):
        model.predict_proba(X[:, 1:].copy())
    with pytest.raises(ValueError, match="2D array"):
        model.predict_proba(X[0])


def test_wrong_labels_do_less_harm_than_to_logistic_regression():
    rng = np.random.RandomState(3)
    X = np.concatenate([rng.normal(-2, 1, (500, 2)), rng.normal(2, 1, (500, 2)),
                        rng.normal(-12, 1, (100, 2))])  # far out, and labelled wrong
    truth = np.repeat([0, 1, 0], [500, 500, 100])
    noisy = np.repeat([0, 1, 1], [500, 500, 100])
    tempered = TemperedLogisticRegression(0.1, 1.12, 1e-4).fit(X, noisy)
    logistic = LogisticRegression().fit(X, noisy)
    assert tempered.score(X, truth) > 0.98 > logistic.score(X, truth) + 0.1


# ---- Labels, weights, names ----------------------------------------------------------------------

@pytest.mark.parametrize("names", [["b", "a"], ["c", "a", "b"], ["10", "9"], [True, False],
                                   [2.0, -1.0, 7.0], [3, 1]])
def test_labels_of_any_kind(names):
    X, y = made(classes=len(names))
    labels = np.array(names)[y]
    model = TemperedLogisticRegression(l2=1e-3).fit(X, labels)
    assert np.array_equal(model.classes_, np.unique(labels))
    assert (model.predict(X) == labels).mean() > 0.8
    assert model.predict(X).dtype == model.classes_.dtype
    p, a = model.predict_proba(X), model.decision_function(X)
    best = model.classes_[p.argmax(axis=1)]
    assert np.array_equal(best, model.predict(X))
    by_decision = (a > 0).astype(int) if a.ndim == 1 else a.argmax(axis=1)
    assert np.array_equal(model.classes_[by_decision], model.predict(X))
    raw = X @ model.coef_.T + model.intercept_
    np.testing.assert_allclose(raw[:, 0] if a.ndim == 1 else raw, a, rtol=1e-9, atol=1e-9)


def test_weights_are_repetitions():
    X, y = made(rows=200)
    weight = np.random.RandomState(0).randint(0, 4, size=len(y))
    options = {"l2": 1e-3, "tol": 1e-9}
    weighted = TemperedLogisticRegression(**options).fit(X, y, sample_weight=weight)
    repeated = TemperedLogisticRegression(**options).fit(X.repeat(weight, axis=0), y.repeat(weight))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-7)


def test_class_weights_are_weights():
    X, y = made(rows=300, classes=3)
    factors = {0: 1.0, 1: 2.0, 2: 0.5}
    by_class = TemperedLogisticRegression(class_weight=factors).fit(X, y)
    by_row = TemperedLogisticRegression().fit(X, y, sample_weight=np.array([1, 2, 0.5])[y])
    assert np.array_equal(by_class.coef_, by_row.coef_)
    balanced = TemperedLogisticRegression(class_weight="balanced").fit(X, y)
    counts = np.bincount(y)
    by_row = TemperedLogisticRegression().fit(X, y, sample_weight=(len(y) / (3 * counts))[y])
    assert np.array_equal(balanced.coef_, by_row.coef_)


def test_data_frames_bring_names():
    pandas = pytest.importorskip("pandas")
    X, y = made(columns=3)
    frame = pandas.DataFrame(X, columns=["age", "height", "weight"])
    model = TemperedLogisticRegression().fit(frame, pandas.Series(np.where(y, "yes", "no")))
    assert list(model.feature_names_in_) == ["age", "height", "weight"]
    assert model._model.describe()["feature_names"] == ["age", "height", "weight"]
    assert set(model.predict(frame)) <= {"yes", "no"}
    with pytest.raises((ValueError, FutureWarning), match="feature names"):
        with warnings.catch_warnings():
            warnings.simplefilter("error", FutureWarning)  # all that scikit-learn 1.1 does
            model.predict(frame.rename(columns={"age": "years"}))


# ---- Reports after training ----------------------------------------------------------------------

@pytest.mark.parametrize("classes", [2, 3])
def test_importance_is_the_factor_of_the_paper(classes):
    X, y = made(classes=classes)
    model = TemperedLogisticRegression(0.3, 1.2).fit(X, np.array(["z", "m", "a"])[y])
    own = model.raw_proba(X)[np.arange(len(y)), np.searchsorted(model.classes_,
                                                               np.array(["z", "m", "a"])[y])]
    np.testing.assert_allclose(model.importance_, own ** (1.2 - 0.3), rtol=1e-10)
    hinge = model.set_params(loss="hinge").fit(X, y)
    assert not hasattr(hinge, "importance_")  # nor that of the fit before


def test_uncalibrated_probabilities_are_the_escort():
    X, y = made(classes=3)
    model = TemperedLogisticRegression(0.4, 1.3, calibrate="none").fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), temperlr.escort(model.raw_proba(X), 0.4),
                               rtol=1e-9, atol=1e-300)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))


@pytest.mark.parametrize("options", [{}, {"loss": "hinge"}, {"t1": 0}, {"t1": 0.5, "t2": 1.4}])
def test_calibration_is_better_on_other_rows_and_changes_no_label(options):
    X, y = made(rows=900, classes=2)
    rest = (X[300:], y[300:])
    model = TemperedLogisticRegression(**options).fit(X[:300], y[:300])
    plain = TemperedLogisticRegression(calibrate="none", **options).fit(X[:300], y[:300])
    assert (model.predict(rest[0]) == plain.predict(rest[0])).all()
    np.testing.assert_array_equal(model.coef_, plain.coef_)
    p = model.predict_proba(rest[0])
    assert (model.classes_[p.argmax(axis=1)] == model.predict(rest[0])).all()
    if hasattr(plain, "predict_proba"):
        assert log_loss(rest[1], p) < log_loss(rest[1], plain.predict_proba(rest[0]))
    with pytest.raises(ValueError, match="unknown calibration 'platt'"):
        TemperedLogisticRegression(calibrate="platt").fit(X, y)


def test_probabilities_of_the_true_label():
    X, y = made(rows=600, classes=3)
    model = TemperedLogisticRegression(estimate_noise=True).fit(X, y)
    p = model.predict_true_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert p.max(axis=1).mean() > model.predict_proba(X).max(axis=1).mean()
    with pytest.raises(ValueError, match="estimate_noise=True"):
        TemperedLogisticRegression().fit(X, y).predict_true_proba(X)


def test_chosen_temperatures_have_probabilities_of_the_true_label_too():
    X, y = made(rows=300)
    for model in (TemperedLogisticRegression(t2="auto", estimate_noise=True),
                  TemperedLogisticRegressionCV(t1=0.3, t2=1, only=True, cv=3, estimate_noise=True)):
        np.testing.assert_allclose(model.fit(X, y).predict_true_proba(X).sum(axis=1), 1)
    with pytest.raises(ValueError, match="loss hinge in the grid"):
        TemperedLogisticRegressionCV(loss=["tempered", "hinge"], estimate_noise=True).fit(X, y)
    with pytest.raises(ValueError, match="two-temperature loss"):
        TemperedLogisticRegression(loss="hinge", estimate_noise=True).fit(X, y)


def test_no_probabilities_where_there_are_none():
    X, y = made()
    for model in (TemperedLogisticRegression(loss="hinge", calibrate="none"),
                  TemperedLogisticRegression(t1=0, calibrate="none")):
        assert not hasattr(model, "predict_proba") and not hasattr(model, "predict_log_proba")
        assert model.fit(X, y).decision_function(X).shape == (len(y),)
    assert not hasattr(TemperedLogisticRegression(loss="hinge"), "raw_proba")
    np.testing.assert_allclose(model.raw_proba(X).sum(axis=1), 1)


def test_stop_reasons_and_warnings_speak_python():
    X, y = made(rows=2000, columns=20, classes=3)
    with pytest.warns(ConvergenceWarning, match=r"raise max_iter|max_iter, or tol"):
        model = TemperedLogisticRegression(max_iter=2, tol=1e-9).fit(X, y)
    assert model.stop_reason_ == "max-iter" and model.n_iter_ == 2
    with pytest.raises(ValueError, match=r'try l2="auto"'):
        TemperedLogisticRegression(l2=-1.0).fit(X, y)
    with pytest.raises(ValueError, match=r"try t1=0.3 t2=1"):
        TemperedLogisticRegression(t1=-1).fit(X, y)


# ---- The life of an estimator --------------------------------------------------------------------

@pytest.mark.parametrize("classes", [2, 3])
def test_copies_predict_the_same(classes):
    X, y = made(classes=classes)
    model = TemperedLogisticRegression().fit(X, np.array(["b", "a", "c"])[y])
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert np.array_equal(other.coef_, model.coef_)
        assert np.array_equal(other.predict_proba(X), model.predict_proba(X))
        assert other.get_params() == model.get_params()
    assert not hasattr(clone(model), "classes_")


def test_before_fit():
    model = TemperedLogisticRegression()
    assert not hasattr(model, "coef_") and not hasattr(model, "intercept_")
    with pytest.raises(NotFittedError):
        model.predict([[1.0]])
    with pytest.raises(NotFittedError):
        model.sparsify()


def test_sparsify_and_back():
    X, y = made()
    model = TemperedLogisticRegression().fit(X, y)
    dense, p = model.coef_, model.predict_proba(X)
    assert sparse.issparse(model.sparsify().coef_)
    assert np.array_equal(model.predict_proba(X), p)
    assert sparse.issparse(pickle.loads(pickle.dumps(model)).coef_)
    assert np.array_equal(model.densify().coef_, dense)


def test_html_repr_shows_the_parameters():
    html = TemperedLogisticRegression(t1=0.123)._repr_html_()
    assert "TemperedLogisticRegression" in html and "0.123" in html


def test_warm_start_goes_on():
    X, y = made(rows=2000, columns=30, classes=3)
    labels = np.array(["b", "a", "c"])[y]
    model = TemperedLogisticRegression(l2=1e-3, warm_start=True).fit(X, labels)
    first = model.n_iter_
    assert model.fit(X, labels).n_iter_ < first / 2
    cold = TemperedLogisticRegression(l2=1e-3).fit(X, labels)
    assert np.abs(model.coef_ - cold.coef_).max() < 0.05 * np.abs(cold.coef_).max()


def test_several_starts_are_followed():
    X, y = made()
    phases = []
    TemperedLogisticRegression(0.1, 1.5, 1e-3, starts=3,
                               callback=lambda now: phases.append(now.phase)).fit(X, y)
    assert len(set(phases)) >= 3


# ---- Progress ------------------------------------------------------------------------------------

def test_a_callback_follows_and_stops():
    X, y = made(rows=1000, columns=30, classes=3)
    seen = []

    def follow(now):
        seen.append(now)
        return now.iteration >= 3

    model = TemperedLogisticRegression(tol=1e-9, callback=follow).fit(X, y)
    assert model.stop_reason_ == "interrupted" and seen[-1].iteration == 3
    assert isinstance(seen[0], temperlr.Progress) and seen[0].max_iterations == 1000
    np.testing.assert_allclose([now.objective for now in seen], model.loss_curve_)


def test_an_exception_of_the_callback_comes_through():
    X, y = made(columns=30, classes=3)

    def fail(now):
        raise RuntimeError("enough")

    model = TemperedLogisticRegression(callback=fail)
    with pytest.raises(RuntimeError, match="enough"):
        model.fit(X, y)


def test_verbose_shows_progress(capsys, monkeypatch):
    X, y = made(columns=30, classes=3)
    pytest.importorskip("tqdm")
    TemperedLogisticRegression(verbose=1, calibrate="none").fit(X, y)
    assert "temper: train" in capsys.readouterr().err
    monkeypatch.setitem(__import__("sys").modules, "tqdm.auto", None)  # as if it were not there
    TemperedLogisticRegression(verbose=1).fit(X, y)
    assert "temper: train: iteration 0, objective" in capsys.readouterr().err
    TemperedLogisticRegression().fit(X, y)
    assert capsys.readouterr().err == ""


# ---- What is refused -----------------------------------------------------------------------------

@pytest.mark.parametrize("options, words", [
    ({"loss": "nonsense"}, "no loss 'nonsense'; losses are tempered, logistic, t-logistic, gce"), ({"solver": "nonsense"}, "no solver"),
    ({"scale": "nonsense"}, "no scaling"), ({"t1": "1"}, "t1 has to be a number"),
    ({"max_iter": 2.5}, "max_iter has to be a whole number"), ({"starts": 9}, "starts"),
    ({"t1": 1.5, "t2": 0.5}, "t2"), ({"random_state": -1}, "random_state"),
    ({"precision": "f16"}, "no precision"), ({"tol": 0.0}, "tol must be"),
    ({"scale": None}, 'scale="none"'), ({"solver": None}, "solver has to be a str"),
    ({"loss": None}, "loss has to be a str"), ({"precision": 64}, "precision has to be a str"),
    ({"l2": float("nan")}, "l2 has to be a number, and is nan"),
    ({"l2": np.float32("nan")}, "l2 has to be a number"), ({"tol": float("nan")}, "tol has to be a number"),
    ({"n_jobs": 0}, "n_jobs")])
def test_bad_parameters_are_refused(options, words):
    X, y = made()
    with pytest.raises(ValueError, match=words):
        TemperedLogisticRegression(**options).fit(X, y)


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_missing_labels_are_refused(missing):
    X, y = made()
    y = np.where(y > 0, "yes", "no").astype(object)
    y[[3, 5]] = missing
    with pytest.raises(ValueError, match=r"no label \(None or NaN\) in 2 of 600 rows, first in row 3"):
        TemperedLogisticRegression().fit(X, y)


def test_names_with_a_nul_are_refused():
    X, y = made()
    with pytest.raises(ValueError, match=r"'no\\x00a' has a NUL character.*rename it"):
        TemperedLogisticRegression().fit(X, np.where(y > 0, "no\0a", "no\0b"))


def test_probabilities_near_the_largest_double():
    X, y = made(classes=3)
    model = TemperedLogisticRegression().fit(X, y)
    far = np.array([np.full(8, 1.7e308), np.full(8, -1.7e308), np.tile([1e308, -1e308], 4)])
    p = model.predict_proba(far)
    assert np.isfinite(p).all() and np.allclose(p.sum(axis=1), 1)
    assert (model.classes_[p.argmax(axis=1)] == model.predict(far)).all()
    assert (model.predict(far) == model.predict(far / 1e300)).all()


def test_what_is_not_there_says_why():
    X, y = made()
    for options, name, words in (({"loss": "hinge"}, "predict_proba", "has no probabilities unless"),
                                 ({"loss": "hinge"}, "raw_proba", "hinge loss has no"),
                                 ({"t1": 0.0}, "predict_log_proba", "has no probabilities unless")):
        model = TemperedLogisticRegression(calibrate="none", **options).fit(X, y)
        with pytest.raises(AttributeError, match=f"no attribute '{name}': .*{words}"):
            getattr(model, name)
        with pytest.raises(AttributeError, match=words):
            getattr(TemperedLogisticRegression, name)(model, X)
    assert TemperedLogisticRegression.predict_proba.__doc__.startswith("Calibrated")


def test_bad_data_is_refused(kind):
    X, y = made()
    with pytest.raises(ValueError, match="weight -1 of row 1"):
        TemperedLogisticRegression().fit(as_kind(X, kind), y, sample_weight=-np.ones(len(y)))
    with pytest.raises(ValueError, match="expecting 8 features"):
        TemperedLogisticRegression().fit(as_kind(X, kind), y).predict(as_kind(X[:, :3], kind))
    if kind != "uint8":
        X[3, 2] = np.nan
        with pytest.raises(ValueError, match="NaN"):
            TemperedLogisticRegression().fit(as_kind(X, kind), y)
    with pytest.raises(ValueError, match="same name"):
        TemperedLogisticRegression().fit(X[:2] * 0 + 1, np.array(["1", "1.0"]))


def test_unusual_sparse_matrices_are_put_right():
    X, y = made()
    reference = TemperedLogisticRegression().fit(sparse.csr_matrix(X.astype(np.float32)), y)
    wide = sparse.csr_matrix(X)  # float64
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    unsorted = sparse.csr_matrix(X)
    for row in range(unsorted.shape[0]):
        span = slice(unsorted.indptr[row], unsorted.indptr[row + 1])
        unsorted.indices[span] = unsorted.indices[span][::-1].copy()
        unsorted.data[span] = unsorted.data[span][::-1].copy()
    unsorted.has_sorted_indices = False
    for other in (wide, unsorted, sparse.csc_matrix(X), sparse.coo_matrix(X)):
        assert np.array_equal(TemperedLogisticRegression().fit(other, y).coef_.astype(np.float32), reference.coef_)


def broken(change, form="csr"):
    X = sparse.random(30, 6, density=0.5, format=form, random_state=1)
    change(X)
    return X


def set_entry(name, place, value):
    return lambda X: getattr(X, name).__setitem__(place, value)


@pytest.mark.parametrize("change, words", [
    (set_entry("indptr", 5, -7), "decreases"),
    (set_entry("indptr", 5, 10**8), "decreases"),
    (set_entry("indptr", -1, 10**8), "ends with"),
    (set_entry("indptr", 0, 3), "begins with"),
    (set_entry("indices", 4, 10**6), "outside of"),
    (set_entry("indices", 4, -1), "outside of"),
    (lambda X: setattr(X, "indptr", X.indptr[:-3]), "entries"),
    (lambda X: setattr(X, "data", X.data[:4]), "values"),
    (lambda X: setattr(X, "indptr", X.indptr.astype(float)), "integers"),
])
@pytest.mark.parametrize("form", ["csr", "csc"])
def test_damaged_sparse_matrices_are_refused_before_scipy_reads_them(change, words, form):
    X, y = broken(change, form), np.arange(30) % 2
    good = TemperedLogisticRegression().fit(broken(lambda X: None), y)
    for call in (lambda: TemperedLogisticRegression().fit(X, y), lambda: good.predict(X), lambda: good.predict_proba(X)):
        with pytest.raises(ValueError, match=f"damaged sparse matrix: .*{words}"):
            call()


def test_damaged_coordinates_are_refused():
    X = broken(set_entry("row", 3, 10**6), "coo")
    with pytest.raises(ValueError, match="outside of 0 to 29"):
        TemperedLogisticRegression().fit(X, np.arange(30) % 2)


def test_columns_without_numbers_are_named():
    pandas = pytest.importorskip("pandas")
    X, y = made(40, 2)
    frame = pandas.DataFrame({"age": X[:, 0], "city": ["Rome", "Oslo"] * 20, "height": X[:, 1],
                              "when": pandas.date_range("2024-01-01", periods=40)})
    said = r"X has columns without numbers: 'city' \(text\), 'when' \(dates\); leave out"
    with pytest.raises(ValueError, match=said):
        TemperedLogisticRegression().fit(frame, y)
    with pytest.raises(ValueError, match=said):
        temperlr.find_label_issues(frame, y)
    with pytest.raises(ValueError, match=r"numbers: 'when' \(dates\);"):
        TemperedLogisticRegression().fit(frame[["age", "when"]], y)
    # What can be taken for numbers is, and faults of another kind are reported as before.
    numbers = frame[["age"]].assign(flag=[True, False] * 20, text=["1", "2"] * 20)
    assert TemperedLogisticRegression().fit(numbers.astype({"text": object}), y).n_features_in_ == 3
    with pytest.raises(ValueError, match="0 sample"):
        TemperedLogisticRegression().fit(frame[["age"]][:0], y[:0])


def test_gaps_are_told_with_their_columns():
    X, y = made(40, 2)
    X[3, 1] = X[5, 1] = np.nan
    with pytest.raises(ValueError, match=r"contains NaN.* It is in column 1, in 2 of 40 rows: fill"):
        TemperedLogisticRegression().fit(X, y)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X).rename(columns=lambda i: f"x{i}")
    with pytest.raises(ValueError, match=r"contains NaN.* It is in column 'x1', in 2 of 40 rows: fill"):
        TemperedLogisticRegression().fit(frame, y)
