"""Matrices in memory, in the types of other packages."""

from __future__ import annotations

from numbers import Number
from typing import TYPE_CHECKING, Any, Callable, Optional, Tuple

import numpy as np
import numpy.typing as npt

from . import _exact, _nnz, _scanpy
from ._arguments import cell_axis
from ._errors import ArgumentError, CastError, UnsupportedError
from ._external import load
from ._guards import is_sequence, package_of
from ._handle import Memory, handle_of

if TYPE_CHECKING:
    from ._external import anndata, pandas
    from ._base import BaseMatrix

LONGEST = (1 << 63) - 1
"""The most rows or columns of a matrix of SciPy."""
MOST_DIMENSIONS = 64
"""The most dimensions of an array of NumPy."""


def read(
    source: _nnz.Source,
    memory: Memory,
    order: Optional[str] = None,
    matrix: bool = False,
    duplicates: Optional[str] = None,
) -> Any:
    """Read all entries into a matrix of SciPy, without a copy."""
    indptr, indices, data, order = source.read(order, duplicates, memory)
    return block(data, indices, indptr, source.shape, order == "row", matrix)


def block(data: Any, indices: Any, indptr: Any, shape: Tuple[int, int], by_row: bool, matrix: bool = False) -> Any:
    """Make a matrix of SciPy of sorted arrays, without a copy."""
    if max(shape) > LONGEST:
        rows, cols = shape
        raise UnsupportedError(f"{rows} x {cols}: matrices of SciPy have at most 2^63 - 1 rows and columns")
    found = kind_of(by_row, matrix)((data, indices, indptr), shape=shape, copy=False)
    found.has_sorted_indices = True
    return found


def kind_of(by_row: bool, matrix: bool) -> Any:
    """Return the class of SciPy for compressed rows or columns, as an array or a matrix."""
    sparse = load("scipy.sparse", "nnz")
    if matrix:
        return sparse.csr_matrix if by_row else sparse.csc_matrix
    return sparse.csr_array if by_row else sparse.csc_array


def read_dense(source: _nnz.Source, memory: Memory, order: Optional[str] = None) -> npt.NDArray[Any]:
    """Read every element into an array, without a copy."""
    elements, order = source.read_dense(order, memory)
    return elements.reshape(source.shape, order="C" if order == "row" else "F")


def to_pandas(matrix: BaseMatrix) -> pandas.DataFrame:
    """Read a matrix into a data frame with sparse columns."""
    frames = load("pandas", "to_pandas")
    entries = matrix.to_scipy("col", matrix=True)
    if not entries.has_canonical_format:
        # Sums of small integers would wrap around in SciPy.
        entries = matrix.to_scipy("col", matrix=True, duplicates="sum")
    made: pandas.DataFrame = frames.DataFrame.sparse.from_spmatrix(
        entries, index=matrix.row_names, columns=matrix.col_names
    )
    return made


def to_anndata(
    matrix: BaseMatrix,
    entries: Callable[[BaseMatrix, Optional[np.dtype[Any]]], Any],
    tenx: _scanpy.TenxOptions,
) -> anndata.AnnData:
    """Read names and annotations into an AnnData, and entries as they are wanted, of a type if it is given."""
    made = load("anndata", "to_anndata").AnnData
    handle = handle_of(matrix)
    other = 'nnz.write(m, "a.h5ad", cell_axis="{}")'
    if cell_axis(handle.source, None, matrix.path, handle.transposed, other) == "cols":
        matrix = matrix.T
    frames: Tuple[Any, Any] = (matrix.rows, matrix.cols)
    for frame in frames:
        # The index of an AnnData has texts.
        frame.index = frame.index.astype(str)
    obs, var = frames
    dtype: Optional[np.dtype[Any]] = None
    if _scanpy.is_tenx(matrix):
        dtype, var = tenx.dtype(matrix), tenx.named(var)
    found: anndata.AnnData = made(X=entries(matrix, dtype), obs=obs, var=var)
    return found


def dense_to_sparse(array: npt.NDArray[Any]) -> Any:
    """Make compressed rows of an array. A negative zero is an entry, zero is none."""
    stored = array != 0
    if array.dtype.kind == "f":
        stored |= np.signbit(array)
    elif array.dtype.kind == "c":
        stored |= np.signbit(np.real(array)) | np.signbit(np.imag(array))
    rows, cols = np.nonzero(stored)
    indptr = np.zeros(array.shape[0] + 1, np.int64)
    np.cumsum(np.count_nonzero(stored, axis=1), out=indptr[1:])
    return kind_of(True, False)((array[rows, cols], cols, indptr), shape=array.shape)


def plain(obj: Any) -> npt.NDArray[Any]:
    """Make an array of numbers."""
    given: Any = obj
    if isinstance(obj, np.ma.MaskedArray) and bool(np.any(given.mask)):
        raise ArgumentError("an array with masked values cannot be written: set them by filled()")
    _check_known(obj)
    array: npt.NDArray[Any] = np.asarray(given)
    if array.dtype.kind not in "biufc":
        raise ArgumentError(f"values of type {array.dtype} cannot be written")
    rounded = _exact.inexact_in_list(obj, array.dtype) if isinstance(obj, (list, tuple)) else None
    if rounded is not None:
        raise CastError(f"{rounded} cannot be stored exactly as {array.dtype}, the type of the array")
    return array


def _check_known(obj: Any, depth: int = 0) -> None:
    """Check that NumPy converts an object, or the elements of nested lists, without guessing.

    NumPy takes any object with ``__len__`` and ``__getitem__`` for a sequence, and its elements too. Parts of a MuData are
    MuData again, so that this does not end.
    """
    if depth > MOST_DIMENSIONS or _is_array_like(obj):
        return
    if not is_sequence(obj):
        raise ArgumentError(_unknown(obj))
    # Most elements are numbers, of which one of each type is enough.
    for element in {type(element): element for element in obj}.values():
        if _is_array_like(element):
            continue
        for one in obj:
            if type(one) is type(element):
                _check_known(one, depth + 1)


def _is_array_like(obj: Any) -> bool:
    if obj is None or isinstance(obj, (np.ndarray, np.generic, Number, str, bytes, bytearray, memoryview)):
        # Of some of these the type is refused later.
        return True
    return any(hasattr(obj, name) for name in ("__array__", "__array_interface__", "__array_struct__")) or _is_buffer(obj)


def _is_buffer(obj: Any) -> bool:
    try:
        memoryview(obj).release()
    except (TypeError, ValueError, BufferError):
        return False
    return True


def _unknown(obj: Any) -> str:
    """Return the error for an object that is not written."""
    module, name = type(obj).__module__, type(obj).__qualname__
    if package_of(obj) == "mudata":
        return (
            f"a {name} in memory cannot be written: write it to a file by its method `write`, which `nnz.convert` "
            "converts; `nnz.write` writes each modality, an AnnData"
        )
    return (
        f"an object of type {module}.{name} cannot be written: expected a matrix or an array of SciPy, "
        "NumPy, PyData sparse or PyTorch, a data frame, an AnnData, lists of numbers, or what `nnz.open` returns"
    )


def compressed(obj: Any, order: Optional[str] = None) -> Any:
    """Make compressed rows or columns of a matrix of SciPy or an array, of the order that is wanted or any."""
    if hasattr(obj, "tocsr") and (hasattr(obj, "format") or hasattr(obj, "getformat")):
        fits = obj.format in ("csr", "csc") if order is None else obj.format == ("csr" if order == "row" else "csc")
        if not fits:
            obj = unwrapped(obj)
        block = obj if fits else obj.tocsc() if order == "col" else obj.tocsr()
    else:
        array = plain(obj)
        if array.ndim != 2:
            raise ArgumentError(f"a matrix has 2 dimensions, not {array.ndim}")
        block = dense_to_sparse(array)
        block = block.tocsc() if order == "col" else block
    if block.ndim != 2:
        raise ArgumentError(f"a matrix has 2 dimensions, not {block.ndim}")
    return block


def unwrapped(obj: Any) -> Any:
    """Return a matrix in coordinates whose entries SciPy can sum without wrapping around."""
    if obj.format != "coo" or obj.has_canonical_format or obj.dtype.kind not in "iu" or obj.dtype.itemsize == 8:
        return obj
    found = obj.copy()
    found.data = obj.data.astype(np.int64 if obj.dtype.kind == "i" else np.uint64)
    found.sum_duplicates()
    limits = np.iinfo(obj.dtype)
    if found.nnz and (found.data.min() < limits.min or found.data.max() > limits.max):
        raise CastError(f"the sum of entries of the same element does not fit {obj.dtype}")
    return found.astype(obj.dtype)


def native_arrays(
    block: Any, dtype: Optional[np.dtype[Any]] = None
) -> Tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """Return `indptr`, indices and data as the compiled part takes them, with values of a type."""
    for name in ("indptr", "indices", "data"):
        array = getattr(block, name)
        if array.ndim != 1 or (name != "data" and array.dtype.kind not in "iu"):
            what = "one dimension" if array.ndim != 1 else "integers"
            raise ArgumentError(f"{name} of {array.ndim} dimensions of {array.dtype}: expected {what}")
    indptr = np.ascontiguousarray(block.indptr, np.int64)
    indices, data = block.indices, block.data
    stored = int(indptr[-1]) if indptr.size else 0
    if 0 <= stored < min(len(indices), len(data)):
        # SciPy ignores what is there after the last entry.
        indices, data = indices[:stored], data[:stored]
    indices = np.ascontiguousarray(indices, np.int64 if indices.dtype.itemsize > 4 else np.int32)
    data = np.ascontiguousarray(data, dtype=data.dtype.newbyteorder("=") if dtype is None else dtype)
    return indptr, indices, data
