"""Sparse matrices of `uns`, which the compiled part opens only with the whole file: their arrays are checked by it."""

from __future__ import annotations

from typing import Any, Tuple

import numpy as np
import numpy.typing as npt

from . import _convert, _nnz
from ._errors import CorruptFileError, Error, MemoryLimitError, UnsupportedError
from ._handle import Memory


def read(group: Any, place: str, memory: Memory, matrix: bool) -> Any:
    """Read a group of h5py or zarr into a matrix of SciPy; damage is an error with its place."""
    try:
        shape, by_row = _shape(group), _is_by_row(group)
        indptr, indices, data = (_array(group, name) for name in ("indptr", "indices", "data"))
        if indptr.dtype.kind not in "iu" or indices.dtype.kind not in "iu":
            raise CorruptFileError(f"indptr of {indptr.dtype} and indices of {indices.dtype}, expected integers")
        last = int(indptr[-1]) if indptr.size else 0
        if not last == len(indices) == len(data):
            what = f"{len(indices)} indices and {len(data)} values, indptr ends at {last}"
            raise CorruptFileError(what)
        if data.dtype == np.float16:
            # As in the other groups.
            data = data.astype(np.float32)
        arrays = (
            np.ascontiguousarray(indptr, np.int64),
            np.ascontiguousarray(indices, np.int64),
            np.ascontiguousarray(data, data.dtype.newbyteorder("=")),
        )
        source = _nnz.Source.from_arrays(shape, "row" if by_row else "col", *arrays)
        return _convert.read(source, memory, matrix=matrix)
    except (MemoryLimitError, UnsupportedError) as error:
        raise type(error)(f"{place}: {error}", place) from error
    except (Error, KeyError, TypeError, ValueError, OverflowError) as error:
        raise CorruptFileError(f"{place}: {error}", place) from error


def _shape(group: Any) -> Tuple[int, int]:
    shape = np.asarray(group.attrs["shape" if "shape" in group.attrs else "h5sparse_shape"])
    if shape.shape != (2,) or shape.dtype.kind not in "iu":
        raise CorruptFileError(f"shape {shape.tolist()}: expected two integers")
    return int(shape[0]), int(shape[1])


def _is_by_row(group: Any) -> bool:
    given: Any = group.attrs.get("encoding-type", group.attrs.get("h5sparse_format"))
    name = given.decode() if isinstance(given, bytes) else str(given)
    if name[:3] not in ("csr", "csc"):
        raise CorruptFileError(f"format {name!r}: expected csr or csc")
    return name.startswith("csr")


def _array(group: Any, name: str) -> npt.NDArray[Any]:
    array = group[name]
    if len(array.shape) != 1:
        raise CorruptFileError(f"{name}: {len(array.shape)} dimensions, expected 1")
    found: npt.NDArray[Any] = np.asarray(array[...])
    return found
