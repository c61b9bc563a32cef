"""A neural network on Fashion-MNIST with noisy labels: cross-entropy, the bi-tempered and the two-temperature loss.

A perceptron with two hidden layers is trained on 8,000 images of 14 x 14 pixels with labels as given, with 40 % random
flips and with 40 % flips to the next class, and is judged on the 10,000 clean test images. The temperatures of each loss
are chosen for each kind of noise by a fit with a seed that is not reported, on 3,000 other training images, by accuracy
against their noisy labels: what a user has. No clean label and no test image has a part in it. Two accuracies are
reported: of the last epoch, and of the epoch with the highest accuracy against the noisy labels of these 3,000 images
(early stopping).

    network_noise.py [--report] [--quick] [--state FILE] [--minutes N]

Each fit is kept in FILE (build/network-noise.jsonl): a call that is interrupted, or stopped after N minutes, continues.
"""
import argparse
import functools
import gzip
import json
import os
import pathlib
import time

import numpy
import temperlr
import torch
from temperlr.torch import BiTemperedLoss, TemperedLoss
from torch import nn

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(os.environ.get("TEMPER_DATA") or ROOT.parent / "shared" / "data") / "fashion-mnist"
FIT_ROWS, VALIDATION_ROWS, EPOCHS, BATCH = 8000, 3000, 30, 100
NOISES = {"random 40 %": ("random", 0.4), "pair 40 %": ("pair", 0.4), "none": (None, 0.0)}
# t1 and t2 from which validation chooses. (1, 1) is cross-entropy, so that either loss may find that it does not help.
PAIRS = [(1.0, 1.0), (0.8, 1.2), (0.5, 1.2), (0.3, 1.0), (0.2, 1.4)]
LOSSES = {"cross-entropy": None, "bi-tempered": BiTemperedLoss, "two-temperature": TemperedLoss}
DESIGN_SEED, SEEDS = 100, (0, 1, 2)


def read(name, kind, header):
    with gzip.open(FOLDER / f"{name}-{kind}-ubyte.gz") as file:
        return numpy.frombuffer(file.read(), numpy.uint8, offset=header)


@functools.cache
def images(name):
    """In 14 x 14 pixels, each the mean of four, from which the mean of all is subtracted."""
    pixels = read(name, "images-idx3", 16).reshape(-1, 14, 2, 14, 2).mean(axis=(2, 4), dtype=numpy.float32)
    return pixels.reshape(-1, 196) / 255 - 0.286, read(name, "labels-idx1", 8).astype(numpy.int64)


def noisy_rows(noise, seed):
    """Rows to fit and rows to validate, disjoint, drawn by the seed; both with noisy labels."""
    pixels, labels = images("train")
    rows = numpy.random.default_rng(seed).permutation(len(labels))[:FIT_ROWS + VALIDATION_ROWS]
    x, y = pixels[rows], labels[rows]
    kind, rate = NOISES[noise]
    if kind:
        y = temperlr.add_noise(x, y, rate, kind, random_state=seed).y
    x, y = torch.from_numpy(x), torch.from_numpy(numpy.asarray(y, numpy.int64))
    return (x[:FIT_ROWS], y[:FIT_ROWS]), (x[FIT_ROWS:], y[FIT_ROWS:])


def accuracy(network, x, y):
    with torch.no_grad():
        return float((network(x).argmax(1) == y).double().mean())


def loss_of(name, t1, t2):
    return nn.CrossEntropyLoss() if LOSSES[name] is None else LOSSES[name](t1, t2)


def fit(job, test, epochs):
    """One training; accuracy on validation and test rows after each epoch."""
    (x, y), validation = noisy_rows(job["noise"], job["seed"])
    torch.manual_seed(job["seed"])
    network = nn.Sequential(nn.Linear(196, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 10))
    loss = loss_of(job["loss"], job["t1"], job["t2"])
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    curve = []
    for _ in range(epochs):
        for rows in torch.randperm(len(y)).split(BATCH):
            optimizer.zero_grad()
            loss(network(x[rows]), y[rows]).backward()
            optimizer.step()
        curve.append((accuracy(network, *validation), accuracy(network, *test)))
    return curve


def key(job):
    return json.dumps(job, sort_keys=True)


def load(path):
    if not path.exists():
        return {}
    with open(path) as file:
        return {key(record["job"]): record["curve"] for record in map(json.loads, file)}


def job(noise, name, pair, seed, epochs):
    name = "cross-entropy" if pair == (1.0, 1.0) else name
    return {"noise": noise, "loss": name, "t1": pair[0], "t2": pair[1], "seed": seed, "epochs": epochs}


def design_jobs(noise, name, epochs):
    return [job(noise, name, pair, DESIGN_SEED, epochs) for pair in PAIRS]


def chosen(done, noise, name, epochs):
    """The temperatures whose last epoch has the highest accuracy against noisy validation labels; None: unknown yet."""
    jobs = design_jobs(noise, name, epochs)
    if any(key(one) not in done for one in jobs):
        return None
    best = max(jobs, key=lambda one: done[key(one)][-1][0])
    return best["t1"], best["t2"]


def next_job(done, epochs, seeds):
    for noise in NOISES:
        for name, loss in LOSSES.items():
            for one in design_jobs(noise, name, epochs) if loss else []:
                if key(one) not in done:
                    return one
            pair = chosen(done, noise, name, epochs) if loss else (1.0, 1.0)
            for one in (job(noise, name, pair, seed, epochs) for seed in seeds):
                if key(one) not in done:
                    return one
    return None


def report(done, epochs, seeds):
    print(f"{FIT_ROWS} rows, {epochs} epochs; test accuracy in %, mean of seeds {', '.join(map(str, seeds))} "
          "(least to most)")
    print("| noise | loss | t1, t2 | last epoch | early stopping |\n|---|---|---|---|---|")
    means = {}
    for noise in NOISES:
        for name, loss in LOSSES.items():
            pair = chosen(done, noise, name, epochs) if loss else (1.0, 1.0)
            jobs = [job(noise, name, pair or (0, 0), seed, epochs) for seed in seeds]
            if any(key(one) not in done for one in jobs):
                continue
            curves = [numpy.array(done[key(one)]) for one in jobs]
            ends = [100 * numpy.array([curve[-1, 1] for curve in curves]),
                    100 * numpy.array([curve[curve[:, 0].argmax(), 1] for curve in curves])]
            means[noise, name] = [end.mean() for end in ends]
            cells = [f"{end.mean():.2f} ({end.min():.1f} to {end.max():.1f})" for end in ends]
            print(f"| {noise} | {name} | {pair[0]:g}, {pair[1]:g} | {cells[0]} | {cells[1]} |")
    for place, kind in enumerate(("last epoch", "early stopping")):
        for (noise, name), mean in means.items():
            plain = means.get((noise, "cross-entropy"))
            if plain and name != "cross-entropy" and mean[place] < plain[place]:
                print(f"loses: {name}, noise {noise}, {kind}: {mean[place] - plain[place]:+.2f} points against cross-entropy")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--report", action="store_true", help="only print what has been fitted")
    parser.add_argument("--quick", action="store_true", help="3 epochs and one seed: shows that it runs")
    parser.add_argument("--state", type=pathlib.Path, default=ROOT / "build" / "network-noise.jsonl")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    options = parser.parse_args()
    epochs, seeds = (3, SEEDS[:1]) if options.quick else (EPOCHS, SEEDS)
    if not FOLDER.exists():
        raise SystemExit(f"{FOLDER} does not exist: tools/fetch-data gets it, TEMPER_DATA names another folder")
    torch.set_num_threads(1)
    pixels, labels = images("t10k")
    test = torch.from_numpy(pixels), torch.from_numpy(labels)
    begin, done = time.monotonic(), load(options.state)
    while not options.report and time.monotonic() - begin < 60 * options.minutes:
        one = next_job(done, epochs, seeds)
        if one is None:
            break
        curve = fit(one, test, epochs)
        done[key(one)] = curve
        with open(options.state, "a") as file:
            file.write(json.dumps({"job": one, "curve": curve}) + "\n")
        print(f"{one['noise']}, {one['loss']}, t1 = {one['t1']:g}, t2 = {one['t2']:g}, seed {one['seed']}: "
              f"validation {curve[-1][0]:.4f}" + ("" if one["seed"] == DESIGN_SEED else f", test {curve[-1][1]:.4f}"),
              flush=True)
    report(done, epochs, seeds)


if __name__ == "__main__":
    main()
