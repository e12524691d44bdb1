"""`with` and `close` close opened objects: any use after it is one error, and descriptors are released."""

import gc
import os
import pickle
import sys

import numpy as np
import pytest
from conftest import FULL, PBMC, TESTDATA, random_matrix

import nnz

FRAGMENTS = TESTDATA / "bpcells" / "fragments_dir" / "basic.packed"
FRAME = TESTDATA / "daphne" / "frame_10types.dbdf"
TENSOR = TESTDATA / "scipy" / "npz" / "scipy1.18.1" / "coo_array_3d.npz"
USES = {
    "matrix": (lambda: nnz.open(PBMC), ["shape", "nnz", "dtype", "row_names", "T", "lazy", "plot", "axis_kinds"]),
    "lazy": (lambda: nnz.open(PBMC).log1p(), ["shape", "dtype", "steps", "T", "col_names"]),
    "file": (lambda: nnz.open(FULL), ["shape", "X", "obs", "var", "obs_names", "n_obs", "layers", "obsm", "varm"]),
    "without main": (
        lambda: nnz.open(TESTDATA / "reports" / "mudata-and-nested" / "m.h5mu"),
        ["shape", "X", "obs", "n_vars", "layers"],
    ),
    "fragments": (lambda: nnz.open(FRAGMENTS), ["cell_names", "chromosome_names", "format", "start"]),
    "table": (lambda: nnz.open(FRAME), ["shape", "columns", "dtypes", "format"]),
    "tensor": (lambda: nnz.open(TENSOR), ["shape", "nnz", "dtype", "levels"]),
}
CALLS = {
    "matrix": [lambda m: m[0], lambda m: m.to_scipy(), lambda m: m.sum(), lambda m: m @ np.ones(1107), lambda m: m.log1p()],
    "lazy": [lambda m: m[0], lambda m: m.to_scipy(), lambda m: m.sum(axis=0), lambda m: m.item(), lambda m: m.log1p()],
    "file": [lambda m: m["layers/counts"], lambda m: m[:2], list, len, lambda m: "X" in m, lambda m: m.get("X")],
    "without main": [lambda m: m["mod/rna"], lambda m: m[:2], list, len, lambda m: list(m.values())],
    "fragments": [len, lambda m: m.query("chr1:0-10"), lambda m: m.count_tiles(1000), lambda m: m.info()],
    "table": [lambda m: m[0], len, list, lambda m: m.to_dict(), lambda m: m.__arrow_c_stream__()],
    "tensor": [lambda m: m.to_numpy(), lambda m: m.to_scipy(), lambda m: m.__binsparse__()],
}


@pytest.mark.parametrize("kind", USES)
def test_any_use_after_closing_is_the_same_error(kind, tmp_path):
    opener, properties = USES[kind]
    opened = opener()
    path = opened.path
    with opened as entered:
        assert entered is opened and not opened.closed
        for name in properties:
            if kind != "without main":
                getattr(opened, name)
    calls = [
        *(lambda one, name=name: getattr(one, name) for name in properties),
        *CALLS[kind],
        pickle.dumps,
        lambda one: one.__enter__(),
        lambda one: nnz.write(one, tmp_path / "out.bpcells"),
    ]
    for call in calls:
        with pytest.raises(nnz.ClosedError) as raised:
            call(opened)
        assert str(raised.value) == f"{path}: the file is closed" and raised.value.path == path
        assert isinstance(raised.value, ValueError) and isinstance(raised.value, nnz.Error)
    assert opened.closed and opened.path == path
    assert repr(opened) == f"<closed nnz.{type(opened).__name__}: {path!r}>"
    assert "closed" in opened._repr_html_()
    # Closing again does nothing.
    opened.close()


def test_a_block_closes_after_an_error():
    with pytest.raises(RuntimeError, match="stop"):
        with nnz.open(PBMC) as m:
            raise RuntimeError("stop")
    assert m.closed


def descriptors(path):
    """Return how many descriptors of this process are of files at or below a path."""
    found = 0
    for number in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{number}")
        except OSError:
            continue
        found += target == str(path) or target.startswith(f"{path}/")
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="descriptors are listed in /proc")
@pytest.mark.parametrize("name", ["m.h5ad", "m.bsp.h5", "m.npz", "m.mtx", "m.bpcells", "m.dbdf", "m.loom", "full"])
def test_descriptors_are_released(name, tmp_path):
    path = FULL if name == "full" else tmp_path / name
    if name != "full":
        nnz.write(random_matrix(dtype=np.int32), path, axis_kinds=("cells", "features"), no_sync=True)
    # What other tests have left.
    gc.collect()
    gc.disable()
    try:
        m = nnz.open(path)
        m[:3]
        m.sum()
        m.close()
        assert descriptors(path) == 0
        with nnz.open(path) as m:
            x = m.log1p()[:3]
            held = descriptors(path)
        # What was made of it keeps the file open, and can still be read.
        assert descriptors(path) == held and x.to_scipy().shape[0] == 3
        x.close()
        assert descriptors(path) == 0
        with nnz.open(path) as m:
            copy = m.lazy
        with copy:
            assert copy.shape
        assert descriptors(path) == 0
    finally:
        gc.enable()


@pytest.mark.skipif(sys.platform != "linux", reason="descriptors are listed in /proc")
@pytest.mark.parametrize("kind", ["fragments", "table", "tensor"])
def test_descriptors_of_other_kinds_are_released(kind):
    opened = USES[kind][0]()
    getattr(opened, USES[kind][1][0])
    opened.close()
    assert descriptors(opened.path) == 0


def test_mappings_of_a_closed_file_are_closed():
    with nnz.open(FULL) as f:
        layers, views = f.layers, (f.keys(), f.values(), f.items())
        assert list(layers) == ["counts", "scaled"] and "X" in views[0] and len(views[1]) == len(views[2])
    uses = [list, len, dict, lambda m: m["counts"], lambda m: m["none"], lambda m: "counts" in m, lambda m: m.get("counts")]
    for use in uses:
        with pytest.raises(nnz.ClosedError, match="the file is closed"):
            use(layers)
    assert repr(layers) == "<closed members of layers>"
    for view in views:
        for use in (list, len):
            with pytest.raises(nnz.ClosedError):
                use(view)


@pytest.mark.skipif(sys.platform != "linux", reason="descriptors are listed in /proc")
def test_members_of_a_closed_file_stay_open():
    # What other tests have left.
    gc.collect()
    with nnz.open(FULL) as f:
        counts, x = f["layers/counts"], f.X
    assert counts.shape == x.shape == (11, 7) and counts[:2].shape == (2, 7)
    counts.close()
    x.close()
    assert descriptors(FULL) == 0
