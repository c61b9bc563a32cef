"""Those who train in Python, each as a pair of steps: what it makes of the rows beforehand, which is not
timed, and the training, which is. A solver gives its weights (a row for two classes, else one a class) and
intercepts for raw rows; who gives them is judged elsewhere, by our objective."""
import json
import warnings

import numpy
from sklearn.linear_model import LogisticRegression, SGDClassifier

try:
    import xgboost
except ImportError:
    xgboost = None

MOST_ITERATIONS = 100000
NAMES = ("lbfgs", "newton-cg", "newton-cholesky", "liblinear", "saga", "sgd", "xgboost gblinear")


class Logistic:
    """LogisticRegression: (1/2)|w|^2 + C sum of losses, over C N."""

    def __init__(self, x, y, l2, solver):
        self.x, self.y, self.cost, self.solver = x, y, 1 / (l2 * x.shape[0]), solver

    def fit(self, tol):
        model = LogisticRegression(C=self.cost, solver=self.solver, tol=tol, max_iter=MOST_ITERATIONS)
        model.fit(self.x, self.y)
        return model.coef_.astype(float), model.intercept_.astype(float)


class Stochastic:
    """SGDClassifier: its alpha is our l2; of many classes, one against the rest."""

    def __init__(self, x, y, l2, _):
        self.x, self.y, self.l2 = x, y, l2

    def fit(self, tol):
        model = SGDClassifier(loss="log_loss", alpha=self.l2, tol=tol, max_iter=1000, random_state=1)
        model.fit(self.x, self.y)
        return model.coef_.astype(float), model.intercept_.astype(float)


class Boosted:
    """XGBoost's gblinear, by coordinates: it multiplies lambda by the rows, so it is our l2."""

    def __init__(self, x, y, l2, _):
        classes = numpy.unique(y)
        self.count = len(classes)
        self.rows = xgboost.DMatrix(x, label=numpy.searchsorted(classes, y), nthread=1)
        self.options = {"booster": "gblinear", "updater": "coord_descent", "lambda": l2, "alpha": 0,
                        "eta": 1, "nthread": 1, "base_score": 0.5, "verbosity": 0,
                        "feature_selector": "cyclic", "objective": "binary:logistic"}
        if self.count > 2:
            self.options.update(objective="multi:softprob", num_class=self.count)

    def fit(self, tol):
        model = xgboost.train({**self.options, "tolerance": tol}, self.rows, num_boost_round=rounds(tol))
        told = json.loads(bytes(model.save_raw("json")))
        weights = numpy.array(told["learner"]["gradient_booster"]["model"]["weights"], float)
        weights = weights.reshape(self.rows.num_col() + 1, -1)  # the last is the intercept
        return weights[:-1].T.copy(), weights[-1].copy()


def rounds(tol):
    """It runs all its rounds whatever its tolerance, without progress."""
    return int(min(2000, max(10, 1 / tol ** 0.5)))


def prepare(name, x, y, l2):
    warnings.filterwarnings("ignore")
    kind = {"sgd": Stochastic, "xgboost gblinear": Boosted}.get(name, Logistic)
    return kind(x, y, l2, name)
