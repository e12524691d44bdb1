"""Representations of objects in interpreters and notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, List, Sequence, Tuple
from uuid import uuid4

from . import _nnz
from ._errors import Error
from ._handle import Memory

if TYPE_CHECKING:
    from ._base import BaseMatrix
    from ._table import Table
    from ._tensor import Tensor

MOST_COLUMNS = 8
"""Columns of a table that are listed."""


def text(matrix: BaseMatrix, steps: Sequence[str]) -> str:
    """Describe a matrix in a line, without reading entries."""
    rows, cols = matrix.shape
    stored = "" if matrix.stored is None else f" with {matrix.stored} entries"
    if matrix.nnz != matrix.stored:
        stored += " in a triangle"
    order = {"row": "by row", "col": "by column"}[matrix.order]
    name, applied = type(matrix).__name__, f"; {', '.join(steps)}" if steps else ""
    return f"<nnz.{name} {rows} x {cols} of {matrix.dtype}{stored}, {order}: {matrix.format}, {matrix.path!r}{applied}>"


def facts(matrix: BaseMatrix) -> List[Tuple[str, str]]:
    """List what is known without reading entries."""
    rows, cols = matrix.shape
    kinds = matrix.axis_kinds
    found = [
        ("path", matrix.path),
        ("format", matrix.format),
        ("shape", f"{rows} x {cols}" + (f" ({kinds[0]} x {kinds[1]})" if kinds[0] and kinds[1] else "")),
        ("type", str(matrix.dtype)),
        ("stored by", {"row": "row", "col": "column"}[matrix.order]),
    ]
    if matrix.nnz is not None:
        share = f" ({matrix.nnz / matrix.size:.2%} of elements)" if matrix.size else ""
        found.append(("entries", f"{matrix.nnz:,}{share}"))
    elif matrix.stored is not None:
        found.append(("entries", f"{matrix.stored:,} in a triangle"))
    return found


MOST_ENTRIES = 2_000_000
"""Larger matrices are not drawn, since reading them takes time."""


def html(matrix: BaseMatrix, steps: Sequence[str]) -> str:
    """Describe a matrix as a table."""
    applied = [("steps", ", ".join(steps))] if steps else []
    return table(f"nnz.{type(matrix).__name__}", facts(matrix) + applied)


def picture(source: _nnz.Source, path: str, memory: Memory) -> str:
    """Draw where the entries of a matrix are, if it is small and local."""
    if source.nnz is None or source.nnz > MOST_ENTRIES or _nnz.is_url(path):
        return ""
    try:
        # Other pictures of the page have other identifiers.
        return _nnz.spy_svg(source, "Where the entries are", f"nnz-{uuid4().hex}", memory)
    except Error:
        # It is reported when the matrix is used.
        return ""


def table(caption: str, found: List[Tuple[str, str]]) -> str:
    """Make a table of facts."""
    cells = "".join(f"<tr><th style='text-align:left'>{_html(what)}</th><td>{_html(value)}</td></tr>" for what, value in found)
    return f"<table><caption>{_html(caption)}</caption>{cells}</table>"


def _html(text: str) -> str:
    # Paths and names that are not UTF-8 have surrogates, which cannot be encoded.
    return escape(text.encode("utf-8", "backslashreplace").decode("utf-8"))


def tensor_text(tensor: Tensor) -> str:
    """Describe a tensor in a line, without reading entries."""
    extents = " x ".join(map(str, tensor.shape)) or "without dimensions"
    return f"<nnz.Tensor {extents} of {tensor.dtype} with {tensor.nnz} entries: {tensor.format}, {tensor.path!r}>"


def tensor_facts(tensor: Tensor) -> List[Tuple[str, str]]:
    """List what is known without reading entries."""
    share = f" ({tensor.nnz / tensor.size:.2%} of elements)" if tensor.size else ""
    return [
        ("path", tensor.path),
        ("format", tensor.format),
        ("shape", " x ".join(map(str, tensor.shape)) or "no dimensions"),
        ("type", str(tensor.dtype)),
        ("levels", tensor.levels),
        ("fill value", str(tensor.fill_value)),
        ("entries", f"{tensor.nnz:,}{share}"),
    ]


def frame_text(frame: Table) -> str:
    """Describe a table in a line, without reading values."""
    rows, cols = frame.shape
    return f"<nnz.Table {rows} x {cols} ({_listed(frame)}): {frame.format}, {frame.path!r}>"


def frame_facts(frame: Table) -> List[Tuple[str, str]]:
    """List what is known without reading values."""
    rows, cols = frame.shape
    return [
        ("path", frame.path),
        ("format", frame.format),
        ("shape", f"{rows} x {cols}"),
        ("columns", _listed(frame)),
    ]


def _listed(frame: Table) -> str:
    listed = [f"{label}: {dtype}" for label, dtype in zip(frame.columns[:MOST_COLUMNS], frame.dtypes)]
    return ", ".join(listed + (["..."] if len(frame.columns) > MOST_COLUMNS else []))
