"""Pictures for notebooks; they need matplotlib. Each draws into ``ax``, or into a new figure, and
returns the axes."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable

import numpy as np
from numpy.typing import ArrayLike

from ._base import TemperedClassifier, is_two_temperature
from ._types import Numbers, Rows
from .functions import tempered_loss

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .audit import AuditReport
    from .search import TemperedLogisticRegressionCV

__all__ = ["margins", "plot_audit", "plot_losses", "plot_margins", "plot_training", "plot_tuning"]


def _axes(ax: Axes | None) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install matplotlib") from error
    return plt.subplots(layout="constrained")[1]


def plot_losses(temperatures: Iterable[tuple[float, float]] = ((1, 1), (0.3, 1), (0.3, 1.5)), *,
                margin: tuple[float, float] = (-6, 6), ax: Axes | None = None) -> Axes:
    """The loss of a row of two classes over its margin, for some (t1, t2): Figure 1 of the paper.
    """
    ax = _axes(ax)
    m = np.linspace(*margin, 401)
    rows = np.stack([m / 2, -m / 2], axis=1)
    for t1, t2 in temperatures:
        ax.plot(m, tempered_loss(rows, 0, t1, t2), label=f"t1 = {t1:g}, t2 = {t2:g}")
    ax.set(xlabel="margin", ylabel="loss", ylim=(0, None))
    ax.legend()
    return ax


def plot_training(model: TemperedClassifier, *, ax: Axes | None = None) -> Axes:
    """The objective after each iteration of the last fit, above its end."""
    ax = _axes(ax)
    curve = model.loss_curve_
    ax.plot(np.arange(len(curve)), curve, marker=".")
    ax.set(xlabel="iteration", ylabel="objective", title=f"{model.solver_}: {model.stop_reason_}")
    return ax


def margins(model: TemperedClassifier, X: Rows, y: Numbers) -> np.ndarray:
    """How far each row is on the side of its given label: below 0 where the model disagrees.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from temperlr import TemperedLogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = TemperedLogisticRegression().fit(X, y)
    >>> bool(((margins(model, X, y) > 0) == (model.predict(X) == y)).all())
    True
    """
    activation: np.ndarray = model.decision_function(X)
    place = np.searchsorted(model.classes_, np.asarray(y))
    if activation.ndim == 1:
        return np.where(place == 1, activation, -activation)
    rows = np.arange(len(activation))
    own = activation[rows, place]
    activation[rows, place] = -np.inf
    return np.asarray(own - activation.max(axis=1))


def _histogram(ax: Any, m: np.ndarray, is_marked: np.ndarray, bins: int,
               names: list[str | None]) -> None:
    edges = np.histogram_bin_edges(m, bins)
    ax.hist([m[~is_marked], m[is_marked]], edges, stacked=True, label=names)
    ax.axvline(0, color="0.5", linewidth=1)
    ax.set(xlabel="margin of the given label", ylabel="rows")


def plot_margins(model: TemperedClassifier, X: Rows, y: Numbers, *, marked: ArrayLike | None = None, bins: int = 60,
                 ax: Axes | None = None) -> Axes:
    """A histogram of the margins of the given labels; ``marked`` rows (a mask or numbers of rows)
    in another colour."""
    ax = _axes(ax)
    m = margins(model, X, y)
    is_marked = np.zeros(len(m), dtype=bool)
    chosen: Any = marked
    if chosen is not None:
        is_marked[chosen] = True
    _histogram(ax, m, is_marked, bins, ["rows", None if marked is None else "marked rows"])
    if marked is not None:
        ax.legend()
    return ax


def plot_audit(report: AuditReport, what: str = "margins", *, top: int | None = None,
               threshold: float | None = None, ax: Axes | None = None) -> Axes:
    """A picture of a :class:`temperlr.AuditReport`: "margins", "precision" or "transition"; see its
    ``plot``."""
    if what not in _AUDIT:
        raise ValueError(f"there is no picture {what!r} of an audit; there are {', '.join(_AUDIT)}")
    ax = _axes(ax)
    _AUDIT[what](ax, report, report.indices(top=top, threshold=threshold))
    return ax


def _audit_margins(ax: Any, report: Any, rows: np.ndarray) -> None:
    listed = np.zeros(len(report.margin), dtype=bool)
    listed[rows] = True
    _histogram(ax, report.margin, listed, 60, ["rows", "to look at again"])
    ax.set(title=f"{len(rows):,} of {len(listed):,} rows to look at again")
    ax.legend()


def _audit_precision(ax: Any, report: Any, rows: np.ndarray) -> None:
    if report.kind == "row":
        raise ValueError('an audit of kind="row" has no probabilities to expect')
    length = np.arange(1, len(report.ranking) + 1)
    ax.plot(length, np.cumsum(report.score[report.ranking]) / length)
    ax.axvline(len(rows), color="0.5", linewidth=1)
    ax.set(xlabel="length of the list", ylabel="share that should be wrong", ylim=(0, 1.02),
           title=f"about {report.n_wrong:,.0f} labels wrong; {len(rows):,} rows to look at again")


def _audit_transition(ax: Any, report: Any, rows: np.ndarray) -> None:
    if report.transition is None:
        raise ValueError("there is no table of transitions between more than 256 classes")
    wrong = report.transition.copy()
    np.fill_diagonal(wrong, np.nan)
    image = ax.imshow(wrong, cmap="viridis")
    names = [str(name) for name in report.classes]
    ax.set_xticks(range(len(names)), names, rotation=90 if max(map(len, names)) > 3 else 0)
    ax.set_yticks(range(len(names)), names)
    ax.set(xlabel="given", ylabel="true", title="wrong labels to expect")
    ax.figure.colorbar(image, ax=ax)


_AUDIT = {"margins": _audit_margins, "precision": _audit_precision,
          "transition": _audit_transition}


def plot_tuning(model: TemperedLogisticRegressionCV, *, figure: str = "accuracy", l2: float | None = None,
                ax: Axes | None = None) -> Axes:
    """A heat map of a :class:`temperlr.TemperedLogisticRegressionCV`: a column of ``cv_results_``
    over t1 and t2, each at the l2 with the highest accuracy, or at the given one of the table. What
    was chosen is framed.
    """
    ax = _axes(ax)
    table = model.cv_results_
    if figure not in table or table[figure].ndim != 1 or table[figure].dtype.kind == "U":
        raise ValueError(f"there is no figure {figure!r} in cv_results_")
    t1, t2, cells = _cells(table, figure, l2)
    image = ax.imshow(cells, origin="lower", aspect="auto", cmap="viridis")
    for i, j in np.argwhere(np.isfinite(cells)):
        dark = float(np.asarray(image.norm(cells[i, j]))) < 0.6
        ax.text(j, i, f"{cells[i, j]:.3g}", ha="center", va="center",
                color="white" if dark else "black")
    if model.t1_ in t1 and model.t2_ in t2:
        _frame(ax, int(np.searchsorted(t2, model.t2_)), int(np.searchsorted(t1, model.t1_)))
    ax.set_xticks(range(len(t2)), [f"{t:g}" for t in t2])
    ax.set_yticks(range(len(t1)), [f"{t:g}" for t in t1])
    ax.set(xlabel="t2", ylabel="t1", title=f"{figure}; chosen: ({model.t1_:g}, {model.t2_:g}), "
                                            f"l2 = {model.l2_:.3g}")
    ax.figure.colorbar(image, ax=ax)
    return ax


def _cells(table: Any, figure: str, l2: float | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Temperatures, and a figure for each pair of them; NaN where there is none."""
    tempered = np.array([is_two_temperature(loss) for loss in table["loss"]])
    if l2 is not None:
        if not (table["l2"] == l2).any():
            raise ValueError(f"l2={l2!r} is not in cv_results_; it has {np.unique(table['l2'])}")
        tempered &= table["l2"] == l2
    if not tempered.any():
        raise ValueError("no candidate has the two temperatures that are the axes")
    t1, t2 = np.unique(table["t1"][tempered]), np.unique(table["t2"][tempered])
    cells = np.full((len(t1), len(t2)), np.nan)
    best = np.full(cells.shape, -np.inf)
    for row in np.flatnonzero(tempered):
        at = np.searchsorted(t1, table["t1"][row]), np.searchsorted(t2, table["t2"][row])
        if table["accuracy"][row] > best[at]:
            best[at] = table["accuracy"][row]
            cells[at] = table[figure][row]
    return t1, t2, cells


def _frame(ax: Any, x: int, y: int) -> None:
    ax.plot([x - 0.48, x + 0.48, x + 0.48, x - 0.48, x - 0.48],
            [y - 0.48, y - 0.48, y + 0.48, y + 0.48, y - 0.48], color="crimson", linewidth=2)
