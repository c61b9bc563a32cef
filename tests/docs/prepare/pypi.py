import numpy

draw = numpy.random.default_rng(1)
X, X_new = draw.normal(size=(200, 3)), draw.normal(size=(20, 3))
y = (X[:, 0] + 0.3 * draw.normal(size=200) > 0).astype(int)
