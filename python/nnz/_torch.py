"""Sparse tensors of PyTorch, which need not be installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Sequence

import numpy as np
import numpy.typing as npt

from ._errors import ArgumentError, UnsupportedError

from ._external import load
from ._guards import package_of

if TYPE_CHECKING:
    from ._external import torch


def from_block(block: Any) -> torch.Tensor:
    """Make a tensor of compressed rows or columns of SciPy, without a copy."""
    torch = load("torch", "to_torch")
    made = torch.sparse_csr_tensor if block.format == "csr" else torch.sparse_csc_tensor
    parts = [torch.from_numpy(part) for part in (block.indptr, block.indices)]
    return made(*parts, from_array(torch, block.data), size=block.shape)


def from_entries(coordinates: Sequence[npt.NDArray[Any]], data: npt.NDArray[Any], shape: Sequence[int]) -> torch.Tensor:
    """Make a tensor of entries, in the order of their coordinates."""
    torch = load("torch", "to_torch")
    indices = np.stack(coordinates) if coordinates else np.empty((0, len(data)), np.int64)
    made = torch.sparse_coo_tensor(torch.from_numpy(indices), from_array(torch, data), size=tuple(shape))
    return made.coalesce()


def from_array(torch: Any, data: npt.NDArray[Any]) -> Any:
    """Make a tensor of an array, without a copy."""
    try:
        return torch.from_numpy(data)
    except TypeError:
        raise UnsupportedError(f"this version of PyTorch has no tensors of {data.dtype}") from None


def is_tensor(obj: Any) -> bool:
    """Return whether an object is a tensor of PyTorch, without importing it."""
    return package_of(obj) == "torch" and hasattr(obj, "layout") and hasattr(obj, "detach")


def to_scipy(tensor: Any) -> Any:
    """Make a sparse array of SciPy, a list of coordinates with values, or an array of NumPy of a tensor."""
    sparse = load("scipy.sparse", "nnz")
    layout = str(tensor.layout)
    tensor = tensor.detach().cpu()
    if layout == "torch.strided":
        return _numpy(tensor)
    if layout == "torch.sparse_coo":
        tensor = tensor.coalesce()
        if tensor.dense_dim():
            raise UnsupportedError("a tensor of PyTorch with dense dimensions cannot be written: convert it by to_dense()")
        coordinates: List[Any] = list(_numpy(tensor.indices()))
        values = _numpy(tensor.values())
        if len(coordinates) != 2:
            return coordinates, values, tuple(tensor.shape)
        return sparse.coo_array((values, tuple(coordinates)), shape=tuple(tensor.shape))
    if tensor.ndim != 2 or tensor.dense_dim():
        raise UnsupportedError(f"a tensor of PyTorch of {tensor.ndim} dimensions in the layout {layout} cannot be written")
    if layout in ("torch.sparse_bsr", "torch.sparse_bsc"):
        by_row = layout == "torch.sparse_bsr"
        indptr, indices = (
            (tensor.crow_indices(), tensor.col_indices()) if by_row else (tensor.ccol_indices(), tensor.row_indices())
        )
        values = _numpy(tensor.values())
        rows, cols = tensor.shape
        if by_row:
            return sparse.bsr_array((values, _numpy(indices), _numpy(indptr)), shape=(rows, cols)).tocsr()
        # Blocks of columns are blocks of rows of the transpose.
        flipped = (np.ascontiguousarray(values.transpose(0, 2, 1)), _numpy(indices), _numpy(indptr))
        return sparse.bsr_array(flipped, shape=(cols, rows)).tocsr().T
    if layout == "torch.sparse_csr":
        parts = _numpy(tensor.values()), _numpy(tensor.col_indices()), _numpy(tensor.crow_indices())
        return sparse.csr_array(parts, shape=tuple(tensor.shape))
    if layout == "torch.sparse_csc":
        parts = _numpy(tensor.values()), _numpy(tensor.row_indices()), _numpy(tensor.ccol_indices())
        return sparse.csc_array(parts, shape=tuple(tensor.shape))
    raise UnsupportedError(f"a tensor of PyTorch in the layout {layout} cannot be written")


def _numpy(tensor: Any) -> npt.NDArray[Any]:
    try:
        made: npt.NDArray[Any] = tensor.resolve_conj().resolve_neg().numpy()
    except TypeError:
        raise ArgumentError(f"values of type {tensor.dtype} cannot be written") from None
    return made
