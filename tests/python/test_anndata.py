"""anndata reads .h5ad files written by nnz, without warnings and unchanged."""

import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "testdata/anndata/valid"

np = pytest.importorskip("numpy")
pd = pytest.importorskip("pandas")
sparse = pytest.importorskip("scipy.sparse")
anndata = pytest.importorskip("anndata", exc_type=ImportError)


def read(path):
    """Opens a file; a warning is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return anndata.read_h5ad(path)


def same(a, b):
    assert a.shape == b.shape
    assert a.dtype == b.dtype
    assert (a != b).nnz == 0


@pytest.mark.parametrize("compress", ["none", "gzip:4"])
@pytest.mark.parametrize("name", ["full_csr", "full_csc", "full_gzip", "int32_csc", "bool_csr", "empty_obs"])
def test_a_copy_has_the_matrix_names_and_tables(nnz, tmp_path, name, compress):
    source = CORPUS / f"0.12.19/h5ad/{name}.h5ad"
    copy = nnz.convert(source, tmp_path / "copy.h5ad", "--compress", compress)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = anndata.read_h5ad(source)
    found = read(copy)
    same(sparse.csr_matrix(found.X), sparse.csr_matrix(expected.X))
    assert found.X.format == expected.X.format
    assert found.X.indices.dtype == found.X.indptr.dtype == np.int32
    pd.testing.assert_frame_equal(found.obs, expected.obs)
    pd.testing.assert_frame_equal(found.var, expected.var)


def test_cells_stay_cells(nnz, tmp_path):
    bpcells = ROOT / "testdata/bpcells/matrix_dir/basic_uint.packed.col"
    found = read(nnz.convert(bpcells, tmp_path / "b.h5ad"))
    assert found.obs_names.tolist() == nnz.names(bpcells, "cols")
    assert found.var_names.tolist() == nnz.names(bpcells, "rows")
    assert sparse.issparse(found.X) and found.X.format == "csr"
    back = nnz.convert(tmp_path / "b.h5ad", tmp_path / "back.bpcells")
    nnz.ok("diff", "--stored", bpcells, back)
    as_is = read(nnz.convert(bpcells, tmp_path / "as_is.h5ad", "--cell-axis", "as-is"))
    assert as_is.shape == found.shape[::-1]


def test_a_matrix_without_names_gets_positions(nnz, tmp_path):
    path = tmp_path / "m.mtx"
    path.write_text("%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 1.5\n2 3 -2\n")
    found = read(nnz.convert(path, tmp_path / "m.h5ad"))
    assert found.X.toarray().tolist() == [[1.5, 0, 0], [0, 0, -2]]
    assert found.obs_names.tolist() == ["0", "1"]
    assert found.var_names.tolist() == ["0", "1", "2"]


def test_slices_and_concatenations_keep_annotations(nnz, tmp_path):
    source = CORPUS / "0.12.19/h5ad/full_csr.h5ad"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = anndata.read_h5ad(source)
    nnz.ok("slice", source, tmp_path / "s.h5ad", "--rows", "3,0,5:7", "--cols", "1:4")
    found = read(tmp_path / "s.h5ad")
    rows = [3, 0, 5, 6]
    same(found.X, expected.X[rows, 1:4])
    pd.testing.assert_frame_equal(found.obs, expected.obs.iloc[rows])
    pd.testing.assert_frame_equal(found.var, expected.var.iloc[1:4])
    nnz.ok("slice", source, tmp_path / "a.h5ad", "--rows", ":4")
    nnz.ok("slice", source, tmp_path / "b.h5ad", "--rows", "4:")
    nnz.ok("concat", tmp_path / "a.h5ad", tmp_path / "b.h5ad", tmp_path / "all.h5ad", "--axis", "rows")
    found = read(tmp_path / "all.h5ad")
    same(found.X, expected.X)
    pd.testing.assert_frame_equal(found.obs, expected.obs)


def test_annotations_match_anndata(nnz, tmp_path):
    source = CORPUS / "0.12.19/h5ad/full_csr.h5ad"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = anndata.read_h5ad(source).obs
    nnz.ok("annotations", source, "rows", tmp_path / "obs.csv")
    found = pd.read_csv(tmp_path / "obs.csv", index_col=0, keep_default_na=False, na_values=[""])
    assert found.index.tolist() == expected.index.tolist()
    assert found.columns.tolist() == expected.columns.tolist()
    assert found["n_counts"].tolist() == expected["n_counts"].tolist()
    assert found["note"].tolist() == expected["note"].tolist()
    kinds = [kind if isinstance(kind, str) else None for kind in found["cell_type"]]
    assert kinds == [kind if isinstance(kind, str) else None for kind in expected["cell_type"]]


@pytest.mark.parametrize("kind", ["h5ad", "zarr2", "zarr3"])
def test_adding_a_layer_keeps_everything_else(nnz, tmp_path, kind):
    source = CORPUS / "0.12.19/h5ad/full_csr.h5ad"
    path = tmp_path / ("study.h5ad" if kind == "h5ad" else "study.zarr")
    options = [] if kind == "h5ad" else ["--to", "anndata", "--format-version", kind[-1]]
    nnz.convert(source, path, *options)
    cells = nnz.convert(path, tmp_path / "m.bpcells")
    nnz.ok("convert", cells, f"{path}::layers/new", "--to", "anndata", "--compress", "gzip:4")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = anndata.read_h5ad(path) if kind == "h5ad" else anndata.read_zarr(path)
    same(sparse.csr_matrix(found.layers["new"]), sparse.csr_matrix(found.X))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = anndata.read_h5ad(source)
    same(found.X, expected.X)
    pd.testing.assert_frame_equal(found.obs, expected.obs)
    assert "--force" in nnz.refuses("convert", cells, f"{path}::layers/new", "--to", "anndata")
    nnz.ok("slice", path, tmp_path / "other.h5ad", "--rows", "1,0,2:")
    message = nnz.refuses("convert", tmp_path / "other.h5ad", f"{path}::layers/b", "--to", "anndata")
    assert "found name" in message and "layers/b" not in nnz.ok("info", path)


def test_matrices_of_mudata_are_found_by_their_modality(nnz, tmp_path):
    h5py = pytest.importorskip("h5py")
    io = getattr(anndata, "io", None) or anndata.experimental

    def modality(genes):
        x = sparse.random(8, genes, 0.3, "csr", np.float32, random_state=genes)
        made = anndata.AnnData(x, layers={"counts": x * 2})
        made.var_names = [f"g{gene}" for gene in range(genes)]
        return made

    parts = {"rna": modality(5), "atac": modality(7)}
    with h5py.File(tmp_path / "m.h5mu", "w") as file:
        file.attrs["encoding-type"] = "MuData"
        for name, part in parts.items():
            io.write_elem(file, f"mod/{name}", part)
        io.write_elem(file, "obs", pd.DataFrame(index=parts["rna"].obs_names))
        io.write_elem(file, "var", pd.DataFrame(index=[f"v{gene}" for gene in range(12)]))
    message = nnz.refuses("convert", tmp_path / "m.h5mu", tmp_path / "x.npz")
    assert "m.h5mu::mod/atac" in message and "m.h5mu::mod/rna" in message
    for name, part in parts.items():
        place = f"{tmp_path}/m.h5mu::{name}"
        assert nnz.names(f"{place}/X", "cols") == part.var_names.tolist()
        for item, expected in [("X", part.X), ("layers/counts", part.layers["counts"])]:
            target = nnz.convert(f"{place}/{item}", tmp_path / "x.npz", "--force")
            assert (sparse.load_npz(target) != expected).nnz == 0
        whole = read(nnz.convert(place, tmp_path / f"{name}.h5ad"))
        same(whole.X, part.X)
        same(whole.layers["counts"], part.layers["counts"])
