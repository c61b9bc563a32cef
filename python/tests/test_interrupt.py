"""Ctrl-C during training: raised at once, and the best so far is kept."""
import os
import signal
import threading
import time

import numpy as np
import pytest

from temper import TemperedLogisticRegression


def test_ctrl_c_ends_within_an_iteration_and_keeps_the_best():
    rng = np.random.RandomState(0)
    X, y = rng.normal(size=(40000, 300)).astype(np.float32), rng.randint(0, 5, 40000)
    times = []
    model = TemperedLogisticRegression(l2=1e-9, tol=1e-30, max_iter=10**6)
    sent = [0.0]

    def interrupt():
        sent[0] = time.monotonic()
        os.kill(os.getpid(), signal.SIGINT)

    # How long an iteration takes here.
    TemperedLogisticRegression(l2=1e-9, tol=1e-30, max_iter=10,
                               callback=lambda now: times.append(now.seconds)).fit(X, y)
    longest = max(np.diff(times))
    timer = threading.Timer(1.0, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    answered = time.monotonic() - sent[0]
    timer.join()
    assert answered < 10 * longest + 1, f"{answered} s, an iteration being {longest} s"
    assert model.stop_reason_ == "interrupted" and model.n_iter_ > 0
    assert model.predict(X[:5]).shape == (5,)
    assert np.isfinite(model.coef_).all() and model.loss_curve_[-1] < model.loss_curve_[0]


def test_other_threads_are_not_interrupted():
    """Signals are for the main thread; a training beside it goes on."""
    rng = np.random.RandomState(0)
    X, y = rng.normal(size=(3000, 40)), rng.randint(0, 3, 3000)
    models = []
    thread = threading.Thread(target=lambda: models.append(TemperedLogisticRegression().fit(X, y)))
    with pytest.raises(KeyboardInterrupt):
        thread.start()
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(5)
    thread.join()
    assert models[0].stop_reason_ == "converged"
