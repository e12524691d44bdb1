"""One measurement in a separate process: reading a text into memory, its time, and a checksum.

usage: calls.py CALL PATH

Imports are not timed. The checksums of all contenders of a row must be equal; sums of floats are rounded, because they
depend on the order, and because pandas reads some floats as a neighbour of the nearest.
"""

import json
import resource
import sys
import time


def timed(work, describe):
    started, before = time.perf_counter(), time.process_time()
    found = work()
    seconds, cpu = time.perf_counter() - started, time.process_time() - before
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    entries, total = describe(found)
    return {"seconds": seconds, "cpu": cpu, "megabytes": megabytes, "entries": entries, "check": round(total, 3)}


def table(values):
    return values.size, float(values.sum())


def labelled(found):
    matrix, labels = found
    return int(matrix.nnz), float(matrix.data.sum()) + float(sum(labels))


def nnz_table(path):
    # The package imports its parts when they are named.
    from nnz import open as read

    return timed(lambda: read(path).to_numpy(), table)


def pandas_table(path):
    import pandas

    return timed(lambda: pandas.read_csv(path, index_col=0).to_numpy(), table)


def pandas_exact_table(path):
    import pandas

    return timed(lambda: pandas.read_csv(path, index_col=0, float_precision="round_trip").to_numpy(), table)


def nnz_svmlight(path):
    import pandas  # noqa: F401
    import scipy.sparse  # noqa: F401
    from nnz import open as read

    def work():
        matrix = read(path)
        return matrix.to_scipy(), matrix.annotations("rows").to_pandas()["label"].to_numpy()

    return timed(work, labelled)


def sklearn_svmlight(path):
    from sklearn.datasets import load_svmlight_file

    return timed(lambda: load_svmlight_file(path), labelled)


def nnz_edges(path):
    import scipy.sparse  # noqa: F401
    from nnz import open as read

    return timed(lambda: read(path).to_scipy(), lambda found: (int(found.nnz), float(found.data.sum())))


def networkx_edges(path):
    import networkx

    def describe(graph):
        return graph.number_of_edges(), float(graph.size(weight="weight"))

    def work():
        return networkx.read_weighted_edgelist(path, create_using=networkx.DiGraph, nodetype=int)

    return timed(work, describe)


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](sys.argv[2])))
