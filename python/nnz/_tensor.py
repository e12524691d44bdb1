"""A tensor on disk, read when it is asked for."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple

import numpy as np
import numpy.typing as npt

from . import _binsparse, _nnz, _show
from ._errors import ArgumentError, UnsupportedError

if TYPE_CHECKING:
    import scipy.sparse
    import sparse
    import torch

DENSE_LIMIT = 1 << 28
"""Bytes that `numpy.asarray` makes of a tensor at the most."""


class Tensor:
    """A sparse or dense array on disk of three dimensions or more, or of none. `nnz.open` opens one.

    Matrices and vectors are a `Matrix`. Nothing is read but a header until entries are asked for. A tensor can be
    pickled, which keeps its path; used after a fork; and used by several threads.

    Examples
    --------
    >>> import numpy as np
    >>> cells = np.zeros((2, 3, 4))
    >>> cells[1, 2, 3] = 5
    >>> _ = nnz.write(cells, tmp / "cells.bsp.h5")
    >>> t = nnz.open(tmp / "cells.bsp.h5")
    >>> t.shape, t.nnz, t.dtype
    ((2, 3, 4), 1, dtype('float64'))
    >>> t.to_numpy()[1, 2, 3].item()
    5.0
    """

    __slots__ = ("_path", "_shown", "_memory", "_open", "_pid", "_kept", "_read", "__weakref__")

    def __init__(self, source: _nnz.TensorSource, path: str, shown: str, memory: Any = None) -> None:
        self._path = path
        self._shown = shown
        self._memory = memory
        self._open = source
        self._pid = os.getpid()
        self._kept: List[_nnz.TensorSource] = []
        self._read: List[_binsparse.Exported] = []

    @property
    def _source(self) -> _nnz.TensorSource:
        # What a parent process has opened may be in use there, so that a child opens its own.
        if self._pid != os.getpid():
            self._kept.append(self._open)
            self._open = _open_source(self._path, self._memory)
            self._pid = os.getpid()
        return self._open

    def __reduce__(self) -> Tuple[Callable[..., Tensor], Tuple[Any, ...]]:
        return _reopen, (self._path, self._shown, self._memory)

    @property
    def path(self) -> str:
        """The path it was opened with."""
        return self._shown

    @property
    def shape(self) -> Tuple[int, ...]:
        """The length of each dimension."""
        return tuple(self._source.shape)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self._source.shape)

    @property
    def size(self) -> int:
        """The number of cells, stored or not."""
        cells = 1
        for extent in self.shape:
            cells *= extent
        return cells

    @property
    def nnz(self) -> int:
        """The number of stored entries."""
        return self._source.nnz

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values."""
        return np.dtype(self._source.dtype)

    @property
    def format(self) -> str:
        """The format, such as ``"SciPy sparse array"``."""
        return self._source.about()[0]

    @property
    def levels(self) -> str:
        """The levels that entries are stored in, in the words of Binsparse, such as ``"sparse3(element)"``."""
        return self._source.levels

    @property
    def fill_value(self) -> Any:
        """The value of cells that are not stored, usually zero."""
        fill = self._source.fill
        return self.dtype.type(0) if fill is None else fill[0]

    def to_numpy(self) -> npt.NDArray[Any]:
        """Read every cell. Those that are not stored hold the fill value.

        Returns
        -------
        numpy.ndarray
            Of the shape of the tensor, in the order of C.

        Raises
        ------
        nnz.MemoryLimitError
            All cells need more memory than allowed.

        Examples
        --------
        >>> cells = nnz.open("testdata/scipy/npz/scipy1.18.1/coo_array_3d.npz").to_numpy()
        >>> cells.shape
        (3, 4, 5)
        """
        source = self._source
        return source.read_dense(self._memory).reshape(source.shape)

    def to_sparse(self) -> sparse.COO:
        """Read all entries into an array of PyData ``sparse``, with its fill value. Requires that package.

        Returns
        -------
        sparse.COO
            Of the shape of the tensor.

        Raises
        ------
        nnz.MemoryLimitError
            The entries need more memory than allowed.
        ImportError
            PyData sparse is not installed.

        Examples
        --------
        >>> nnz.open("testdata/scipy/npz/scipy1.18.1/coo_array_3d.npz").to_sparse().nnz  # doctest: +SKIP
        36
        """
        try:
            import sparse
        except ImportError:
            raise ImportError("to_sparse requires PyData sparse: pip install sparse") from None
        source = self._source
        coordinates, data = source.read(self._memory)
        fill = self.fill_value
        if not coordinates:
            # Without dimensions, the only cell is the only entry.
            return sparse.COO(np.empty((0, 1), np.int64), data, shape=(), fill_value=fill)
        return sparse.COO(np.stack(coordinates), data, shape=self.shape, fill_value=fill, has_duplicates=False)

    def to_scipy(self) -> scipy.sparse.coo_array:
        """Read all entries into an array of SciPy, which has three dimensions or more from SciPy 1.15 on.

        Returns
        -------
        scipy.sparse.coo_array

        Raises
        ------
        nnz.UnsupportedError
            The fill value is not zero, there are no dimensions, or this SciPy is older.

        Examples
        --------
        >>> nnz.open("testdata/scipy/npz/scipy1.18.1/coo_array_3d.npz").to_scipy().nnz
        36
        """
        from scipy import sparse

        self._refuse_fill("arrays of SciPy")
        if not self.ndim:
            raise UnsupportedError(f"{self._shown}: an array of SciPy has one dimension or more", self._shown)
        coordinates, data = self._source.read(self._memory)
        try:
            return sparse.coo_array((data, tuple(coordinates)), shape=self.shape)
        except ValueError as error:
            raise UnsupportedError(f"{self._shown}: this SciPy has no arrays of {self.ndim} dimensions", self._shown) from error

    def to_torch(self) -> torch.Tensor:
        """Read all entries into a sparse tensor of PyTorch, in its COO layout. Requires torch.

        Returns
        -------
        torch.Tensor
            On the CPU, coalesced, with indices of 64 bits.

        Raises
        ------
        nnz.UnsupportedError
            The fill value is not zero, or this PyTorch does not have the type of the values.
        ImportError
            PyTorch is not installed.

        Examples
        --------
        >>> nnz.open("testdata/scipy/npz/scipy1.18.1/coo_array_3d.npz").to_torch().shape  # doctest: +SKIP
        torch.Size([3, 4, 5])
        """
        from . import _torch

        self._refuse_fill("tensors of PyTorch")
        coordinates, data = self._source.read(self._memory)
        return _torch.from_entries(coordinates, data, self.shape)

    def _refuse_fill(self, where: str) -> None:
        if self._source.fill is not None and self.nnz < self.size:
            raise UnsupportedError(
                f"{self._shown}: cells that are not stored hold {self.fill_value}; in {where} they are zero", self._shown
            )

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> npt.NDArray[Any]:
        if copy is False:
            raise ValueError("a tensor on disk cannot be an array without a copy")
        size = self.size * self.dtype.itemsize
        if size > DENSE_LIMIT:
            raise ArgumentError(
                f"{self._shown}: all cells take {size} bytes, more than {DENSE_LIMIT}: to_numpy() makes an array of any size"
            )
        made = self.to_numpy()
        return made if dtype is None else made.astype(dtype, copy=False)

    def __binsparse_descriptor__(self) -> Dict[str, Any]:
        """Describe the arrays of `__binsparse__`, as Binsparse does. All entries are read, and kept for that call."""
        self._read[:] = [self._exported()]
        return self._read[0].descriptor

    def __binsparse__(self) -> Dict[str, npt.NDArray[Any]]:
        """Read all entries as named arrays of Binsparse."""
        return _binsparse.take(self._read, self._exported).arrays

    def _exported(self) -> _binsparse.Exported:
        coordinates, data = self._source.read(self._memory)
        return _binsparse.of_entries(self.shape, coordinates, data, self._source.fill)

    def __repr__(self) -> str:
        return _show.tensor_text(self)

    def _repr_html_(self) -> str:
        return _show.table("nnz.Tensor", _show.tensor_facts(self))


def _open_source(path: str, memory: Any) -> _nnz.TensorSource:
    source = _nnz.open(path, memory)
    if not isinstance(source, _nnz.TensorSource):
        raise UnsupportedError(f"{path}: no longer holds a tensor", path)
    return source


def _reopen(path: str, shown: str, memory: Any) -> Tensor:
    return Tensor(_open_source(path, memory), path, shown, memory)
