"""Matrices with more rows than SciPy, pandas or the memory can have."""

import numpy as np
import pytest
from conftest import TESTDATA

import nnz

HAND = TESTDATA / "binsparse" / "valid" / "hand"


@pytest.fixture
def huge():
    """A matrix of 2^64 - 1 rows."""
    m = nnz.open(HAND / "var_cvec_huge_dim.bsp.h5")
    assert m.shape[0] == 2**64 - 1
    return m


def test_parts_of_huge_matrices_are_read(huge):
    last = huge.shape[0] - 1
    assert huge[0, 0] == huge[:1, :].toarray()[0, 0]
    assert huge[last, 0] == huge[-1, 0] == huge[np.uint64(last), 0]
    assert huge[[0, 5], :].shape == huge[range(0, 6, 5), :].shape == (2, 1)
    assert huge[-3:, :].shape == huge[range(-3, 0), :].shape == (3, 1)
    with pytest.raises(nnz.PositionError):
        huge[last + 1, 0]
    assert len(repr(huge)) and len(repr(huge.annotations("rows")))


def test_what_does_not_fit_is_an_error_of_the_package(huge):
    calls = (
        huge.to_scipy,
        huge.T.to_scipy,
        huge.to_numpy,
        lambda: list(huge.iter_batches()),
        lambda: list(huge.T.iter_batches()),
        lambda: huge.rows,
        lambda: len(huge.annotations("rows")),
        lambda: huge.annotations("rows").to_pandas(),
        huge.to_pandas,
        huge.to_anndata,
        huge.__binsparse_descriptor__,
        huge.__binsparse__,
        lambda: huge.sum(axis=1),
        lambda: huge.count_nonzero(axis=1),
        lambda: huge[:, :],
        lambda: huge[::2, 0],
        lambda: huge[::-1, 0],
        lambda: huge[range(2**63), 0],
    )
    for number, call in enumerate(calls):
        with pytest.raises((nnz.MemoryLimitError, nnz.UnsupportedError)) as raised:
            call()
        assert str(raised.value), number
    assert issubclass(nnz.MemoryLimitError, MemoryError) and issubclass(nnz.UnsupportedError, ValueError)


def test_positions_of_long_slices_need_memory():
    m = nnz.open(HAND / "var_coor_dim_2p53.bsp.h5")
    for key in (slice(None, None, 2), slice(None, None, -1), range(10**15)):
        with pytest.raises(nnz.MemoryLimitError, match="positions need .* bytes of memory"):
            m[key, 0]


def test_long_ranges_are_outside_of_short_axes(tmp_path):
    nnz.write(np.eye(3), tmp_path / "m.mtx")
    m = nnz.open(tmp_path / "m.mtx")
    with pytest.raises(nnz.PositionError):
        m[range(10**12)]
    for key in (range(3), range(2, -1, -1), range(-3, 0), range(-1, 2), range(0), range(1, 2, 10**30), range(2, -4, -2)):
        np.testing.assert_array_equal(m[key].toarray(), np.eye(3)[list(key)])
