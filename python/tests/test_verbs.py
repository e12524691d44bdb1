"""The verbs of the command, as functions."""

import os

import numpy as np
import pytest
import scipy.sparse as sparse
from conftest import FULL, PBMC, TESTDATA, random_matrix, same

import nnz


def test_files_are_converted_and_compared(tmp_path):
    with pytest.warns(nnz.DroppedWarning):
        done = nnz.convert(PBMC, tmp_path / "m.bpcells")
    assert (done.shape, done.entries) == ((507, 1107), 23866)
    assert done.bytes_before > done.bytes_after
    assert nnz.diff(PBMC, tmp_path / "m.bpcells") == []
    nnz.convert(FULL, tmp_path / "w.zarr")
    assert nnz.diff(FULL, tmp_path / "w.zarr") == []


def test_differences_are_listed(tmp_path):
    matrix = random_matrix()
    nnz.write(matrix, tmp_path / "a.npz")
    matrix.data[:3] += 1
    nnz.write(matrix, tmp_path / "b.npz")
    found = nnz.diff(tmp_path / "a.npz", tmp_path / "b.npz")
    assert [one.kind for one in found] == ["entry"] * 3
    assert (found[0].row, found[0].element) == (0, None)
    assert float(found[0].second) == float(found[0].first) + 1
    assert len(nnz.diff(tmp_path / "a.npz", tmp_path / "b.npz", max_diffs=2)) == 2
    nnz.write(np.eye(2), tmp_path / "c.npz")
    (one,) = nnz.diff(tmp_path / "a.npz", tmp_path / "c.npz")
    assert (one.kind, one.first, one.second) == ("shape", "40 x 30", "2 x 2")
    elements = {one.element for one in nnz.diff(FULL, FULL.with_name("full_csc.h5ad"))}
    assert None not in elements


def test_transposes_are_written(store, tmp_path):
    path, matrix = store
    nnz.transpose(path, tmp_path / "t.bpcells")
    same(nnz.open(tmp_path / "t.bpcells").to_scipy("row"), matrix.T.tocsr())


@pytest.mark.parametrize(
    "rows, cols, expected",
    [
        ("r3,0:2", None, ([3, 0, 1], range(30))),
        (["r3", "r1"], ["c2"], ([3, 1], [2])),
        (slice(None, None, 13), slice(-2, None), ([0, 13, 26, 39], [28, 29])),
        (np.arange(40) < 2, [7, 5, -1], ([0, 1], [7, 5, 29])),
        (("0:10", ["r9", "r3"]), None, ([3, 9], range(30))),
    ],
)
def test_slices_are_written(store, tmp_path, rows, cols, expected):
    path, matrix = store
    nnz.slice(path, tmp_path / "s.bpcells", rows=rows, cols=cols)
    found = nnz.open(tmp_path / "s.bpcells")
    np.testing.assert_array_equal(found.to_numpy(), matrix.toarray()[np.ix_(*map(list, expected))])
    assert list(found.row_names) == [f"r{row}" for row in expected[0]]


def test_cells_are_selected_by_conditions(tmp_path):
    done = nnz.slice(FULL, tmp_path / "t.h5ad", cells="cell_type=T")
    types = nnz.open(f"{tmp_path / 't.h5ad'}::X").rows["cell_type"]
    assert len(types) == done.shape[0] > 0 and set(types) == {"T"}
    with pytest.raises(nnz.ArgumentError, match="selected twice"):
        nnz.slice(FULL, tmp_path / "u.h5ad", rows=[1, 1])
    with pytest.raises(nnz.ArgumentError, match="no cell"):
        nnz.slice(FULL, tmp_path / "u.h5ad", cells=["nobody"])
    assert nnz.slice(FULL, tmp_path / "u.h5ad", cells=slice(0, 2)).shape == (2, 7)


def test_matrices_are_concatenated(store, tmp_path):
    path, matrix = store
    nnz.slice(path, tmp_path / "a.bpcells", cols="0:10")
    nnz.slice(path, tmp_path / "b.bpcells", cols="10:")
    nnz.concat([tmp_path / "a.bpcells", tmp_path / "b.bpcells"], tmp_path / "c.bpcells", axis="cols")
    assert nnz.diff(path, tmp_path / "c.bpcells") == []
    with pytest.raises(nnz.ArgumentError, match="fill"):
        nnz.concat([path, path], tmp_path / "d.bpcells", "cols", fill=1)


def test_anndata_files_are_split_and_concatenated(tmp_path):
    done = nnz.split(FULL, tmp_path / "parts", by="batch")
    assert done.files and sum(one.shape[0] for one in done.files.values()) + done.missing == 11
    with pytest.warns(nnz.DroppedWarning, match="dropped"):
        nnz.concat(list(done.files), tmp_path / "all.h5ad", axis="cells", join="outer", label="part")
    assert "part" in nnz.open(f"{tmp_path / 'all.h5ad'}::X").rows.columns


def test_files_are_split_by_several_columns_and_tables(tmp_path):
    pd = pytest.importorskip("pandas")
    names = list(nnz.open(FULL).obs_names)
    table = pd.DataFrame({"half": list("aaaabbbbbbb")}, index=names)
    done = nnz.split(FULL, tmp_path / "parts", by=["batch", "half"], row_annotations=table)
    assert len(done.files) == 4 and sum(one.shape[0] for one in done.files.values()) == 11
    for path in done.files:
        obs = nnz.read_anndata(path).obs
        values = obs[["batch", "half"]].drop_duplicates().astype(str).values.tolist()
        assert ["_".join(one) + ".h5ad" for one in values] == [os.path.basename(path)]
    single = nnz.split(FULL, tmp_path / "single", by=("batch",))
    assert len(single.files) == 2
    for by in ([], 5, [b"batch"]):
        with pytest.raises(nnz.ArgumentError, match="by"):
            nnz.split(FULL, tmp_path / "none", by=by)


def test_modalities_of_mudata_are_selected_from_and_named(tmp_path):
    source = TESTDATA / "mudata" / "cells-0.3.h5mu"
    done = nnz.slice(source, tmp_path / "k1.h5mu", cells="rna:kind=k1")
    assert done.shape == (3, 8)
    assert any("1 of 7 cells are not in the modality" in note for note in done.notes)
    with pytest.raises(nnz.ArgumentError, match="did you mean"):
        nnz.slice(source, tmp_path / "none.h5mu", cells="kind=k1")
    parts = nnz.split(source, tmp_path / "parts", by=["sample", "rna:kind"])
    assert [os.path.basename(path) for path in parts.files] == ["s0_k0.h5mu", "s1_k1.h5mu"]
    for name in ("rna", "prot"):
        nnz.convert(f"{source}::mod/{name}", tmp_path / f"{name}.h5ad")
    files = {"R": tmp_path / "rna.h5ad", "P": tmp_path / "prot.h5ad"}
    assert nnz.concat(files, tmp_path / "both.h5mu", axis="features", join="inner").shape == (4, 8)
    paths = [tmp_path / "k1.h5mu", *parts.files, tmp_path / "both.h5mu"]
    mudata = pytest.importorskip("mudata")
    for path in paths:
        made = mudata.read_h5mu(path)
        for name, modality in made.mod.items():
            positions = made.obsmap[name].ravel()
            found = modality.obs_names[positions[positions > 0] - 1]
            assert list(found) == list(made.obs_names[positions > 0]), (path, name)
    assert list(mudata.read_h5mu(paths[-1]).mod) == ["R", "P"]


def test_values_that_are_not_names_of_files_are_split(tmp_path):
    done = nnz.split(TESTDATA / "reports/split-by-slash/ct.h5ad", tmp_path / "parts", by="cell_type")
    names = ["B cell.h5ad", "CD14+ Mono.h5ad", "NK_T.h5ad"]
    assert sorted(os.listdir(tmp_path / "parts")) == names
    assert [os.path.basename(path) for path in done.files] == names
    assert done.notes == ['rows with the value "NK/T" are in "NK_T.h5ad"']


def test_faults_are_found_and_repaired(tmp_path):
    broken = TESTDATA / "anndata" / "malformed" / "indptr_wrapped_int8.h5ad"
    findings = nnz.validate(broken)
    assert findings and {one.severity for one in findings} == {"fault"}
    assert findings[0].path.startswith(str(broken)) and "indptr" in findings[0].array
    assert str(findings[0]).startswith(findings[0].path)
    done = nnz.repair(broken, tmp_path / "good.h5ad")
    assert len(done.repairs) == 1 and "indptr" in done.repairs[0]
    assert nnz.validate(tmp_path / "good.h5ad") == []
    (finding,) = nnz.validate(__file__)
    assert finding.severity == "fault"
    with pytest.raises(FileNotFoundError):
        nnz.validate(tmp_path / "none")
    with pytest.raises(nnz.ArgumentError, match="unknown format"):
        nnz.validate(PBMC, from_format="none")


def test_tables_are_added(store, tmp_path):
    pandas = pytest.importorskip("pandas")
    path, _ = store
    table = pandas.DataFrame({"batch": ["x"] * 30}, index=[f"c{i}" for i in range(30)])
    nnz.convert(path, tmp_path / "t.h5ad", col_annotations=table)
    m = nnz.open(tmp_path / "t.h5ad")
    frames = [frame for frame in (m.rows, m.cols) if "batch" in frame]
    assert len(frames) == 1 and set(frames[0]["batch"]) == {"x"}


def test_formats_are_listed():
    formats = {one.name: one for one in nnz.formats()}
    assert formats["bpcells"].extensions[0] == "bpcells"
    assert "matrix" in formats["mtx"].writes and "layout" in formats["mtx"].options


def test_symmetric_matrices_are_written_with_one_or_both_triangles(tmp_path):
    matrix = random_matrix((20, 20))
    nnz.write(sparse.csr_array(matrix + matrix.T), tmp_path / "s.mtx", structure="auto")
    nnz.convert(tmp_path / "s.mtx", tmp_path / "g.mtx", expand=True)
    assert nnz.diff(tmp_path / "s.mtx", tmp_path / "g.mtx") == []
    assert nnz.open(tmp_path / "g.mtx").nnz > nnz.open(tmp_path / "s.mtx").stored
    assert nnz.open(tmp_path / "s.mtx").nnz is None


@pytest.mark.parametrize("target", ["u.h5ad", "u.zarr", "u.mtx"])
def test_anndata_files_are_transposed(tmp_path, target):
    matrix = random_matrix((3, 4), 0.9)
    nnz.write(matrix, tmp_path / "t.h5ad", row_names=list("abc"), col_names=list("wxyz"))
    nnz.transpose(tmp_path / "t.h5ad", tmp_path / target)
    found = nnz.open(tmp_path / target)
    assert found.shape == (4, 3)
    same(found.to_scipy("row"), matrix.T.tocsr())


def test_handles_survive_a_change_of_the_working_directory(tmp_path, monkeypatch):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        nnz.convert(FULL, tmp_path / folder / "f.h5ad")
    monkeypatch.chdir(tmp_path / "one")
    opened = nnz.open("f.h5ad")
    monkeypatch.chdir(tmp_path / "two")
    (tmp_path / "two" / "f.h5ad").unlink()
    assert opened["X"].to_scipy().nnz == 26
    assert opened["X"].path == "f.h5ad::X"


def test_masked_values_and_records_are_refused(tmp_path):
    for given in (np.ma.array([[1.0, 2.0]], mask=[[0, 1]]), np.zeros((2, 2), [("a", int)])):
        with pytest.raises(nnz.ArgumentError):
            nnz.write(given, tmp_path / "m.npz")
    nnz.write(np.ma.array([[1.0, 2.0]]), tmp_path / "m.npz")


def test_sources_are_merged_with_their_keys(tmp_path):
    genomes = TESTDATA / "tenx" / "h5" / "cr3_gex.h5"
    target = tmp_path / "merged.h5ad"
    for sources, keys in (({"ctrl": genomes, "stim": genomes}, None), ([genomes, genomes], ["ctrl", "stim"])):
        nnz.concat(sources, target, "cells", label="sample", index_unique="-", keys=keys, force=True)
        f = nnz.open(target)
        half = f.shape[0] // 2
        assert list(f.obs["sample"]) == ["ctrl"] * half + ["stim"] * half
        assert f.obs_names[0].endswith("-ctrl") and f.obs_names[-1].endswith("-stim")
    for axis, shape in ((0, (f.shape[0] * 2, f.shape[1])), ("cells", (f.shape[0] * 2, f.shape[1]))):
        assert nnz.concat({"a": target, "b": target}, tmp_path / "twice.h5ad", axis, force=True).shape == shape
    for wrong in ({"axis": 2}, {"axis": True}, {"axis": "cells", "keys": ["a", "b"]}, {"axis": "cells", "keys": "ab", "label": "x"}):
        with pytest.raises(nnz.ArgumentError):
            nnz.concat([target, target], tmp_path / "no.h5ad", **wrong)
