"""Arguments: options of the command, names and positions, and what is wrong with them."""

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
    with pytest.raises(nnz.ArgumentError, match="a string or a list of names, not by 5"):
        nnz.slice(PBMC, tmp_path / "t.mtx", cells=5)


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
    with pytest.raises(nnz.ArgumentError, match="text only"):
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
