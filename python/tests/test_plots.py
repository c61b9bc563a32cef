"""Pictures: drawn from the right numbers."""
import builtins

import numpy as np
import pytest
from conftest import made

import temper
from temper import plots

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture
def fitted():
    X, y = made(classes=3)
    return temper.TemperedLogisticRegression().fit(X, y), X, y


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
    model = temper.TemperedLogisticRegression().fit(X, y)
    m = plots.margins(model, X, y)
    assert np.array_equal(m > 0, model.predict(X) == y)
    ax = plots.plot_margins(model, X, y, marked=np.flatnonzero(m < 0), bins=20)
    heights = sum(sum(patch.get_height() for patch in bars) for bars in ax.containers)
    assert heights == len(y) and len(ax.get_legend().texts) == 2


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
