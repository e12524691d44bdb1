"""What interpreters and notebooks show of what is open."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, List, Tuple

if TYPE_CHECKING:
    from ._matrix import Matrix


def text(matrix: Matrix) -> str:
    """Describe a matrix in a line, without reading entries."""
    rows, cols = matrix.shape
    stored = "" if matrix.nnz is None else f" with {matrix.nnz} entries"
    order = {"row": "by row", "col": "by column"}[matrix.order]
    return f"<nnz.Matrix {rows} x {cols} of {matrix.dtype}{stored}, {order}: {matrix.format}, {matrix.path!r}>"


def facts(matrix: Matrix) -> List[Tuple[str, str]]:
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
        share = f" ({matrix.nnz / matrix.size:.2%} of cells)" if matrix.size else ""
        found.append(("entries", f"{matrix.nnz:,}{share}"))
    return found


def html(matrix: Matrix) -> str:
    """Describe a matrix as a table."""
    return table("nnz.Matrix", facts(matrix))


def table(caption: str, facts: List[Tuple[str, str]]) -> str:
    """Make a table of what is known."""
    rows = "".join(f"<tr><th style='text-align:left'>{escape(what)}</th><td>{escape(value)}</td></tr>" for what, value in facts)
    return f"<table><caption>{escape(caption)}</caption>{rows}</table>"
