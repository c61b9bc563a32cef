"""Ctrl-C during training: answered after the iteration it is in, and the best so far is kept."""
import os
import signal
import threading
import time

import numpy as np
import pytest
from conftest import ctrl_c_inside

from temperlr import TemperedLogisticRegression


def made_noise(rows, columns, classes):
    """Labels that follow nothing: with so small a tolerance training takes long."""
    rng = np.random.RandomState(0)
    return rng.normal(size=(rows, columns)).astype(np.float32), rng.randint(0, classes, rows)


def check_kept(model, X):
    assert model.stop_reason_ == "interrupted" and model.n_iter_ > 0
    assert model.predict(X[:5]).shape == (5,)
    assert np.isfinite(model.coef_).all() and model.loss_curve_[-1] < model.loss_curve_[0]


def test_ctrl_c_ends_training_and_keeps_the_best():
    X, y = made_noise(10000, 100, 5)
    model = TemperedLogisticRegression(l2=1e-9, tol=1e-30, max_iter=2000)
    with pytest.raises(KeyboardInterrupt), ctrl_c_inside():
        model.fit(X, y)
    check_kept(model, X)


def test_it_is_answered_after_the_iteration_it_is_in():
    X, y = made_noise(10000, 100, 5)
    seen, third, sent = [], threading.Event(), []

    def follow(now):
        seen.append(now.iteration)
        if now.iteration == 3:
            third.set()

    def interrupt():
        third.wait()
        os.kill(os.getpid(), signal.SIGINT)
        sent.append(len(seen))

    sender = threading.Thread(target=interrupt)
    sender.start()
    model = TemperedLogisticRegression(l2=1e-9, tol=1e-30, max_iter=2000, callback=follow)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    sender.join()
    assert len(seen) <= sent[0] + 1, f"{len(seen) - sent[0]} iterations after the signal"
    check_kept(model, X)


def test_other_threads_are_not_interrupted():
    """Signals are for the main thread; a training in another thread continues."""
    X, y = made_noise(3000, 40, 3)
    models = []
    thread = threading.Thread(target=lambda: models.append(TemperedLogisticRegression().fit(X, y)))
    with pytest.raises(KeyboardInterrupt):
        thread.start()
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(600)  # at most: the signal ends it
    thread.join()
    assert models[0].stop_reason_ == "converged"
