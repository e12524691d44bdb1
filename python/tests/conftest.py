"""Fixtures of all tests: files of the repository, and their content in SciPy."""

import pathlib
import signal
import traceback

import numpy as np
import pytest
import scipy.sparse as sparse

import nnz

# A shell that starts the tests in the background may have them ignore interrupts, which tests send.
signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESTDATA = ROOT / "testdata"
PBMC = ROOT / "examples" / "pbmc_10x_v3_mtx"
FULL = TESTDATA / "anndata" / "valid" / "0.12.19" / "h5ad" / "full_csr.h5ad"


def random_matrix(shape=(40, 30), density=0.2, dtype=np.float64, seed=0, order="row"):
    """Return a random SciPy matrix."""
    made = sparse.random_array(shape, density=density, rng=np.random.default_rng(seed), format="csr")
    made.data = (made.data * 100 + 1).astype(dtype)
    made = sparse.csr_array((made.data, made.indices, made.indptr), shape=shape)
    made.sort_indices()
    return made if order == "row" else made.tocsc()


def same(found, expected):
    """Assert that two SciPy matrices have the same entries, exactly."""
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    found, expected = (sparse.coo_array(one) for one in (found, expected))
    places = [np.lexsort((one.col, one.row)) for one in (found, expected)]
    for part in ("row", "col", "data"):
        one, other = (getattr(matrix, part)[place] for matrix, place in zip((found, expected), places))
        np.testing.assert_array_equal(one, other)


@pytest.fixture
def store(tmp_path):
    """A packed matrix with names, and the same in SciPy."""
    matrix = random_matrix(dtype=np.uint32, order="col")
    path = tmp_path / "m.bpcells"
    names = [f"r{i}" for i in range(40)], [f"c{i}" for i in range(30)]
    nnz.write(matrix, path, row_names=names[0], col_names=names[1])
    return path, matrix


def read_or_skip(read, path):
    """Return what anndata reads, or skip the test if it fails.

    The traceback of its error can keep h5py's lock, for which the threads of dask wait.
    """
    try:
        return read(path)
    except Exception as error:
        traceback.clear_frames(error.__traceback__)
        pytest.skip(f"anndata does not read it: {error}")
