"""Filters, compared with NumPy."""

import pickle

import numpy as np
import pytest
from conftest import PBMC, random_matrix, same

import nnz

# Some of the formats store names.
pytestmark = pytest.mark.filterwarnings("ignore::nnz.DroppedWarning")


@pytest.fixture(params=["m.bpcells", "m.h5ad", "m.npz", "m.zarr", "m.mtx"])
def stored(request, tmp_path):
    """A matrix of counts with 30 rows and 50 columns, and where it is stored."""
    matrix = random_matrix((30, 50), dtype=np.int32)
    nnz.write(matrix, tmp_path / request.param)
    # Formats have other types of integers.
    return nnz.open(tmp_path / request.param).to_scipy().tocsr(), tmp_path / request.param


def test_filters_equal_those_of_numpy(stored):
    matrix, path = stored
    dense = matrix.toarray()
    counts, sums = (dense != 0).sum(axis=0), dense.sum(axis=0)
    rows = (dense != 0).sum(axis=1) >= 8
    cols = (counts >= 5) & (sums < np.median(sums))
    m = nnz.open(path)
    kept = m.filter(rows="nnz>=8", cols=("nnz>=5", f"sum<{np.median(sums)}"))
    same(kept.to_scipy().tocsr(), matrix[rows][:, cols])
    # It is a selection, which can be pickled and is computed with.
    same(pickle.loads(pickle.dumps(kept)).to_scipy().tocsr(), matrix[rows][:, cols])
    np.testing.assert_array_equal(kept.sum(axis=0), dense[rows][:, cols].sum(axis=0))
    variances = dense.var(axis=1, ddof=1)
    same(m.filter(rows=f"variance>{np.median(variances)}").to_scipy().tocsr(), matrix[variances > np.median(variances)])
    same(m.T.filter(rows="nnz>=5").to_scipy().tocsr(), matrix.T.tocsr()[counts >= 5])


def test_filters_are_written_as_they_are_selected(stored, tmp_path):
    matrix, path = stored
    rows = np.arange(30) % 2 == 0
    done = nnz.filter(path, tmp_path / "kept.npz", cols=("nnz>=5", "0:40"), rows=rows)
    expected = matrix[::2][:, np.flatnonzero(((matrix.toarray() != 0).sum(axis=0) >= 5) & (np.arange(50) < 40))]
    same(nnz.open(tmp_path / "kept.npz").to_scipy().tocsr(), expected)
    assert done.shape == expected.shape and done.entries == expected.nnz


def test_conditions_that_do_not_fit_are_refused(tmp_path):
    m = nnz.open(PBMC)
    for given, says in [
        ({"rows": "nnz>=many"}, "expected a number"),
        ({"cols": "sum(rows=^ZZZ)>1"}, "no row has a name that matches"),
        ({"cols": "sum(cols=A)>1"}, "selected by names of rows"),
        ({"rows": "sum/all>1"}, '"all" is not a measure'),
    ]:
        with pytest.raises(nnz.ArgumentError, match=says):
            m.filter(**given)
        with pytest.raises(nnz.ArgumentError, match=says):
            nnz.filter(PBMC, tmp_path / "kept.npz", **given)
    with pytest.raises(KeyError):
        m.filter(rows=["no such gene"])
    for given in [{"cells": np.ones(m.shape[1] - 1, bool)}, {"cells": 5000}, {"features": None, "cells": ("nnz>1", 2.5)}]:
        with pytest.raises(IndexError, match="1106 booleans for 1107 cells|cell 5000 is outside|cells are selected by"):
            m.filter(**given)
    with pytest.raises(IndexError):
        m.filter(cols=5.5)
    assert m.filter(rows=np.arange(507) < 3, cols=[5, 7]).shape == (3, 2)
    assert not (tmp_path / "kept.npz").exists()
    assert m.filter().shape == m.shape


def test_samples_of_both_axes_are_independent(tmp_path):
    nnz.write(np.arange(1, 26.0).reshape(5, 5), tmp_path / "m.npz")
    m, same, diagonal = nnz.open(tmp_path / "m.npz"), 0, 0
    for seed in range(1000):
        found = m.sample(rows=2, cols=2, seed=seed).to_numpy().astype(int) - 1
        same += set(found[:, 0] // 5) == set(found[0] % 5)
        diagonal += sum(at // 5 == at % 5 for at in found.ravel())
    # 1 of 10 pairs, and 4 elements of which each is on the diagonal with a probability of 1/5.
    assert 60 < same < 140 and 700 < diagonal < 900


def test_samples_are_those_of_the_seed(stored, tmp_path):
    matrix, path = stored
    m = nnz.open(path)
    kept = m.sample(rows=10, cols=40, seed=3)
    assert kept.shape == (10, 40) and m.sample(rows=30).shape == (30, 50)
    nnz.sample(path, tmp_path / "s.npz", rows=10, cols=40, seed=3)
    same(nnz.open(tmp_path / "s.npz").to_scipy().tocsr(), kept.to_scipy().tocsr())
    # Each row of the sample is one of the matrix, in its order.
    rows = [row.tobytes() for row in matrix.toarray()]
    places = [rows.index(row.tobytes()) for row in m.sample(rows=10, seed=3).to_numpy()]
    assert places == sorted(set(places))
    assert places != [rows.index(row.tobytes()) for row in m.sample(rows=10, seed=4).to_numpy()]
    for given, says in [({"rows": 31}, "cannot sample 31 rows of 30"), ({"rows": -1}, "0 or more"), ({"rows": 1.5}, "integer")]:
        with pytest.raises(nnz.ArgumentError, match=says):
            m.sample(**given)
        with pytest.raises(nnz.ArgumentError, match=says):
            nnz.sample(path, tmp_path / "none.npz", **given)
    assert not (tmp_path / "none.npz").exists()
