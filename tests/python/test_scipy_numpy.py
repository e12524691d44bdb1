"""SciPy and NumPy load npz and npy files of nnz, and nnz reads theirs."""

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

DTYPES = ["bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16"]


def random(seed, dtype, shape=(40, 30), density=0.2):
    rng = np.random.default_rng(seed)
    matrix = sp.random(*shape, density=density, random_state=rng, format="csr")
    values = rng.integers(0 if np.dtype(dtype).kind in "bu" else -100, 100, matrix.nnz)
    matrix = sp.csr_matrix((values.astype(dtype), matrix.indices, matrix.indptr), shape)
    return matrix


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("options", [[], ["--compress", "gzip:6"], ["--order", "col"]])
def test_npz(nnz, tmp_path, dtype, options):
    """All types round-trip, in both orders, stored and deflated."""
    matrix = random(7, dtype)
    sp.save_npz(tmp_path / "a.npz", matrix)
    ours = sp.load_npz(nnz.convert(tmp_path / "a.npz", tmp_path / "b.npz", *options))
    assert ours.format == ("csc" if "col" in options else "csr")
    assert ours.dtype == matrix.dtype and ours.shape == matrix.shape
    assert ours.indices.dtype == np.int32 and ours.has_sorted_indices
    np.testing.assert_array_equal(ours.toarray(), matrix.toarray())
    assert ours.nnz == matrix.nnz


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("options", [[], ["--compress", "gzip:6"], ["--order", "col"]])
def test_coo_is_written(nnz, tmp_path, dtype, options):
    matrix = random(17, dtype)
    sp.save_npz(tmp_path / "a.npz", matrix)
    target = nnz.convert(tmp_path / "a.npz", tmp_path / "b.npz", "--sparse-format", "coo", *options)
    ours = sp.load_npz(target)
    assert ours.format == "coo" and ours.dtype == matrix.dtype and ours.shape == matrix.shape
    assert ours.row.dtype == np.int32 and ours.nnz == matrix.nnz
    np.testing.assert_array_equal(ours.toarray(), matrix.toarray())
    for form in ["csr", "csc"]:
        nnz.convert(target, tmp_path / f"{form}.npz", "--sparse-format", form)
        assert sp.load_npz(tmp_path / f"{form}.npz").format == form
    message = nnz.run("convert", target, tmp_path / "x.npz", "--sparse-format", "bsr").stderr.decode()
    assert "expected csr, csc or coo" in message


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia"])
def test_all_formats_of_scipy_are_read(nnz, tmp_path, form):
    matrix = random(8, "f8", (36, 24), 0.1)
    sp.save_npz(tmp_path / "a.npz", matrix.asformat(form))
    ours = sp.load_npz(nnz.convert(tmp_path / "a.npz", tmp_path / "b.npz"))
    np.testing.assert_array_equal(ours.toarray(), matrix.toarray())


def test_long_axes_get_long_indices(nnz, tmp_path):
    (tmp_path / "a.mtx").write_text(
        "%%MatrixMarket matrix coordinate integer general\n3 3000000000 2\n1 3000000000 5\n3 1 6\n"
    )
    ours = sp.load_npz(nnz.convert(tmp_path / "a.mtx", tmp_path / "b.npz", "--order", "row"))
    assert ours.indices.dtype == np.int64 and ours.indptr.dtype == np.int64
    assert (ours[0, 2999999999], ours[2, 0], ours.nnz) == (5, 6, 2)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", ["C", "F"])
def test_npy(nnz, tmp_path, dtype, order):
    matrix = random(9, dtype, (11, 7), 0.5).toarray()
    np.save(tmp_path / "a.npy", np.asarray(matrix, order=order))
    ours = np.load(nnz.convert(tmp_path / "a.npy", tmp_path / "b.npy"))
    assert ours.flags.c_contiguous and ours.dtype == matrix.dtype
    np.testing.assert_array_equal(ours, matrix)
    # The same bytes as NumPy.
    np.save(tmp_path / "c.npy", np.ascontiguousarray(matrix))
    assert (tmp_path / "b.npy").read_bytes() == (tmp_path / "c.npy").read_bytes()
    dense = sp.load_npz(nnz.convert(tmp_path / "a.npy", tmp_path / "d.npz"))
    np.testing.assert_array_equal(dense.toarray(), matrix)


def test_empty_matrices(nnz, tmp_path):
    for shape in [(0, 0), (0, 5), (5, 0), (3, 4)]:
        sp.save_npz(tmp_path / "a.npz", sp.csr_matrix(shape))
        for target in ["b.npz", "b.npy"]:
            nnz.ok("convert", "--force", tmp_path / "a.npz", tmp_path / target)
        assert sp.load_npz(tmp_path / "b.npz").shape == shape
        assert np.load(tmp_path / "b.npy").shape == shape


def test_text_matches_scipy(nnz, tmp_path):
    matrix = random(10, "f8")
    scipy.io.mmwrite(tmp_path / "a.mtx", matrix, precision=17)
    ours = sp.load_npz(nnz.convert(tmp_path / "a.mtx", tmp_path / "a.npz"))
    np.testing.assert_array_equal(ours.toarray(), matrix.toarray())
