"""AnnData files that are changed in place."""

import numpy as np
import pytest
from conftest import FULL, TESTDATA

import nnz

COLUMN = [5 * at for at in range(11)]


@pytest.fixture(params=["h5ad", "zarr"])
def study(request, tmp_path):
    """A file with all elements."""
    path = tmp_path / f"study.{request.param}"
    nnz.convert(FULL, path)
    return path


def stored(path):
    """Every byte of a file, or of all files of a store."""
    files = [path] if path.is_file() else sorted(one for one in path.rglob("*") if one.is_file())
    return {str(one): one.read_bytes() for one in files}


def names_of(path):
    return [str(name) for name in nnz.open(path).obs_names]


def csv_of(path, names, label="cluster"):
    """A table whose rows are in the opposite order of the names."""
    lines = [f"name,{label}", *(f"{name},{value}" for name, value in reversed(list(zip(names, COLUMN))))]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_members_and_columns_are_removed_and_added(study, tmp_path):
    table = csv_of(tmp_path / "t.csv", names_of(study))
    drop = ["layers/counts", "obs/batch"]
    done = nnz.edit(study, drop=drop, add_columns={"cells": table})
    assert (done.removed, done.added) == (drop, ["obs/cluster"])
    if study.is_file():
        assert done.bytes_after == study.stat().st_size and done.bytes_before > 0
    else:
        assert (done.bytes_before, done.bytes_after) == (None, None)
    opened = nnz.open(study)
    assert "batch" not in opened.obs and "counts" not in opened.layers
    np.testing.assert_array_equal(opened.obs["cluster"], COLUMN)
    # Everything else is as before.
    assert {(one.kind, one.element) for one in nnz.diff(FULL, study)} == {
        ("first_only", "layers/counts"),
        ("first_only", "obs/batch"),
        ("second_only", "obs/cluster"),
    }
    assert nnz.validate(study) == []


def test_columns_of_data_frames_are_added_by_name(study):
    pandas = pytest.importorskip("pandas")
    opened = nnz.open(study)
    cells = pandas.DataFrame({"number": COLUMN, "label": pandas.Categorical(list("abc" * 3 + "ab"))}, index=names_of(study))
    features = pandas.DataFrame({"flag": [True, False] * 3 + [True]}, index=[str(name) for name in opened.var_names])
    given = {"rows": cells.iloc[::-1], "features": [features.iloc[[3, 1, 0, 6, 5, 2, 4]]]}
    done = nnz.edit(study, add_columns=given, compress="gzip:1", no_sync=True)
    assert (done.removed, done.added) == ([], ["obs/number", "obs/label", "var/flag"])
    opened = nnz.open(study)
    np.testing.assert_array_equal(opened.obs["number"], COLUMN)
    assert list(opened.obs["label"]) == list(cells["label"])
    assert isinstance(opened.obs["label"].dtype, pandas.CategoricalDtype)
    np.testing.assert_array_equal(opened.var["flag"], features["flag"])


def test_what_is_only_checked_is_unchanged(study, tmp_path):
    table = csv_of(tmp_path / "t.csv", names_of(study))
    before = stored(study)
    done = nnz.edit(study, drop="raw", add_columns={"cells": table}, dry_run=True)
    assert (done.removed, done.added, done.bytes_after) == (["raw"], ["obs/cluster"], None)
    assert stored(study) == before


def test_existing_columns_are_replaced_if_asked(study, tmp_path):
    table = csv_of(tmp_path / "t.csv", names_of(study), "batch")
    before, columns = stored(study), list(nnz.open(study).obs.columns)
    with pytest.raises(nnz.ExistsError, match="batch.*`replace=` replaces it"):
        nnz.edit(study, add_columns={"cells": table})
    assert stored(study) == before
    assert nnz.edit(study, add_columns={"cells": table}, replace=True).added == ["obs/batch"]
    assert list(nnz.open(study).obs.columns) == columns
    np.testing.assert_array_equal(nnz.open(study).obs["batch"], COLUMN)


def test_errors_leave_the_file_unchanged(study, tmp_path):
    names = names_of(study)
    table = csv_of(tmp_path / "t.csv", names)
    other = csv_of(tmp_path / "u.csv", ["nobody", *names[1:]])
    few = csv_of(tmp_path / "v.csv", names[1:])
    before = stored(study)
    refused = [
        ({"drop": ["layers/none"]}, 'no "none" in layers'),
        ({"drop": ["raw", "obs/none"]}, 'no column "none"'),
        ({"drop": "X"}, "X"),
        ({"drop": "raw", "add_columns": {"cells": other}}, names[0]),
        ({"add_columns": {"cells": few}}, names[0]),
        ({"add_columns": {"features": table}}, "names of var"),
        ({"add_columns": {"cells": [table, table]}}, "added twice"),
    ]
    for given, expected in refused:
        with pytest.raises(nnz.ArgumentError, match=expected):
            nnz.edit(study, **given)
        with pytest.raises(nnz.ArgumentError, match=expected):
            nnz.edit(study, dry_run=True, **given)
    with pytest.raises(FileNotFoundError, match="none.csv"):
        nnz.edit(study, drop="raw", add_columns={"cells": tmp_path / "none.csv"})
    assert stored(study) == before


def test_names_of_data_frames_have_to_match(study):
    pandas = pytest.importorskip("pandas")
    before = stored(study)
    for index in (names_of(study)[1:], ["nobody", *names_of(study)[1:]], range(11)):
        with pytest.raises(nnz.ArgumentError, match="the table has no row for") as error:
            nnz.edit(study, add_columns={"cells": pandas.DataFrame({"a": 1}, index=index)})
        assert error.value.path == str(study)
    assert stored(study) == before


WRONG = [
    ({}, "nothing to change"),
    ({"drop": [], "add_columns": {}}, "nothing to change"),
    ({"drop": 5}, "drop: expected a list of names"),
    ({"drop": [b"raw"]}, "drop: b'raw'"),
    ({"add_columns": "cells=t.csv"}, "add_columns: expected a mapping"),
    ({"add_columns": {"cells": 5}}, "add_columns of cells: expected a data frame or a path, not int"),
    ({"add_columns": {"genes": "t.csv"}}, 'axis "genes"'),
    ({"add_columns": {"cells": "t.xlsx"}}, "expected .csv"),
    ({"drop": "raw", "compress": 5}, "compress 5: expected a string"),
    ({"drop": "raw", "compress": "gzip:99"}, "gzip:99"),
    ({"drop": "raw", "no_sync": "no"}, "no_sync 'no': expected True or False"),
    ({"drop": "raw", "replace": 1}, "replace 1: expected True or False"),
]


@pytest.mark.parametrize("given, expected", WRONG, ids=[expected for _, expected in WRONG])
def test_arguments_are_checked(tmp_path, given, expected):
    nnz.convert(FULL, tmp_path / "study.h5ad")
    before = stored(tmp_path / "study.h5ad")
    with pytest.raises(nnz.ArgumentError, match=expected):
        nnz.edit(tmp_path / "study.h5ad", **given)
    assert stored(tmp_path / "study.h5ad") == before


def test_what_is_no_file_of_anndata_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        nnz.edit(tmp_path / "none.h5ad", drop="raw")
    nnz.write(np.eye(2), tmp_path / "m.npz")
    before = stored(tmp_path / "m.npz")
    with pytest.raises(nnz.UnsupportedError) as error:
        nnz.edit(tmp_path / "m.npz", drop="raw")
    assert error.value.path == str(tmp_path / "m.npz")
    assert stored(tmp_path / "m.npz") == before
    with pytest.raises(nnz.CorruptFileError, match="expected AnnData"):
        nnz.edit(f"{FULL}::layers", drop="raw", dry_run=True)


def test_modalities_of_mudata_are_changed_by_either_path(tmp_path):
    path = tmp_path / "m.h5mu"
    nnz.convert(TESTDATA / "reports" / "mudata-and-nested" / "m.h5mu", path)
    for name in ("rna", "mod/rna", ""):
        at = f"{path}::{name}" if name else path
        before = stored(path)
        with pytest.raises(nnz.ArgumentError, match="no such|does not exist|there is no"):
            nnz.edit(at, drop="obsm/none")
        assert stored(path) == before
    assert nnz.edit(f"{path}::rna", drop="layers/counts").removed == ["layers/counts"]
    assert list(nnz.open(f"{path}::mod/rna").layers) == []
    assert nnz.validate(path) == []
