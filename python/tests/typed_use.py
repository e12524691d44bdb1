"""Code of users, for type checkers. test_docs.py checks and runs it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

import nnz


def shape_of(path: Path) -> tuple[int, int]:
    m = nnz.open(path)
    assert isinstance(m, nnz.Matrix)
    entries: Optional[int] = m.nnz
    names: Optional[npt.NDArray[np.object_]] = m.row_names
    assert entries is None or entries >= 0
    assert names is None or len(names) == m.shape[0]
    dtype: np.dtype[Any] = m.dtype
    order: str = m.order
    assert dtype.itemsize > 0 and order in ("row", "col", "none")
    return m.T.shape


def blocks_of(path: Path) -> int:
    m = nnz.open(path)
    assert isinstance(m, nnz.Matrix)
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
    m = nnz.open(source)
    assert isinstance(m, nnz.Matrix)
    with nnz.writer(target, m.shape, m.order, row_names=m.row_names, force=True) as parts:
        for block in m.iter_batches():
            parts.write(block)
    made = nnz.open(target)
    assert isinstance(made, nnz.Matrix)
    return made


def kind_of(path: str) -> str:
    try:
        found = nnz.open(path)
    except FileNotFoundError:
        return "nothing"
    except nnz.Error as error:
        return str(error)
    if isinstance(found, nnz.File):
        return ", ".join(found)
    if isinstance(found, nnz.Table):
        return "table"
    if isinstance(found, nnz.Fragments):
        return "fragments"
    return f"{len(found.shape)} dimensions"
