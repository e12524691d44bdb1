"""Repaired files have the intended content."""

import gzip
import shutil
import warnings
from pathlib import Path

import pytest

np = pytest.importorskip("numpy")
sparse = pytest.importorskip("scipy.sparse")
h5py = pytest.importorskip("h5py")
anndata = pytest.importorskip("anndata", exc_type=ImportError)

from anndata_same import read, same_file

ROOT = Path(__file__).resolve().parents[2]
FULL = ROOT / "testdata/anndata/valid/0.12.19/h5ad/full_csr.h5ad"
TENX = ROOT / "testdata/tenx/h5/cr3_gex.h5"
FRAGMENTS = ROOT / "testdata/bpcells/fragments_dir"


def matrix(seed, rows=40, cols=60, density=0.3):
    rng = np.random.default_rng(seed)
    return sparse.random(rows, cols, density, "csr", np.float32, random_state=rng)


def wrap(group, dtype, name="indptr"):
    """Writes pointers as a program whose pointer type is too narrow."""
    pointers = group[name][:].astype(np.int64)
    attributes = dict(group[name].attrs)
    del group[name]
    group[name] = pointers.astype(dtype)
    group[name].attrs.update(attributes)
    return (group[name][:] != pointers).any()


def repair(nnz, source, target, *options):
    done = nnz.run("repair", source, target, *options)
    assert done.returncode == 0, done.stderr.decode()
    return [line for line in done.stderr.decode().splitlines() if line.startswith("repaired: ")]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
@pytest.mark.parametrize("seed", range(5))
def test_overflowed_pointers_are_repaired(nnz, tmp_path, dtype, seed):
    size = dict(rows=600, cols=200) if dtype == "int16" else {}
    x = matrix(seed, density=0.5, **size)
    meant = anndata.AnnData(x, layers={"more": matrix(seed + 9, *x.shape, 0.4)})
    meant.write_h5ad(tmp_path / "a.h5ad")
    shutil.copy(tmp_path / "a.h5ad", tmp_path / "b.h5ad")
    with h5py.File(tmp_path / "b.h5ad", "r+") as file:
        assert wrap(file["X"], dtype) and wrap(file["layers/more"], dtype)
    repaired = repair(nnz, tmp_path / "b.h5ad", tmp_path / "c.h5ad")
    assert len(repaired) == 2 and "X: indptr, element" in repaired[0], repaired
    same_file(read(tmp_path / "c.h5ad"), read(tmp_path / "a.h5ad"))
    # One of its matrices, in another format.
    repair(nnz, f"{tmp_path}/b.h5ad::layers/more", tmp_path / "m.npz")
    found = sparse.load_npz(tmp_path / "m.npz")
    assert (found != meant.layers["more"]).nnz == 0
    # Without repair, it is refused.
    nnz.refuses("convert", tmp_path / "b.h5ad", tmp_path / "d.h5ad")


def test_overflowed_pointers_of_other_formats_are_repaired(nnz, tmp_path):
    x = matrix(3, density=0.5)
    sparse.save_npz(tmp_path / "a.npz", x)
    arrays = dict(np.load(tmp_path / "a.npz"))
    arrays["indptr"] = arrays["indptr"].astype(np.int8)
    np.savez(tmp_path / "b.npz", **arrays)
    assert len(repair(nnz, tmp_path / "b.npz", tmp_path / "c.npz")) == 1
    assert (sparse.load_npz(tmp_path / "c.npz") != x).nnz == 0
    nnz.convert(tmp_path / "a.npz", tmp_path / "a.h5ad")
    nnz.convert(tmp_path / "a.h5ad", tmp_path / "a.h5", "--to", "10x", "--type", "float32")
    shutil.copy(tmp_path / "a.h5", tmp_path / "b.h5")
    with h5py.File(tmp_path / "b.h5", "r+") as file:
        assert wrap(file["matrix"], np.int8)
    # In the format of the source, as .h5 has several.
    assert len(repair(nnz, tmp_path / "b.h5", tmp_path / "c.h5")) == 1
    nnz.ok("diff", "--stored", tmp_path / "a.h5", tmp_path / "c.h5")
    assert nnz.names(tmp_path / "c.h5", "rows") == nnz.names(tmp_path / "a.h5", "rows")


def broken(pointers, kind, rng):
    last = pointers[-1]
    if kind == "clipped":
        return np.minimum(pointers, 127).astype(np.int8)
    if kind == "swapped":
        at = 1 + int(np.flatnonzero(np.diff(pointers[1:-1]))[0])
        pointers[[at, at + 1]] = pointers[[at + 1, at]]
    if kind == "one":
        pointers[rng.integers(1, len(pointers) - 1)] = last + 1
    if kind == "first":
        pointers[0] = 1
    if kind == "short":
        pointers[-1] = last - 1
    return pointers.astype(np.int32)


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("shape", [(40, 600), (1, 4000)])
def test_saturated_pointers_of_scipy_are_refused(nnz, tmp_path, dtype, shape):
    """SciPy ignores entries after the last pointer, and so did repair once."""
    x = matrix(6, *shape, 0.3)
    sparse.save_npz(tmp_path / "a.npz", x)
    arrays = dict(np.load(tmp_path / "a.npz"))
    largest = np.iinfo(dtype).max
    for name, pointers in [("clipped", np.minimum(x.indptr, largest)), ("wrapped", x.indptr)]:
        if name == "wrapped" and shape[0] > 1:
            continue
        arrays["indptr"] = pointers.astype(dtype)
        np.savez(tmp_path / f"{name}.npz", **arrays)
        nnz.refuses("repair", tmp_path / f"{name}.npz", tmp_path / "c.npz")
        assert not (tmp_path / "c.npz").exists()


def test_texts_with_two_matrices_are_refused(nnz, tmp_path):
    one = "%%MatrixMarket matrix coordinate integer general\n3 3 1\n1 1 5\n"
    (tmp_path / "a.mtx").write_text(one + one.replace("1 1 5", "2 2 7"))
    assert "second banner" in nnz.refuses("repair", tmp_path / "a.mtx", tmp_path / "b.mtx")
    # The last value may be incomplete.
    (tmp_path / "c.mtx").write_text(one + "2 2 7")
    assert "truncated" in nnz.refuses("repair", tmp_path / "c.mtx", tmp_path / "b.mtx")
    repair(nnz, tmp_path / "c.mtx", tmp_path / "b.mtx", "--complete")


@pytest.mark.parametrize("verb", ["repair", "convert"])
def test_tables_with_unknown_columns_are_refused_as_tables(nnz, tmp_path, verb):
    shutil.copy(FULL, tmp_path / "a.h5ad")
    with h5py.File(tmp_path / "a.h5ad", "r+") as file:
        name = next(name for name in file["obs"] if file["obs"][name].attrs.get("encoding-type") == "categorical")
        file["obs"][name].attrs["encoding-type"] = "categorix"
    if verb == "repair":
        assert name in nnz.refuses("repair", tmp_path / "a.h5ad", tmp_path / "b.h5ad")
        return
    done = nnz.run("convert", tmp_path / "a.h5ad", tmp_path / "b.h5ad")
    assert done.returncode == 0 and "categorix" in done.stderr.decode()
    nnz.ok("validate", tmp_path / "b.h5ad")
    found = read(tmp_path / "b.h5ad")
    assert name not in found.obs and len(found.obs.columns) == len(read(FULL).obs.columns) - 1


@pytest.mark.parametrize("kind", ["clipped", "swapped", "one", "first", "short"])
def test_uncertain_repairs_are_refused(nnz, tmp_path, kind):
    rng = np.random.default_rng(5)
    anndata.AnnData(matrix(1)).write_h5ad(tmp_path / "b.h5ad")
    with h5py.File(tmp_path / "b.h5ad", "r+") as file:
        pointers = broken(file["X/indptr"][:].astype(np.int64), kind, rng)
        attributes = dict(file["X/indptr"].attrs)
        del file["X/indptr"]
        file["X/indptr"] = pointers
        file["X/indptr"].attrs.update(attributes)
    for place in ["", "::X"]:
        message = nnz.refuses("repair", f"{tmp_path}/b.h5ad{place}", tmp_path / "c.h5ad")
        assert "indptr" in message and "not certain" in message
        assert not (tmp_path / "c.h5ad").exists()


@pytest.mark.parametrize("seed", range(3))
def test_entries_are_sorted(nnz, tmp_path, seed):
    rng = np.random.default_rng(seed)

    def shuffled(meant):
        x = meant.copy()
        for start, end in zip(x.indptr, x.indptr[1:]):
            order = start + rng.permutation(end - start)
            x.indices[start:end], x.data[start:end] = x.indices[order], x.data[order]
        x.has_sorted_indices = False
        return x

    meant = matrix(seed)
    file = anndata.AnnData(shuffled(meant), layers={"a": shuffled(meant.tocsc()), "b": meant})
    file.write_h5ad(tmp_path / "b.h5ad")
    repaired = repair(nnz, tmp_path / "b.h5ad", tmp_path / "c.h5ad")
    assert len(repaired) == 2 and "rows, starting with row" in repaired[0]
    found = read(tmp_path / "c.h5ad")
    for x, expected in [(found.X, meant), (found.layers["a"], meant.tocsc()), (found.layers["b"], meant)]:
        for array in ["indptr", "indices", "data"]:
            np.testing.assert_array_equal(getattr(x, array), getattr(expected, array))


def text(x, stated):
    coo = x.tocoo()
    lines = [f"{r + 1} {c + 1} {v!r}" for r, c, v in zip(coo.row, coo.col, coo.data.tolist())]
    head = ["%%MatrixMarket matrix coordinate real general", f"{x.shape[0]} {x.shape[1]} {stated}"]
    return "\n".join(head + lines) + "\n"


@pytest.mark.parametrize("off", [-3, 0, 5])
@pytest.mark.parametrize("ending", ["mtx", "mtx.gz"])
def test_the_number_of_entries_is_counted(nnz, tmp_path, off, ending):
    x = matrix(2)
    source, target = tmp_path / f"b.{ending}", tmp_path / "c.npz"
    content = text(x, x.nnz + off).encode()
    source.write_bytes(gzip.compress(content) if ending == "mtx.gz" else content)
    options = []
    if off > 0:
        message = nnz.refuses("repair", source, target)
        assert "may be truncated" in message and not target.exists()
        options = ["--complete"]
    assert len(repair(nnz, source, target, *options)) == (off != 0)
    found = sparse.load_npz(target)
    assert (found.tocsr() != x).nnz == 0 and found.nnz == x.nnz


def test_valid_files_are_copied(nnz, tmp_path):
    for source, target in [(FULL, "a.h5ad"), (TENX, "a.h5")]:
        done = nnz.run("repair", source, tmp_path / target)
        assert done.returncode == 0, done.stderr.decode()
        assert "nothing to repair" in done.stderr.decode()
    same_file(read(tmp_path / "a.h5ad"), read(FULL))
    nnz.ok("diff", "--stored", TENX, tmp_path / "a.h5")


def test_end_max_of_fragments_is_recomputed(nnz, tmp_path):
    source = next(path for path in sorted(FRAGMENTS.iterdir()) if "unpacked" in path.name)
    shutil.copytree(source, tmp_path / "b.fragments")
    ends = tmp_path / "b.fragments/end_max"
    content = bytearray(ends.read_bytes())
    content[8:12] = (0).to_bytes(4, "little")
    ends.write_bytes(content)
    assert nnz.run("validate", tmp_path / "b.fragments").returncode == 1
    repaired = repair(nnz, tmp_path / "b.fragments", tmp_path / "c.fragments")
    assert len(repaired) == 1 and "end_max, element 0" in repaired[0], repaired
    nnz.ok("validate", tmp_path / "c.fragments")
    nnz.ok("diff", source, tmp_path / "c.fragments")


@pytest.mark.parametrize("name", ["csr_unsorted", "csc_unsorted", "coo_unsorted", "nsv_too_large", "nsv_too_small"])
def test_binsparse_is_repaired(nnz, tmp_path, name):
    source = ROOT / f"testdata/binsparse/malformed/{name}.bsp.h5"
    assert len(repair(nnz, source, tmp_path / "a.bsp.h5")) == 1
    nnz.ok("validate", tmp_path / "a.bsp.h5")
    nnz.convert(tmp_path / "a.bsp.h5", tmp_path / "a.npz")
    found = sparse.load_npz(tmp_path / "a.npz")
    with h5py.File(source) as file:
        values, shape = file["values"][:], found.shape
        if name.startswith("coo"):
            expected = sparse.coo_matrix((values, (file["indices_0"][:], file["indices_1"][:])), shape)
        else:
            kind = sparse.csc_matrix if name.startswith("csc") else sparse.csr_matrix
            expected = kind((values, file["indices_1"][:], file["pointers_to_1"][:]), shape)
    assert found.nnz == expected.nnz
    np.testing.assert_array_equal(found.toarray(), expected.toarray())


@pytest.mark.parametrize("name", ["csr_duplicate", "dcsr_rows_unsorted", "index_oob", "pointers_decreasing"])
def test_other_faults_of_binsparse_are_refused(nnz, tmp_path, name):
    source = ROOT / f"testdata/binsparse/malformed/{name}.bsp.h5"
    nnz.refuses("repair", source, tmp_path / "a.bsp.h5")
    assert not (tmp_path / "a.bsp.h5").exists()
