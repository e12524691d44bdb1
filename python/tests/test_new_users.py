"""Operations that new users of scanpy try first."""

import numpy as np
import pytest
import scipy.sparse as sp

import nnz
from conftest import FULL

anndata = pytest.importorskip("anndata")
pandas = pytest.importorskip("pandas")

CELLS = [f"c{n}" for n in range(12)]
GENES = [f"g{n}" for n in range(5)]

pytestmark = pytest.mark.filterwarnings("ignore:values ", "ignore::nnz.DroppedWarning")


def made():
    dense = np.random.default_rng(1).poisson(1.5, (12, 5)).astype(np.float32)
    obs = pandas.DataFrame({"kind": pandas.Categorical(list("ab") * 6), "n": np.arange(12)}, index=CELLS)
    adata = anndata.AnnData(sp.csr_matrix(dense), obs, pandas.DataFrame({"k": np.arange(5)}, index=GENES))
    adata.layers["counts"] = adata.X.copy()
    return adata


@pytest.fixture(params=["a.h5ad", "a.zarr"])
def path(request, tmp_path):
    nnz.write(made(), tmp_path / request.param)
    return tmp_path / request.param


def test_matrices_are_not_compared_by_element():
    m, other = nnz.open(FULL), nnz.open(FULL)
    for value in (0, 1.5, True, np.float32(2), np.zeros(m.shape), sp.csr_matrix(m.shape), m.obs, m.obs["n_counts"]):
        for compare in (lambda: m == value, lambda: m != value, lambda: m > value, lambda: m.log1p() <= value):
            with pytest.raises(TypeError, match=r"not compared by element: m.to_scipy\(\) .* reads it"):
                compare()
    assert m == m and m != other and m != None and m != "a" and {m: 1, other: 2}[m] == 1 and [m, other].index(other) == 1  # noqa: E711
    with pytest.raises(TypeError):
        m < other


def test_masks_of_the_type_object_select(path, tmp_path):
    m, mask = nnz.open(path), made().obs["kind"] == "a"
    for one in (m[mask.astype(object)], m.select(rows=mask.astype(object)), m.filter(cells=mask.astype(object)), m[np.array(mask, object)]):
        assert one.shape == (6, 5)
    assert nnz.slice(path, tmp_path / "s.npz", cells=mask.astype(object)).shape == (6, 5)
    assert "total_counts_k" in nnz.qc(m, qc_vars={"k": (m.var["k"] > 2).astype(object)}, percent_top=None).cells
    with pytest.raises(nnz.ArgumentError, match="another order"):
        m[mask.astype(object)[::-1]]


def test_missing_values_of_masks_and_names_are_named(path):
    m, mask = nnz.open(path), (made().obs["kind"] == "a")[:8]
    with pytest.raises(IndexError, match=r"missing values: fill them by fillna\(False\)"):
        m[mask.reindex(CELLS)]
    with pytest.raises(IndexError, match=r"missing values: fill them by fillna\(False\)"):
        m[mask.astype("boolean").reindex(CELLS)]
    with pytest.raises(nnz.ArgumentError, match=r"reindex\(m.obs_names, fill_value=False\) aligns it"):
        m[mask]
    assert m[mask.reindex(m.obs_names, fill_value=False)].shape == (4, 5)
    for names in (pandas.Series(["g1", None]), ["g1", None], ["g1", np.nan]):
        with pytest.raises(IndexError, match=r"missing values, such as (None|nan): remove them by dropna\(\)"):
            m[:, names]


def test_errors_name_options_as_python_takes_them(path):
    with pytest.raises(FileExistsError, match="; `force=True` replaces it"):
        nnz.write(made(), path)
    with pytest.raises(nnz.ArgumentError, match="`n_components=` sets the number"):
        nnz.pca(path, 100)


def test_several_matrices_are_listed_with_a_way_to_read_them(tmp_path):
    nnz.write(made(), tmp_path / "a.loom")
    with pytest.raises(nnz.ArgumentError) as caught:
        nnz.read_anndata(tmp_path / "a.loom")
    message = str(caught.value)
    assert "not several: matrix, layers/counts; nnz.read_anndata(" in message and "::matrix') reads one" in message
    assert message.endswith("'all.h5ad') makes an AnnData of all")
    nnz.convert(tmp_path / "a.loom", tmp_path / "all.h5ad")
    assert list(nnz.read_anndata(tmp_path / "all.h5ad", backed=False).layers) == ["counts"]


def test_one_variable_of_several_is_read(tmp_path):
    scipy_io = pytest.importorskip("scipy.io")
    matrix = sp.csc_matrix(np.eye(4))
    scipy_io.savemat(tmp_path / "m.mat", {"A": matrix, "B": matrix[:2]})
    with pytest.raises(nnz.ArgumentError, match="not several: A, B; .*::A'"):
        nnz.read_anndata(tmp_path / "m.mat")
    with pytest.warns(UserWarning, match="does not state which axis"):
        assert nnz.read_anndata(f"{tmp_path / 'm.mat'}::B", backed=False).shape == (2, 4)


def test_open_matrices_have_columns_that_were_added(path):
    m = nnz.open(path)
    lazy, flipped, expected = m.log1p(), m.T, m.to_numpy()
    column = pandas.DataFrame({"hv": np.arange(5) > 2}, GENES)
    nnz.edit(path, add_columns={"features": column, "cells": pandas.DataFrame({"depth": np.arange(12)}, CELLS)})
    assert "depth" in m.obs and m.var["hv"].sum() == 2
    assert m.filter(features="hv=True").shape == lazy.filter(features="hv=True").shape == (12, 2)
    assert flipped.filter(rows="hv=True").shape == (2, 12)
    np.testing.assert_array_equal(m.to_numpy(), expected)
    nnz.edit(path, drop=["obs/depth"])
    assert "depth" not in m.obs


def test_open_matrices_of_a_file_that_was_replaced_are_not_opened_again(tmp_path):
    nnz.write(made(), tmp_path / "a.h5ad")
    m = nnz.open(tmp_path / "a.h5ad")
    expected, other = m.to_numpy(), made()
    other.X = other.X * 2
    nnz.write(other, tmp_path / "a.h5ad", force=True)
    nnz.edit(tmp_path / "a.h5ad", add_columns={"cells": pandas.DataFrame({"depth": np.arange(12)}, CELLS)})
    assert "depth" not in m.obs
    np.testing.assert_array_equal(m.to_numpy(), expected)


def test_a_series_is_added_as_a_column(path):
    depth = pandas.Series(np.arange(12), CELLS, name="depth")
    assert nnz.edit(path, add_columns={"cells": depth}).added == ["obs/depth"]
    assert nnz.edit(path, add_columns={"cells": [depth.rename("a"), depth.rename("b")]}).added == ["obs/a", "obs/b"]
    with pytest.raises(nnz.ArgumentError, match=r"a series without a name; series.rename\(name\)"):
        nnz.edit(path, add_columns={"cells": depth.rename(None)})
