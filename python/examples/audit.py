"""Which labels are wrong? An audit of a table, from the list to a better model.

The table is a data frame with names of patients, and labels that are words, of which one in eight
has been flipped. The report names the patients, and estimates how many labels are wrong: so many are
looked at, or here left out.

It prints::

    53 of 426 labels are wrong; the audit says about 60
    of the 50 most suspicious 96% are
                  given  suggested
    patient 352  benign  malignant
    patient 280  benign  malignant
    logistic regression, all rows: 0.93
    logistic regression, without those 50: 0.96
"""
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import temperlr

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X.index = [f"patient {i}" for i in X.index]
y = y.map({0: "malignant", 1: "benign"}).to_numpy()
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
_, noisy, changed = temperlr.add_noise(X_train, y_train, rate=0.125, random_state=0)

report = temperlr.find_label_issues(X_train, noisy, t1=0.3)
print(f"{len(changed)} of {len(noisy)} labels are wrong; the audit says about "
      f"{round(report.n_wrong, -1):.0f}")
first = report.indices(top=50)
print(f"of the {len(first)} most suspicious {(noisy != y_train)[first].mean():.0%} are")
print(report.to_frame(top=2)[["given", "suggested"]])

for what, rows in (("all rows", slice(None)), ("without those 50", ~report.mask(top=50))):
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X_train[rows], noisy[rows])
    print(f"logistic regression, {what}: {model.score(X_test, y_test):.2f}")
