"""TemperedLogisticRegression: logistic regression that is robust to wrong labels."""
from __future__ import annotations

from numbers import Integral
from typing import Any, Callable

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from . import _temper
from ._base import CountingRows, TemperedClassifier, free_temperatures, weight_type
from ._callbacks import FitTasks
from ._compat import validate, with_callbacks
from ._data import Labels, borrow, on_cpu
from ._params import (Penalty, check_theirs, count, has_l1, is_auto, number, penalty_of, solver_of, solver_options,
                      threads_of, warn_caller, word)
from ._progress import Follower, Progress, TuneProgress, on_main_thread
from ._tuning import TUNE_DEFAULTS, fold_numbers, fold_of_rows, run_tuning, splits_of
from ._types import ClassWeight, Folds, Numbers, RandomState, Rows, Verbose
from .tables import is_table


class TemperedLogisticRegression(TemperedClassifier):
    """Logistic regression with two temperatures: for labels that are partly wrong.

    Minimises the weighted mean of the loss plus ``l2 / 2 * ||W||**2``, the intercept being free.
    With ``t1 < t2`` the loss of a single row is bounded, so a wrong label can only do so much.

    Parameters
    ----------
    t1, t2 : float or "auto", default 0.3 and 1
        The temperatures. ``t1 = t2 = 1`` is logistic regression. Lower ``t1`` caps the loss of a
        row at ``1 / (1 - t1)``; higher ``t2`` gives heavier tails. "auto" is chosen by
        cross-validation on 10 folds, and with it l2 if that is "auto" too, as ``temper train --t1
        auto`` does; :class:`TemperedLogisticRegressionCV` reports more, and has options for it.
    l2 : float or "auto", default "auto"
        The penalty lambda, on the features as scaled. LogisticRegression's ``C`` is
        ``1 / (l2 * n_samples)``. "auto" is ``2e-4 * trace(cov(X)) / (n_classes - 1)``.
    C : float or None, default None
        The penalty as LogisticRegression has it, in the place of ``l2``: ``l2 = 1 / (C * sum of the
        weights of the rows)``, on the features as scaled; ``scale="none"`` for its very objective.
        ``inf`` is no penalty.
    penalty : {"l2", "l1", "elasticnet", None}, default "l2"
        As in LogisticRegression; None is ``l2=0``, and "deprecated", its default from 1.8 on, is "l2". "l1" is
        ``l1_ratio=1``, or ``l1`` where that is given.
    l1 : float, default 0
        The penalty ``l1 * ||W||_1``, on the features as scaled: weights become exactly 0. ``l2="auto"`` is 0 then.
    l1_ratio : float or None, default None
        As in LogisticRegression, the share of the L1 penalty in ``1 / C``; C is 1 where it is not given.
    loss : str, default "tempered"
        "tempered"; "logistic", "t-logistic" and "gce", which fix temperatures: (1, 1), (1, t2) and
        (t1, 1); "hinge"; "bregman"; "sce", the symmetric cross-entropy; "trimmed", logistic
        regression without the rows that fit worst; "forward", forward correction by an estimated
        matrix of label noise. Parameters that only one loss has follow its
        name: "hinge:0.5" is smoothed over 0.5; "sce:0.1:1:-4" has alpha, beta and what replaces
        log 0; "trimmed:0.2" leaves out a fifth of the rows, by weight.
    solver : {"auto", "newton", "lbfgs", "tron", "proximal", "owlqn"}
        "auto" takes the fastest for the data. LogisticRegression's names are understood: "newton-cg"
        and "newton-cholesky" are "newton" for two classes and "auto" for more, "liblinear" is "tron", "sag" and "saga"
        are "auto".
    tol : float, default 1e-4
        Training ends when the norm of the gradient is this share of that at W = 0, and the objective
        is estimated to be within a thousandth of this share of its minimum.
    max_iter : int, default 1000
    class_weight : dict, "balanced" or None
    fit_intercept : bool, default True
    scale : {"auto", "none", "standard", "minmax", "maxabs", "log", "pixels"}
        How features are scaled for the solver; ``coef_`` is for rows as they are. "auto" is
        "standard" for dense X and "none" for sparse X; "pixels" divides by 255.
    warm_start : bool, default False
        Begin with the weights of the last call of fit.
    starts : {1, 2, 3}
        Train from several starts (0, logistic regression, decreasing penalties), keep the one with the
        lowest objective, and warn if they disagree.
    n_jobs : int or None
        Threads; None is 1, -1 is all. The result is the same, bit for bit.
    random_state : int, RandomState or None
        The seed; None is 1. Training from W = 0 draws nothing.
    verbose : int, bool or "auto", default "auto"
        1 shows progress: a tqdm bar where that is installed. "auto" writes a line to stderr every ten seconds, from the
        tenth on; 0 nothing.
    callback : callable or None
        Called with a :class:`temperlr.Progress` after each iteration; a true answer ends training
        with the best weights so far. Where temperatures are chosen, with a
        :class:`temperlr.TuneProgress` now and then; a true answer is an error then.
    precision : {"auto", "f32", "f64"}
        Of sums within blocks of rows. "auto" is "f64" for float64 and sparse X, else "f32".
    calibrate : {"auto", "folds", "train", "none"}
        How probabilities are calibrated after training: on rows that models of other folds have
        scored, or on the training rows. "auto" takes the training rows where there are at least 50
        for each weight. "none" leaves those that the loss implies. Labels never change.
    estimate_noise : bool, default False
        Audit the rows after training, and keep how often each class is labelled as another, for
        ``predict_true_proba``. It takes as long as :func:`temperlr.find_label_issues`.
    clean : {"drop", "weigh", "relabel"} or None
        Audit the rows first, as :func:`temperlr.find_label_issues` does by default, and fit on what is
        believed: without the rows that it lists; with the weight of each row times the probability
        that its label is right; or with the suggested labels. docs/training.md has its effect.
    cv : int, splitter or iterable of (train, test), default 10
        The folds where temperatures are "auto", as for :class:`TemperedLogisticRegressionCV`. A splitter or an iterable
        also says which rows calibration, ``clean`` and ``estimate_noise`` leave out together; for a number they draw
        five folds of their own.
    dual, multi_class, intercept_scaling
        LogisticRegression's, so that its parameters can be passed on. ``dual`` changes nothing: both problems have the
        same minimum. ``multi_class`` is "auto" or "multinomial"; "ovr" is for two classes only, and
        ``sklearn.multiclass.OneVsRestClassifier`` does the rest. ``intercept_scaling`` has no effect, which is warned
        of: the intercept is not penalised.

    Attributes
    ----------
    classes_, coef_, intercept_, n_features_in_, feature_names_in_
        As in LogisticRegression. ``coef_`` and ``intercept_`` can be written to, and then predict: the calibration
        stays as it was trained. They are float32 if X is, and so are predictions for rows of float32.
    n_iter_ : ndarray of shape (1,), of int32
        Iterations of the solver.
    stop_reason_ : str
        "converged", "max-iter", "stalled" or "interrupted".
    importance_ : ndarray of shape (n_samples,)
        ``p ** (t2 - t1)`` of each training row, p being the model's own probability of its given
        label: near 0 for a row that the model does not believe. Only for losses of two temperatures:
        tempered, logistic, t-logistic and gce.
    t1_, t2_, l2_, l1_, objective_, solver_
        The temperatures and the penalties that were used, the objective at the end, the solver that
        was taken.
    n_cleaned_, n_expected_wrong_ : int and float
        With ``clean``: rows that were dropped, relabelled or given a smaller weight, and labels that
        the audit expects to be wrong; 0 and NaN without.
    loss_curve_ : ndarray
        The objective after each iteration. Not where temperatures were chosen.

    Notes
    -----
    Ctrl-C ends training after the iteration it is in. KeyboardInterrupt is raised, and the
    estimator is fitted: with the best weights so far, not calibrated, and with ``stop_reason_``
    "interrupted". After the last iteration, in the calibration or the estimate of the noise, it is
    fitted without that step. While temperatures are chosen there are no such weights yet, and it stays as it was.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from temperlr import TemperedLogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = TemperedLogisticRegression().fit(X, y)
    >>> model.predict(X[:3])
    array([0, 0, 0])
    >>> model.stop_reason_
    'converged'

    As LogisticRegression, with its parameters and its objective:

    >>> same = TemperedLogisticRegression(loss="logistic", scale="none", C=1.0).fit(X, y)
    >>> same.coef_.shape, same.n_iter_.shape
    ((3, 4), (1,))
    """

    def __init__(self, t1: float | str = 0.3, t2: float | str = 1.0, l2: float | str = "auto", *,
                 loss: str = "tempered", solver: str = "auto", tol: float = 1e-4,
                 max_iter: int = 1000, class_weight: ClassWeight = None, fit_intercept: bool = True,
                 scale: str = "auto", warm_start: bool = False, starts: int = 1,
                 n_jobs: int | None = None, random_state: RandomState = None, verbose: Verbose = "auto",
                 callback: Callable[[Progress], object] | Callable[[TuneProgress], object] | None = None,
                 precision: str = "auto", calibrate: str = "auto",
                 estimate_noise: bool = False, clean: str | None = None,
                 C: float | None = None, penalty: str | None = "l2", cv: Folds = 10, dual: bool = False,
                 intercept_scaling: float = 1.0, multi_class: str = "auto", l1: float = 0.0,
                 l1_ratio: float | None = None) -> None:
        self.t1 = t1
        self.t2 = t2
        self.l2 = l2
        self.loss = loss
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.scale = scale
        self.warm_start = warm_start
        self.starts = starts
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback
        self.precision = precision
        self.calibrate = calibrate
        self.estimate_noise = estimate_noise
        self.clean = clean
        self.C = C
        self.penalty = penalty
        self.cv = cv
        self.dual = dual
        self.intercept_scaling = intercept_scaling
        self.multi_class = multi_class
        self.l1 = l1
        self.l1_ratio = l1_ratio

    # ---- Training --------------------------------------------------------------------------------

    @with_callbacks
    def fit(self, X: Rows, y: Numbers | None = None, sample_weight: Numbers | None = None, *,
            groups: Numbers | None = None) -> TemperedLogisticRegression:
        """Fit to the rows of X and their labels.

        Parameters
        ----------
        X : array, sparse matrix, data frame or Table of shape (n_samples, n_features)
            float64, float32 or uint8 in C order, and CSR with values of float64 or float32 and sorted indices of 32 or
            64 bits, are not copied, nor are tensors of PyTorch and arrays of JAX of these types in the memory of the
            CPU. Everything else is converted first. A :class:`temperlr.Table` has its labels in it. Columns of tables
            of polars, pyarrow and DuckDB become features as those of files do: see :func:`temperlr.read`.
        y : array of shape (n_samples,)
            Labels of any kind; None with a Table.
        sample_weight : array of shape (n_samples,) or None
            Weights of the rows.
        groups : array of shape (n_samples,) or None
            Rows of one group stay in one fold, where temperatures are chosen and wherever else rows are left out:
            calibration, ``clean``, ``estimate_noise``.

        Returns
        -------
        TemperedLogisticRegression
            The estimator itself.
        """
        l2 = self._penalty()
        sample_weight = on_cpu(sample_weight, "sample_weight")
        tasks = FitTasks.of(self, X, y, sample_weight)
        if is_table(X):
            self._fit_table(l2, X, y, (sample_weight, groups), tasks)
        else:
            self._fit_rows(l2, self._validated(X), y, (sample_weight, groups), tasks)
        if tasks:
            tasks.end()
        return self

    def _fit_rows(self, l2: Penalty, X: Any, y: Any, of_rows: tuple[Any, Any], tasks: FitTasks | None) -> None:
        """`of_rows` are sample_weight and groups."""
        sample_weight, groups = of_rows
        if self._open_temperatures():
            self._fit_auto(l2, X, y, sample_weight, groups, tasks)
            return
        options = self._train_options(l2)
        labels = self._encode(X, y)
        weights = self._weights(X, labels, sample_weight)
        total = X.shape[0] if weights is None else float(weights.sum())
        options["l2"], options["l1"] = l2.value(total), l2.absolute(total)
        options.update(self._given_folds(X, labels.codes, groups, options["seed"]))
        data = borrow(X, labels, getattr(self, "feature_names_in_", None), weights)
        self._train(data, labels, options, X.dtype, tasks)

    def _given_folds(self, X: Any, y: Any, groups: Any, seed: int) -> dict[str, Any]:
        """The fold of each row, by groups or by a splitter as cv; nothing where the library draws them."""
        splits = splits_of(5 if isinstance(self.cv, Integral) else self.cv, groups, X, y, seed)
        if splits is None:
            return {}
        fold, folds = fold_numbers(splits, np.arange(len(y)))
        return {"fold": fold, "folds": folds}

    def _train(self, data: _temper.Data, labels: Labels, options: dict[str, Any], dtype: Any = np.float64,
               tasks: FitTasks | None = None) -> None:
        """Train on rows that are ready."""
        self._check_classes(len(labels.classes))
        options["solver"] = self._solver_name(len(labels.classes))
        labels = labels._replace(codes=labels.codes[:0].copy())  # the library has its own
        if tasks:
            tasks.attributes = {"classes_": labels.classes, "_order": labels.order, "_dtype": weight_type(dtype)}
        with Follower(self.callback, self.verbose, Progress, tasks) as follower:
            model, report, interruption = _temper.train(
                data, self._warm_model(), follower.caller, on_main_thread(), **options)
        self._take(model, labels, dtype)
        self._take_report(report)
        self._take_cleaned(report)
        self.loss_curve_ = np.frombuffer(report["history"]).reshape(-1, 2)[:, 0].copy()
        free = free_temperatures(self.loss)
        self._take_loss(self.loss, options["t1"] if "t1" in free else 1.0,
                        options["t2"] if "t2" in free else 1.0)
        self._take_importance(data)
        if interruption is not None:
            raise interruption
        for sentence in self._warnings_of(report):
            warn_caller(sentence, ConvergenceWarning)

    def _warnings_of(self, report: dict[str, Any]) -> list[str]:
        return str(report["warnings"]).splitlines()

    # ---- Tables ----------------------------------------------------------------------------------

    def _fit_table(self, l2: Penalty, X: Any, y: Any, of_rows: tuple[Any, Any], tasks: FitTasks | None) -> None:
        """`of_rows` are sample_weight and groups."""
        sample_weight, groups = of_rows
        data, labels, total = self._table_data(X, y, sample_weight)
        rows = CountingRows.of_table(X, y, labels)
        if self._open_temperatures():
            options = self._tune_options(l2.value(total), l2.absolute(total))
            options["fold"], options["folds"] = fold_of_rows(self.cv, rows, groups, options["seed"])
            options["solver"] = self._solver_name(len(labels.classes))
            self._take_tuned(run_tuning(data, None, self, tasks, options), labels, data, None)
        else:
            options = {**self._train_options(l2), "l2": l2.value(total), "l1": l2.absolute(total)}
            options.update(self._given_folds(None, rows.y, groups, options["seed"]))
            self._train(data, labels, options, tasks=tasks)

    def _take_cleaned(self, report: dict[str, Any]) -> None:
        self.n_cleaned_ = report["cleaned"]
        self.n_expected_wrong_ = report["expected_wrong"]

    def _warm_model(self) -> _temper.Model | None:
        return self._current() if self.warm_start and "_model" in self.__dict__ else None

    def _train_options(self, penalty: Penalty | None = None) -> dict[str, Any]:
        penalty = penalty or self._penalty()
        return {"loss": word("loss", self.loss), "t1": number("t1", self.t1), "t2": number("t2", self.t2),
                "l2": penalty.l2, "l1": penalty.l1, "fold": None, "folds": 0, **self._solver_options()}

    # ---- What the parameters mean: linear_model.py reads some of them as scikit-learn does ----------

    def _validated(self, X: Any) -> Any:
        return validate(self, X, reset=True)

    def _penalty(self) -> Penalty:
        return penalty_of(self)

    def _solver_options(self) -> dict[str, Any]:
        return solver_options(self)

    def _solver_name(self, classes: int) -> str:
        return solver_of(self.solver, classes, has_l1(self))

    def _check_classes(self, classes: int) -> None:
        check_theirs(self, classes)

    # ---- Temperatures that are chosen ------------------------------------------------------------

    def _open_temperatures(self) -> list[str]:
        """Those that are to be chosen."""
        open_ones = [name for name in ("t1", "t2") if is_auto(getattr(self, name))]
        for name in open_ones:
            if name not in free_temperatures(self.loss):
                raise ValueError(f'{name}="auto" does not go with loss="{self.loss}", which has no '
                                 f"{name} to choose")
        if open_ones and self.warm_start:
            raise ValueError("warm_start does not go with temperatures that are to be chosen: "
                             "folds begin at 0, and so must the final fit; give t1 and t2, or "
                             "drop it")
        return open_ones

    def _auto_grid(self, l2: float, l1: float) -> str:
        """The grid of ``temper train --t1 auto``."""
        open_ones = self._open_temperatures()
        words = [] if len(open_ones) == 2 and self.loss == "tempered" else ["only"]
        words.append(f"loss={self.loss}")
        words += [f"{name}={number(name, getattr(self, name))!r}" for name in ("t1", "t2") if name not in open_ones]
        words += [] if np.isnan(l2) else [f"l2={l2!r}"]
        words += [f"l1={l1!r}"] if l1 > 0 else []
        return " ".join(words)

    def _tune_options(self, l2: float, l1: float) -> dict[str, Any]:
        return {**TUNE_DEFAULTS, "grid": self._auto_grid(l2, l1), **self._solver_options()}

    def _fit_auto(self, l2: Penalty, X: Any, y: Any, sample_weight: Any, groups: Any, tasks: FitTasks | None) -> None:
        rows = self._counting_rows(X, y, sample_weight)
        self._check_classes(len(rows.labels.classes))
        weights = self._weights(rows.X, rows.labels, rows.weights)
        total = rows.X.shape[0] if weights is None else float(weights.sum())
        options = self._tune_options(l2.value(total), l2.absolute(total))
        options["solver"] = self._solver_name(len(rows.labels.classes))
        options["fold"], options["folds"] = fold_of_rows(self.cv, rows, groups, options["seed"])
        tuned = run_tuning(rows.data(self), None, self, tasks, options)
        self._take_tuned(tuned, rows.labels, rows.borrowed, rows, X.dtype)

    def _take_tuned(self, tuned: Any, labels: Labels, data: _temper.Data, rows: Any, dtype: Any = np.float64) -> None:
        self._take(tuned.model, labels, dtype)
        self._take_report(tuned.report["training"])
        self._take_cleaned(tuned.report["training"])
        self.__dict__.pop("loss_curve_", None)
        self._take_loss(tuned.loss, tuned.t1, tuned.t2)
        self._take_importance(data, rows)
        tuned.warn()
