# A cluster of Dask on this machine, and arrays in two partitions; what follows the blocks closes it.
import atexit

try:
    import dask.array
    import numpy
    from distributed import Client
    from temperlr import TemperedLogisticRegression

    client = Client(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None)
    atexit.register(client.close)
    draw = numpy.random.default_rng(1)
    values = draw.normal(size=(200, 3))
    X = dask.array.from_array(values, chunks=(100, 3))
    y = dask.array.from_array((values[:, 0] + 0.3 * draw.normal(size=200) > 0).astype(int), chunks=100)
except ImportError:
    pass  # the block needs distributed, and is left out
