"""What a place holds, as the class that reads it."""

from __future__ import annotations

from typing import Any, Union

from . import _nnz
from ._fragments import Fragments
from ._matrix import Matrix, absolute
from ._table import Table
from ._tensor import Tensor

Dataset = Union[Matrix, Tensor, Table, Fragments]


def open_dataset(path: str, memory: Any = None) -> Dataset:
    """Open the matrix, tensor, table or fragments at a place."""
    source = _nnz.open(path, memory)
    if isinstance(source, _nnz.TensorSource):
        return Tensor(source, absolute(path), path, memory)
    if isinstance(source, _nnz.TableSource):
        return Table(source, absolute(path), path, memory)
    if isinstance(source, _nnz.FragmentSource):
        return Fragments.of(source, path, memory)
    return Matrix(source, absolute(path), path, memory)
