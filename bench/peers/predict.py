"""Probabilities by the Python package beside scikit-learn and ONNX Runtime, on the same rows and the same weights.

    predict.py RECORD [--quick]

Nanoseconds a row of 10^6 rows x 20 features (--quick: 2 x 10^5), and microseconds of a call with one row. temper runs
with the fastest kernel and with TEMPER_KERNEL=avx2. Rounds are interleaved, and the median of each is taken. Both
numbers of threads are measured in processes of their own, whose linear algebra is limited to as many. The model is a
logistic regression without calibration, which all three can express; ONNX Runtime runs the two nodes Gemm and Softmax
in floats, the fastest graph for it, and the file of to_onnx(), which computes in doubles. A further line has temper's
default: tempered and calibrated."""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

FEATURES = 20
THREADS = (1, 2)
ROUNDS = 7
ONE_ROW_CALLS = 300
SECTION = "Prediction"


def field(number, value):
    """A field of a protocol buffer: an integer, or bytes with their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def varint(value):
    low = value & 127
    return bytes([low]) if value < 128 else bytes([low | 128]) + varint(value >> 7)


def float_graph(weights, bias):
    """An ONNX model, softmax(x weights + bias) in floats: [features, classes] and [classes]."""
    def tensor(name, array):
        sizes = b"".join(field(1, size) for size in array.shape)
        return field(5, sizes + field(2, 1) + field(8, name) + field(9, array.astype("<f4").tobytes()))

    def value(name, size):
        sizes = field(1, field(2, "rows")) + field(1, field(1, size))
        return field(1, name) + field(2, field(1, field(1, 1) + field(2, sizes)))

    def node(kind, inputs, output):
        return field(1, b"".join(field(1, name) for name in inputs) + field(2, output) + field(4, kind))
    graph = (node("Gemm", ("x", "w", "b"), "a") + node("Softmax", ("a",), "probabilities") + field(2, "linear") +
             tensor("w", weights) + tensor("b", bias) + field(11, value("x", weights.shape[0])) +
             field(12, value("probabilities", weights.shape[1])))
    return field(1, 8) + field(7, graph) + field(8, field(2, 13))


def both_classes(model):
    """Weights and intercepts of every class: two classes have one vector, that of the second."""
    import numpy
    weights, bias = model.coef_.T, model.intercept_
    if weights.shape[1] > 1:
        return weights, bias
    return numpy.hstack([numpy.zeros_like(weights), weights]), numpy.append(0, bias)


def models(classes, work):
    """(what runs, its call), by name; rows are the argument of each call."""
    import numpy
    import onnxruntime
    import temperlr
    from sklearn.linear_model import LogisticRegression
    threads = int(os.environ["OMP_NUM_THREADS"])
    draw = numpy.random.default_rng(classes)
    x = draw.standard_normal((4000, FEATURES), dtype=numpy.float32)  # a model of floats predicts floats, as the graph does
    y = (x @ draw.standard_normal((FEATURES, classes)) + 3 * draw.standard_normal((4000, classes))).argmax(axis=1)
    plain = temperlr.TemperedLogisticRegression(loss="logistic", calibrate="none", n_jobs=threads).fit(x, y)
    default = temperlr.TemperedLogisticRegression(n_jobs=threads).fit(x, y)
    other = LogisticRegression(max_iter=1000).fit(x, y)
    path = pathlib.Path(work) / f"{classes}.onnx"
    plain.to_onnx(path)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    exported = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    floats = onnxruntime.InferenceSession(float_graph(*both_classes(plain)), options,
                                          providers=["CPUExecutionProvider"])
    numpy.testing.assert_allclose(floats.run(None, {"x": x})[0], plain.predict_proba(x), atol=1e-5)

    def with_kernel(kernel, model):
        def call(rows):
            os.environ["TEMPER_KERNEL"] = kernel
            return model.predict_proba(rows)
        return call
    return {"temper": with_kernel("", plain), "temper, avx2": with_kernel("avx2", plain),
            "scikit-learn": other.predict_proba,
            "ONNX Runtime": lambda rows: floats.run(["probabilities"], {"x": rows})[0],
            "ONNX Runtime, exported": lambda rows: exported.run(["probabilities"], {"x": rows})[0],
            "temper's default": with_kernel("", default), "temper's default, avx2": with_kernel("avx2", default)}


def measure(calls, rows, repeat):
    """{name: median seconds of a call}; the rounds of all are interleaved."""
    found = {name: [] for name in calls}
    for call in calls.values():
        call(rows)
    for _ in range(ROUNDS):
        for name, call in calls.items():
            start = time.perf_counter()
            for _ in range(repeat):
                call(rows)
            found[name].append((time.perf_counter() - start) / repeat)
    return {name: statistics.median(seconds) for name, seconds in found.items()}


def child(count):
    """Prints what one number of threads gives: {case: {name: seconds}}, and the versions."""
    import numpy
    import onnxruntime
    import sklearn
    import temperlr
    found = {}
    with tempfile.TemporaryDirectory() as work:
        for classes in (2, 10):
            calls = models(classes, work)
            rows = numpy.random.default_rng(1).standard_normal((count, FEATURES), dtype=numpy.float32)
            found[f"{classes} classes, float32"] = measure(calls, rows, 1)
            found[f"{classes} classes, one row"] = measure(calls, rows[:1].copy(), ONE_ROW_CALLS)
            if classes == 2:
                wide = {name: call for name, call in calls.items() if "ONNX" not in name}  # its input is float32
                found["2 classes, float64"] = measure(wide, rows.astype(float), 1)
    versions = {"temper": temperlr.__version__, "scikit-learn": sklearn.__version__,
                "ONNX Runtime": onnxruntime.__version__}
    print(json.dumps([found, versions]))


def run_child(threads, count):
    limits = {name: str(threads) for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
    done = subprocess.run([sys.executable, __file__, "--child", str(count)], env={**os.environ, **limits}, check=True,
                          capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def lines_of(case, threads, seconds, count):
    """How many times as long the faster peer takes as temper, with either kernel: at least as long, and for one row at
    least half as long."""
    one = case.endswith("one row")
    unit, size, target = ("us a call", 1e-6, 0.5) if one else ("ns a row", 1e-9 * count, 1)
    peers = {name: value for name, value in seconds.items() if not name.startswith("temper")}
    best = min(peers, key=peers.get)
    note = ", ".join(f"{name} {value / size:.3g}" for name, value in seconds.items()) + f" {unit}"
    plural = "s" if threads > 1 else ""
    for kernel in ("temper", "temper, avx2"):
        ratio = peers[best] / seconds[kernel]
        yield {"section": SECTION, "what": f"{case}, {threads} thread{plural}: {best} against {kernel}",
               "value": round(ratio, 2), "target": target, "direction": "at least", "met": ratio >= target,
               "note": note}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("record", nargs="?", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return child(options.child)
    count, lines, versions = 200_000 if options.quick else 1_000_000, [], {}
    for threads in THREADS:
        found, versions = run_child(threads, count)
        for case, seconds in found.items():
            lines.extend(lines_of(case, threads, seconds, count))
    print(", ".join(f"{name} {version}" for name, version in versions.items()))
    for line in lines:
        print(f"{line['what']}: {line['value']} ({line['note']})")
    if options.record:
        options.record.write_text(json.dumps({"lines": lines}), encoding="utf8")


if __name__ == "__main__":
    main()
