"""Generated data of shapes on which peers have been faster, or could be: one function for each, from a fixed seed, so that
nothing has to be fetched. Labels are drawn from a logistic model with a few large weights and many small ones, and 5 % of
them are replaced at random, so that no shape is separable by construction. Each function returns (train, test)."""
import numpy
import scipy.sparse

SEED = 20261117
TEST = 2000  # rows


def generator(name):
    """Streams of different shapes are independent, and adding a shape changes no other."""
    return numpy.random.default_rng([SEED, *name.encode()])


def zipf_shares(columns, exponent):
    shares = 1 / numpy.arange(1, columns + 1) ** exponent
    return shares / shares.sum()


def draw_labels(draw, score, positive=0.5):
    """Standardised scores, shifted so that about this share is of class 1; then 5 % of random labels."""
    score = 3 * (score - score.mean()) / score.std()
    score = score - numpy.quantile(score, 1 - positive)
    y = (score + draw.logistic(size=len(score)) > 0).astype(int)
    wrong = draw.random(len(y)) < 0.05
    return numpy.where(wrong, (draw.random(len(y)) < positive).astype(int), y)


def weights(draw, columns):
    return draw.normal(size=columns) * numpy.where(draw.random(columns) < 0.1, 1, 0.1)


def divide(x, y, test=TEST):
    return (x[:-test], y[:-test]), (x[-test:], y[-test:])


def with_labels(draw, x, positive=0.5):
    return divide(x, draw_labels(draw, numpy.asarray(x @ weights(draw, x.shape[1])).ravel(), positive))


# ---- Sparse --------------------------------------------------------------------------------------------------------


def sparse_rows(draw, rows, columns, lengths, exponent):
    """Rows of the given lengths (before equal columns are merged) with columns of Zipf frequencies, in random order."""
    cumulative = numpy.cumsum(zipf_shares(columns, exponent))
    order = draw.permutation(columns)
    column = order[numpy.minimum(numpy.searchsorted(cumulative, draw.random(lengths.sum())), columns - 1)]
    row = numpy.repeat(numpy.arange(rows), lengths)
    x = scipy.sparse.csr_matrix((numpy.ones(len(row), numpy.float32), (row, column)), (rows, columns))
    x.sum_duplicates()
    return x


def ones(name, rows, columns, share, positive):
    """w8a: words that are present or not, all values 1."""
    draw = generator(name)
    rows += TEST
    lengths = numpy.maximum(1, draw.poisson(1.15 * share * columns * draw.gamma(3, 1 / 3, rows))).astype(int)
    x = sparse_rows(draw, rows, columns, lengths, 0.6)
    x.data[:] = 1
    return with_labels(draw, x, positive)


def text(name, rows, columns, length):
    """Documents: tf-idf of words with Zipf frequencies, each row of length 1."""
    draw = generator(name)
    rows += TEST
    x = sparse_rows(draw, rows, columns, 1 + draw.poisson(length * draw.gamma(2, 1 / 2, rows)), 1.0)
    documents = numpy.bincount(x.indices, minlength=columns)
    x.data = ((1 + numpy.log(x.data)) * numpy.log((1 + rows) / (1 + documents[x.indices]))).astype(numpy.float32)
    norm = numpy.sqrt(numpy.asarray(x.multiply(x).sum(axis=1)).ravel())
    x.data /= numpy.repeat(numpy.maximum(norm, 1e-12), numpy.diff(x.indptr)).astype(numpy.float32)
    return with_labels(draw, x)


def clicks(name, rows, columns, each):
    """Click logs: one of the values of each of `each` categorical columns, one-hot, few of them positive."""
    draw = generator(name)
    rows += TEST
    sizes = (columns * zipf_shares(each, 1.0)).astype(int) + 2
    sizes[0] -= sizes.sum() - columns
    first = numpy.concatenate([[0], numpy.cumsum(sizes)[:-1]])
    column = numpy.stack([f + numpy.minimum((s ** draw.random(rows)).astype(int) - 1, s - 1)
                          for f, s in zip(first, sizes)], axis=1)
    data = numpy.ones(rows * each, numpy.float32)
    x = scipy.sparse.csr_matrix((data, column.ravel(), numpy.arange(0, rows * each + 1, each)), (rows, columns))
    x.sort_indices()
    return with_labels(draw, x, 0.1)


# ---- Dense ---------------------------------------------------------------------------------------------------------


def dense(name, rows, columns):
    draw = generator(name)
    return with_labels(draw, draw.standard_normal((rows + TEST, columns), numpy.float32))


def correlated(name, rows, columns, condition):
    """Columns of equal variance whose covariance has this condition number, with singular values in geometric order."""
    draw = generator(name)
    basis, _ = numpy.linalg.qr(draw.normal(size=(columns, columns)))
    spectrum = numpy.geomspace(1, condition ** -0.5, columns)
    x = (draw.normal(size=(rows + TEST, columns)) * spectrum) @ basis
    return with_labels(draw, (x / x.std(axis=0)).astype(numpy.float32))


def unscaled(name, rows, columns):
    """Columns in units from 1e-3 to 1e3, with means that differ from 0 by as much."""
    draw = generator(name)
    x = draw.normal(size=(rows + TEST, columns)) + draw.normal(size=columns)
    score = x @ weights(draw, columns)
    unit = 10 ** draw.uniform(-3, 3, columns)
    return divide((x * unit).astype(numpy.float32), draw_labels(draw, score))


def classes(name, rows, columns, count):
    """Classes around centres that overlap."""
    draw = generator(name)
    y = draw.integers(count, size=rows + TEST)
    centres = draw.normal(size=(count, columns)) * 2 / columns ** 0.5
    x = centres[y] + draw.normal(size=(rows + TEST, columns))
    return divide(x.astype(numpy.float32), y)


SHAPES = {
    "shape-ones": lambda name: ones(name, 50_000, 300, 0.04, 0.03),
    "shape-text-8k": lambda name: text(name, 8_000, 8_000, 60),
    "shape-text-20k": lambda name: text(name, 3_000, 20_000, 180),
    "shape-clicks": lambda name: clicks(name, 200_000, 1_000_000, 20),
    "shape-correlated": lambda name: correlated(name, 50_000, 100, 1e8),
    "shape-unscaled": lambda name: unscaled(name, 50_000, 50),
    "shape-dense-500": lambda name: dense(name, 5_000, 500),
    "shape-dense-wide": lambda name: dense(name, 2_000, 20_000),
    "shape-50-classes": lambda name: classes(name, 20_000, 100, 50),
    # Not looked at while choosing how sparse and wide data are trained: they judge those choices.
    "shape-judge-ones": lambda name: ones(name, 30_000, 120, 0.11, 0.24),
    "shape-judge-text": lambda name: text(name, 12_000, 30_000, 90),
    "shape-judge-wide": lambda name: dense(name, 1_000, 6_000),
}


def make(name):
    return SHAPES[name](name)
