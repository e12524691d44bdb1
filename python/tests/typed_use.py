"""Code of users, for type checkers. test_docs.py checks and runs it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

import nnz


def shape_of(path: Path) -> tuple[int, int]:
    m = nnz.Matrix(path)
    entries: Optional[int] = m.nnz
    names: Optional[npt.NDArray[np.object_]] = m.row_names
    assert entries is None or entries >= 0
    assert names is None or len(names) == m.shape[0]
    dtype: np.dtype[Any] = m.dtype
    order: str = m.order
    assert dtype.itemsize > 0 and order in ("row", "col", "none")
    return m.T.shape


def blocks_of(path: Path) -> int:
    m = nnz.Matrix(path, memory="1G")
    stored = 0
    for block in m.iter_batches(nbytes=1 << 16):
        stored += int(block.nnz)
    return stored


def converted(source: Path, target: Path) -> list[str]:
    summary: nnz.Summary = nnz.convert(source, target, force=True, threads=2, type="float64")
    differences: list[nnz.Difference] = nnz.diff(source, target)
    findings: list[nnz.Finding] = nnz.validate(target)
    assert not differences and not findings and summary.entries > 0
    return summary.dropped


def written(source: Path, target: Path) -> nnz.Matrix:
    m = nnz.Matrix(source)
    with nnz.writer(target, m.shape, m.order, row_names=m.row_names, force=True) as parts:
        for block in m.iter_batches():
            parts.write(block)
    return nnz.Matrix(target)


def some_of(path: Path) -> float:
    m = nnz.Matrix(path)
    block = m[:, [0, 1]]
    assert block.shape == (m.shape[0], 2)
    return float(m.sum()) + float(m.T.sum(axis=0)[0])


def lazily(path: Path) -> float:
    with nnz.Matrix(path) as m:
        lazy: nnz.LazyMatrix = m.lazy[:, [0, 1]].T
        steps: tuple[str, ...] = lazy.normalize_total(1e4).log1p().steps
        assert len(steps) == 4 and lazy.shape[0] == 2
        total = float(lazy.sum())
    assert m.closed
    return total


def main_of(path: Path) -> nnz.Matrix:
    with nnz.File(path, memory="1G") as f:
        shape: tuple[int, int] = f.shape
        counts: int = f.n_obs + f.n_vars
        assert counts == sum(shape) and "X" in f
        return f.X


def cells_of(path: Path) -> int:
    tensor = nnz.Tensor(path)
    elements: npt.NDArray[Any] = tensor.to_numpy()
    assert elements.shape == tensor.shape
    return tensor.nnz


def labels_of(path: Path) -> list[str]:
    table = nnz.Table(path)
    columns: dict[str, npt.NDArray[Any]] = table.to_dict()
    assert list(columns) == table.columns
    return table.columns


def overlaps_of(path: Path) -> int:
    fragments = nnz.Fragments(path)
    counts = fragments.count_peaks([("chr1", 0, 50_000)])
    found: npt.NDArray[np.uint32] = fragments.query("chr1:0-50,000").start
    assert counts.shape[0] == 1
    return len(found)


def trained(path: Path) -> int:
    m = nnz.Matrix(path)
    batches: nnz.Batches = m.batches(256, seed=1, annotations=[], dtype=np.float32)
    cells = 0
    for batch in batches:
        index: npt.NDArray[np.int64] = batch.index
        columns: dict[str, npt.NDArray[Any]] = batch.obs
        cells += len(index) + len(columns) + 0 * int(batch.x.nnz)
    return cells


def divided(path: Path) -> list[int]:
    parts: list[nnz.Partition] = nnz.Matrix(path).partitions(n=3)
    return [int(part.read().nnz) for part in parts]


def written_by_workers(path: Path, target: Path) -> nnz.Summary:
    return nnz.from_dask(nnz.Matrix(path).to_dask(nbytes=1 << 16), target, compress="none", force=True)


def tensor_of(path: Path) -> tuple[Any, Any]:
    # Without PyTorch its types are unknown, which a type checker would report here.
    return nnz.Matrix(path).to_torch(), nnz.Tensor(path).to_torch()


def statistics_of(path: Path) -> list[Any]:
    nnz.convert(path, path, types=["int8"], from_dialect=None, force=True)
    return [np.sum(nnz.Matrix(path)), nnz.stats(path, cells="0:3", allow_empty=True)]


def kind_of(path: str) -> str:
    try:
        found = nnz.open(path)
    except FileNotFoundError:
        return "nothing"
    except nnz.Error as error:
        return str(error)
    if isinstance(found, nnz.File):
        members: list[str] = list(found)
        return ", ".join(members)
    if isinstance(found, nnz.Table):
        return "table"
    if isinstance(found, nnz.Fragments):
        return "fragments"
    return f"{len(found.shape)} dimensions"
