"""Model files: those of the command, both ways."""
from __future__ import annotations

import os

import numpy as np

from . import _temper
from ._base import TemperedClassifier, iterations_of
from ._data import labels_of_names
from .estimator import TemperedLogisticRegression

__all__ = ["load", "save"]


def save(model: TemperedClassifier, path: str | os.PathLike[str]) -> None:
    """Write a fitted model to a file that ``temper predict`` and :func:`load` read.

    Parameters
    ----------
    model : TemperedLogisticRegression or TemperedLogisticRegressionCV
        A fitted estimator.
    path : str or path
        The file, which is replaced as a whole or not at all.
    """
    model.save(path)


def load(path: str | os.PathLike[str]) -> TemperedLogisticRegression:
    """A fitted estimator from a model file, be it written by ``temper train`` or by :func:`save`.

    Parameters
    ----------
    path : str or path
        A model file.

    Returns
    -------
    TemperedLogisticRegression

    Notes
    -----
    Names of classes become numbers where all of them are: whole ones if all are whole. What only
    training knows (``importance_``, ``loss_curve_``) is not in the file.

    Examples
    --------
    >>> import os, tempfile
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> path = os.path.join(tempfile.mkdtemp(), "iris.temper")
    >>> save(TemperedLogisticRegression().fit(X, y), path)
    >>> load(path).predict(X[-2:])
    array([2, 2])
    """
    model = _temper.load(path)
    known = model.describe()
    estimator = TemperedLogisticRegression(
        known["t1"], known["t2"], known["l2"], loss=known["loss"], solver=known["solver"],
        tol=known["tolerance"], fit_intercept=known["intercept"], scale=known["scale"],
        random_state=known["seed"], precision=known["precision"])
    fill(estimator, model)
    return estimator


def fill(estimator: TemperedLogisticRegression, model: _temper.Model) -> None:
    """Make the estimator one that was fitted elsewhere: what it has is what the model knows."""
    known = model.describe()
    estimator.n_features_in_ = known["features"]
    if known["feature_names"] is not None:
        estimator.feature_names_in_ = np.array(known["feature_names"], dtype=object)
    estimator._take(model, labels_of_names(known["classes"]))
    estimator.n_iter_ = iterations_of(known)
    estimator.stop_reason_ = known["stop"]
    estimator.l2_, estimator.objective_ = known["l2"], known["objective"]
    estimator.solver_ = known["solver"]
    estimator._take_loss(known["loss"], known["t1"], known["t2"])
