"""In the place of LogisticRegression: its parameters, its attributes that are written to, its types, its inputs."""
import copy
import inspect
import pickle

import numpy as np
import pytest
from conftest import made
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold

import temperlr
from temperlr import TemperedLogisticRegression, TemperedLogisticRegressionCV, find_label_issues
from temperlr import _progress, _temper


# Few of these rows are of one class, which is warned of.
pytestmark = [pytest.mark.filterwarnings("ignore:with 120 rows the share"), pytest.mark.filterwarnings("ignore:the chosen setting hardly predicts"),
              pytest.mark.filterwarnings("ignore:every row is predicted")]


def logistic(**keywords):
    return TemperedLogisticRegression(1, 1, loss="logistic", scale="none", tol=1e-9, calibrate="none", **keywords)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("C", [0.05, 3.0])
def test_C_is_theirs(classes, C):
    X, y = made(200, 4, classes)
    weights = np.linspace(0.5, 2, len(y))
    # Not "lbfgs", which ended by the change of the objective once.
    theirs = LogisticRegression(C=C, tol=1e-9, max_iter=5000, solver="newton-cg").fit(X, y, weights)
    ours = logistic(C=C).fit(X, y, weights)
    np.testing.assert_allclose(ours.coef_ - ours.coef_.mean(0) * (classes > 2),
                               theirs.coef_ - theirs.coef_.mean(0) * (classes > 2), atol=2e-5)
    assert ours.l2_ == pytest.approx(1 / (C * weights.sum()))


def test_C_with_class_weights_and_chosen_temperatures():
    X, y = made(120, 3)
    ours = logistic(C=2.0, class_weight={0: 3, 1: 1}).fit(X, y)
    assert ours.l2_ == pytest.approx(1 / (2 * (3 * (y == 0).sum() + (y == 1).sum())))
    chosen = TemperedLogisticRegression("auto", 1.0, C=2.0, calibrate="none").fit(X, y)
    assert chosen.l2_ == pytest.approx(1 / (2 * len(y)))


def test_no_penalty():
    X, y = made(200, 4)
    free = logistic(l2=0.0).fit(X, y)
    for same in (logistic(penalty=None), logistic(C=np.inf)):
        assert np.array_equal(same.fit(X, y).coef_, free.coef_)


@pytest.mark.parametrize("keywords, message", [
    ({"C": 1.0, "l2": 0.1}, "the same penalty in two units"),
    ({"C": 0}, "C has to be above 0"),
    ({"C": "big"}, "C has to be a number"),
    ({"penalty": "l0"}, "penalty='l0' is not known"),
    ({"penalty": None, "l2": 0.1}, "leaves nothing for l2"),
    ({"dual": "yes"}, "dual has to be True or False"),
    ({"intercept_scaling": 0}, "intercept_scaling has to be above 0"),
    ({"multi_class": "pairs"}, 'multi_class has to be "auto", "multinomial" or "ovr"'),
    ({"verbose": "loud"}, 'verbose has to be a number or "auto"'),
])
def test_contradictions_are_named(keywords, message):
    with pytest.raises(ValueError, match=message):
        TemperedLogisticRegression(**keywords).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("name, used", [("newton-cg", "newton"), ("newton-cholesky", "newton"), ("liblinear", "tron"),
                                        ("lbfgs", "lbfgs")])
def test_their_solvers_are_understood(name, used):
    X, y = made(300, 4)
    assert logistic(solver=name).fit(X, y).solver_ == used


def test_any_of_their_solvers():
    X, y = made(300, 4)
    for name in ("sag", "saga"):
        assert np.array_equal(logistic(solver=name).fit(X, y).coef_, logistic().fit(X, y).coef_)
    with pytest.raises(ValueError, match="simplex"):
        logistic(solver="simplex").fit(X, y)


def test_parameters_survive_a_clone():
    model = clone(TemperedLogisticRegression(C=3.0, penalty="l2"))
    assert model.get_params()["C"] == 3.0 and model.get_params()["penalty"] == "l2"


def test_partial_fit_has_a_reason():
    model = TemperedLogisticRegression()
    assert not hasattr(model, "partial_fit")
    with pytest.raises(AttributeError, match="warm_start=True, or train on rows of several machines by temperlr.shards"):
        model.partial_fit([[0.0]], [0])


def test_shards_need_l2():
    from temperlr.shards import Plan, survey

    X, y = made(60, 3)
    with pytest.raises(ValueError, match="C depends on the weight of all rows; give l2"):
        Plan([survey(X, y)], TemperedLogisticRegression(C=1.0))


# ---- Parameters ----------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::FutureWarning")  # of scikit-learn's own names
def test_all_their_parameters_are_taken():
    """As they are in this version of scikit-learn, with their defaults."""
    X, y = made(200, 4)
    theirs = LogisticRegression(C=0.5, tol=1e-9, max_iter=5000)
    names = inspect.signature(TemperedLogisticRegression).parameters
    given = {name: value for name, value in theirs.get_params().items() if name != "l1_ratio" or name in names}
    ours = TemperedLogisticRegression(1, 1, loss="logistic", scale="none", **given).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.fit(X, y).coef_, atol=2e-5)


@pytest.mark.parametrize("keywords", [{"multi_class": "multinomial"}, {"multi_class": "deprecated"}, {"dual": True},
                                      {"penalty": "deprecated"}, {"solver": "newton-cg"}, {"solver": "newton-cholesky"}])
def test_names_that_change_nothing(keywords):
    X, y = made(200, 4, 3)
    assert np.array_equal(logistic(C=2.0, **keywords).fit(X, y).coef_, logistic(C=2.0).fit(X, y).coef_)


def test_one_against_the_rest():
    X, y = made(200, 4, 3)
    with pytest.raises(ValueError, match=r'multi_class="ovr" is a model for each of the 3 classes.*OneVsRestClassifier'):
        logistic(multi_class="ovr").fit(X, y)
    assert logistic(multi_class="ovr").fit(X, y == 1).coef_.shape == (1, 4)


@pytest.mark.parametrize("keywords, words", [({"intercept_scaling": 10.0}, "the intercept is not penalised"),
                                             ({"penalty": None, "C": 4}, "C=4 has no effect with penalty=None")])
def test_what_has_no_effect_is_named(keywords, words):
    X, y = made(100, 3)
    with pytest.warns(UserWarning, match=words) as caught:
        TemperedLogisticRegression(**keywords).fit(X, y)
    assert caught[0].filename == __file__


def test_penalties_of_a_search():
    X, y = made(150, 3)
    weights = np.linspace(0.5, 2, len(y))
    model = TemperedLogisticRegressionCV(t1=1, t2=1, only=True, cv=3, Cs=4, scoring="neg_log_loss").fit(X, y, weights)
    assert np.array_equal(model.Cs_, np.logspace(-4, 4, 4))
    np.testing.assert_allclose(np.sort(model.cv_results_["l2"]), np.sort(1 / (model.Cs_ * weights.sum())))
    assert model.C_ == pytest.approx(1 / (model.l2_ * weights.sum())) and np.isclose(model.Cs_, model.C_).any()
    assert model.best_index_ == np.argmin(model.cv_results_["log_loss"])
    from sklearn.metrics import log_loss
    assert model.score(X, y) == pytest.approx(-log_loss(y, model.predict_proba(X)))
    assert not hasattr(model.set_params(Cs=None, l2=0.1).fit(X, y), "Cs_")


@pytest.mark.parametrize("keywords, words", [
    ({"Cs": 3, "l2": 0.1}, "Cs are the penalties in another unit"), ({"Cs": [1, -1]}, "above 0"), ({"Cs": 0}, "1 or more"),
    ({"scoring": "roc_auc"}, "does not choose here; 'accuracy', 'neg_log_loss' do.*GridSearchCV"),
    ({"scoring": "accuracy", "criterion": "log-loss"}, "scoring and criterion both")])
def test_searches_that_are_refused(keywords, words):
    with pytest.raises(ValueError, match=words):
        TemperedLogisticRegressionCV(**keywords).fit(*made(60, 3))


# ---- Weights that are written to -----------------------------------------------------------------


@pytest.fixture(params=["two", "two, reversed", "three", "three, by names"])
def fitted(request):
    """Models whose classes are in the order of the library, or in another."""
    X, y = made(150, 4, 3 if "three" in request.param else 2, seed=1)
    if request.param == "two, reversed":
        y = np.where(y == y[0], "z", "a")
    elif request.param == "three, by names":
        y = np.array(["c", "a", "b"])[y]
    return TemperedLogisticRegression(calibrate="none").fit(X, y), X


def activations(model, X):
    scores = X @ model.coef_.T + model.intercept_
    return scores[:, 0] if len(model.classes_) == 2 else scores


def test_elements_of_coef(fitted):
    model, X = fitted
    before = model.predict_proba(X)
    model.coef_[0, 1] = 3.0
    model.intercept_[-1] -= 1.0
    np.testing.assert_allclose(model.decision_function(X), activations(model, X), atol=1e-12)
    assert not np.allclose(model.predict_proba(X), before)
    assert np.array_equal(model.predict(X), model.classes_[(activations(model, X) > 0).astype(int)]
                          if len(model.classes_) == 2 else model.classes_[activations(model, X).argmax(axis=1)])


def test_elements_of_coef_between_predictions(fitted):
    """Each change counts, also one that takes back the last."""
    model, X = fitted
    was = model.coef_[0, 1]
    before = model.decision_function(X)
    for value in (3.0, 4.0, was, 3.0, was):
        model.coef_[0, 1] = value
        np.testing.assert_allclose(model.decision_function(X), activations(model, X), atol=1e-12)
    assert np.array_equal(model.decision_function(X), before)
    model.intercept_[-1] += 1.0
    np.testing.assert_allclose(model.decision_function(X), activations(model, X), atol=1e-12)


def test_coef_is_assigned(fitted, tmp_path):
    model, X = fitted
    shallow, weights = copy.copy(model), np.arange(model.coef_.size, dtype=float).reshape(model.coef_.shape)
    was = shallow.decision_function(X)
    model.coef_, model.intercept_ = weights, model.intercept_.tolist()
    assert model.coef_ is weights
    expected = activations(model, X)
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-12)
    weights[0, 0] += 1.0  # theirs is the same array, too
    expected = activations(model, X)
    model.save(tmp_path / "m.temper")
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), temperlr.load(tmp_path / "m.temper")):
        np.testing.assert_allclose(other.decision_function(X), expected, atol=1e-12)
    found = model.explain(X[:1])
    np.testing.assert_allclose(found.contributions.sum(-1) + found.base, expected[:1], atol=1e-9)
    assert np.array_equal(shallow.decision_function(X), was)  # a copy has weights of its own


def test_nothing_changes_where_nothing_was_written(tmp_path):
    X, y = made(150, 4, dtype=np.float32)
    model = TemperedLogisticRegression().fit(X, y)
    model.save(tmp_path / "one.temper")
    assert model.coef_.dtype == np.float32  # it shows fewer digits than the model has
    model.save(tmp_path / "two.temper")
    assert (tmp_path / "one.temper").read_bytes() == (tmp_path / "two.temper").read_bytes()
    model.coef_[0, 0] = 0.0
    assert model.decision_function(np.float64(X))[0] == pytest.approx(activations(model, np.float64(X))[0], rel=1e-6)


def test_a_sparse_coef_is_written_to(fitted):
    model, X = fitted
    model.sparsify().coef_.data[:] = 2.0
    assert sparse.issparse(model.coef_)
    np.testing.assert_allclose(model.decision_function(X), np.asarray(activations(model, X)), atol=1e-12)
    model.densify().coef_[:] = 1.0
    np.testing.assert_allclose(model.decision_function(X), activations(model, X), atol=1e-12)


def test_a_warm_start_begins_with_what_was_written():
    X, y = made(300, 4)
    model = logistic(warm_start=True, C=1.0).fit(X, y)
    again = clone(model).fit(X, y)
    assert again.fit(X, y).n_iter_[0] <= 1
    again.coef_ = np.full((1, 4), 5.0)
    assert again.fit(X, y).n_iter_[0] > 1


def test_weights_that_cannot_be():
    X, y = made(60, 3)
    model = TemperedLogisticRegression()
    with pytest.raises(AttributeError, match="not fitted: there are no weights to replace"):
        model.coef_ = [[1.0, 2.0, 3.0]]
    model.fit(X, y)
    with pytest.raises(ValueError, match=r"coef_ has the shape \(1, 3\), which \(3,\) is not"):
        model.coef_ = [1.0, 2.0, 3.0]
    model.coef_[0, 0] = np.nan
    with pytest.raises(ValueError, match="not a finite number"):
        model.predict(X)


# ---- Types ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("fitted_to", [np.float32, np.float64])
@pytest.mark.parametrize("given", [np.float32, np.float64, np.uint8])
def test_types_are_theirs(kind, fitted_to, given):
    X, y = made(100, 3)
    theirs = LogisticRegression(solver="newton-cg").fit(kind(X.astype(fitted_to)), y)  # not "lbfgs", once float64 alone
    ours = TemperedLogisticRegression().fit(kind(X.astype(fitted_to)), y)
    for name in ("coef_", "intercept_"):
        assert getattr(ours, name).dtype == getattr(theirs, name).dtype, name
    assert ours.n_iter_.dtype == np.int32 and ours.n_iter_.shape == theirs.n_iter_.shape == (1,)
    for name in ("predict_proba", "decision_function", "predict_log_proba"):
        answer = getattr(ours, name)(kind(X.astype(given)))
        assert answer.dtype == getattr(theirs, name)(kind(X.astype(given))).dtype, name
    np.testing.assert_allclose(ours.predict_proba(kind(X.astype(given))), ours.predict_proba(X), rtol=1e-5)


# ---- Arrays of other packages --------------------------------------------------------------------


class Foreign:
    """An array of a package that has DLPack."""

    def __init__(self, array, device=1, requires_grad=False, error=None):
        self._array, self._device, self.requires_grad, self._error = array, device, requires_grad, error
        self.device, self.shape, self.ndim, self.dtype = "cuda:0", array.shape, array.ndim, array.dtype

    def __dlpack_device__(self):
        return (self._device, 0)

    def __array__(self, dtype=None, copy=None):
        if self._error:
            raise TypeError(self._error)
        return self._array

    def __len__(self):
        return len(self._array)


def test_arrays_of_the_cpu_are_taken_as_they_are():
    X, y = made(120, 3)
    weights = np.linspace(1, 2, len(y))
    expected = TemperedLogisticRegression().fit(X, y, weights)
    ours = TemperedLogisticRegression().fit(Foreign(X), Foreign(y), Foreign(weights))
    assert np.array_equal(ours.coef_, expected.coef_)
    assert np.array_equal(ours.predict_proba(Foreign(X)), expected.predict_proba(X))
    from temperlr._data import on_cpu
    assert np.shares_memory(on_cpu(Foreign(X), "X"), X)
    search = TemperedLogisticRegressionCV(t1=[0.3, 1.0], t2=1.0, l2=0.01)
    assert search.fit(Foreign(X), Foreign(y), Foreign(weights)).t1_ == search.fit(X, y, weights).t1_
    by_fold = find_label_issues(Foreign(X), Foreign(y), t1=0.3)
    assert np.array_equal(by_fold.score, find_label_issues(X, y, t1=0.3).score)


def test_rows_of_float32_have_the_same_bits_in_any_layout():
    pandas = pytest.importorskip("pandas")
    X, y = made(90, 4, dtype=np.float32)[0], np.arange(90) % 3
    model = TemperedLogisticRegression(loss="logistic", calibrate="none").fit(X, y)
    p = model.predict_proba(X)
    assert p.dtype == np.float32 and np.allclose(p.sum(axis=1), 1, rtol=0, atol=1e-6)
    wide = np.repeat(X, 2, axis=1)
    for rows in (np.asfortranarray(X), wide[:, ::2]):
        assert np.array_equal(model.predict_proba(rows), p)
    assert np.array_equal(np.vstack([model.predict_proba(X[i:i + 1]) for i in range(len(X))]), p)
    table = pandas.DataFrame(X, columns=list("abcd"))
    named = TemperedLogisticRegression(loss="logistic", calibrate="none").fit(table, y)
    assert np.array_equal(named.predict_proba(table), p)


@pytest.mark.parametrize("made_of, words", [
    ({"device": 2}, r"X is a test_drop_in.Foreign on cuda:0, and temper computes on the CPU.*cpu\(\).*cupy.asnumpy"),
    ({"requires_grad": True}, r"requires gradients.*detach\(\)"), ({"error": "bfloat16"}, r"NumPy cannot take \(bfloat16\)")])
def test_arrays_that_cannot_be_taken(made_of, words):
    X, y = made(60, 3)
    for call in (lambda rows: TemperedLogisticRegression().fit(rows, y), lambda rows: find_label_issues(rows, y),
                 lambda rows: TemperedLogisticRegressionCV().fit(rows, y),
                 lambda rows: TemperedLogisticRegression().fit(X, y).predict(rows)):
        with pytest.raises(TypeError, match=words):
            call(Foreign(X, **made_of))


def test_tensors_of_pytorch():
    torch = pytest.importorskip("torch", reason="make python-long has torch")
    X, y = made(120, 3, dtype=np.float32)
    ours = TemperedLogisticRegression().fit(torch.from_numpy(X), torch.from_numpy(y))
    assert np.array_equal(ours.coef_, TemperedLogisticRegression().fit(X, y).coef_)
    assert ours.predict_proba(torch.from_numpy(X)).dtype == np.float32
    from temperlr._data import on_cpu
    assert np.shares_memory(on_cpu(torch.from_numpy(X), "X"), X)
    with pytest.raises(TypeError, match="torch.Tensor that requires gradients"):
        ours.predict(torch.from_numpy(X).requires_grad_())
    with pytest.raises(TypeError, match=r"torch.bfloat16 that NumPy cannot take.*tensor.float\(\)"):
        ours.predict(torch.from_numpy(X).bfloat16())


def test_arrays_of_jax():
    jax = pytest.importorskip("jax", reason="make python-long has jax")
    X, y = made(120, 3, dtype=np.float32)
    ours = TemperedLogisticRegression().fit(jax.numpy.asarray(X), jax.numpy.asarray(y))
    assert np.array_equal(ours.coef_, TemperedLogisticRegression().fit(X, y).coef_)


def columns_of(package):
    X, y = made(60, 2)
    data = {"size": X[:, 0], "kind": ["red", "blue"] * 30, "when": np.arange("2020-01-01", "2020-03-01", dtype="M8[D]"),
            "weight": X[:, 1]}
    if package == "pyarrow":
        return pytest.importorskip("pyarrow").table(data), y
    return pytest.importorskip(package).DataFrame(data), y


def test_columns_without_numbers_are_named():
    X, y = columns_of("pandas")
    for call in (lambda: TemperedLogisticRegressionCV().fit(X, y), lambda: find_label_issues(X, y)):
        with pytest.raises(ValueError, match=r"columns without numbers: 'kind' \(text\), 'when' \(dates\); leave out"):
            call()
    polars_frame, y = columns_of("polars")  # where the votes are of a package that needs a matrix
    with pytest.raises(ValueError, match="columns without numbers: 'kind'"):
        find_label_issues(y=y, pred_probs=np.full((60, 2), 0.5), features=polars_frame)


@pytest.mark.parametrize("package", ["polars", "pyarrow"])
def test_columns_of_other_packages_become_features(package):
    """As TemperedLogisticRegression has them, and temperlr.read."""
    X, y = columns_of(package)
    table = temperlr.read(columns_with_label(X, y, package), label="label")
    search = TemperedLogisticRegressionCV(**GRID, cv=KFold(4)).fit(X, y, groups=None)
    assert "kind=red" in search.feature_names_in_ and np.bincount(search.folds_).tolist() == [15] * 4
    same = TemperedLogisticRegressionCV(**GRID, cv=KFold(4)).fit(table)
    assert np.array_equal(search.coef_, same.coef_) and np.array_equal(search.predict(X), same.predict(X))
    alone = TemperedLogisticRegression(search.t1_, search.t2_, search.l2_).fit(X, y)
    np.testing.assert_allclose(search.coef_, alone.coef_, atol=1e-3)
    report = find_label_issues(X, y, t1=0.3)
    of_table = find_label_issues(table, t1=0.3)
    assert np.array_equal(report.score, of_table.score) and np.array_equal(report.given, of_table.given)
    assert np.array_equal(report.given, y) and len(report.mask()) == 60
    groups = np.arange(60) // 6
    assert len(np.unique(TemperedLogisticRegressionCV(**GRID, cv=3).fit(X, y, groups=groups).folds_[:6])) == 1
    with pytest.raises(ValueError, match="a Table has its labels and weights in it"):
        find_label_issues(table, y)
    with pytest.raises(ValueError, match="trusted rows of a table"):
        TemperedLogisticRegressionCV(**GRID).fit(X, y, trusted=(X, y))
    assert TemperedLogisticRegressionCV(**GRID).fit(X, y, trusted={0: y[0], 1: y[1]}).decided_by_


def columns_with_label(X, y, package):
    if package == "pyarrow":
        return X.append_column("label", [y])
    return X.with_columns(label=y)


# ---- Folds ---------------------------------------------------------------------------------------

GRID = {"t1": [0.3, 1.0], "t2": 1.0, "l2": 0.01}


def test_groups_with_a_number_of_folds():
    X, y = made(200, 3)
    groups = np.arange(len(y)) // 5
    model = TemperedLogisticRegressionCV(**GRID, cv=4, random_state=3).fit(X, y, groups=groups)
    assert all(len(np.unique(model.folds_[groups == group])) == 1 for group in np.unique(groups))
    theirs = StratifiedGroupKFold(4, shuffle=True, random_state=3)
    other = TemperedLogisticRegressionCV(**GRID, cv=theirs, random_state=3).fit(X, y, groups=groups)
    assert np.array_equal(model.folds_, other.folds_)
    with pytest.raises(ValueError, match=r"groups has the shape \(199,\), and there are 200 rows"):
        model.fit(X, y, groups=groups[1:])
    weights = np.where(groups == 0, 0.0, 1.0)
    assert (model.fit(X, y, weights, groups=groups).folds_[:5] == -1).all()


def test_folds_of_chosen_temperatures():
    X, y = made(200, 3)
    groups = np.arange(len(y)) // 5
    model = TemperedLogisticRegression("auto", 1.0, 0.01, cv=GroupKFold(4)).fit(X, y, groups=groups)
    search = TemperedLogisticRegressionCV(grid="only t2=1.0 l2=0.01 loss=tempered", cv=GroupKFold(4)).fit(X, y, groups=groups)
    assert model.t1_ == search.t1_ and np.array_equal(model.coef_, search.coef_)
    ten = TemperedLogisticRegression("auto", 1.0, 0.01).fit(X, y)
    assert np.array_equal(ten.coef_, TemperedLogisticRegression("auto", 1.0, 0.01, cv=10).fit(X, y).coef_)
    splits = list(KFold(4).split(X))
    assert TemperedLogisticRegression("auto", 1.0, 0.01, cv=splits).fit(X, y).t1_ > 0
    with pytest.raises(ValueError, match="cv has to be a number of folds"):
        TemperedLogisticRegression("auto", cv="five").fit(X, y)


@pytest.mark.parametrize("options", [{"calibrate": "folds"}, {"clean": "weigh", "calibrate": "none"},
                                     {"estimate_noise": True, "calibrate": "none"}])
def test_rows_of_a_group_are_left_out_together(options):
    """By calibration, clean and estimate_noise; and a splitter is the same as what it yields."""
    X, y = made(300, 4)
    groups = np.arange(len(y)) // 10
    answers = []
    for cv, given in ((10, None), (GroupKFold(5), groups), (list(GroupKFold(5).split(X, y, groups)), None), (10, groups)):
        model = TemperedLogisticRegression(0.5, cv=cv, random_state=1, **options).fit(X, y, groups=given)
        answers.append(model.predict_true_proba(X) if "estimate_noise" in options else model.predict_proba(X))
    drawn, split, listed, grouped = answers
    assert np.array_equal(split, listed)
    assert not np.array_equal(split, drawn) and not np.array_equal(grouped, drawn)
    with pytest.raises(ValueError, match=r"groups has the shape \(299,\)"):
        TemperedLogisticRegression().fit(X, y, groups=groups[1:])


def test_folds_of_tables():
    polars = pytest.importorskip("polars")
    X, y = made(100, 3)
    frame = polars.DataFrame({f"x{j}": X[:, j] for j in range(3)})
    groups = np.arange(len(y)) // 5
    for t1 in ("auto", 0.5):
        for cv in (5, GroupKFold(4)):
            model = TemperedLogisticRegression(t1, 1.0, 0.01, cv=cv, calibrate="folds")
            of_array = model.fit(X, y, groups=groups).predict_proba(X)
            assert np.allclose(model.fit(frame, y, groups=groups).predict_proba(frame), of_array, rtol=1e-9)


# ---- Progress ------------------------------------------------------------------------------------


def test_long_fits_show_progress(capsys, monkeypatch):
    X, y = made(300, 8, 3)
    TemperedLogisticRegression().fit(X, y)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(_progress, "QUIET_SECONDS", 0.0)  # as if the ten seconds were over
    TemperedLogisticRegression().fit(X, y)
    lines = capsys.readouterr().err.splitlines()
    assert lines and all(line.startswith("temper: ") and line.endswith(" s") for line in lines)
    for model in (TemperedLogisticRegressionCV(**GRID), TemperedLogisticRegression("auto")):
        model.fit(X, y)
        assert "fits" in capsys.readouterr().err
        model.set_params(verbose=0).fit(X, y)
        assert capsys.readouterr().err == ""
    TemperedLogisticRegression(verbose=0).fit(X, y)
    find_label_issues(X, y, verbose=0)
    assert capsys.readouterr().err == ""
    find_label_issues(X, y)
    assert "fits" in capsys.readouterr().err


def test_nothing_is_called_before_its_time():
    X, y = made(300, 8)
    called = []

    def train(after):
        model = TemperedLogisticRegression()
        labels = model._encode(X, y)
        data = temperlr._base.borrow(X, labels)
        called.clear()
        _temper.train(data, None, (lambda *fields: called.append(fields), after, False), False, **model._train_options())
        return len(called)

    assert train(0.0) > 3 and train(3600.0) == 0
    assert all(0 <= fields[7] < 3600 for fields in called)


def test_seconds_only_grow():
    X, y = made(300, 8)
    seconds = []
    TemperedLogisticRegression(calibrate="folds", callback=lambda now: seconds.append(now.seconds)).fit(X, y)
    assert len(seconds) > 5 and seconds == sorted(seconds) and seconds[-1] < 600


# ---- Callbacks of scikit-learn -------------------------------------------------------------------


class Recorder:
    """A callback of scikit-learn 1.9 that stops after so many iterations."""

    def __init__(self, stop_after=None):
        self.seen, self.stop_after, self.scores = [], stop_after, []

    def setup(self, estimator, context):
        self.seen.append("setup")

    def teardown(self, estimator, context):
        self.seen.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.seen.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context, *, X=None, y=None, fitted_estimator=None):
        self.seen.append(f"end {context.task_name}")
        if fitted_estimator is not None:
            self.scores.append(fitted_estimator.score(X, y))
        return self.stop_after is not None and self.seen.count("end iteration") >= self.stop_after


def test_callbacks_of_scikit_learn():
    pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks since 1.9")
    X, y = made(300, 4, 3)
    recorder = Recorder()
    model = TemperedLogisticRegression().set_callbacks(recorder).fit(X, y)
    iterations = int(model.n_iter_[0])
    assert recorder.seen[:2] == ["setup", "begin fit"] and recorder.seen[-2:] == ["end fit", "teardown"]
    # As in LogisticRegression, one more is begun than there are.
    assert recorder.seen.count("begin iteration") == recorder.seen.count("end iteration") == iterations + 1
    assert len(recorder.scores) == iterations + 1 and recorder.scores[-1] == model.score(X, y)
    assert recorder.scores[0] < recorder.scores[-1]
    bytes_seen = Recorder()
    TemperedLogisticRegression().set_callbacks(bytes_seen).fit(X.astype(np.uint8), y)
    assert bytes_seen.scores[-1] == recorder.scores[-1]
    stopped = TemperedLogisticRegression().set_callbacks(Recorder(stop_after=2)).fit(X, y)
    assert stopped.n_iter_[0] == 2 and stopped.stop_reason_ == "interrupted"
    search = TemperedLogisticRegressionCV(**GRID, cv=3).set_callbacks(recorder).fit(X, y)
    assert search.t1_ in (0.3, 1.0) and recorder.seen.count("teardown") == 2


def test_callbacks_of_old_versions():
    if hasattr(TemperedLogisticRegression(), "set_callbacks"):
        pytest.skip("this scikit-learn has callbacks")
    with pytest.raises(AttributeError, match="scikit-learn has callbacks since version 1.9"):
        TemperedLogisticRegression().set_callbacks(Recorder())


def test_scikit_learn_measures_while_it_trains():
    callback = pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks since 1.9")
    X, y = made(300, 4)
    monitor = callback.ScoringMonitor(scoring="accuracy")
    model = TemperedLogisticRegression(calibrate="none").set_callbacks(monitor).fit(X, y)
    log = monitor.get_logs().data if hasattr(monitor.get_logs(), "data") else monitor.get_logs()
    assert len(log) >= int(model.n_iter_[0])
