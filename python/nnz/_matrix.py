"""A matrix on disk, read when it is indexed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _convert, _nnz
from ._base import BaseMatrix
from ._handle import Memory, absolute
from ._lazy import LazyMatrix
from ._matrix_handle import MatrixHandle
from ._options import PathLike, path_text
from ._reading import ReadOptions, reading
from ._storage import StorageOptions, storage

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Matrix(BaseMatrix):
    """A matrix on disk, of any format. An index reads, as in h5py.

    `nnz.open` returns one, too. Only a header is read until entries are requested by an index, a method such as
    `to_scipy` or `sum`, or by `iter_batches`. What selects or computes, such as `select`, `log1p` and `T`, returns a
    `LazyMatrix`, and so does `lazy`. A matrix can be pickled, which keeps its path; used after a fork; and used by
    several threads. A ``with`` block closes it.

    ``isinstance(x, nnz.Matrix)`` is True for what reads if it is indexed: also for a `File`, but not for a `LazyMatrix`.

    Parameters
    ----------
    path : str or os.PathLike
        A file or directory of any format, or ``PATH::GROUP``. For an AnnData file the matrix is `X`.
    memory : int or str, optional
        Memory limit for reading, in bytes or such as ``"4G"``; by default determined by the free memory.
    storage_options : mapping, optional
        Options of URLs, such as ``{"anon": True}``, as in `set_storage_options`. They are pickled with the result.
    **options
        As in `nnz.ReadOptions`. They are pickled with the result.

    Raises
    ------
    nnz.ArgumentError
        There is no matrix, or there are several and none is selected.
    nnz.Error
        As in `nnz.open`.

    Examples
    --------
    >>> m = nnz.open("examples/pbmc_10x_v3_mtx")
    >>> m.shape, m.dtype, m.axis_kinds
    ((507, 1107), dtype('int64'), ('features', 'cells'))
    >>> m[["APP", "SOD1"], :5].toarray().shape
    (2, 5)
    >>> with nnz.open("examples/pbmc_10x_v3_mtx") as m:
    ...     total = int(m.sum())
    >>> total, m.closed
    (41549, True)
    """

    __slots__ = ()

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
            source = _nnz.Source.open(shown, memory, given)
            self._start(MatrixHandle(absolute(shown), shown, memory, source, given))

    def __getitem__(self, key: Any) -> Any:
        """Read the selected rows and columns.

        Parameters
        ----------
        key : index, or two of them
            Each is a position, a slice, a name, or a list or array of positions, booleans or names. A string that
            is not a name is looked up in the string columns of the annotations, such as gene symbols. Lists
            for rows and for columns select all combinations, as in AnnData.

        Returns
        -------
        scipy.sparse.csr_array or scipy.sparse.csc_array
            In the order of the file, always of two dimensions. A value if one row and one column are given as a
            position or name each.

        Raises
        ------
        IndexError
            A position is outside of the matrix.
        KeyError
            No row or column has the name.
        nnz.ArgumentError
            Several rows or columns have the name.
        nnz.MemoryLimitError
            The entries need more memory than allowed.
        nnz.CorruptFileError
            The part of the file that is read is damaged.

        Examples
        --------
        >>> m = nnz.open("examples/pbmc_10x_v3_mtx")
        >>> m[0, :].shape, m[:, [3, 1]].shape, m["SOD1", 3].item()
        ((1, 1107), (507, 2), 2)
        """
        rows, cols = self._selected(key)
        source = self._source
        if rows.positions is not None or cols.positions is not None:
            source = source.select(rows.positions, cols.positions)
        block = _convert.read(source, self._handle.memory)
        if rows.single and cols.single:
            if block.nnz > 1:
                # A sum of small integers would wrap around in SciPy.
                block = _convert.read(source, self._handle.memory, duplicates="sum")
            return block[0, 0]
        if rows.repeated is not None:
            block = block[rows.repeated, :]
        if cols.repeated is not None:
            block = block[:, cols.repeated]
        if rows.repeated is not None or cols.repeated is not None:
            # As for all other selections.
            block.sort_indices()
        return block

    @property
    def lazy(self) -> LazyMatrix:
        """The matrix as a `LazyMatrix`, of which an index selects and does not read."""
        self._check_open()
        return LazyMatrix.of(self._handle)
