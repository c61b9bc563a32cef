"""From a neural network to an audit and back: digits of which three labels in ten are wrong.

A small network is trained with cross-entropy and with the two-temperature loss. Networks that are trained on other folds
then give each row a probability of each class; these, with the hidden layer as features, audit the labels. A reviewer
decides about the rows that are listed, here by the true labels, and the network is trained again. What is to be changed
for other data is in four functions. Needs PyTorch. It prints::

    wrong labels: 377 of 1257
    accuracy with cross-entropy: 89 %
    accuracy with the two-temperature loss: 96 %, 7 points more
    audit: 367 rows listed, of which 98 % are wrong: 95 % of the wrong labels
    accuracy after the review, cross-entropy: 97 %, 8 points more
    accuracy after the review, two-temperature loss: 96 %, 8 points more
"""
from __future__ import annotations

import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedKFold, train_test_split
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

import temperlr
from temperlr.torch import TemperedLoss

EPOCHS, FOLDS = 60, 3


def make_network() -> nn.Sequential:
    """The last layer gives logits; what is before it, embeddings."""
    return nn.Sequential(nn.Sequential(nn.Linear(64, 128), nn.ReLU()), nn.Linear(128, 10))


def train(rows: np.ndarray, labels: np.ndarray, loss: nn.Module) -> nn.Sequential:
    """Any loop that trains with CrossEntropyLoss trains with TemperedLoss."""
    torch.manual_seed(0)
    network = make_network()
    optimizer = torch.optim.Adam(network.parameters(), lr=0.005)
    batches = DataLoader(TensorDataset(torch.from_numpy(rows), torch.from_numpy(labels)), batch_size=128, shuffle=True)
    for _ in range(EPOCHS):
        for inputs, targets in batches:
            optimizer.zero_grad()
            loss(network(inputs), targets).backward()
            optimizer.step()
    return network


def outputs(network: nn.Module, rows: np.ndarray) -> Tensor:
    network.eval()
    with torch.no_grad():
        result: Tensor = network(torch.from_numpy(rows))
    return result


def out_of_fold(rows: np.ndarray, labels: np.ndarray, loss: TemperedLoss) -> np.ndarray:
    """Probabilities of each row by a network that was not trained on it. Those that the loss sees are too confident;
    their escort of order t1 has those of the given label."""
    probabilities = np.empty((len(labels), 10))
    for fit, held_out in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(rows, labels):
        network = train(rows[fit], labels[fit], loss)
        seen = loss.probabilities(outputs(network, rows[held_out]).double())
        probabilities[held_out] = temperlr.escort(seen.numpy(), loss.t1)
    return probabilities


# ---- Data: handwritten digits; three training labels in ten are replaced by another class
torch.set_num_threads(1)
X, y = load_digits(return_X_y=True)
X = (X / 16).astype(np.float32)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
_, noisy, changed = temperlr.add_noise(X_train, y_train, rate=0.3, random_state=0)
print(f"wrong labels: {len(changed)} of {len(noisy)}")


def accuracy(network: nn.Module) -> float:
    """In per cent, on test rows with correct labels."""
    return 100 * float(np.mean(outputs(network, X_test).argmax(1).numpy() == y_test))


# ---- Train, with either loss
plain, robust = nn.CrossEntropyLoss(), TemperedLoss(t1=0.3, t2=1.2)
network = train(X_train, noisy, robust)
before, better = accuracy(train(X_train, noisy, plain)), accuracy(network)
print(f"accuracy with cross-entropy: {before:.0f} %")
print(f"accuracy with the two-temperature loss: {better:.0f} %, {better - before:.0f} points more")

# ---- Audit the labels, by out-of-fold probabilities and by neighbours among the embeddings
embeddings = outputs(network[0], X_train).numpy()
report = temperlr.find_label_issues(y=noisy, pred_probs=out_of_fold(X_train, noisy, robust), features=embeddings)
listed = report.indices()
wrong = np.isin(listed, changed)
print(f"audit: {len(listed)} rows listed, of which {100 * wrong.mean():.0f} % are wrong: "
      f"{100 * wrong.sum() / len(changed):.0f} % of the wrong labels")

# ---- Review: a person looks at these rows, report.to_frame(), and gives their labels; then train again
reviewed = noisy.copy()
reviewed[listed] = y_train[listed]
for name, loss in (("cross-entropy", plain), ("two-temperature loss", robust)):
    after = accuracy(train(X_train, reviewed, loss))
    print(f"accuracy after the review, {name}: {after:.0f} %, {after - before:.0f} points more")
