"""Those who train in Python, each as a pair of steps: what it makes of the rows beforehand, which is not
timed, and the training, which is. A solver gives its weights (a row for two classes, else one a class) and
intercepts for raw rows; who gives them is judged elsewhere, by our objective."""
import json
import warnings

import numpy
import scipy.sparse
from sklearn.linear_model import LogisticRegression, SGDClassifier

from peers import installed

if installed.has("xgboost"):
    import xgboost
if installed.has("snapml"):
    import snapml
if installed.has("mlpack"):
    from mlpack.logistic_regression import LogisticRegression as MlpackLogistic

MOST_ITERATIONS = 100000
NAMES = ("lbfgs", "newton-cg", "newton-cholesky", "liblinear", "saga", "sgd", "xgboost gblinear", "snapml primal",
         "snapml dual", "sklearnex lbfgs", "sklearnex newton-cg", "mlpack lbfgs")
DENSE = ("sklearnex lbfgs", "sklearnex newton-cg", "mlpack lbfgs")  # those that take no sparse rows, or only by their own copy
PENALISED = ("liblinear", "snapml primal", "snapml dual")  # those that penalise the intercept


class Logistic:
    """LogisticRegression: (1/2)|w|^2 + C sum of losses, over C N."""

    def __init__(self, x, y, l2, solver, threads):
        self.x, self.y, self.cost, self.solver, self.threads = x, y, 1 / (l2 * x.shape[0]), solver, threads

    def fit(self, tol):
        model = LogisticRegression(C=self.cost, solver=self.solver, tol=tol, max_iter=MOST_ITERATIONS)
        model.fit(self.x, self.y)
        return model.coef_.astype(float), model.intercept_.astype(float)


class Stochastic:
    """SGDClassifier: its alpha is our l2; of many classes, one against the rest."""

    def __init__(self, x, y, l2, *_):
        self.x, self.y, self.l2 = x, y, l2

    def fit(self, tol):
        model = SGDClassifier(loss="log_loss", alpha=self.l2, tol=tol, max_iter=1000, random_state=1)
        model.fit(self.x, self.y)
        return model.coef_.astype(float), model.intercept_.astype(float)


class Boosted:
    """XGBoost's gblinear, by coordinates: it multiplies lambda by the rows, so it is our l2."""

    def __init__(self, x, y, l2, _, threads):
        classes = numpy.unique(y)
        self.count = len(classes)
        self.rows = xgboost.DMatrix(x, label=numpy.searchsorted(classes, y), nthread=threads)
        self.options = {"booster": "gblinear", "updater": "coord_descent", "lambda": l2, "alpha": 0,
                        "eta": 1, "nthread": threads, "base_score": 0.5, "verbosity": 0,
                        "feature_selector": "cyclic", "objective": "binary:logistic"}
        if self.count > 2:
            self.options.update(objective="multi:softprob", num_class=self.count)

    def fit(self, tol):
        model = xgboost.train({**self.options, "tolerance": tol}, self.rows, num_boost_round=rounds(tol))
        told = json.loads(bytes(model.save_raw("json")))
        weights = numpy.array(told["learner"]["gradient_booster"]["model"]["weights"], float)
        weights = weights.reshape(self.rows.num_col() + 1, -1)  # the last is the intercept
        return weights[:-1].T.copy(), weights[-1].copy()


class Snap:
    """Snap ML, by coordinates of the primal or the dual: regularizer/2 |w|^2 + sum of losses. Its primal returns no
    intercept, so a column of ones is appended for both: a penalised weight, as its own intercept is. Rows are given in the
    order that each of them needs, so that none is converted within the timed part."""

    def __init__(self, x, y, l2, name, threads):
        self.dual, self.y, self.regularizer, self.threads = name == "snapml dual", y, l2 * x.shape[0], threads
        one = numpy.ones((x.shape[0], 1), numpy.float32)
        if scipy.sparse.issparse(x):
            self.x = scipy.sparse.hstack([x, one]).asformat("csr" if self.dual else "csc").astype(numpy.float32)
        else:
            self.x = numpy.hstack([x, one])

    def fit(self, tol):
        model = snapml.LogisticRegression(max_iter=MOST_ITERATIONS, regularizer=self.regularizer, dual=self.dual, n_jobs=self.threads,
                                          tol=tol, random_state=1)
        model.fit(self.x, self.y)
        found = numpy.atleast_2d(numpy.asarray(model.coef_, float).squeeze())
        found = found.T if found.shape[1] != self.x.shape[1] else found
        return found[:, :-1].copy(), found[:, -1].copy()


class Intel(Logistic):
    """Intel's extension of scikit-learn: LogisticRegression by oneDAL."""

    def fit(self, tol):
        from daal4py import daalinit  # imported late: it starts threads
        from sklearnex.linear_model import LogisticRegression as Patched
        daalinit(self.threads)
        model = Patched(C=self.cost, solver=self.solver.split()[-1], tol=tol, max_iter=MOST_ITERATIONS)
        model.fit(self.x, self.y)
        return model.coef_.astype(float), model.intercept_.astype(float)


class Mlpack:
    """mlpack: lambda/2 |w|^2 + sum of losses, in doubles; of two classes only."""

    def __init__(self, x, y, l2, *_):
        self.x, self.y, self.penalty = x.astype(float), numpy.unique(y, return_inverse=True)[1], l2 * x.shape[0]

    def fit(self, tol):
        model = MlpackLogistic(lambda_=self.penalty, optimizer="lbfgs", tolerance=tol, max_iterations=MOST_ITERATIONS)
        model.fit(training=self.x, labels=self.y)
        (told,) = model._LogisticRegression.get_cpp_params().values()
        found = numpy.asarray(told["parameters"], float).ravel()  # the first is the intercept
        return found[None, 1:].copy(), found[:1].copy()


def rounds(tol):
    """It runs all its rounds whatever its tolerance, without progress."""
    return int(min(2000, max(10, 1 / tol ** 0.5)))


def prepare(name, rows, l2, threads):
    """rows: (x, y)"""
    warnings.filterwarnings("ignore")
    kinds = {"sgd": Stochastic, "xgboost gblinear": Boosted, "snapml primal": Snap, "snapml dual": Snap,
             "sklearnex lbfgs": Intel, "sklearnex newton-cg": Intel, "mlpack lbfgs": Mlpack}
    kind = kinds.get(name, Logistic)
    return kind(*rows, l2, name, threads)
