"""A whole job by Python tools, in a process of its own: job_python.py PATH READER SOLVER L2

READER is pandas (CSV, the label in the last column) or load_svmlight_file; SOLVER one of LogisticRegression's.
Prints seconds: {"read": ..., "fit": ..., "predict": ...}. And, for all of them,

    job_python.py prepare SET KIND FOLDER TEMPER

makes the text of a set, prints {"path": ..., "rows": ...}, or null where the data of the set is missing."""
import json
import pathlib
import sys
import time

import numpy
from sklearn.linear_model import LogisticRegression

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # the folders of bench/ import each other


def read(path, reader):
    if reader == "pandas":
        import pandas
        frame = pandas.read_csv(path, header=None, engine="c", dtype="float32")
        return frame.iloc[:, :-1].to_numpy(), frame.iloc[:, -1].to_numpy().astype(int)
    from sklearn.datasets import load_svmlight_file
    return load_svmlight_file(path, dtype=numpy.float32)


def job(path, reader, solver, l2):
    start = time.perf_counter()
    x, y = read(path, reader)
    model = LogisticRegression(C=1 / (float(l2) * x.shape[0]), solver=solver, max_iter=1000)
    done = [time.perf_counter()]
    model.fit(x, y)
    done.append(time.perf_counter())
    model.predict(x)
    done.append(time.perf_counter())
    return {"read": done[0] - start, "fit": done[1] - done[0], "predict": done[2] - done[1]}


def prepare(name, kind, folder, temper):
    from training import train_data
    folder = pathlib.Path(folder) / name
    if not train_data.make(name, folder, temper):
        return None
    x, y = train_data.load(folder, "train")
    path = folder / f"train.{kind}"
    if kind == "csv" and not path.exists():
        numpy.savetxt(path, numpy.column_stack([x, y]), fmt=["%.6g"] * x.shape[1] + ["%d"], delimiter=",")
    return {"path": str(path), "rows": int(x.shape[0])}


print(json.dumps(prepare(*sys.argv[2:]) if sys.argv[1] == "prepare" else job(*sys.argv[1:])))
