"""temper: logistic regression for people whose labels are partly wrong.

``TemperedLogisticRegression`` is an estimator for scikit-learn, ``TemperedLogisticRegressionCV``
chooses its temperatures; ``find_label_issues`` reports which labels look wrong; ``add_noise`` makes
them wrong on purpose; ``consensus`` joins the labels of several annotators; ``load`` and ``save`` share model files with the command; ``read`` makes
rows of tables of any kind; ``log_t``,
``exp_t``, ``tempered_loss`` and their relatives are the functions of the paper. ``temperlr.plots``
draws; ``temperlr.linear_model`` has LogisticRegression and LogisticRegressionCV as scikit-learn has
them; ``temperlr.shards`` trains on rows that lie with the workers of another engine, ``temperlr.engines``
with workers of Dask, Ray and Spark that meet once.
"""
from . import communicator, engines, linear_model, plots, shards
from ._base import Explanation
from ._progress import Progress, TuneProgress
from ._temper import version as __version__
from .audit import AuditReport, find_label_issues
from .annotators import ConsensusReport, consensus
from .estimator import TemperedLogisticRegression
from .files import load, save
from .functions import (bi_tempered_loss, divergence, entropy, escort, exp_t, log_partition, log_t,
                        probabilities, tempered_loss)
from .noise import Noisy, add_noise
from .search import TemperedLogisticRegressionCV
from .tables import Table, read

__all__ = ["AuditReport", "ConsensusReport", "Explanation", "Noisy", "Progress", "Table", "TemperedLogisticRegression",
           "TemperedLogisticRegressionCV", "TuneProgress", "__version__", "add_noise", "bi_tempered_loss", "communicator",
           "consensus", "divergence", "engines", "entropy", "escort", "exp_t", "find_label_issues", "linear_model", "load",
           "log_partition", "log_t",
           "plots", "probabilities", "read", "save", "shards", "tempered_loss"]
