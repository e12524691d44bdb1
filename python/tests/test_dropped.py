"""Elements of an AnnData beside its matrix, which are kept or listed as dropped."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import nnz

anndata = pytest.importorskip("anndata")
pandas = pytest.importorskip("pandas")

BESIDE = ["layers/counts", "obsm/X_umap", "obsm/frame", "varm/PCs", "obsp/near", "raw", "uns/nested"]


def made(beside=True):
    names = [f"c{n}" for n in range(6)], [f"g{n}" for n in range(4)]
    dense = np.arange(24, dtype=np.float32).reshape(6, 4)
    adata = anndata.AnnData(sp.csr_matrix(dense), pandas.DataFrame({"kind": list("ab") * 3}, names[0]), pandas.DataFrame(index=names[1]))
    if beside:
        adata.raw = adata.copy()
        adata.layers["counts"] = adata.X * 2
        adata.obsm["X_umap"], adata.obsm["frame"] = np.ones((6, 2)), pandas.DataFrame({"x": np.arange(6)}, names[0])
        adata.varm["PCs"], adata.obsp["near"] = np.ones((4, 2)), sp.csr_matrix(np.eye(6))
        adata.uns["nested"] = {"a": 1, "b": {"c": "d"}}
    return adata


@pytest.mark.parametrize("target, to", [("b.mtx", None), ("b.npz", None), ("b.bpcells", None), ("b.h5", "10x")])
def test_write_lists_elements_beside_the_matrix(tmp_path, target, to):
    with pytest.warns(nnz.DroppedWarning, match="layers/counts, .*raw, uns/nested"):
        found = nnz.write(made(), tmp_path / target, to=to)
    assert set(BESIDE) <= set(found.dropped)
    with pytest.raises(nnz.UnsupportedError, match="only X is written, not layers/counts"):
        nnz.write(made(), tmp_path / "strict", to=to or nnz_format(target), strict=True)
    assert not (tmp_path / "strict").exists()
    found = nnz.write(made(beside=False), tmp_path / target, to=to, force=True)
    assert not set(BESIDE) & set(found.dropped)


def nnz_format(target):
    return {"mtx": "mtx", "npz": "scipy", "bpcells": "bpcells"}[target.rpartition(".")[2]]


@pytest.mark.filterwarnings("ignore::nnz.DroppedWarning")
def test_write_keeps_layers_in_loom(tmp_path):
    adata = made()
    for target, options in (("b.loom", {}), ("b.h5", {"to": "loom"})):
        found = nnz.write(adata, tmp_path / target, **options)
        assert any(lost.startswith("raw/X ") for lost in found.dropped) and "layers/counts" not in found.dropped
        opened = nnz.open(tmp_path / target)
        np.testing.assert_array_equal(opened["layers/counts"].to_numpy(), adata.layers["counts"].toarray().T)
        assert opened["col_attrs/X_umap"].shape == (6, 2)
    with pytest.raises(nnz.UnsupportedError, match="raw"):
        nnz.write(adata, tmp_path / "strict.loom", strict=True)


@pytest.mark.parametrize("target", ["a.h5ad", "a.zarr"])
def test_to_anndata_warns_of_elements_beside_the_matrix(tmp_path, target):
    nnz.write(made(), tmp_path / target)
    m = nnz.open(tmp_path / target)
    for one in (m, m.log1p(), m.filter(cells="sum>10"), m.lazy[:2]):
        with pytest.warns(nnz.DroppedWarning) as caught:
            one.to_anndata()
        (message,) = (str(one.message) for one in caught)
        # Data frames are no members of a file.
        assert all(name in message for name in BESIDE if name != "obsm/frame")
        assert message.endswith(f"nnz.read_anndata({str(tmp_path / target)!r}, backed=False) reads all of the file")
        assert caught[0].filename == __file__


def test_to_anndata_warns_of_layers_of_loom(tmp_path):
    adata = made()
    adata.raw = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        nnz.write(adata, tmp_path / "a.loom")
    with pytest.warns(nnz.DroppedWarning, match=r"layers/counts, .*col_attrs/X_umap; nnz\.convert\(.*\) writes all"):
        nnz.open(tmp_path / "a.loom").to_anndata()


def test_to_anndata_of_a_matrix_alone_does_not_warn(tmp_path):
    nnz.write(made(beside=False), tmp_path / "a.h5ad")
    nnz.write(made(), tmp_path / "b.h5ad")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nnz.open(tmp_path / "a.h5ad").to_anndata()
        nnz.open(tmp_path / "b.h5ad")["layers/counts"].to_anndata()
