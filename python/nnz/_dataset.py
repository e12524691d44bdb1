"""The class that reads the data at a path."""

from __future__ import annotations

from typing import Any, Optional, Union

from . import _nnz
from ._fragment_handle import FragmentHandle
from ._fragments import Fragments
from ._handle import Memory, absolute
from ._matrix import Matrix
from ._matrix_handle import MatrixHandle
from ._reading import Reading
from ._table import Table, TableHandle
from ._tensor import Tensor, TensorHandle

Dataset = Union[Matrix, Tensor, Table, Fragments]


def dataset_of(source: Any, path: str, memory: Memory, shown: str, reading: Optional[Reading] = None) -> Dataset:
    """Return the handle of a source that was opened."""
    whole = absolute(path)
    if isinstance(source, _nnz.TensorSource):
        return Tensor.of(TensorHandle(whole, shown, memory, source, reading))
    if isinstance(source, _nnz.TableSource):
        return Table.of(TableHandle(whole, shown, memory, source, reading))
    if isinstance(source, _nnz.FragmentSource):
        return Fragments.of(FragmentHandle(whole, shown, memory, source, reading))
    return Matrix.of(MatrixHandle(whole, shown, memory, source, reading))
