"""From a neural network to an audit and back: digits of which three labels in ten are wrong.

A small network is trained with cross-entropy and with the two-temperature loss. Its out-of-fold probabilities and its
hidden layer then audit the labels, a reviewer decides about the rows that are listed, and the network is trained again.
Needs PyTorch. It prints::

    two-temperature loss is better by 5 points or more: True
    more than 8 of 10 rows that the audit lists are wrong: True
    more than 6 of 10 wrong labels are found: True
    cross-entropy after the review is better by 5 points or more: True
"""
from __future__ import annotations

import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedKFold, train_test_split
from torch import Tensor, nn

import temperlr
from temperlr.torch import TemperedLoss, tempered_softmax

T1, T2 = 0.3, 1.2

torch.manual_seed(0)
torch.set_num_threads(1)
X, y = load_digits(return_X_y=True)
X = (X / 16).astype(np.float32)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
_, noisy, changed = temperlr.add_noise(X_train, y_train, rate=0.3, random_state=0)
wrong = np.zeros(len(noisy), dtype=bool)
wrong[changed] = True


def train(rows: np.ndarray, labels: np.ndarray, loss: nn.Module) -> nn.Sequential:
    """A network with a hidden layer of 64 units: Adam on all rows at once."""
    network = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    inputs, targets = torch.from_numpy(rows), torch.from_numpy(labels)
    for _ in range(120):
        optimizer.zero_grad()
        loss(network(inputs), targets).backward()
        optimizer.step()
    return network


def outputs(network: nn.Module, rows: np.ndarray) -> Tensor:
    with torch.no_grad():
        result: Tensor = network(torch.from_numpy(rows))
    return result


def accuracy(network: nn.Module) -> float:
    return float(np.mean(outputs(network, X_test).argmax(1).numpy() == y_test))


# ---- Train, with either loss
plain = train(X_train, noisy, nn.CrossEntropyLoss())
robust = train(X_train, noisy, TemperedLoss(T1, T2))
print("two-temperature loss is better by 5 points or more:", accuracy(robust) > accuracy(plain) + 0.05)

# ---- Audit: each row is judged by networks that have not seen it. The probabilities that the loss sees are too
# confident; their escort of order t1 has those of the given label.
probabilities = np.empty((len(noisy), 10))
for fit, held_out in StratifiedKFold(3, shuffle=True, random_state=0).split(X_train, noisy):
    fold = train(X_train[fit], noisy[fit], TemperedLoss(T1, T2))
    seen = tempered_softmax(outputs(fold, X_train[held_out]).double(), T2)
    probabilities[held_out] = temperlr.escort(seen.numpy(), T1)
embeddings = outputs(robust[:2], X_train).numpy()
report = temperlr.find_label_issues(y=noisy, pred_probs=probabilities, features=embeddings)
listed = report.indices()
print("more than 8 of 10 rows that the audit lists are wrong:", wrong[listed].mean() > 0.8)
print("more than 6 of 10 wrong labels are found:", wrong[listed].sum() > 0.6 * wrong.sum())

# ---- Review: a person looks at these rows, and gives the right labels; then train again
reviewed = noisy.copy()
reviewed[listed] = y_train[listed]
print("cross-entropy after the review is better by 5 points or more:",
      accuracy(train(X_train, reviewed, nn.CrossEntropyLoss())) > accuracy(plain) + 0.05)
