"""anndata 0.8.0 and SciPy 1.9 read files of nnz, without warnings."""

import tarfile
import warnings
from pathlib import Path

import anndata
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

ROOT = Path(__file__).resolve().parents[3]
CORPUS = ROOT / "testdata/anndata/valid"
TENX = ROOT / "testdata/tenx/h5"


def read(path):
    opened = anndata.read_zarr if Path(path).suffix == ".zarr" else anndata.read_h5ad
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Warnings of zarr about its own attributes.
        warnings.filterwarnings("ignore", category=FutureWarning, module="zarr")
        return opened(path)


def matrix(seed, dtype="f4"):
    rng = np.random.default_rng(seed)
    x = sp.random(50, 30, 0.2, "csr", random_state=seed)
    return sp.csr_matrix((rng.integers(0, 100, x.nnz).astype(dtype), x.indices, x.indptr), x.shape)


def same(found, expected):
    assert found.shape == expected.shape
    pd.testing.assert_frame_equal(found.obs, expected.obs)
    pd.testing.assert_frame_equal(found.var, expected.var)
    for a, b in [(found.X, expected.X)] + [(found.layers[k], expected.layers[k]) for k in expected.layers]:
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(*(x.toarray() if sp.issparse(x) else x for x in (a, b)))
    assert set(found.layers) == set(expected.layers)
    for name in ["obsm", "varm", "obsp", "varp", "uns"]:
        assert set(getattr(found, name)) == set(getattr(expected, name)), name


@pytest.mark.parametrize("target", ["a.h5ad", "a.zarr"])
@pytest.mark.parametrize("name", ["full_csr", "full_csc", "full_dense", "full_gzip", "bool_csr", "i64"])
def test_copies_are_read(nnz, tmp_path, name, target):
    source = CORPUS / f"0.8.0/h5ad/{name}.h5ad"
    same(read(nnz.convert(source, tmp_path / target)), anndata.read_h5ad(source))


@pytest.mark.parametrize("target", ["a.h5ad", "a.zarr"])
@pytest.mark.parametrize("version", ["0.5.10", "0.6.22", "0.7.8"])
def test_files_of_older_versions_get_a_readable_layout(nnz, tmp_path, version, target):
    source = CORPUS / f"{version}/h5ad/full_csr.h5ad"
    found = read(nnz.convert(source, tmp_path / target))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = anndata.read_h5ad(source)
    assert found.shape == expected.shape
    assert found.obs_names.tolist() == expected.obs_names.tolist()
    assert list(found.obs) == list(expected.obs)
    np.testing.assert_array_equal(found.X.toarray(), expected.X.toarray())


def test_slices_and_concatenations_are_read(nnz, tmp_path):
    source = CORPUS / "0.8.0/h5ad/full_csr.h5ad"
    expected = anndata.read_h5ad(source)
    nnz.ok("slice", source, tmp_path / "a.h5ad", "--rows", "5,0:3", "--cols", "2:7")
    found = read(tmp_path / "a.h5ad")
    np.testing.assert_array_equal(found.X.toarray(), expected.X[[5, 0, 1, 2], 2:7].toarray())
    nnz.ok("concat", source, source, tmp_path / "b.h5ad", "--axis", "rows", "--index-unique", "-")
    found = read(tmp_path / "b.h5ad")
    np.testing.assert_array_equal(found.X.toarray(), sp.vstack([expected.X] * 2).toarray())


@pytest.mark.parametrize("source", ["cr3_gex", "cr2_one_genome", "cr3_feature_barcode"])
def test_matrices_of_other_formats_are_read(nnz, tmp_path, source):
    found = read(nnz.convert(TENX / f"{source}.h5", tmp_path / "a.h5ad"))
    assert found.obs_names.tolist() == nnz.names(TENX / f"{source}.h5", "cols")
    assert found.var["gene_ids"].tolist() == nnz.names(TENX / f"{source}.h5", "rows")
    nnz.ok("annotations", TENX / f"{source}.h5", "rows", tmp_path / "genes.csv")
    genes = pd.read_csv(tmp_path / "genes.csv", keep_default_na=False, dtype=str)
    symbols = anndata.AnnData(var=pd.DataFrame(index=genes["name"].tolist()))
    symbols.var_names_make_unique()
    assert found.var_names.tolist() == symbols.var_names.tolist()
    for column in found.var.columns.difference(["gene_ids"]):
        other = {"feature_types": "feature_type"}.get(column, column)
        assert found.var[column].astype(str).tolist() == genes[other].tolist()


def test_added_layers_are_read(nnz, tmp_path):
    sp.save_npz(tmp_path / "x.npz", matrix(1))
    sp.save_npz(tmp_path / "y.npz", matrix(2, "i4"))
    nnz.convert(tmp_path / "x.npz", tmp_path / "a.h5ad")
    nnz.convert(tmp_path / "y.npz", f"{tmp_path}/a.h5ad::layers/counts", "--to", "anndata")
    found = read(tmp_path / "a.h5ad")
    assert (found.X != matrix(1)).nnz == 0
    assert (found.layers["counts"] != matrix(2, "i4")).nnz == 0


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "i8", "f4", "f8", "c16", "bool"])
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia"])
def test_npz_is_loaded(nnz, tmp_path, dtype, form):
    expected = matrix(3, dtype)
    if form == "dia" and dtype == "bool":
        pytest.skip("SciPy 1.9 makes no diagonals of booleans")
    sp.save_npz(tmp_path / "a.npz", expected.asformat(form))
    found = sp.load_npz(nnz.convert(tmp_path / "a.npz", tmp_path / "b.npz"))
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.toarray(), expected.toarray())
