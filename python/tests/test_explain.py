"""explain: contributions add up to decision_function, and are those of the command."""
import json
import subprocess

import numpy as np
import pytest

import temperlr


def rows(classes, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 4)) * [1, 10, 0.1, 3] + [0, 5, 0, -2]
    return X, np.argmax(X @ rng.normal(size=(4, classes)) / [1], axis=1)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("scale", ["standard", "none", "minmax"])
@pytest.mark.parametrize("labels", [list, lambda y: ["b" if code else "a" for code in y]])
def test_contributions_add_up(classes, scale, labels):
    X, y = rows(classes)
    model = temperlr.TemperedLogisticRegression(scale=scale).fit(X, labels(y))
    found = model.explain(X[:30])
    shape = (30, 4) if len(model.classes_) == 2 else (30, len(model.classes_), 4)
    assert found.contributions.shape == shape
    np.testing.assert_allclose(found.contributions.sum(-1) + found.base, model.decision_function(X[:30]), atol=1e-9)


def test_relative_to_means():
    X, y = rows(2)
    model = temperlr.TemperedLogisticRegression().fit(X, y)
    found = model.explain(X)
    np.testing.assert_allclose(found.contributions, (X - X.mean(axis=0)) * model.coef_, atol=1e-6)


def test_names_and_other_columns():
    pandas = pytest.importorskip("pandas")
    X, y = rows(2)
    frame = pandas.DataFrame(X, columns=list("abcd"))
    model = temperlr.TemperedLogisticRegression().fit(frame, y)
    assert list(model.explain(frame).feature_names) == list("abcd")
    with pytest.raises(ValueError):
        model.explain(frame[["a", "b", "c"]])


def test_same_as_the_command(command, tmp_path):
    X, y = rows(3)
    model = temperlr.TemperedLogisticRegression().fit(X, y)
    model.save(tmp_path / "model.temper")
    np.savetxt(tmp_path / "rows.csv", X[:5], delimiter=",", fmt="%.17g")
    words = ["explain", "-q", "-m", "model.temper", "rows.csv", "--output", "jsonl", "--type", "f64", "--top", "4"]
    run = subprocess.run([command, *words], cwd=tmp_path, capture_output=True, text=True, check=True)
    found = model.explain(X[:5])
    for row, line in enumerate(run.stdout.splitlines()):
        told = json.loads(line)
        ahead, behind = (list(map(str, model.classes_)).index(told[key]) for key in ("predicted", "runner_up"))
        wanted = found.contributions[row, ahead] - found.contributions[row, behind]
        listed = {int(one["feature"].split()[-1]) - 1: one["contribution"] for one in told["features"]}
        np.testing.assert_allclose([listed[j] for j in range(4)], wanted, rtol=1e-9)
