# What the blocks of the page call X, y, X_new, ...: some hundred rows, a tenth of whose labels are wrong.
import numpy as np
import pandas
import polars
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

draw = np.random.default_rng(1)
X, X_new = draw.normal(size=(200, 3)), draw.normal(size=(20, 3))
truth = (X[:, 0] + 0.2 * draw.normal(size=200) > 0).astype(int)
y = np.where(draw.random(200) < 0.1, 1 - truth, truth)
patients = np.arange(200) // 4
P = np.column_stack([1 / (1 + np.exp(3 * X[:, 0])), 1 / (1 + np.exp(-3 * X[:, 0]))])
E = X[:, :2]
votes = np.array([np.where(draw.random(200) < 0.1 * worker, 1 - truth, truth) for worker in range(1, 5)]).T
frame = pandas.DataFrame([(item, name, votes[item, column]) for item in range(200)
                          for column, name in enumerate(["ann", "ben", "cid", "dan"])], columns=["task", "worker", "label"])
polars_frame = polars.DataFrame({"age": X[:, 0], "height": X[:, 1]})
polars_frame.with_columns(kind=polars.Series(y)).write_parquet("people.parquet")
