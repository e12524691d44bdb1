"""Batches of cells for training."""

from __future__ import annotations

import os
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Generator, Iterator, List, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from . import _convert, _nnz
from ._arguments import cell_axis, integer
from ._errors import ArgumentError, CastError, UnknownNameError, UnsupportedError
from ._guards import is_list
from ._handle import Handle
from ._partitions import check_random_access
from ._shuffle import Order

if TYPE_CHECKING:
    from ._external import Rows


Columns = Dict[str, npt.NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Batch:
    """Some cells, with all features. `Batches` yields them.

    Attributes
    ----------
    x : scipy.sparse.csr_array
        A row for each cell and a column for each feature.
    index : numpy.ndarray of int64
        The positions of the cells in the matrix.
    obs : dict of str to numpy.ndarray
        The requested annotations, with a value for each cell. Categories are codes, whose labels are in
        `Batches.categories`, with -1 where a value is missing; missing strings are None; arrays of numbers with missing
        values are masked arrays.
    """

    x: Rows
    index: npt.NDArray[np.int64]
    obs: Columns


class Batches:
    """Batches of cells of a matrix. Returned by `Matrix.batches`.

    Each iteration is an epoch with another order, counted from 0; `set_epoch` selects the next one. It can be pickled,
    which keeps the path of the matrix and no data.

    Examples
    --------
    >>> _ = nnz.convert("examples/pbmc_10x_v3_mtx", tmp / "pbmc.bpcells", force=True)
    >>> batches = nnz.open(tmp / "pbmc.bpcells").batches(256, seed=1)
    >>> len(batches)
    5
    >>> for epoch in range(2):
    ...     for batch in batches:
    ...         pass  # train
    >>> batches.epoch
    2
    """

    def __init__(self, handle: Handle[_nnz.Source], size: int, axis: Optional[str], order: Order, options: Options) -> None:
        self._handle = handle
        self._size = size
        self._axis = axis
        self._order = order
        self._options = options
        self._annotations: Optional[Tuple[Columns, Columns]] = None
        self._read_annotations()

    @property
    def epoch(self) -> int:
        """The number of the next epoch."""
        return self._order.epoch

    def set_epoch(self, epoch: int) -> None:
        """Set the number of the next epoch, which determines its order, together with the seed.

        Parameters
        ----------
        epoch : int
            From 0.

        Examples
        --------
        >>> _ = nnz.convert("examples/pbmc_10x_v3_mtx", tmp / "pbmc.bpcells", force=True)
        >>> batches = nnz.open(tmp / "pbmc.bpcells").batches(256)
        >>> first = next(iter(batches)).index
        >>> batches.set_epoch(0)
        >>> bool((next(iter(batches)).index == first).all())
        True
        """
        self._order = self._order._replace(epoch=integer("epoch", epoch, 0))

    @property
    def shape(self) -> Tuple[int, int]:
        """The number of cells and features."""
        return cells_of(self._handle, self._axis).shape

    @property
    def categories(self) -> Dict[str, npt.NDArray[Any]]:
        """The labels of annotations that are categories, in the order of their codes."""
        return self._read_annotations()[1]

    @property
    def columns(self) -> Dict[str, npt.NDArray[Any]]:
        """The requested annotations, with a value for each cell."""
        return self._read_annotations()[0]

    def __len__(self) -> int:
        cells, size = self._order.cells, self._size
        return cells // size if self._options.drop_last else -(-cells // size)

    def __iter__(self) -> Iterator[Batch]:
        epoch = self.epoch
        self.set_epoch(epoch + 1)
        return self.part(0, 1, epoch)

    def part(self, number: int, parts: int, epoch: int, workers: Optional[int] = None) -> Iterator[Batch]:
        """Return the batches of one of several parts of an epoch, each of which has other cells.

        Parameters
        ----------
        number, parts : int
            The number of the part, from 0, and how many there are: one for each process that trains or reads.
        epoch : int
            The number of the epoch.
        workers : int, optional
            Number of threads that read; by default the number of cores.

        Yields
        ------
        nnz.Batch
            With ``drop_last=True`` each part has the same number of batches.

        Examples
        --------
        >>> _ = nnz.convert("examples/pbmc_10x_v3_mtx", tmp / "pbmc.bpcells", force=True)
        >>> batches = nnz.open(tmp / "pbmc.bpcells").batches(256)
        >>> [sum(len(batch.index) for batch in batches.part(rank, 2, epoch=0)) for rank in range(2)]
        [553, 554]
        """
        parts = integer("parts", parts, 1)
        number = integer("number", number, 0)
        if number >= parts:
            raise ArgumentError(f"number {number}: expected less than {parts}")
        order = self._order._replace(epoch=integer("epoch", epoch, 0))
        return self._iterate(order.part(number, parts, self._options.drop_last), workers)

    def _iterate(self, buffers: Iterator[npt.NDArray[np.int64]], workers: Optional[int]) -> Generator[Batch, None, None]:
        columns, _ = self._read_annotations()
        process = os.getpid()
        reader = ThreadPoolExecutor(1, thread_name_prefix="nnz-batches")
        try:
            following = self._submit(reader, buffers, workers)
            while following is not None:
                while not following[1].done():
                    # In the main thread, handlers of signals run at least at each timeout, also on Windows.
                    wait([following[1]], timeout=0.1)
                cells, block = following[0], following[1].result()
                # Cells are read in the order of the file.
                at = np.argsort(np.argsort(cells))
                following = self._submit(reader, buffers, workers)
                for start in range(0, len(cells), self._size):
                    index = cells[start : start + self._size]
                    if len(index) < self._size and self._options.drop_last:
                        break
                    x = block[at[start : start + len(index)]]
                    x.has_sorted_indices = True
                    yield Batch(x, index, {name: column[index] for name, column in columns.items()})
                    if os.getpid() != process:
                        raise ArgumentError("batches cannot be taken from an iterator that another process has started")
                del block
        finally:
            # A read that has begun ends by itself, and nobody waits for it.
            reader.shutdown(wait=False, cancel_futures=True)

    def _submit(
        self, reader: ThreadPoolExecutor, buffers: Iterator[npt.NDArray[np.int64]], workers: Optional[int]
    ) -> Optional[Tuple[npt.NDArray[np.int64], Future[Any]]]:
        cells = next(buffers, None)
        return None if cells is None else (cells, reader.submit(self._read, cells, workers))

    def _read(self, cells: npt.NDArray[np.int64], workers: Optional[int]) -> Any:
        """Read cells as compressed rows, in the order of the file."""
        source = cells_of(self._handle, self._axis).select(np.sort(cells).astype(np.uint64), None)
        indptr, indices, data, _ = source.read("row", None, self._handle.memory, workers)
        dtype = self._options.dtype
        if dtype is not None:
            data = cast(data, np.dtype(dtype), self._handle.shown)
        return _convert.block(data, indices, indptr, source.shape, True)

    def _read_annotations(self) -> Tuple[Columns, Columns]:
        if self._annotations is None:
            source = cells_of(self._handle, self._axis)
            self._annotations = _annotations(source, self._options.annotations, self._handle.shown)
        return self._annotations

    def __getstate__(self) -> Dict[str, Any]:
        # The annotations are read again.
        return {**self.__dict__, "_annotations": None}

    def __repr__(self) -> str:
        cells, features = self.shape
        return f"<nnz.Batches of {self._size} of {cells} cells x {features} features: {self._handle.shown!r}>"


@dataclass(frozen=True)
class Options:
    """Options of batches."""

    annotations: Tuple[str, ...]
    dtype: Optional[str]
    drop_last: bool


def batches(
    handle: Handle[_nnz.Source],
    size: int,
    shuffle: bool,
    block: int,
    buffer: Optional[int],
    seed: int,
    axis: Optional[str],
    options: Tuple[Optional[Sequence[str]], Any, bool],
) -> Batches:
    """Check the arguments of `Matrix.batches`."""
    size = integer("size", size, 1)
    block = integer("block", block, 1)
    # Batches do not extend over two buffers.
    cells_at_once = -(-integer("buffer", 8192 if buffer is None else buffer, 1) // size) * size
    if buffer is not None and buffer < size:
        raise ArgumentError(f"buffer {buffer}: expected at least the size of a batch, {size}")
    source = cells_of(handle, axis)
    order = Order(source.shape[0], bool(shuffle), block, cells_at_once, integer("seed", seed, 0), 0)
    annotations, dtype, drop_last = options
    names = (annotations,) if isinstance(annotations, str) else tuple(annotations or ())
    kind = None if dtype is None else np.dtype(dtype).name
    return Batches(handle, size, axis, order, Options(names, kind, bool(drop_last)))


def cells_of(handle: Handle[_nnz.Source], axis: Optional[str]) -> _nnz.Source:
    """Return a matrix with cells as rows, which have to be readable one by one."""
    source, shown = handle.source, handle.shown
    check_random_access(source, shown, "batches")
    at = cell_axis(source, axis, shown, getattr(handle, "transposed", False), other=None) == "cols"
    (one, stored), (other, _) = (("row", "row"), ("column", "col"))[:: -1 if at else 1]
    if source.order != stored:
        choice = "" if any(source.axis_kinds) else f"axis={'rows' if at else 'cols'!r} takes batches of {other}s, and "
        raise UnsupportedError(
            f"{shown}: batches are of {one}s, but entries are stored by {other}; {choice}nnz.write with "
            f"order={stored!r} stores them by {one}",
            shown,
        )
    return source.transposed() if at else source


def cast(data: npt.NDArray[Any], dtype: np.dtype[Any], shown: str) -> npt.NDArray[Any]:
    """Change the type of values. A float may be rounded; any other value that does not fit is an error."""
    if data.dtype == dtype:
        return data
    if data.dtype.kind == "c" and dtype.kind != "c":
        raise CastError(f"{shown}: complex numbers cannot be read as {dtype}", shown)
    with np.errstate(invalid="ignore", over="ignore"):
        made = data.astype(dtype)
    if dtype.kind in "biu":
        # Compared in both types, since one of them may round.
        fits = (made == data) & (made.astype(data.dtype) == data)
    else:
        fits = np.isfinite(made) | ~np.isfinite(data)
    if not fits.all():
        raise CastError(f"{shown}: {data[~fits][0]} cannot be read as {dtype}", shown)
    return made


def _annotations(source: _nnz.Source, wanted: Sequence[str], shown: str) -> Tuple[Columns, Columns]:
    """Read columns of the annotations of cells, and the labels of those with categories."""
    known = {name for name, _ in source.annotation_types("rows")} if wanted else set[str]()
    for name in wanted:
        if name not in known:
            raise UnknownNameError(f"{shown}: no annotation of cells has the name {name!r}", shown)
    columns: Columns = {}
    categories: Columns = {}
    for name, kind, values, missing, labels, _ in source.annotations("rows", list(wanted)) if wanted else []:
        if kind == "categorical":
            columns[name] = values
            categories[name] = np.array(labels, dtype=object) if is_list(labels) else labels
        elif kind == "string":
            columns[name] = _texts(values, missing)
        else:
            columns[name] = values if missing is None else _masked(values, missing)
    return {name: columns[name] for name in wanted}, categories


def _masked(values: npt.NDArray[Any], missing: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    masked: Any = np.ma.masked_array
    made: npt.NDArray[Any] = masked(values, missing)
    return made


def _texts(values: List[str], missing: Optional[npt.NDArray[np.bool_]]) -> npt.NDArray[np.object_]:
    texts = np.array(values, dtype=object)
    if missing is not None:
        texts[missing] = None
    return texts
