"""The pictures of a record as SVG, by matplotlib: trainings, growth, accuracy under noise."""
import io
import math
import re

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot, ticker  # noqa: E402

OURS, OTHERS, NOT_THERE = "#c2410c", "#64748b", "#cbd5e1"
# For lines of several: told apart by colour-blind eyes too.
COLOURS = ("#c2410c", "#1d4ed8", "#0f766e", "#7c3aed", "#ca8a04", "#475569", "#db2777", "#65a30d", "#0891b2")
OURS_SHADES = ("#c2410c", "#fdba74", "#7f1d1d")
COLUMNS = 3
matplotlib.rcParams.update({"svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9,
                            "axes.spines.top": False, "axes.spines.right": False})


def svg(figure, name):
    """As text for a page: no header, and names of its own, as several stand on one page."""
    matplotlib.rcParams["svg.hashsalt"] = name
    out = io.StringIO()
    figure.savefig(out, format="svg", bbox_inches="tight", metadata={"Date": None})
    pyplot.close(figure)
    text = out.getvalue()
    text = text[text.index("<svg"):]
    return re.sub(r'(id="|url\(#|href="#)', rf"\g<1>{name}-", text)


def panels(count, height, columns=COLUMNS, between=0.75):
    rows = math.ceil(count / columns)
    figure, axes = pyplot.subplots(rows, columns, figsize=(12, height * rows), squeeze=False)
    for axis in axes.flat[count:]:
        axis.remove()
    figure.subplots_adjust(wspace=between, hspace=0.5)
    return figure, list(axes.flat[:count])


def groups(rows, key):
    found = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


def logarithmic(axis, values):
    """A scale with room for its numbers: powers of ten, or 2 and 5 of them too where there are few."""
    near = max(values) < 30 * min(values)
    axis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5) if near else (1,), numticks=8))
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value / 1e3:g}k" if value >= 1e3
                                                     else f"{value:g}"))
    axis.set_minor_locator(ticker.NullLocator())


def trainings(rows):
    """A panel a data set: seconds of each on a logarithmic scale, the fastest on top."""
    sets = groups(rows, lambda row: row["set"])
    figure, axes = panels(len(sets), 3)
    for axis, (title, entries) in zip(axes, sets.items()):
        entries = sorted(entries, key=lambda e: e["seconds"] or 1e9, reverse=True)
        seconds = [e["seconds"] or e["cap"] for e in entries]
        colours = [OURS if e["name"].startswith("temper") else OTHERS if e.get("reached") else NOT_THERE for e in entries]
        names = [e["name"] + (" (stopped)" if e["seconds"] is None else "") for e in entries]
        begin = min(seconds) / 3  # a logarithmic scale has no 0; bars end at their seconds
        axis.barh(names, [value - begin for value in seconds], color=colours, left=begin)
        axis.set_xscale("log")
        logarithmic(axis.xaxis, seconds)
        axis.set_title(title, loc="left", fontsize=10)
        axis.set_xlabel("seconds of one thread")
    return svg(figure, "trainings")


def growth(series):
    """A panel a series: seconds on logarithmic scales, and megabytes if there are any."""
    figure, axes = panels(len(series), 2.6)
    for axis, line in zip(axes, series):
        draw_growth(axis, line["x"], line["seconds"], OURS, "seconds (line)", "o-")
        exponent = line.get("exponent")
        title = line["name"] + (f": exponent {exponent:.2f}" if isinstance(exponent, (int, float)) else "")
        axis.set_title(title, loc="left", fontsize=10)
        axis.set_xlabel(line.get("counted", ""))
        if any(line.get("bytes") or ()):
            other = axis.twinx()
            draw_growth(other, line["x"], [size / 1e6 for size in line["bytes"]], COLOURS[1], "peak, MB (dashed)", "s--")
            other.spines["right"].set_visible(True)
    return svg(figure, "growth")


def draw_growth(axis, x, values, colour, label, style):
    axis.loglog(x, values, style, color=colour, ms=4)
    axis.set_ylabel(label)
    if max(values) < 3 * min(values):  # room, so that what hardly changes looks like it
        middle = (max(values) * min(values)) ** 0.5
        axis.set_ylim(middle / 3, middle * 3)
    logarithmic(axis.yaxis, axis.get_ylim())
    logarithmic(axis.xaxis, x)


def quality(rows):
    """A panel a data set and kind of noise: accuracy on clean rows against the share of wrong labels, from none on."""
    clean = groups((row for row in rows if row["rate"] == 0), lambda row: row["set"])
    kinds = groups((row for row in rows if row["rate"] > 0), lambda row: (row["set"], row["noise"]))
    names = list(groups(rows, lambda row: row["name"]))
    figure, axes = panels(len(kinds), 2.6, columns=4, between=0.3)
    for axis, ((title, noise), found) in zip(axes, kinds.items()):
        draw_quality(axis, clean.get(title, []) + found, names)
        axis.set_title(f"{title}: {noise}", loc="left", fontsize=9)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.supylabel("right on clean rows, %", x=0.07, fontsize=9)
    figure.legend(handles, labels, loc="upper center", ncols=5, bbox_to_anchor=(0.5, 0.03), frameon=False)
    return svg(figure, "quality")


def draw_quality(axis, rows, names):
    for name, points in groups(rows, lambda row: row["name"]).items():
        points = sorted(points, key=lambda row: row["rate"])
        axis.plot([100 * p["rate"] for p in points], [100 * p["accuracy"] for p in points], "o-",
                  label=name, ms=3, **quality_style(name, names))
    axis.set_xlabel("labels wrong, %")


def quality_style(name, names):
    """Ours thick, in shades of one colour; each of the others in one of its own."""
    if name.startswith("temper"):
        mine = [entry for entry in names if entry.startswith("temper")]
        return {"color": OURS_SHADES[mine.index(name) % len(OURS_SHADES)], "lw": 2.2, "zorder": 3}
    others = [entry for entry in names if not entry.startswith("temper")]
    return {"color": COLOURS[1:][others.index(name) % (len(COLOURS) - 1)], "lw": 1.1, "zorder": 2}
