"""A record as a page and as a table: page.py RECORD.json OUT.html OUT.md

The page needs nothing from elsewhere; its pictures are drawn by matplotlib, and where that is not installed the
page says so. The Markdown has the same tables."""
import html
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # the folders of bench/ import each other
from report import record  # noqa: E402
from report import targets  # noqa: E402

STYLE = """body{font:15px/1.5 system-ui,sans-serif;max-width:75rem;margin:2rem auto;padding:0 1rem;color:#0f172a;
background:#fff}h1{font-size:1.7rem}h2{margin-top:2.5rem;font-size:1.25rem}table{border-collapse:collapse;
font-size:.88rem;margin:.8rem 0}th,td{padding:.25rem .5rem;border-bottom:1px solid #e2e8f0;text-align:left;
vertical-align:top}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}td.n{white-space:nowrap}.met{color:#15803d;
font-weight:600}.missed{color:#b91c1c;font-weight:600}.partly{color:#b45309;font-weight:600}svg{max-width:100%;
height:auto}details{margin:.8rem 0}summary{cursor:pointer}td:first-child,td:nth-child(2){white-space:nowrap}td.long{white-space:normal}
.muted{color:#64748b}.wide{overflow-x:auto}.wide th{line-height:1.2}"""

LONG = 60  # rows; a longer table of the page is folded


def number(value):
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


class Table:
    """A heading, columns and rows, for both kinds of paper. A column whose name ends in > is of numbers."""

    def __init__(self, title, columns, rows, note=""):
        self.title, self.columns, self.rows, self.note = title, columns, rows, note

    def markdown(self):
        head = [column.rstrip(">") for column in self.columns]
        rule = ["---:" if column.endswith(">") else "---" for column in self.columns]
        lines = [head, rule, *([number(cell).replace("|", "\\|") for cell in row] for row in self.rows)]
        return f"## {self.title}\n\n{self.note + chr(10) * 2 if self.note else ''}" + \
            "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"

    def html(self, after=""):
        head = "".join(f"<th{kind(c)}>{html.escape(c.rstrip('>'))}</th>" for c in self.columns)
        body = "".join("<tr>" + "".join(cell(c, value) for c, value in zip(self.columns, row)) + "</tr>"
                       for row in self.rows)
        note = f"<p>{html.escape(self.note)}</p>" if self.note else ""
        table = f"<div class=\"wide\"><table><tr>{head}</tr>{body}</table></div>"
        if len(self.rows) > LONG:
            table = f"<details><summary>{len(self.rows)} lines</summary>{table}</details>"
        return f"<h2>{html.escape(self.title)}</h2>{note}{after}{table}"


def kind(column):
    return ' class="n"' if column.endswith(">") else ""


def cell(column, value):
    style = f' class="{value}"' if value in ("met", "missed", "partly") else kind(column)
    if isinstance(value, str) and len(value) > 60:
        style = ' class="long"'
    return f"<td{style}>{html.escape(number(value))}</td>"


# ---- Tables ------------------------------------------------------------------------------------------------


def target_table(found):
    rows = [(row["target"], row["values"], f"{row['met']} of {row['of']}" if row["of"] else "", row["verdict"])
            for row in targets.table(found)]
    return Table("Every target of the design", ["target", "measured>", "lines met>", "verdict"], rows,
                 "A line is one shape or data set; all lines are below.")


def missed_table(found):
    lines = [line for line in found["lines"] if line.get("met") is False]
    return Table("Where a target is missed, or a peer is faster", ["what", "measured>", "asked for>"],
                 [(f"{line['section']}: {line['what']}", line["value"], f"{line['direction']} {line['target']:g}")
                  for line in lines])


def contest_of(row):
    return row["set"], row.get("threads", 1)


def trainings_of(found, name):
    """{(set, threads): row} of one program."""
    return {contest_of(row): row for row in found["trainings"] if row["name"] == name}


def standing(found):
    """A row for each set and number of threads: temper with each kernel, the fastest peer that reaches the objective, and how
    temper stands beside it with the slower kernel."""
    plain, narrow = trainings_of(found, "temper"), trainings_of(found, "temper avx2")
    for contest, ours in plain.items():
        peers = [row for row in found["trainings"] if contest_of(row) == contest and row["seconds"] and row["reached"]
                 and not row["name"].startswith("temper")]
        first = min(peers, key=lambda row: row["median"], default=None)
        kernels = [row for row in (ours, narrow.get(contest)) if row]
        ratios = [first["median"] / row["median"] if first else None for row in kernels]
        behind = first and any(row["median"] > first["median"] and not record.within_noise(row, first) for row in kernels)
        near = first and min(ratios) < 1
        yield (*contest, " ; ".join(f"{1e3 * row['median']:.3g}" for row in kernels), first["name"] if first else "–",
               " ; ".join(number(ratio) for ratio in ratios), "behind" if behind else "within noise" if near else "first")


def standing_table(found):
    return Table("Where temper stands in whole trainings",
                 ["data", "threads>", "temper, ms>", "fastest peer", "its time over temper's>", "temper is"], list(standing(found)),
                 "Medians; with the fastest kernel and, after the semicolon, with AVX2 where the processor has AVX-512. Peers that do not come "
                 "within 1e-4 of the smallest objective do not count. Within noise: some rounds of the peer are slower than one of "
                 "temper, and the medians differ by less than a tenth. On two threads only peers that are near on one are compared.")


def training_table(found):
    rows = []
    ours = trainings_of(found, "temper")
    for row in found["trainings"]:
        seconds = row["seconds"]
        base = ours.get(contest_of(row))
        ratio = None if seconds is None or not base else row["median"] / base["median"]
        how = "stopped" if seconds is None else "reached" if row["reached"] else "not reached"
        rows.append((*contest_of(row), row["name"], seconds if seconds is not None else f"> {row['cap']}",
                     row.get("median"), ratio, row.get("gap"),
                     row.get("accuracy") and f"{100 * row['accuracy']:.2f} %", how))
    return Table("Whole trainings to within 1e-4 of the smallest objective",
                 ["data", "threads>", "who", "best, s>", "median, s>", "of temper's median>", "gap>", "test accuracy>", "how"], rows,
                 "In turns; on one thread seconds of the processor, on two those on the wall; the gap is of each one's weights in our "
                 "objective. A pale bar is of one that did not come within 1e-4.")


def job_table(found):
    rows = [(row["set"], row["name"], row["read"], row["fit"], row["predict"], row["whole"], row["peak"] / 1e6)
            for row in found["jobs"]]
    return Table("Reading, training, predicting, memory", ["data", "who", "read, s>", "train, s>", "predict, s>",
                                                          "whole, s>", "peak, MB>"], rows,
                 "Whole jobs from files to predictions, in processes of their own, one thread. Predicting by a command reads "
                 "the text again. Memory below 15 MB cannot be told from that of the script that starts them.")


def limit_table(found):
    return Table("Limits of this machine", ["what", "measured>", "unit"],
                 [(row["what"], row["value"], row["unit"]) for row in found["limits"]])


def quality_table(found):
    names = list(dict.fromkeys(row["name"] for row in found["quality"]))
    cases = dict.fromkeys((row["set"], row["noise"], row["rate"]) for row in found["quality"])
    right = {(row["set"], row["noise"], row["rate"], row["name"]): row["accuracy"] for row in found["quality"]}
    rows = [(*case[:2], f"{100 * case[2]:g} %",
             *(f"{100 * right[(*case, n)]:.1f}" if (*case, n) in right else "–" for n in names))
            for case in cases]
    return Table("Right on clean rows after training on noisy labels, %",
                 ["data", "noise", "rate>", *(name + ">" for name in names)], rows,
                 "The penalty of each is chosen in the same way, by cross-validation on the noisy labels.")


def mean_table(found):
    """Means over the data sets that have all: a row for each kind of noise and rate, the best in each named."""
    names = list(dict.fromkeys(row["name"] for row in found["quality"]))
    right = {}
    for row in found["quality"]:
        right.setdefault((row["noise"], row["rate"]), {}).setdefault(row["name"], {})[row["set"]] = row["accuracy"]
    rows = []
    for (kind, rate), of in sorted(right.items(), key=lambda item: item[0]):
        sets = set.union(*(set(found_on) for found_on in of.values()))
        means = {name: sum(of[name].values()) / len(sets) for name in names if set(of.get(name, ())) == sets}
        rows.append((kind, f"{100 * rate:g} %", len(sets), max(means, key=means.get, default="–"),
                     *(f"{100 * means[name]:.1f}" if name in means else "–" for name in names)))
    return Table("The same, means over the data sets, %",
                 ["noise", "rate>", "data sets>", "best", *(name + ">" for name in names)], rows,
                 "Only of those who were measured on all of them.")


def audit_table(found):
    return Table("Wrong labels found", ["data", "noise", "rate>", "who", "average precision>", "seconds>"],
                 [(row["set"], row["noise"], f"{100 * row['rate']:g} %", row["name"], f"{row['precision']:.3f}",
                   row["seconds"]) for row in found["audits"]])


def growth_table(found):
    return Table("Growth", ["what", "from>", "to>", "seconds>", "to>", "exponent>", "peak, MB>", "to>"],
                 [(row.get("counted", row["name"]), row["x"][0], row["x"][-1], row["seconds"][0], row["seconds"][-1],
                   row.get("exponent"), *(size / 1e6 for size in (row["bytes"][0], row["bytes"][-1])))
                  for row in found["series"]],
                 "Seconds of one evaluation of loss and gradient, of a search all of it.")


def count_table(found):
    kernels = list(found["counts"])
    whats = dict.fromkeys(what for counts in found["counts"].values() for what in counts)
    return Table("Instructions of the hot loops", ["what", *(name + ">" for name in kernels)],
                 [(what, *(found["counts"][name].get(what) for name in kernels)) for what in whats],
                 "Counted by callgrind: they hardly differ from run to run.")


def line_table(found):
    verdicts = {True: "met", False: "missed", None: "not judged"}
    return Table("All lines", ["section", "what", "measured>", "median>", "asked for>", "verdict"],
                 [(line["section"], line["what"] + (f", {line['note']}" if line.get("note") else ""),
                   line["value"], line.get("median"), f"{line['direction']} {line['target']:g}",
                   verdicts[line["met"]]) for line in found["lines"]])


def programs(found):
    """{program: {part: stamps of its pieces}}"""
    of = {}
    for what, stamp in found["measured"].items():
        of.setdefault(stamp["program"], {}).setdefault(what.split(":")[0], []).append(stamp)
    return of


def measured_table(found):
    rows = [(part, len(stamps), min(s["when"] for s in stamps), max(s["when"] for s in stamps), program,
             ", ".join(sorted({s["commit"] for s in stamps})))
            for program, parts in programs(found).items() for part, stamps in parts.items()]
    return Table("Measured when, and with what", ["part", "pieces>", "from", "to", "program", "commit"], rows)


def missing_table(found):
    return Table("Not compared", ["who or what", "why"], sorted(found["missing"].items()))


# ---- Papers -------------------------------------------------------------------------------------------------


def all_tables(found):
    """(table, name of its picture or None) in the order of reading; those that are empty are left out."""
    made = [(standing_table(found), None), (target_table(found), None), (training_table(found), "trainings"), (missed_table(found), None),
            (job_table(found), None), (quality_table(found), "quality"), (mean_table(found), None), (audit_table(found), None),
            (growth_table(found), "growth"), (limit_table(found), None), (count_table(found), None),
            (missing_table(found), None), (measured_table(found), None), (line_table(found), None)]
    return [(table, picture) for table, picture in made if table.rows]


def pictures(found):
    """{name: SVG}; a sentence in the place of each without matplotlib."""
    alone = [row for row in found["trainings"] if row.get("threads", 1) == 1]
    source = {"trainings": alone, "quality": found["quality"], "growth": found["series"]}
    try:
        import charts
    except ImportError:
        return {name: '<p class="muted">No picture: matplotlib is not here.</p>' for name in source}
    return {name: getattr(charts, name)(rows) for name, rows in source.items() if rows}


def about(found):
    machine = found["machine"]
    told = f"{machine['processor']}, {machine['cores']} cores, load {machine['load']:g} when it began."
    of = programs(found)
    if len(of) > 1:
        told += " Not all was measured with one program: " + "; ".join(
            f"{program} ({', '.join(parts)})" for program, parts in of.items()) + "."
    return told


def sooner_than_temper(found):
    """(whether it got there, a few words) of all who took less time."""
    ours = trainings_of(found, "temper")
    for row in found["trainings"]:
        base = ours.get(contest_of(row))
        if not row["name"].startswith("temper") and base and row["seconds"] and row["median"] < base["median"]:
            threads = "" if row.get("threads", 1) == 1 else f", {row['threads']} threads"
            yield bool(row.get("reached")), (f"{row['name']} on {row['set']}{threads} "
                                             f"({row['median'] / base['median']:.2f} of temper's time)")


def in_short(found):
    """What the tables come to, in a sentence or two."""
    judged = [row["verdict"] for row in targets.table(found)]
    met, measured = judged.count("met"), len(judged) - judged.count("not measured")
    told = f"{met} of {measured} targets are met whole, {judged.count('partly')} for some shapes or data sets. "
    sets = dict.fromkeys(row["set"] for row in found["trainings"])
    earlier = list(sooner_than_temper(found))
    faster, not_there = ([told_of for reached, told_of in earlier if reached is wanted] for wanted in (True, False))
    if sets:
        told += f"On {len(sets)} data sets, faster in training alone: {', '.join(faster) if faster else 'nobody'}."
    if not_there:
        told += f" Sooner at an end, but not as good: {', '.join(not_there)}."
    return told


def write_html(found):
    drawn = pictures(found)
    parts = [table.html(drawn.get(picture, "")) for table, picture in all_tables(found)]
    return ("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>temper: benchmarks</title>"
            f"<meta name=\"viewport\" content=\"width=device-width\"><style>{STYLE}</style>"
            f"<h1>temper beside its peers</h1><p>{html.escape(about(found))} Rules: docs/benchmarks.md.</p>"
            f"<p>{html.escape(in_short(found))}</p>"
            + "\n".join(parts) + "</html>\n")


def write_markdown(found):
    return f"# temper beside its peers\n\n{about(found)} {in_short(found)}\n\n" + \
        "\n".join(table.markdown() for table, _ in all_tables(found))


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    found = record.load(sys.argv[1])
    pathlib.Path(sys.argv[2]).write_text(write_html(found), encoding="utf8")
    pathlib.Path(sys.argv[3]).write_text(write_markdown(found), encoding="utf8")


if __name__ == "__main__":
    main()
