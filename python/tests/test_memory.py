"""Memory depends on what is read, not on what is stored."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sparse

import nnz

ROWS, COLS, EACH = 5_000, 100_000, 400
ENTRIES = COLS * EACH
# In memory: values and indices of 32 bits.
WHOLE = ENTRIES * 8


@pytest.fixture(scope="module", params=["m.bpcells", "m.h5ad"])
def large(request, tmp_path_factory):
    """A matrix of 320 MB, which is never in memory as a whole here."""
    path = tmp_path_factory.mktemp("large") / request.param
    step = 5_000
    rng = np.random.default_rng(0)
    # Ascending in each column, and different in each.
    base = np.sort(rng.permutation(ROWS - 100)[:EACH])
    indptr = np.arange(step + 1) * EACH
    options = {"compress": "none"} if path.suffix == ".h5ad" else {}
    options.update(dtype="uint32", axis_kinds=("features", "cells"), no_sync=True)
    with nnz.writer(path, (ROWS, COLS), "col", **options) as parts:
        for start in range(0, COLS, step):
            rows = (base + rng.integers(0, 100, (step, 1))).astype(np.int32)
            values = rng.integers(1, 100, step * EACH, dtype=np.uint32)
            parts.write(sparse.csc_array((values, rows.ravel(), indptr), shape=(ROWS, step)))
    return path


CHILD = """
import resource, sys
import numpy as np, scipy.sparse
import nnz
m = nnz.open(sys.argv[1])
if m.axis_kinds == ("cells", "features"):
    m = m.T
# The memory of imports does not count.
with open("/proc/self/clear_refs", "w") as clear:
    clear.write("5")
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) * 1024
before = peak()
result = eval(sys.argv[2])
print(result, peak() - before)
"""


def measured(path, expression):
    """Evaluate an expression of `m` in another process; return its output and the growth of memory."""
    command = [sys.executable, "-c", CHILD, str(path), expression]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    result, grown = done.stdout.split()
    return int(result), int(grown)


pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="no /proc")


@pytest.mark.parametrize("shuffle", [True, False])
def test_batches_take_the_memory_of_two_buffers(large, shuffle):
    entries, grown = measured(large, f"sum(batch.x.nnz for batch in m.batches(256, buffer=8192, shuffle={shuffle}))")
    assert entries == ENTRIES
    buffer = 8192 * EACH * 8
    # And what decoding takes.
    assert buffer <= grown < 3 * buffer + (1 << 25)


def test_partitions_take_the_memory_of_one(large):
    entries, grown = measured(large, "sum(part.read().nnz for part in m.partitions(nbytes=1 << 24))")
    assert entries == ENTRIES
    assert grown < (1 << 25) + (1 << 25)


def test_reading_everything_takes_memory(large):
    entries, grown = measured(large, "m.to_scipy().nnz")
    assert entries == ENTRIES
    assert WHOLE <= grown < 2 * WHOLE


@pytest.mark.parametrize(
    "expression, cols",
    [("m[:, 40_000:45_000].nnz", 5_000), ("m[:, ::100].nnz", 1_000), ("m[:, 99_999].nnz", 1)],
)
def test_slices_take_the_memory_of_their_entries(large, expression, cols):
    entries, grown = measured(large, expression)
    assert entries == cols * EACH
    assert grown < 3 * WHOLE * cols / COLS + (24 << 20)


@pytest.mark.parametrize(
    "expression, expected",
    [
        ("sum(block.nnz for block in m.iter_batches(nbytes=4 << 20))", ENTRIES),
        ("m.sum(axis=0).shape[0]", COLS),
        ("(m.sum(axis=1) > 0).size", ROWS),
    ],
)
def test_passes_over_the_whole_take_bounded_memory(large, expression, expected):
    found, grown = measured(large, expression)
    assert found == expected
    assert grown < WHOLE / 4
