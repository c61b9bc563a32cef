"""Tasks of Spark that meet once, in a barrier stage, and then train over sockets. Needs pyspark, pyarrow and Java.

It prints::

    2 partitions on 2 executors: accuracy 0.812
"""
import os
import sys

import numpy as np
from pyspark.sql import SparkSession

from temperlr import TemperedLogisticRegression
from temperlr.engines import fit_spark


def main() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 30))
    y = (X @ rng.normal(size=30) + 2 * rng.logistic(size=20_000) > 0).astype(int)
    os.environ["PYSPARK_PYTHON"] = sys.executable  # the executors have the same packages
    spark = (SparkSession.builder.master("local-cluster[2,1,1024]")  # two executors of one core
             .config("spark.ui.enabled", "false").config("spark.log.level", "ERROR").getOrCreate())
    columns = [f"f{j}" for j in range(30)]
    rows = spark.sparkContext.parallelize(np.column_stack([X, y]).tolist(), 2)
    frame = spark.createDataFrame(rows, [*columns, "label"])
    model = fit_spark(frame, "label", columns, TemperedLogisticRegression(tol=1e-10))
    print(f"2 partitions on 2 executors: accuracy {model.score(X, y):.3f}")
    spark.stop()


if __name__ == "__main__":
    main()
