# The model that the block reads, trained here.
import numpy
from temperlr import TemperedLogisticRegression

draw = numpy.random.default_rng(1)
X = draw.normal(size=(120, 3))
y = numpy.array(["no", "yes"])[(X[:, 0] + 0.3 * draw.normal(size=120) > 0).astype(int)]
TemperedLogisticRegression().fit(X, y).save("data.temper")
