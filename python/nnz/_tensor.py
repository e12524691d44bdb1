"""A tensor on disk, read when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

import numpy as np
import numpy.typing as npt

from . import _binsparse, _nnz, _show
from ._errors import ArgumentError, UnsupportedError
from ._external import load
from ._handle import Handle, Memory, Opened, absolute
from ._options import PathLike, path_text
from ._reading import Reading, ReadOptions, reading
from ._storage import StorageOptions, storage

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._external import Coordinates, sparse

DENSE_LIMIT = 1 << 28
"""Bytes that `numpy.asarray` makes of a tensor at the most."""


class TensorHandle(Handle[_nnz.TensorSource]):
    """A tensor that is open."""

    __slots__ = ()

    def opened(self) -> _nnz.TensorSource:
        """Open the tensor."""
        return _opened(self.path, self.memory, self.reading)


class Tensor(Opened[TensorHandle]):
    """A sparse or dense array on disk with three or more dimensions, or without dimensions.

    `nnz.open` returns one, too. Matrices and vectors are a `Matrix`. Only a header is read until entries are
    requested. A tensor can be pickled, which keeps its path; used after a fork; and used by several threads.

    Parameters
    ----------
    path : str or os.PathLike
        A file or directory of any format, or ``PATH::GROUP``.
    memory : int or str, optional
        Memory limit for reading, in bytes or such as ``"4G"``; by default determined by the free memory.
    storage_options : mapping, optional
        Options of URLs, such as ``{"anon": True}``, as in `set_storage_options`. They are pickled with the result.
    **options
        As in `nnz.ReadOptions`. They are pickled with the result.

    Raises
    ------
    nnz.UnsupportedError
        The path contains something else.
    nnz.Error
        As in `nnz.open`.

    Examples
    --------
    >>> import numpy as np
    >>> array = np.zeros((2, 3, 4))
    >>> array[1, 2, 3] = 5
    >>> _ = nnz.write(array, tmp / "tensor.bsp.h5")
    >>> t = nnz.open(tmp / "tensor.bsp.h5")
    >>> t.shape, t.nnz, t.dtype
    ((2, 3, 4), 1, dtype('float64'))
    >>> t.to_numpy()[1, 2, 3].item()
    5.0
    """

    __slots__ = ("_read",)

    def __init__(
        self,
        path: PathLike,
        *,
        memory: Memory = None,
        storage_options: StorageOptions = None,
        **options: Unpack[ReadOptions],
    ) -> None:
        shown, given = path_text(path), reading(options)
        with storage(storage_options):
            source = _opened(shown, memory, given)
            self._start(TensorHandle(absolute(shown), shown, memory, source, given))

    def _start(self, handle: TensorHandle) -> None:
        super()._start(handle)
        self._read: List[_binsparse.Exported] = []

    @property
    def _source(self) -> _nnz.TensorSource:
        return self._handle.source

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
        """The number of elements, stored or not."""
        elements = 1
        for extent in self.shape:
            elements *= extent
        return elements

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
        """The Binsparse level tree, such as ``"sparse3(element)"``."""
        return self._source.levels

    @property
    def fill_value(self) -> Any:
        """The value of elements that are not stored, usually zero."""
        fill = self._source.fill
        return self.dtype.type(0) if fill is None else fill[0]

    def to_numpy(self) -> npt.NDArray[Any]:
        """Read all elements. Those that are not stored have the fill value.

        Returns
        -------
        numpy.ndarray
            Of the shape of the tensor, in C order.

        Raises
        ------
        nnz.MemoryLimitError
            The array needs more memory than allowed.

        Examples
        --------
        >>> array = nnz.open("testdata/scipy/npz/scipy1.18.1/coo_array_3d.npz").to_numpy()
        >>> array.shape
        (3, 4, 5)
        """
        source = self._source
        return source.read_dense(self._handle.memory).reshape(source.shape)

    def to_sparse(self) -> sparse.COO:
        """Read all entries into a PyData ``sparse`` array with the same fill value. Requires that package.

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
        made = load("sparse", "to_sparse").COO
        coordinates, data = self._source.read(self._handle.memory)
        fill = self.fill_value
        if not coordinates:
            # Without dimensions, the only element is the only entry.
            return made(np.empty((0, 1), np.int64), data, shape=(), fill_value=fill)
        return made(np.stack(coordinates), data, shape=self.shape, fill_value=fill, has_duplicates=False)

    def to_scipy(self) -> Coordinates:
        """Read all entries into a SciPy array. Three or more dimensions need SciPy 1.15 or newer.

        Returns
        -------
        scipy.sparse.coo_array

        Raises
        ------
        nnz.UnsupportedError
            The fill value is not zero, there are no dimensions, or SciPy is too old.

        Examples
        --------
        >>> nnz.open("testdata/scipy/npz/scipy1.18.1/coo_array_3d.npz").to_scipy().nnz
        36
        """
        self._refuse_fill("arrays of SciPy")
        if not self.ndim:
            raise UnsupportedError(f"{self.path}: an array of SciPy has one dimension or more", self.path)
        coordinates, data = self._source.read(self._handle.memory)
        try:
            return load("scipy.sparse", "to_scipy").coo_array((data, tuple(coordinates)), shape=self.shape)
        except ValueError as error:
            raise UnsupportedError(f"{self.path}: this version of SciPy has no arrays of {self.ndim} dimensions", self.path) from error

    def to_torch(self) -> Any:
        """Read all entries into a sparse PyTorch tensor with COO layout. Requires torch.

        Returns
        -------
        torch.Tensor
            On the CPU, coalesced, with indices of 64 bits.

        Raises
        ------
        nnz.UnsupportedError
            The fill value is not zero, or the installed PyTorch does not support the type of the values.
        ImportError
            PyTorch is not installed.

        Examples
        --------
        >>> nnz.open("testdata/scipy/npz/scipy1.18.1/coo_array_3d.npz").to_torch().shape  # doctest: +SKIP
        torch.Size([3, 4, 5])
        """
        from . import _torch

        self._refuse_fill("tensors of PyTorch")
        coordinates, data = self._source.read(self._handle.memory)
        return _torch.from_entries(coordinates, data, self.shape)

    def _refuse_fill(self, where: str) -> None:
        if self._source.fill is not None and self.nnz < self.size:
            raise UnsupportedError(
                f"{self.path}: elements that are not stored hold {self.fill_value}; in {where} they are zero", self.path
            )

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> npt.NDArray[Any]:
        if copy is False:
            raise ValueError("a tensor on disk cannot be an array without a copy")
        size = self.size * self.dtype.itemsize
        if size > DENSE_LIMIT:
            raise ArgumentError(
                f"{self.path}: all elements take {size} bytes, more than {DENSE_LIMIT}: to_numpy() makes an array of any size"
            )
        made = self.to_numpy()
        return made if dtype is None else made.astype(dtype, copy=False)

    def __binsparse_descriptor__(self) -> Dict[str, Any]:
        """Describe the arrays of `__binsparse__`, as Binsparse does. Reads all entries, and keeps them for that call."""
        self._read[:] = [self._exported()]
        return self._read[0].descriptor

    def __binsparse__(self) -> Dict[str, npt.NDArray[Any]]:
        """Read all entries as the named arrays of Binsparse."""
        self._check_open()
        return _binsparse.take(self._read, self._exported).arrays

    def _exported(self) -> _binsparse.Exported:
        coordinates, data = self._source.read(self._handle.memory)
        return _binsparse.of_entries(self.shape, coordinates, data, self._source.fill)

    def _text(self) -> str:
        return _show.tensor_text(self)

    def _html(self) -> str:
        return _show.table("nnz.Tensor", _show.tensor_facts(self))


def _opened(path: str, memory: Memory, reading: Reading) -> _nnz.TensorSource:
    source = _nnz.open(path, memory, reading)
    if not isinstance(source, _nnz.TensorSource):
        raise UnsupportedError(f"{path}: not a tensor", path)
    return source
