"""Loom files that anndata and h5py write, and graphs of AnnData in Loom."""

import pytest

np = pytest.importorskip("numpy")
h5py = pytest.importorskip("h5py")
sparse = pytest.importorskip("scipy.sparse")
anndata = pytest.importorskip("anndata", exc_type=ImportError)


@pytest.mark.parametrize("dtype", ["int64", "uint64", "int32", "uint8", "bool"])
@pytest.mark.parametrize("name", ["obsp", "varp"])
def test_graphs_of_integers_are_stored_exactly(nnz, tmp_path, dtype, name):
    """64-bit integers were refused, whatever their values."""
    whole = anndata.AnnData(sparse.csr_matrix(np.eye(3, dtype="f4")))
    largest = min(2**53, np.iinfo(dtype).max) if dtype != "bool" else 1
    graph = sparse.csr_matrix(np.diag([1, largest, 1])).astype(dtype)
    getattr(whole, name)["conn"] = graph
    whole.write_h5ad(tmp_path / "a.h5ad")
    nnz.ok("convert", tmp_path / "a.h5ad", tmp_path / "a.loom")
    with h5py.File(tmp_path / "a.loom") as file:
        weights = file["col_graphs" if name == "obsp" else "row_graphs"]["conn/w"][:]
    assert weights.dtype.kind == "f" and [int(weight) for weight in weights] == [1, largest, 1]


def test_graphs_that_floats_do_not_hold_are_errors_with_their_name(nnz, tmp_path):
    whole = anndata.AnnData(sparse.csr_matrix(np.eye(3, dtype="f4")))
    for graph in [np.diag([1, 2**53 + 1, 1]), np.diag([1, 2j, 1])]:
        whole.obsp["conn"] = sparse.csr_matrix(graph)
        whole.write_h5ad(tmp_path / "a.h5ad")
        message = nnz.refuses("convert", tmp_path / "a.h5ad", tmp_path / "a.loom")
        assert "conn" in message, message
        assert not (tmp_path / "a.loom").exists()


def test_likely_names_are_taken_only_if_they_are_different(nnz, tmp_path):
    """Files of kb-python have their names under the name of the index."""
    path = tmp_path / "a.loom"
    for columns, expected, note in [
        ({"barcode": ["x", "y"], "cell_type": ["t", "t"]}, "xy", 'named by the attribute "barcode"'),
        ({"barcode": ["x", "x"], "Cell.ID": ["p", "q"]}, "pq", 'named by the attribute "Cell.ID"'),
        ({"barcode": ["x", ""], "index": [1, 2]}, None, "--col-names selects one of the attributes"),
        ({"cell_type": ["t", "u"]}, None, '--col-names selects one of the attributes "cell_type"'),
        ({"CellID": ["c", "c"], "barcode": ["x", "y"]}, "cc", None),
        ({"obs_names": ["c", "d"], "barcode": ["x", "y"]}, "cd", None),
    ]:
        with h5py.File(path, "w") as file:
            file["matrix"] = np.ones((3, 2), "f4")
            for group in ["layers", "row_graphs", "col_graphs", "attrs"]:
                file.create_group(group)
            file["attrs/LOOM_SPEC_VERSION"] = "3.0.0"
            file["row_attrs/Gene"] = ["g", "h", "i"]
            for name, values in columns.items():
                file[f"col_attrs/{name}"] = values
        done = nnz.run("convert", path, tmp_path / "a.h5ad", "--force")
        assert done.returncode == 0, done.stderr
        report = done.stderr.decode()
        found = list(anndata.read_h5ad(tmp_path / "a.h5ad").obs_names)
        assert found == (list(expected) if expected else ["0", "1"]), columns
        assert note in report if note else "named by" not in report and "names takes" not in report
