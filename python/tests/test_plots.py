"""Pictures: drawn from the right numbers."""
import builtins

import numpy as np
import pytest
from conftest import made

import temperlr
from temperlr import plots

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture
def fitted():
    X, y = made(classes=3)
    return temperlr.TemperedLogisticRegression().fit(X, y), X, y


def test_losses():
    ax = plots.plot_losses([(1, 1), (0.5, 1)], margin=(-3, 3))
    logistic, capped = (line.get_ydata() for line in ax.lines)
    np.testing.assert_allclose(logistic, np.log1p(np.exp(-ax.lines[0].get_xdata())))
    assert capped.max() < 2 and len(ax.get_legend().texts) == 2


def test_training(fitted):
    model, _, _ = fitted
    ax = plots.plot_training(model)
    assert np.array_equal(ax.lines[0].get_ydata(), model.loss_curve_)
    assert "converged" in ax.get_title()


@pytest.mark.parametrize("classes", [2, 3])
def test_margins(classes):
    X, y = made(classes=classes)
    model = temperlr.TemperedLogisticRegression().fit(X, y)
    m = plots.margins(model, X, y)
    assert np.array_equal(m > 0, model.predict(X) == y)
    ax = plots.plot_margins(model, X, y, marked=np.flatnonzero(m < 0), bins=20)
    heights = sum(sum(patch.get_height() for patch in bars) for bars in ax.containers)
    assert heights == len(y) and len(ax.get_legend().texts) == 2


def test_tuning():
    X, y = made(rows=150)
    model = temperlr.TemperedLogisticRegressionCV(t1=[0.5, 1], t2=[1, 1.4], l2=[1e-3, 1e-1],
                                                  cv=2).fit(X, y)
    table = model.cv_results_
    ax = plots.plot_tuning(model)
    cells = np.asarray(ax.images[0].get_array())
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "1.12", "1.4"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["0.1", "0.5", "1"]
    here = (table["t1"] == 0.5) & (table["t2"] == 1.4)
    assert cells[1, 2] == table["accuracy"][here].max() and np.isnan(cells[0, 2])
    frame = ax.lines[0].get_xydata().mean(axis=0).round()  # about the middle of the cell
    assert f"({model.t1_:g}, {model.t2_:g})" in ax.get_title() and len(frame) == 2
    strong = np.asarray(plots.plot_tuning(model, figure="log_loss", l2=0.1).images[0].get_array())
    assert strong[1, 2] == table["log_loss"][here & (table["l2"] == 0.1)][0]
    for wrong in ({"figure": "beauty"}, {"figure": "loss"}, {"figure": "band_error"}, {"l2": 7}):
        with pytest.raises(ValueError):
            plots.plot_tuning(model, **wrong)


def test_an_axis_of_the_caller_is_used(fitted):
    model, X, y = fitted
    import matplotlib.pyplot as plt
    mine = plt.subplots()[1]
    assert plots.plot_margins(model, X, y, ax=mine) is mine


def test_without_matplotlib(fitted, monkeypatch):
    real = builtins.__import__

    def refuse(name, *rest):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        plots.plot_training(fitted[0])
