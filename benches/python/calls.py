"""One measurement in a separate process: the call, its time, and a checksum.

usage: calls.py CALL PATH [COUNT]

Imports are not timed, unless they are what is measured; opening is. The checksums of all contenders of a row
must be equal.
"""

import json
import sys
import time

import numpy as np


def chosen(length, count):
    """Returns positions that are spread over an axis at irregular distances."""
    count = min(count, length)
    stretch = length // count
    return [place * stretch + place * 7919 % stretch for place in range(count)]


def block(matrix):
    """Describes a SciPy matrix."""
    return {"entries": int(matrix.nnz), "check": float(matrix.data.sum(dtype=np.float64))}


def timed(work, describe=block):
    started = time.perf_counter()
    found = work()
    seconds = time.perf_counter() - started
    return {"seconds": seconds, **describe(found)}


def nnz_whole(path, _):
    import nnz
    import scipy.sparse  # noqa: F401

    return timed(lambda: nnz.open(path).to_scipy())


def copy_whole(path, _):
    """Copies a result into fresh memory."""
    import nnz

    found = nnz.open(path).to_scipy()
    return timed(lambda: type(found)((found.data.copy(), found.indices.copy(), found.indptr.copy()), found.shape))


def bpcells_whole(path, _):
    import bpcells.cpp
    import scipy.sparse as sparse
    from bpcells.experimental import DirMatrix

    def work():
        # Parts of a thousand columns are the fastest.
        cols = DirMatrix(path).shape[1]
        parts = []
        for first in range(0, cols, 1000):
            wanted = list(range(first, min(first + 1000, cols)))
            parts.extend(bpcells.cpp.load_matrix_dir_subset(path, None, wanted, 2))
        return sparse.hstack(parts, format="csc")

    return timed(work)


def h5py_whole(path, _):
    import h5py
    import scipy.sparse as sparse

    def work():
        with h5py.File(path.partition("::")[0]) as file:
            group = file["X"]
            data, indices, indptr = (group[name][:] for name in ("data", "indices", "indptr"))
            return sparse.csr_array((data, indices, indptr), shape=tuple(group.attrs["shape"]))

    return timed(work)


def anndata_whole(path, _):
    import anndata

    return timed(lambda: anndata.read_h5ad(path.partition("::")[0]).X)


def anndata_backed_whole(path, _):
    import anndata

    return timed(lambda: anndata.read_h5ad(path.partition("::")[0], backed="r").X.to_memory())


def nnz_some(path, count):
    import nnz
    import scipy.sparse  # noqa: F401

    by_row = nnz.open(path).order == "row"

    def work():
        matrix = nnz.open(path)
        wanted = chosen(matrix.shape[0 if by_row else 1], count)
        return matrix[wanted] if by_row else matrix[:, wanted]

    return timed(work)


def bpcells_some(path, count):
    from bpcells.experimental import DirMatrix

    def work():
        matrix = DirMatrix(path)
        matrix.threads = 2
        return matrix[:, chosen(matrix.shape[1], count)]

    return timed(work)


def anndata_backed_some(path, count):
    import anndata

    def work():
        backed = anndata.read_h5ad(path.partition("::")[0], backed="r")
        return backed[chosen(backed.n_obs, count)].to_memory().X

    return timed(work)


def nnz_open(path, _):
    import nnz

    # Loads what `import nnz` leaves to the first use of a name, which the row of imports includes.
    nnz.open
    return timed(lambda: nnz.open(path), lambda matrix: {"entries": matrix.nnz})


def anndata_backed_open(path, _):
    import anndata

    return timed(lambda: anndata.read_h5ad(path, backed="r"), lambda found: {"entries": None})


def bpcells_open(path, _):
    from bpcells.experimental import DirMatrix

    return timed(lambda: DirMatrix(path), lambda found: {"entries": None})


def main():
    call, path = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    print(json.dumps(globals()[call](path, count)))


if __name__ == "__main__":
    main()
