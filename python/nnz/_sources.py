"""Matrices and arrays in memory, as sources that are written."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from . import _binsparse, _convert, _nnz, _torch
from ._base import BaseMatrix
from ._binsparse import Source
from ._errors import ArgumentError
from ._guards import is_tuple, package_of
from ._handle import handle_of
from ._tensor import Tensor


def source_of(obj: Any) -> Source:
    """Make a source of what is written."""
    if isinstance(obj, BaseMatrix):
        return handle_of(obj).source
    if isinstance(obj, Tensor):
        return handle_of(obj).source
    if package_of(obj) == "dask" and hasattr(obj, "compute"):
        obj = obj.compute()
    if _torch.is_tensor(obj):
        obj = _torch.to_scipy(obj)
        if is_tuple(obj):
            coordinates, data, shape = obj
            return _binsparse.source(_binsparse.of_entries(shape, coordinates, data))
    if package_of(obj) == "sparse":
        return _of_pydata(obj)
    if hasattr(obj, "tocsr") and hasattr(obj, "format"):
        return _of_scipy(obj)
    if _binsparse.is_offered(obj):
        return _binsparse.source_of(obj)
    array = _convert.plain(obj)
    if array.ndim == 2:
        return _of_block(_convert.dense_to_sparse(array))
    return _of_dense(array)


def _of_scipy(obj: Any) -> Source:
    if obj.ndim != 2:
        # As in two dimensions, entries at one place are added up.
        entries = _convert.unwrapped(obj.tocoo(copy=True))
        entries.sum_duplicates()
        return _binsparse.source(_binsparse.of_entries(entries.shape, entries.coords, entries.data))
    return _of_block(_convert.compressed(obj))


def _of_block(block: Any) -> Source:
    order = "row" if block.format == "csr" else "col"
    return _nnz.Source.from_arrays(block.shape, order, *_convert.native_arrays(block))


def _of_pydata(obj: Any) -> Source:
    """Take an array of PyData ``sparse``, of any of its formats."""
    for made in ("tocoo", "to_coo"):
        if hasattr(obj, made):
            obj = getattr(obj, made)()
    if not hasattr(obj, "coords"):
        raise ArgumentError(f"a {type(obj).__name__} of sparse cannot be written: convert it by asformat('coo')")
    data = obj.data
    fill: Optional[npt.NDArray[Any]] = np.array([obj.fill_value], dtype=data.dtype)
    if not _stored(fill).any():
        fill = None
    if not obj.ndim and not len(data):
        # Without dimensions there is one element, which is stored in any case.
        data = np.array([obj.fill_value], dtype=data.dtype)
    return _binsparse.source(_binsparse.of_entries(obj.shape, list(obj.coords), data, fill))


def _of_dense(array: npt.NDArray[Any]) -> Source:
    """Take the elements of an array that are not zero; all of one without dimensions."""
    if not array.ndim:
        return _binsparse.source(_binsparse.of_entries((), [], array.reshape(1)))
    stored = _stored(array)
    return _binsparse.source(_binsparse.of_entries(array.shape, np.nonzero(stored), array[stored]))


def _stored(array: Any) -> npt.NDArray[np.bool_]:
    """Return which elements are not zero. A negative zero is an entry."""
    stored: npt.NDArray[np.bool_] = np.asarray(array != 0)
    if array.dtype.kind == "f":
        stored |= np.signbit(array)
    elif array.dtype.kind == "c":
        stored |= np.signbit(array.real) | np.signbit(array.imag)
    return stored
