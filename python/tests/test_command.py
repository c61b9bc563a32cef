"""The same data, options and seed give the same model as the command line, bit for bit."""
import json
import subprocess

import numpy as np
import pytest
from conftest import as_kind, made
from sklearn.datasets import dump_svmlight_file

import temperlr
from temperlr import TemperedLogisticRegression

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def run(*words):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def train(command, data, *options):
    model = data.with_suffix(".temper")
    run(command, "train", data, "-m", model, "-q", *options)
    return model


def same_weights(model, path):
    known = json.loads(path.read_text())
    assert [str(c) for c in model.classes_] == known["classes"]
    same_numbers(model.coef_, np.atleast_2d(known["weights"]))
    same_numbers(model.intercept_, np.atleast_1d(known["intercept"]))


def same_numbers(shown, known):
    """Of rows of float32, coef_ shows the weights as such."""
    assert np.array_equal(shown, np.asarray(known).astype(shown.dtype))


def labels_beside(path, kind):
    """The command's options where a file has no labels of its own."""
    return [] if kind.startswith("csr") else ["--labels", f"{path}.labels"]


def write(folder, X, y, kind):
    """A file that the command reads as the same numbers of the same type."""
    if kind.startswith("csr"):
        path = folder / "data.svm"
        dump_svmlight_file(X, y, str(path), zero_based=False)
        return path
    path = folder / "data.npy"
    np.save(path, as_kind(X, kind))
    (folder / "data.npy.labels").write_text("".join(f"{label}\n" for label in y))
    return path


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("options", [
    {}, {"t1": 0.5, "t2": 1.5, "l2": 1e-3}, {"loss": "logistic", "tol": 1e-8},
    {"loss": "hinge", "tol": 1e-2}, {"fit_intercept": False, "scale": "none", "starts": 2}])
def test_bytes_of_the_model_file(command, tmp_path, kind, classes, options):
    X, y = made(classes=classes)
    path = write(tmp_path, X, y, kind)
    flags = []
    for name, value in options.items():
        if name == "fit_intercept":
            flags.append("--no-intercept")
        else:
            flags += [f"--{name}", value]
    theirs = train(command, path, *labels_beside(path, kind),
                   *flags)
    model = TemperedLogisticRegression(**options).fit(as_kind(X, kind), y)
    same_weights(model, theirs)
    model.save(tmp_path / "ours.temper")
    assert (tmp_path / "ours.temper").read_bytes() == theirs.read_bytes()


def test_labels_of_text_in_a_table(command, tmp_path):
    X, y = made(classes=3)
    labels = np.array(["pear", "apple", "fig"])[y]
    rows = [",".join(f"{x:g}" for x in row) + f",{label}" for row, label in zip(X, labels)]
    path = tmp_path / "fruit.csv"
    path.write_text("\n".join(rows) + "\n")
    theirs = json.loads(train(command, path).read_text())
    model = TemperedLogisticRegression().fit(X.astype(np.float32), labels)
    place = np.searchsorted(model.classes_, theirs["classes"])
    same_numbers(model.coef_[place], theirs["weights"])
    same_numbers(model.intercept_[place], theirs["intercept"])


def test_weights_of_rows_and_classes(command, tmp_path):
    X, y = made()
    weight = np.random.RandomState(0).randint(0, 5, len(y)) / 4
    path = write(tmp_path, X, y, "float32")
    (tmp_path / "weights").write_text("".join(f"{w}\n" for w in weight))
    theirs = train(command, path, "--labels", f"{path}.labels", "--weights", tmp_path / "weights",
                   "--class-weight", "balanced")
    model = TemperedLogisticRegression(class_weight="balanced")
    same_weights(model.fit(X.astype(np.float32), y, sample_weight=weight), theirs)


def test_files_go_both_ways(command, tmp_path):
    X, y = made(classes=3)
    path = write(tmp_path, X, y, "float64")
    theirs = temperlr.load(train(command, path, "--labels", f"{path}.labels", "--t2", 1.3))
    ours = TemperedLogisticRegression(t2=1.3).fit(X, y)
    assert np.array_equal(theirs.predict_proba(X), ours.predict_proba(X))
    assert theirs.get_params()["t2"] == 1.3 and theirs.classes_.dtype.kind == "i"
    temperlr.save(ours, tmp_path / "ours.temper")
    said = run(command, "predict", "-m", tmp_path / "ours.temper", path).split()
    assert [int(word) for word in said] == list(ours.predict(X))


def test_noise_seed_for_seed(command, tmp_path):
    X, y = made(classes=3)
    path = write(tmp_path, X, y, "float64")
    for kind in ("random", "pair", "small-margin", "large-margin"):
        out = tmp_path / f"{kind}.csv"
        run(command, "noise", path, "--labels", f"{path}.labels", "--kind", kind, "--rate", 0.2,
            "--seed", 7, "-o", out, "-q")
        theirs = np.loadtxt(out, delimiter=",", skiprows=1)[:, -1]
        noisy = temperlr.add_noise(X, y, 0.2, kind, random_state=7)
        assert np.array_equal(noisy.y, theirs.astype(int))
        assert np.array_equal(np.flatnonzero(noisy.y != y), noisy.changed)
