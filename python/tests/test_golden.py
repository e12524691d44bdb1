"""Golden files come to Python as SciPy and NumPy read it in a format of theirs, or are errors of the package.

The tests of the library compare the contents with the programs that wrote the files.
"""

import collections

import numpy as np
import pytest
import scipy.sparse as sparse
from conftest import TESTDATA, same

import nnz

# Locations opened in each directory, so that nothing is missed.
FOLDERS = {
    "anndata": {"Matrix": 473},
    "binsparse": {"Matrix": 548, "Tensor": 87},
    "bpcells": {"Matrix": 221, "Fragments": 67},
    "daphne": {"Matrix": 146, "Table": 15},
    "matrix-market": {"Matrix": 51},
    "rds": {"Matrix": 40},
    "scipy": {"Matrix": 204, "Tensor": 7},
    "tenx": {"Matrix": 100},
    "tree": {"Matrix": 31},
}
# Files that make a directory a matrix or fragments.
MARKS = ("version", "matrix.mtx", "matrix.mtx.gz", "binsparse.json")


@pytest.mark.filterwarnings("ignore::nnz.DroppedWarning")
@pytest.mark.parametrize("folder", FOLDERS)
def test_golden_files(folder, tmp_path):
    opened = collections.Counter()
    for path in places(TESTDATA / folder):
        for place, found in members(path):
            opened[type(found).__name__] += 1
            assert found.path == str(place) and str(place) in repr(found)
            CHECKS[type(found)](place, found, tmp_path)
    assert opened == FOLDERS[folder]


def places(folder):
    """Yield what may be opened by itself: files, and directories that are stores, without what is in them."""
    for path in sorted(folder.iterdir()):
        if path.is_file() or path.suffix == ".zarr" or any((path / name).exists() for name in MARKS):
            yield path
        else:
            yield from places(path)


def members(path):
    """Yield what a place holds; nothing where it is an error of the package."""
    found = outcome(lambda: nnz.open(path))
    if isinstance(found, nnz.File):
        for name in found:
            member = outcome(lambda: found[name])
            if not failed(member):
                yield f"{path}::{name}", member
    elif not failed(found):
        yield path, found


def outcome(work):
    """Return what a call returns, or the class of the error of the package that it raises."""
    try:
        return work()
    except nnz.Error as error:
        return type(error)


def failed(found):
    return isinstance(found, type)


def converted(place, target, **options):
    nnz.convert(place, target, force=True, no_sync=True, cell_axis="as-is", **options)
    return target


def check_matrix(place, found, directory):
    for axis, name in enumerate(("row_names", "col_names")):
        names = outcome(lambda: getattr(found, name))
        assert names is None or failed(names) or len(names) == found.shape[axis], place
    block = outcome(found.to_scipy)
    expected = outcome(lambda: sparse.load_npz(converted(place, directory / "m.npz", order=found.order)))
    if failed(block) or failed(expected):
        assert failed(block) and failed(expected), place
        return
    same(block, expected)
    if found.size < 1 << 20:
        elements = outcome(found.to_numpy)
        expected = outcome(lambda: np.load(converted(place, directory / "m.npy")))
        if expected is nnz.DuplicateError and not failed(elements):
            # In memory they are summed where the format defines that, as in SciPy.
            expected = np.load(converted(place, directory / "m.npy", duplicates="sum"))
        if failed(elements) or failed(expected):
            assert failed(elements) and failed(expected), place
        else:
            np.testing.assert_array_equal(elements, expected, err_msg=str(place))


def check_tensor(place, found, directory):
    elements = outcome(found.to_numpy)
    try:
        converted(place, directory / "t.npz")
    except nnz.UnsupportedError:
        # Such as one without dimensions.
        return
    with np.load(directory / "t.npz") as parts:
        # Not every SciPy here reads arrays of more than two dimensions.
        expected = np.zeros(tuple(parts["shape"]), parts["data"].dtype)
        expected[tuple(parts["coords"])] = parts["data"]
    np.testing.assert_array_equal(elements, expected, err_msg=str(place))


def check_table(place, found, directory):
    frame = pytest.importorskip("pandas").DataFrame(dict(enumerate(found[:, at] for at in range(found.shape[1]))))
    np.testing.assert_array_equal(frame.to_numpy(), found.to_pandas().to_numpy(), err_msg=str(place))
    assert found.shape[1] == 0 or frame.shape == found.shape


def check_fragments(place, found, directory):
    fragments = outcome(found.query)
    if not failed(fragments):
        counts = outcome(found.counts_by_chromosome)
        assert len(fragments) == len(found), place
        assert failed(counts) or sum(counts.values()) == len(found), place


CHECKS = {nnz.Matrix: check_matrix, nnz.Tensor: check_tensor, nnz.Table: check_table, nnz.Fragments: check_fragments}
