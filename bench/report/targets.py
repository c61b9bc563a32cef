"""Which lines of a record tell whether a target of the design is met: one row a target, each with the patterns of
its lines (section, what). A target is met where all its lines are; one without lines was not measured."""
import re

TRAINING = r"^Training to within"
TARGETS = [
    ("loss and slope of a margin: at most 0.15 of libm's logistic", [("Loss and slope", r"libm logistic")]),
    ("the same: at most 0.75 of libmvec's", [("Loss and slope", r"libmvec")]),
    ("the same: absolute error at most 1e-12", [("Loss and slope", r"largest absolute error")]),
    ("one evaluation of dense two-class rows, sums in floats: at most 1.35 of reading X in the cache, 1.15 beyond",
     [("Two classes", r"^f32 sums"), ("One evaluation", r": against reading the floats")]),
    ("the same with sums in doubles: at most 1.65, 1.30", [("Two classes", r"^f64 sums"),
                                                          ("One evaluation", r"summed in doubles")]),
    ("pixels as bytes: at most 1.05 of reading them as floats", [("Two classes", r"^u8 values"),
                                                                 ("One evaluation", r"bytes, against")]),
    ("two classes, tempered against logistic: at most 1.05",
     [("Two classes", r"tempered against logistic"),
      ("One evaluation", r"^[\d,]+ x [\d,]+(, beyond the caches)?: tempered against logistic")]),
    ("against two dgemv calls and libm: at least 3 times faster", [("Two classes", r"dgemv")]),
    ("32 two-class models at once: at least 6 times faster than row by row",
     [("Many two-class models", r"32 models against row by row")]),
    ("the same: at least 5 times faster than our own one at a time",
     [("Many two-class models", r"32 models against one at a time")]),
    ("passes over X to 1e-5: at most 0.30 of libLBFGS's", [("Passes", r"passes, of libLBFGS")]),
    ("d <= 200, two classes: at most 12 Hessians", [("Passes", r"Hessians")]),
    ("reproducible summation: at most 1.03 of a running sum", [("Two classes", r"fixed tree")]),
    ("many classes, tempered against plain softmax: at most 1.1 (d >= 500), 1.25 (54 x 7), 1.6 (16 x 26)",
     [("Many classes", r"tempered against plain"), ("One evaluation", r"classes: tempered against logistic")]),
    ("many classes, a whole pass: at least half of the FMA peak", [("Many classes", r"FMA peak")]),
    ("many classes, a whole pass: at least 2.3 times faster than sgemm of OpenBLAS (d >= 50)",
     [("Many classes", r"against sgemm .* x (5[4-9]|[6-9]\d|\d{3,}), C")]),
    ("tempered softmax and gradient, 10 classes: at most 30 ns a row", [("Tempered softmax", r"C = 10, ns a row")]),
    ("the same, 1,000 classes: at most 1,500 ns", [("Tempered softmax", r"C = 1000, ns a row")]),
    ("the same against PyTorch's bi-tempered loss: faster", [("Tempered softmax", r"PyTorch")]),
    ("ten-class Fashion-MNIST to 1e-3: at most 30 passes", [("Passes", r"10 classes.*: passes")]),
    ("the same: about 1 s", [("Passes", r"10 classes.*: seconds")]),
    ("sparse, equal objective: at most 0.5 of LIBLINEAR -s 0 (0.7 at 55,000 features)",
     [("Sparse data: whole", r"liblinear-train")]),
    ("reading libsvm, one thread: at least 500 MB/s", [("Reading", r"libsvm, one thread, MB/s")]),
    ("the same: at least 10 times as fast as LIBLINEAR reads", [("Reading", r"as LIBLINEAR reads")]),
    ("reading CSV, one thread: at least 300 MB/s", [("Reading", r"CSV, one thread, MB/s")]),
    ("reading text on two threads: at least 1.8 times as fast", [("Reading", r"two threads against one")]),
    ("reading libsvm.gz: at least 160 MB/s of text", [("Reading", r"libsvm\.gz, MB/s")]),
    ("reading faster than pandas and load_svmlight_file", [("Reading", r"pandas|load_svmlight_file")]),
    ("peak memory: at most 1.15 of the data's own size", [("Reading \\(memory", r"peak memory")]),
    ("whole trainings to within 1e-4 of the optimum: as fast as every peer that gets there, or faster",
     [(TRAINING, r".")]),
    ("many fits: faster than LogisticRegressionCV and cleanlab's route", [("Many fits", r".")]),
    ("two threads: at least 1.8 times as fast as one", [("Two threads", r".")]),
]


def lines_for(record, patterns):
    return [line for line in record["lines"]
            if any(re.search(section, line["section"]) and re.search(what, line["what"])
                   for section, what in patterns)]


def verdict(lines):
    judged = [line["met"] for line in lines if line.get("met") is not None]
    if not judged:
        return "not measured"
    return "met" if all(judged) else "missed" if not any(judged) else "partly"


def spread(lines):
    """The measured values, smallest and largest, as short as they can be read."""
    values = [line["value"] for line in lines if line.get("met") is not None]
    if not values:
        return ""
    low, high = (f"{value:,.0f}" if value >= 1000 else f"{value:.3g}" for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def table(record):
    """A row a target: its text, verdict, how many of its lines are met, their values, and the lines missed."""
    rows = []
    for text, patterns in TARGETS:
        lines = lines_for(record, patterns)
        judged = [line for line in lines if line.get("met") is not None]
        rows.append({"target": text, "verdict": verdict(lines), "met": sum(line["met"] for line in judged),
                     "of": len(judged), "values": spread(lines),
                     "missed": [line for line in judged if not line["met"]]})
    return rows
