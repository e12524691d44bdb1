"""Warnings of data that an analysis does not expect."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import nnz

anndata = pytest.importorskip("anndata")
pandas = pytest.importorskip("pandas")


def counts():
    dense = np.random.default_rng(1).poisson(np.linspace(0.5, 6, 8), (30, 8)).astype(np.float32)
    obs = pandas.DataFrame({"kind": pandas.Categorical(["a", "b", "c"] * 10)}, index=[f"c{n}" for n in range(30)])
    return anndata.AnnData(sp.csr_matrix(dense), obs, pandas.DataFrame(index=[f"g{n}" for n in range(8)]))


def warned(work):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        work()
    return [str(one.message) for one in found if issubclass(one.category, UserWarning)]


@pytest.fixture
def raw(tmp_path):
    counts().write_h5ad(tmp_path / "raw.h5ad")
    return tmp_path / "raw.h5ad"


def test_values_that_are_scaled_but_not_logarithms_are_warned_of(raw, tmp_path):
    for target in (1e4, 10):
        scaled = nnz.open(raw).normalize_total(target)
        for work in (lambda: nnz.markers(scaled, "kind"), lambda: nnz.pca(scaled[:20], 2), lambda: nnz.pca(scaled.T, 2)):
            assert warned(work) == ["values are scaled, but are not logarithms, which log1p takes"]
        assert not warned(lambda: nnz.markers(scaled.log1p(), "kind"))
    nnz.write(nnz.open(raw).normalize_total(1e4), tmp_path / "scaled.h5ad")
    found = warned(lambda: nnz.markers(tmp_path / "scaled.h5ad", "kind"))
    assert found == ["values are too large, not like logarithms of normalized counts"]


def test_logarithms_are_stated_and_not_taken_twice_without_a_warning(raw, tmp_path):
    logs = tmp_path / "logs.h5ad"
    assert not warned(lambda: nnz.write(nnz.open(raw).normalize_total(1e4).log1p(), logs))
    assert dict(anndata.read_h5ad(logs).uns) == {"log1p": {}}
    assert warned(lambda: nnz.open(logs).log1p()) == ["values are not counts: uns/log1p states that they are logarithms"]
    assert len(warned(lambda: nnz.open(logs).select(rows=range(5)).T.log1p())) == 1
    assert not warned(lambda: nnz.open(logs).expm1().log1p())
    assert not warned(lambda: nnz.open(raw).log1p())
    scaled = tmp_path / "scaled.h5ad"
    nnz.write(nnz.open(raw).log1p().scale(2), scaled)
    assert "log1p" not in anndata.read_h5ad(scaled).uns
    # A layer of counts, beside logarithms.
    adata = anndata.read_h5ad(logs)
    adata.layers["counts"] = counts().X
    adata.write_h5ad(logs)
    assert not warned(lambda: nnz.open(f"{logs}::layers/counts").normalize_total(1e4).log1p())


def test_repeated_names_of_annotated_data_are_noted(tmp_path):
    names = {"row_names": ["a", "b", "a"], "axis_kinds": ("cells", "features")}
    done = nnz.write(np.eye(3), tmp_path / "m.h5ad", **names)
    assert done.notes == ['1 row has the name of an earlier row, such as "a"; make_unique makes names unique']
    done = nnz.convert(tmp_path / "m.h5ad::X", tmp_path / "o.h5ad")
    assert len(done.notes) == 1
    done = nnz.convert(tmp_path / "m.h5ad::X", tmp_path / "o.h5ad", make_unique=True, force=True)
    assert not any("earlier" in note for note in done.notes)


def test_known_variable_features_that_components_do_not_use_are_warned_of(raw, tmp_path):
    m = nnz.open(raw).normalize_total(1e4).log1p()
    assert not warned(lambda: nnz.pca(m, 2))
    chosen = np.arange(8) < 3
    nnz.write(m, tmp_path / "h.h5ad", cols=pandas.DataFrame({"highly_variable": chosen}, index=counts().var_names))
    with_features = nnz.open(tmp_path / "h.h5ad")
    expected = "all features are used; m.select(cols=m.var.highly_variable) has the 3 highly variable ones"
    assert warned(lambda: nnz.pca(with_features, 2)) == [expected]
    assert not warned(lambda: nnz.pca(with_features.select(cols=with_features.var.highly_variable), 2))


def test_columns_with_missing_values_are_not_listed_as_dropped(tmp_path):
    adata = counts()
    adata.obs["checked"] = pandas.array([True, None, False] * 10, dtype="boolean")
    adata.layers["more"] = adata.X
    adata.write_h5ad(tmp_path / "m.h5ad")
    with pytest.warns(nnz.DroppedWarning, match="dropped: layers/more; "):
        assert "checked" in nnz.open(tmp_path / "m.h5ad").to_anndata().obs
