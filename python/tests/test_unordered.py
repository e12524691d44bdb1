"""Coordinates in any order, of which SciPy adds up those of one element."""

import numpy as np
import pytest
from scipy import sparse

import nnz


@pytest.fixture
def coo(tmp_path):
    # The entries of the first element are not next to each other.
    matrix = sparse.coo_array(([1.0, 3, 4, 2], ([0, 1, 2, 0], [0, 1, 1, 0])), shape=(4, 2))
    sparse.save_npz(tmp_path / "m.npz", matrix)
    return nnz.open(tmp_path / "m.npz"), matrix.toarray()


def test_functions_are_of_sums(coo):
    """They were of each entry."""
    m, dense = coo
    np.testing.assert_allclose(m.log1p().to_numpy(), np.log1p(dense))
    np.testing.assert_allclose(m.log1p().var(axis=0), np.log1p(dense).var(axis=0))
    np.testing.assert_allclose(m.binarize().to_numpy(), dense > 0)


@pytest.mark.filterwarnings("ignore:values look like")
def test_aggregates_are_of_sums(coo):
    m, dense = coo
    for function, expected in (("var", dense[:2].var(axis=0, ddof=1)), ("count_nonzero", (dense[:2] > 0).sum(axis=0))):
        found = nnz.aggregate(m, ["a", "a", "b", "b"], function)
        np.testing.assert_allclose(np.asarray(found.to_numpy())[0], expected)


def test_greatest_values_are_sums(tmp_path):
    """Neighbours were two values where the matrix was read by column."""
    matrix = sparse.coo_array(([1.0, 2, 3, 4], ([0, 0, 1, 2], [0, 0, 1, 1])), shape=(4, 2))
    sparse.save_npz(tmp_path / "m.npz", matrix)
    cells, _ = nnz.qc(tmp_path / "m.npz", percent_top=[1])
    assert cells["pct_counts_in_top_1_genes"].tolist()[:3] == [100, 100, 100]
