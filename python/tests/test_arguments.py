"""Arguments: options of the command, names and positions, and what is wrong with them."""

import os
import subprocess
import sys

import numpy as np
import pytest
from conftest import PBMC, TESTDATA

import nnz

pytestmark = pytest.mark.filterwarnings("ignore::nnz.DroppedWarning")


def test_unknown_names_are_key_errors(tmp_path):
    for axis in ("rows", "features"):
        for given in (["nope"], "nope", "APP,nope"):
            with pytest.raises(KeyError) as raised:
                nnz.slice(PBMC, tmp_path / "s.mtx", **{axis: given})
            assert isinstance(raised.value, nnz.UnknownNameError) and raised.value.path == str(PBMC)
            with pytest.raises(nnz.UnknownNameError):
                nnz.stats(PBMC, **{axis: given})
    assert list(tmp_path.iterdir()) == []


def test_positions_outside_are_index_errors(tmp_path):
    for given in ("600", "0:3,507", [507], 507, np.array([-508])):
        with pytest.raises(IndexError) as raised:
            nnz.slice(PBMC, tmp_path / "s.mtx", rows=given)
        assert isinstance(raised.value, nnz.PositionError)
        with pytest.raises(nnz.PositionError):
            nnz.stats(PBMC, rows=given)


def test_lengths_that_differ_are_argument_errors(tmp_path):
    nnz.write(np.eye(3), tmp_path / "a.mtx")
    nnz.write(np.eye(4), tmp_path / "b.mtx")
    with pytest.raises(nnz.ArgumentError, match=r"found 4 columns \(4 x 4\), expected 3") as raised:
        nnz.concat([tmp_path / "a.mtx", tmp_path / "b.mtx"], tmp_path / "c.mtx", "rows")
    assert raised.value.path == str(tmp_path / "b.mtx")


def test_one_position_is_selected(tmp_path):
    assert nnz.slice(PBMC, tmp_path / "s.mtx", rows=5, cols=-1).shape == (1, 1)
    assert nnz.open(tmp_path / "s.mtx")[0, 0] == nnz.open(PBMC)[5, -1]
    assert nnz.slice(PBMC, tmp_path / "t.mtx", cells=5, features=np.int8(-1)).shape == (1, 1)
    assert nnz.open(tmp_path / "t.mtx")[0, 0] == nnz.open(PBMC)[-1, 5]


def test_statistics_of_cells_and_features():
    m = nnz.open(PBMC)
    names = m.row_names[[3, 8]].tolist()
    found = nnz.stats(PBMC, "features", features=names, cells="0:100,200:300")
    part = m[names][:, [*range(100), *range(200, 300)]]
    np.testing.assert_array_equal(found["sum"], part.sum(axis=1))
    # As in the command, several selections must all hold.
    assert nnz.stats(PBMC, rows=("0:10", "5:20"))["nnz"] == m[5:10].nnz
    for axis in (0, True):
        with pytest.raises(nnz.ArgumentError, match="axis"):
            nnz.stats(PBMC, axis)


def test_empty_lists_in_files_are_errors(tmp_path):
    empty = tmp_path / "empty.txt"
    empty.write_text("")
    for call in (lambda **given: nnz.slice(PBMC, tmp_path / "s.mtx", **given), lambda **given: nnz.stats(PBMC, **given)):
        with pytest.raises(nnz.ArgumentError, match="the list is empty; allow_empty=True accepts it"):
            call(rows=f"@{empty}")
    assert nnz.slice(PBMC, tmp_path / "s.mtx", rows=f"@{empty}", allow_empty=True).shape == (0, 1107)
    assert nnz.stats(PBMC, rows=f"@{empty}", allow_empty=True)["nnz"] == 0


def test_selections_of_nothing_are_errors(tmp_path):
    target = tmp_path / "s.mtx"
    names = nnz.open(PBMC).row_names[:2]
    nothing = [
        (nnz.slice, {"rows": tuple(names)}, "select no row in common: name them in one option, separated by commas"),
        (nnz.slice, {"rows": "5:5"}, '"5:5" selects no row'),
        (nnz.slice, {"rows": []}, "an empty list selects no row"),
        (nnz.slice, {"cols": np.zeros(1107, bool)}, "selects no column"),
        (nnz.slice, {"cols": slice(5, 5)}, "selects no column"),
        (nnz.filter, {"rows": "nnz>=10000"}, '"nnz>=10000" selects no row'),
        (nnz.filter, {"cols": ("nnz>=10000", "0:5")}, "selects no column"),
        (nnz.sample, {"rows": 0}, "a sample of 0 selects no row"),
    ]
    for verb, given, expected in nothing:
        with pytest.raises(nnz.ArgumentError) as raised:
            verb(PBMC, target, **given)
        assert expected in str(raised.value) and "allow_empty" in str(raised.value), raised.value
        assert not target.exists()
        assert 0 in verb(PBMC, target, allow_empty=True, force=True, **given).shape
        target.unlink()
    with pytest.raises(nnz.ArgumentError, match="selects no row"):
        nnz.stats(PBMC, rows="5:5")
    # Indices are as in NumPy.
    m = nnz.open(PBMC)
    assert m[5:5].shape == (0, 1107) and m.select(rows=[]).shape == (0, 1107)
    assert m.filter(rows="nnz>=10000").shape == (0, 1107) and m.sample(rows=0).shape == (0, 1107)


def test_one_source_is_not_concatenated(tmp_path):
    nnz.slice(PBMC, tmp_path / "a.mtx", rows="0:2")
    for sources in ([tmp_path / "a.mtx"], [], str(tmp_path / "a.mtx"), tmp_path / "a.mtx"):
        with pytest.raises(nnz.ArgumentError, match="sources"):
            nnz.concat(sources, tmp_path / "b.mtx", "rows")
    store = TESTDATA / "bpcells" / "fragments_dir" / "basic.packed"
    with pytest.raises(nnz.ArgumentError, match="two or more"):
        nnz.merge_fragments([store], tmp_path / "all")


def test_two_numbers_of_one_axis_are_an_error(tmp_path):
    nnz.write(np.eye(5), tmp_path / "a.h5ad", axis_kinds=("cells", "features"))
    path = tmp_path / "a.h5ad::X"
    for given, axis in (({"rows": 3, "cells": 1}, "rows"), ({"cols": 2, "features": 2}, "columns")):
        with pytest.raises(nnz.ArgumentError, match=f"two numbers of {axis} are given"):
            nnz.open(path).sample(**given)
        with pytest.raises(nnz.ArgumentError, match=f"two numbers of {axis} are given"):
            nnz.sample(path, tmp_path / "o.h5ad", **given)
    # Selections of an axis are combined, as in the command.
    assert nnz.slice(path, tmp_path / "o.h5ad", rows="0:3", cells="2:5").shape == (1, 5)


def test_numbers_of_threads_are_checked(tmp_path):
    source = TESTDATA / "bpcells" / "fragments_dir" / "basic.packed"
    calls = (
        lambda threads: nnz.stats(PBMC, threads=threads),
        lambda threads: nnz.validate(PBMC, threads=threads),
        lambda threads: nnz.convert(PBMC, tmp_path / "m.bpcells", threads=threads, force=True),
        lambda threads: nnz.convert(source, tmp_path / "f.h5", threads=threads, force=True),
    )
    for call in calls:
        for threads in (0, -1, "x", 1.5, True):
            with pytest.raises(nnz.ArgumentError, match="threads .*: expected an integer of at least 1"):
                call(threads)
        call(1)
        call(1 << 70)


def test_options_of_a_source_are_those_of_the_command(tmp_path):
    text = tmp_path / "t.csv"
    text.write_text("a,b\n1,2.5\n3,4.5\n")
    assert nnz.convert(text, tmp_path / "t.dbdf", types=["si16", "float32"]).shape == (2, 2)
    assert [str(dtype) for dtype in nnz.open(tmp_path / "t.dbdf").dtypes] == ["int16", "float32"]
    assert nnz.convert(text, tmp_path / "u.dbdf", types="si16,f32").shape == (2, 2)
    with pytest.raises(nnz.ArgumentError, match="types applies to .csv sources only"):
        nnz.convert(tmp_path / "t.dbdf", tmp_path / "v.dbdf", types=["si16", "f32"])
    with pytest.raises(nnz.ArgumentError, match="nonsense"):
        nnz.convert(text, tmp_path / "v.dbdf", types=["nonsense", "f32"])
    nnz.write(np.eye(2), tmp_path / "m.dbdf", dialect="daphne")
    assert nnz.convert(tmp_path / "m.dbdf", tmp_path / "m.mtx", from_dialect="daphne").entries == 2
    with pytest.raises(nnz.Error):
        nnz.convert(tmp_path / "m.dbdf", tmp_path / "n.mtx", from_dialect="spec")
    with pytest.raises(nnz.ArgumentError, match="from_dialect"):
        nnz.convert(tmp_path / "m.dbdf", tmp_path / "n.mtx", from_dialect="none")


def test_the_temporary_directory_is_set_once(tmp_path):
    code = """
import sys, nnz
first, other = sys.argv[1:]
nnz.set_temporary_directory(first)
nnz.set_temporary_directory(first)
for path, kind in ((other, nnz.ArgumentError), (other + "/none", FileNotFoundError)):
    try:
        nnz.set_temporary_directory(path)
    except kind:
        print("refused")
"""
    (tmp_path / "a").mkdir()
    command = [sys.executable, "-c", code, str(tmp_path / "a"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.stdout == "refused\nrefused\n", done.stderr
    with pytest.raises(nnz.ArgumentError, match="nnz.set_temporary_directory"):
        nnz.convert(PBMC, tmp_path / "m.mtx", temp_dir=tmp_path)


def test_strings_are_checked(tmp_path):
    for option in ("to", "order", "compress"):
        with pytest.raises(nnz.ArgumentError, match=f"{option} 5: expected a string"):
            nnz.write(np.eye(2), tmp_path / "m.npz", **{option: 5})


UNKNOWN_KINDS = [("genes", "cells"), ("feature", "cell"), ("genes", "Cells"), ("vars", "obs"), "cells", ("cells",), (1, 2), ([], None), 3]


@pytest.mark.parametrize("kinds", UNKNOWN_KINDS, ids=repr)
@pytest.mark.parametrize("suffix", [".h5ad", ".mtx", ".npz"])
def test_unknown_kinds_of_axes_are_errors(tmp_path, kinds, suffix):
    with pytest.raises(nnz.ArgumentError, match="axis_kinds"):
        nnz.write(np.eye(2), tmp_path / f"m{suffix}", axis_kinds=kinds)
    with pytest.raises(nnz.ArgumentError, match="axis_kinds"):
        nnz.writer(tmp_path / f"m{suffix}", (2, 2), axis_kinds=kinds)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("flag", ["force", "lossy", "strict", "no_sync", "expand", "make_unique"])
@pytest.mark.parametrize("given", ["no", 1, [True]], ids=repr)
def test_flags_are_booleans(tmp_path, flag, given):
    nnz.write(np.eye(2), tmp_path / "m.npz")
    before = (tmp_path / "m.npz").read_bytes()
    with pytest.raises(nnz.ArgumentError, match=f"{flag} .*: expected True or False"):
        nnz.write(np.eye(3), tmp_path / "m.npz", **{flag: given})
    assert (tmp_path / "m.npz").read_bytes() == before
    with pytest.raises(nnz.ArgumentError, match="expected True or False"):
        nnz.merge_fragments([TESTDATA / "bpcells/fragments_dir/basic.packed"] * 2, tmp_path / "f", force="no")
    nnz.write(np.eye(3), tmp_path / "m.npz", force=np.True_)


@pytest.mark.parametrize("names", [["a", b"b"], ["a", None], ["a", float("nan")], 5], ids=repr)
def test_bytes_and_missing_values_are_no_names(tmp_path, names):
    with pytest.raises(nnz.ArgumentError, match="row_names"):
        nnz.write(np.eye(2), tmp_path / "m.bpcells", row_names=names)
    if isinstance(names, list):
        frame = pytest.importorskip("pandas").DataFrame({"x": [1, 2]}, index=names)
        with pytest.raises(nnz.ArgumentError, match="is not a name"):
            nnz.write(np.eye(2), tmp_path / "m.h5ad", rows=frame)
    assert list(tmp_path.iterdir()) == []


def test_annotations_that_are_no_data_frame_are_errors(tmp_path):
    with pytest.raises(nnz.ArgumentError, match="expected a data frame"):
        nnz.writer(tmp_path / "m.h5ad", (2, 2), rows="ab")
    with pytest.raises(KeyError, match='no row is named "ab": rows have no names'):
        nnz.write(np.eye(2), tmp_path / "m.h5ad", rows="ab")


@pytest.mark.parametrize("key", [(600, 0), ("nope", 0), (slice(None, None, 0), 0), ([[1]], 0), (1, 2, 3)], ids=repr)
def test_errors_of_an_index_have_the_path(key):
    with pytest.raises(nnz.ArgumentError) as error:
        nnz.open(PBMC)[key]
    assert error.value.path == str(PBMC)


def test_a_matrix_is_no_sequence():
    matrix = nnz.open(PBMC)
    for use in (lambda: 5 in matrix, lambda: iter(matrix), lambda: list(matrix)):
        with pytest.raises(TypeError):
            use()


def test_parts_of_a_matrix_have_to_be_integers_of_one_dimension(tmp_path):
    sparse = pytest.importorskip("scipy.sparse")
    for name, given in (("indices", [0.5, 1.5]), ("indptr", [0.0, 1.5, 2.0]), ("data", [[1.0, 2.0]])):
        matrix = sparse.csr_array(np.eye(2))
        setattr(matrix, name, np.array(given))
        with pytest.raises(nnz.ArgumentError, match=name):
            nnz.write(matrix, tmp_path / "m.npz")


def test_negative_numbers_of_differences_are_errors():
    with pytest.raises(nnz.ArgumentError, match="max_diffs"):
        nnz.diff(PBMC, PBMC, max_diffs=-1)


def test_dialects_are_options_of_validate_and_transpose(tmp_path):
    nnz.write(np.eye(2), tmp_path / "m.dbdf")
    assert nnz.validate(tmp_path / "m.dbdf", dialect="spec") == []
    nnz.transpose(tmp_path / "m.dbdf", tmp_path / "t.mtx", from_dialect="spec")
    for call in (lambda: nnz.validate(tmp_path / "m.dbdf", dialect="x"), lambda: nnz.transpose(tmp_path / "m.dbdf", tmp_path / "u.mtx", from_dialect="x")):
        with pytest.raises(nnz.ArgumentError, match="dialect"):
            call()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_pipes_are_refused(tmp_path):
    pipe = tmp_path / "m.mtx"
    os.mkfifo(pipe)
    calls = [
        lambda: nnz.validate(pipe),
        lambda: nnz.diff(PBMC, pipe),
        lambda: nnz.stats(pipe),
        lambda: nnz.convert(pipe, tmp_path / "o.npz"),
        lambda: nnz.transpose(pipe, tmp_path / "o.npz"),
        lambda: nnz.concat([PBMC, pipe], tmp_path / "o.npz", "rows"),
        lambda: nnz.split(pipe, tmp_path / "o", "x"),
        lambda: nnz.repair(pipe, tmp_path / "o.npz"),
        lambda: nnz.edit(pipe, drop="uns"),
        lambda: nnz.slice(pipe, tmp_path / "o.npz", rows=0),
        lambda: nnz.import_fragments(pipe, tmp_path / "o"),
    ]
    for call in calls:
        with pytest.raises(nnz.UnsupportedError, match="a pipe") as error:
            call()
        assert error.value.path == str(pipe)


@pytest.mark.parametrize(("given", "own"), [("compression", "compress"), ("overwrite", "force"), ("dtype", "type"), ("n_jobs", "threads")])
def test_options_of_other_packages_are_named(tmp_path, given, own):
    with pytest.raises(nnz.ArgumentError, match=f'unknown option "{given}"; did you mean {own}[?]'):
        nnz.convert(PBMC, tmp_path / "x.h5ad", **{given: "x"})
    with pytest.raises(nnz.ArgumentError, match='unknown option "nothing"$'):
        nnz.convert(PBMC, tmp_path / "x.h5ad", nothing=1)
