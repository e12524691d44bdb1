"""Matrices are read as in SciPy."""

import gzip
import os
import pathlib
import pickle
import re
import threading
import time

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sparse
from conftest import FULL, PBMC, ROOT, TESTDATA, random_matrix, read_or_skip, same

import nnz


def test_a_matrix_is_described_without_its_entries():
    m = nnz.open(PBMC)
    assert m.shape == (507, 1107)
    assert (m.ndim, m.size, m.nnz, m.order) == (2, 507 * 1107, 23866, "col")
    assert m.dtype == np.int64
    assert m.format == "10x directory"
    assert m.axis_kinds == ("features", "cells")
    assert m.path == str(PBMC)
    assert m.row_names[0] == "ENSG00000279493"
    assert len(m.col_names) == 1107
    assert repr(m) == f"<nnz.Matrix 507 x 1107 of int64 with 23866 entries, by column: 10x directory, {str(PBMC)!r}>"
    assert "23,866 (4.25% of elements)" in m._repr_html_()


def test_paths_are_text_bytes_and_path_like():
    for path in (str(PBMC), os.fsencode(PBMC), pathlib.Path(PBMC)):
        assert nnz.open(path).shape == (507, 1107)
    assert nnz.open(f"{FULL}::layers/counts").shape == (11, 7)


def test_html_is_escaped(tmp_path):
    path = tmp_path / "<b>.mtx"
    nnz.write(np.eye(2), path)
    assert "<b>" not in nnz.open(path)._repr_html_()


def test_10x_folders_match_scipy():
    files = list(PBMC.glob("matrix.mtx*"))
    same(nnz.open(PBMC).to_scipy(), scipy.io.mmread(files[0]))


@pytest.mark.parametrize("order", ["row", "col"])
@pytest.mark.parametrize(
    "dtype",
    "uint8 uint16 uint32 uint64 int8 int16 int32 int64 float32 float64 bool complex64 complex128".split(),
)
def test_all_types_and_orders_round_trip(tmp_path, dtype, order):
    matrix = random_matrix(dtype=dtype, order=order)
    path = tmp_path / "m.bsp.h5"
    nnz.write(matrix, path)
    m = nnz.open(path)
    assert (m.dtype, m.order) == (np.dtype(dtype), order)
    found = m.to_scipy()
    assert found.format == {"row": "csr", "col": "csc"}[order]
    same(found, matrix)
    np.testing.assert_array_equal(m.to_numpy(), matrix.toarray())


def owner(array):
    """Return the owner of the memory of an array."""
    while getattr(array, "base", None) is not None:
        array = array.base
    return type(array).__name__


def test_arrays_are_not_copied(store):
    path, _ = store
    found = nnz.open(path).to_scipy()
    assert isinstance(found, sparse.csc_array)
    assert found.indices.dtype == found.indptr.dtype == np.int32
    assert found.has_sorted_indices
    # Owned by the allocation of Rust, not copied by SciPy.
    assert owner(found.indices) == owner(found.data) == "PySliceContainer"
    assert isinstance(nnz.open(path).to_scipy("row", matrix=True), sparse.csr_matrix)


def test_dense_arrays_have_the_order_of_the_file(store):
    path, matrix = store
    found = nnz.open(path).to_numpy()
    assert found.flags.f_contiguous
    assert nnz.open(path).to_numpy("row").flags.c_contiguous
    np.testing.assert_array_equal(found, matrix.toarray())
    np.testing.assert_array_equal(np.asarray(nnz.open(path)), matrix.toarray())
    assert np.asarray(nnz.open(path), dtype=np.float32).dtype == np.float32


def test_large_matrices_are_not_made_dense_by_accident(tmp_path):
    path = tmp_path / "wide.npz"
    nnz.write(sparse.csr_array((1 << 20, 1 << 20), dtype=np.float32), path)
    m = nnz.open(path)
    with pytest.raises(nnz.ArgumentError, match="to_scipy"):
        np.asarray(m)
    with pytest.raises(MemoryError):
        m.to_numpy()
    assert m.to_scipy().nnz == 0


def test_indices_have_64_bits_if_needed(tmp_path):
    path = tmp_path / "wide.npz"
    wide = sparse.coo_array(([1.0], ([0], [3_000_000_000])), shape=(2, 4_000_000_000))
    nnz.write(wide, path)
    found = nnz.open(path).to_scipy()
    assert found.indices.dtype == np.int64
    assert found.indices.tolist() == [3_000_000_000]


def test_transposes_are_lazy(store):
    path, matrix = store
    m = nnz.open(path).T
    assert (m.shape, m.order) == ((30, 40), "row")
    assert m.row_names[3] == "c3"
    same(m.to_scipy(), matrix.T.tocsr())
    same(m[["c3"]], matrix.T.tocsr()[[3]])
    same(m.T.to_scipy(), matrix)


@pytest.mark.parametrize("nbytes", [1, 500, 5_000, 1 << 30])
def test_batches_are_consecutive(store, nbytes):
    path, matrix = store
    blocks = list(nnz.open(path).iter_batches(nbytes))
    assert nbytes > 1 or len(blocks) == 30
    assert nbytes < 1 << 20 or len(blocks) == 1
    same(sparse.hstack(blocks, format="csc"), matrix)
    with pytest.raises(nnz.ArgumentError):
        nnz.open(path).iter_batches(0)


def test_batches_of_a_text(tmp_path):
    matrix = random_matrix()
    nnz.write(matrix, tmp_path / "m.mtx", order="row")
    blocks = list(nnz.open(tmp_path / "m.mtx").iter_batches(1000))
    assert len(blocks) > 1
    stack = sparse.vstack if blocks[0].format == "csr" else sparse.hstack
    same(stack(blocks), matrix)


@pytest.mark.parametrize("nbytes", [1, 100, 3000, 1 << 26])
@pytest.mark.parametrize("form", ["unsorted", "symmetric", "pattern", "stream"])
def test_texts_are_read_in_blocks(tmp_path, form, nbytes):
    rng = np.random.default_rng(nbytes)
    dense = rng.integers(0, 9, (30, 30)) * (rng.random((30, 30)) < 0.2)
    path = tmp_path / ("m.mtx.gz" if form == "stream" else "m.mtx")
    if form == "symmetric":
        dense = np.tril(dense) + np.tril(dense, -1).T
    entries = np.argwhere(np.tril(dense) if form == "symmetric" else dense)
    rng.shuffle(entries)
    kind = "pattern general" if form == "pattern" else "integer symmetric" if form == "symmetric" else "integer general"
    lines = [f"{r + 1} {c + 1}" + ("" if form == "pattern" else f" {dense[r, c]}") for r, c in entries]
    text = "\n".join([f"%%MatrixMarket matrix coordinate {kind}", f"30 30 {len(lines)}", *lines, ""])
    if form == "stream":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text)
    found = nnz.open(path)
    blocks = list(found.iter_batches(nbytes))
    axis = 0 if found.order == "row" else 1
    assert sum(block.shape[axis] for block in blocks) == 30
    assert len(blocks) == (30 if nbytes == 1 else len(blocks))
    assert nbytes < 1 << 20 or len(blocks) == 1
    made = sparse.vstack(blocks) if axis == 0 else sparse.hstack(blocks)
    np.testing.assert_array_equal(made.toarray(), (dense != 0) if form == "pattern" else dense)
    assert all(block.has_sorted_indices for block in blocks)


def test_blocks_of_a_broken_text_end_with_its_error(tmp_path):
    path = tmp_path / "m.mtx"
    path.write_text("%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 1 1\n4 1 1\n")
    with pytest.raises(nnz.CorruptFileError) as error:
        list(nnz.open(path).iter_batches())
    assert "line 4" in str(error.value)


def test_dropped_block_readers_end_the_reading(tmp_path):
    matrix = random_matrix((2000, 300), 0.3, np.int64)
    nnz.write(matrix, tmp_path / "m.mtx")
    before = threading.active_count(), len(os.listdir("/proc/self/task"))
    for _ in range(5):
        blocks = nnz.open(tmp_path / "m.mtx").iter_batches(10_000)
        next(blocks)
        del blocks
    until = time.monotonic() + 20
    while len(os.listdir("/proc/self/task")) > before[1] + 1 and time.monotonic() < until:
        time.sleep(0.05)
    assert len(os.listdir("/proc/self/task")) <= before[1] + 1


def test_annotations_are_data_frames():
    anndata = pytest.importorskip("anndata")
    m = nnz.open(f"{FULL}::X")
    expected = anndata.read_h5ad(FULL)
    for found, frame in ((m.rows, expected.obs), (m.cols, expected.var)):
        assert list(found.columns) == list(frame.columns)
        assert list(found.index) == list(frame.index)
        for name in frame.columns:
            one, other = found[name], frame[name]
            assert one.isna().tolist() == other.isna().tolist(), name
            assert one[one.notna()].tolist() == other[other.notna()].tolist(), name
            assert one.dtype.kind == other.dtype.kind, name
            if other.dtype.name == "category":
                assert list(one.cat.categories) == list(other.cat.categories)
                assert one.cat.ordered == other.cat.ordered


def test_anndata_round_trips(tmp_path):
    anndata = pytest.importorskip("anndata")
    whole = anndata.read_h5ad(FULL)
    found = nnz.open(f"{FULL}::X").to_anndata()
    assert (found.X != whole.X).nnz == 0
    assert list(found.obs_names) == list(whole.obs_names)
    assert list(found.obs.columns) == list(whole.obs.columns)
    # Cells are observations, whichever axis they are on in the file.
    turned = nnz.open(PBMC).to_anndata()
    assert turned.shape == (1107, 507)
    assert turned.var_names[0] == "CH507-9B2.2"


def test_data_frames_have_the_names(store):
    path, matrix = store
    frame = nnz.open(path).to_pandas()
    assert list(frame.index[:2]) == ["r0", "r1"] and list(frame.columns[:2]) == ["c0", "c1"]
    np.testing.assert_array_equal(frame.to_numpy(), matrix.toarray())


def test_a_file_is_a_mapping():
    file = nnz.open(FULL)
    assert isinstance(file, nnz.File)
    expected = ["X", "raw/X", "layers/counts", "layers/scaled", "obsm/X_pca", "obsm/X_umap", "obsm/sp"]
    assert list(file)[:7] == expected
    assert len(file) == 11 and "X" in file and "obs" not in file
    assert file["layers/counts"].shape == (11, 7)
    with pytest.raises(KeyError):
        file["layers/none"]
    only = nnz.open(FULL.with_name("i64.h5ad"))
    assert isinstance(only, nnz.Matrix)


def test_a_file_of_groups_is_a_mapping(tmp_path):
    path = tmp_path / "several.h5"
    for number in (1, 2):
        nnz.write(np.eye(number), f"{path}::m{number}", to="binsparse")
    file = nnz.open(path)
    assert sorted(file) == ["m1", "m2"]
    assert file["m2"].shape == (2, 2)


def golden():
    """Return the names of files of other programs that anndata or SciPy can read."""
    for path in sorted(TESTDATA.glob("scipy/npz/scipy*/*.npz")):
        yield pytest.param(path, id=str(path.relative_to(TESTDATA)))


@pytest.mark.parametrize("path", list(golden()))
def test_files_of_scipy(path):
    try:
        expected = sparse.load_npz(path)
    except Exception as error:
        pytest.skip(f"SciPy does not read it: {error}")
    if expected.ndim != 2:
        return
    if expected.dtype.itemsize > 8 and expected.dtype.char in "gG":
        with pytest.raises(nnz.UnsupportedError, match="long doubles"):
            nnz.open(path)
        return
    found = nnz.open(path).to_scipy("row", duplicates="sum")
    if expected.format == "dia":
        # SciPy omits the zeros of diagonals.
        np.testing.assert_array_equal(found.toarray(), expected.toarray())
        return
    expected = expected.tocsr()
    expected.sum_duplicates()
    same(found, expected)


@pytest.mark.parametrize("path", sorted(FULL.parent.glob("*.h5ad")), ids=lambda path: path.stem)
def test_files_of_anndata(path):
    anndata = pytest.importorskip("anndata")
    whole = read_or_skip(anndata.read_h5ad, path)
    if whole.X is None:
        return
    found = nnz.open(f"{path}::X")
    assert found.shape == whole.shape
    expected = whole.X
    if sparse.issparse(expected):
        # Some index types are refused by SciPy later.
        made = sparse.csr_array if expected.format == "csr" else sparse.csc_array
        indices, indptr = (part.astype(np.int64) for part in (expected.indices, expected.indptr))
        expected = made((expected.data, indices, indptr), shape=expected.shape)
        if expected.has_canonical_format:
            same(found.to_scipy(), expected)
        expected = expected.toarray()
    np.testing.assert_array_equal(found.to_scipy(duplicates="sum").toarray(), np.asarray(expected))
    assert list(found.row_names) == list(whole.obs_names)
    assert list(found.col_names) == list(whole.var_names)


def test_readme_exists():
    assert (ROOT / "python" / "README.md").exists()


PLACES = {
    nnz.Matrix: PBMC,
    nnz.Tensor: TESTDATA / "scipy" / "npz" / "scipy1.18.1" / "coo_array_3d.npz",
    nnz.Table: TESTDATA / "daphne" / "frame_10types.dbdf",
    nnz.Fragments: TESTDATA / "bpcells" / "fragments_dir" / "basic.packed",
    nnz.File: FULL,
}


@pytest.mark.parametrize("kind", PLACES, ids=lambda kind: kind.__name__)
def test_classes_open_what_they_are_of(kind, tmp_path):
    opened = kind(PLACES[kind])
    assert type(opened) is kind and type(nnz.open(PLACES[kind])) is kind
    assert repr(opened) == repr(nnz.open(PLACES[kind])) and opened.path == str(PLACES[kind])
    again = pickle.loads(pickle.dumps(opened))
    assert type(again) is kind and repr(again) == repr(opened)
    for other, path in PLACES.items():
        # The matrix of a file of AnnData is its X.
        if other is not kind and (kind, other) != (nnz.Matrix, nnz.File):
            with pytest.raises(ValueError, match=re.escape(str(path))):
                kind(path)
    with pytest.raises(FileNotFoundError):
        kind(tmp_path / "none")


def test_names_are_imported_when_they_are_used():
    assert set(nnz.__all__) <= set(dir(nnz))
    names = {}
    exec("from nnz import *", names)
    assert set(nnz.__all__) <= set(names)
    for absent in ("nothing", "_nothing", "np"):
        with pytest.raises(AttributeError, match=absent):
            getattr(nnz, absent)


def test_batches_of_daphne_have_the_requested_bytes(tmp_path):
    matrix = random_matrix((500, 4000), 0.05)
    nnz.write(matrix, tmp_path / "m.dbdf")
    batches = list(nnz.open(tmp_path / "m.dbdf").iter_batches(nbytes=50_000))
    sizes = [batch.data.nbytes + batch.indices.nbytes for batch in batches]
    assert min(sizes[:-1]) > 40_000 and max(sizes) < 60_000
    same(sparse.csr_array(sparse.vstack(batches)), matrix)
