"""What a place holds, as the class that reads it."""

from __future__ import annotations

from typing import Any, Optional, Union

from . import _nnz
from ._fragments import Fragments
from ._matrix import Matrix, absolute
from ._table import Table
from ._tensor import Tensor

Dataset = Union[Matrix, Tensor, Table, Fragments]


def open_dataset(path: str, memory: Any = None, shown: Optional[str] = None) -> Dataset:
    """Open the matrix, tensor, table or fragments at a place, which messages show as it was given."""
    source = _nnz.open(path, memory)
    whole, shown = absolute(path), path if shown is None else shown
    if isinstance(source, _nnz.TensorSource):
        return Tensor(source, whole, shown, memory)
    if isinstance(source, _nnz.TableSource):
        return Table(source, whole, shown, memory)
    if isinstance(source, _nnz.FragmentSource):
        return Fragments.of(source, whole, shown, memory)
    return Matrix(source, whole, shown, memory)
