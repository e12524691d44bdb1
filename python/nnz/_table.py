"""A table on disk, read when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _index, _nnz, _show
from ._errors import ArgumentError, PositionError, UnknownNameError, UnsupportedError
from ._external import load
from ._guards import is_array, is_slice, is_tuple
from ._handle import Handle, Memory, Opened, absolute
from ._options import PathLike, path_text
from ._reading import Reading, ReadOptions, reading
from ._storage import StorageOptions, storage

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._external import pandas

Rows = Union[range, npt.NDArray[np.uint64]]
"""Rows of the file, in the order they are read."""


class TableHandle(Handle[_nnz.TableSource]):
    """A table that is open, or some rows and columns of it.

    Attributes
    ----------
    rows : range or numpy.ndarray of uint64
        Rows of the file, in their order here.
    cols : tuple of int
        Columns of the file, in their order here.
    """

    __slots__ = ("rows", "cols")

    def __init__(
        self,
        path: str,
        shown: str,
        memory: Memory = None,
        source: Optional[_nnz.TableSource] = None,
        reading: Optional[Reading] = None,
        rows: Optional[Rows] = None,
        cols: Optional[Iterable[int]] = None,
    ) -> None:
        super().__init__(path, shown, memory, source, reading)
        self.rows: Rows = range(self.source.rows) if rows is None else rows
        self.cols: Tuple[int, ...] = tuple(range(len(self.source.columns)) if cols is None else cols)

    def opened(self) -> _nnz.TableSource:
        """Open the table."""
        return _opened(self.path, self.memory, self.reading)

    def part(self, rows: Rows, cols: Iterable[int]) -> TableHandle:
        """Take some rows and columns of the file."""
        with storage(self.storage_options):
            return TableHandle(self.path, self.shown, self.memory, self.source, self.reading, rows, cols)

    def is_whole(self) -> bool:
        """Return whether no rows or columns have been selected."""
        source = self.source
        whole = range(source.rows), tuple(range(len(source.columns)))
        return isinstance(self.rows, range) and (self.rows, self.cols) == whole

    def arguments(self) -> Tuple[Any, ...]:
        """Return the arguments that create it again."""
        return self.path, self.shown, self.memory, None, self.reading, self.rows, self.cols


class Table(Opened[TableHandle]):
    """A table on disk, or a selection of its rows and columns. Each column has a label, a type, and numbers.

    `nnz.open` returns one, too. Only a header is read until values are requested. A table can be pickled, which
    keeps its path and what is selected; used after a fork; and used by several threads.

    Parameters
    ----------
    path : str or os.PathLike
        A file of a format with tables.
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
    >>> t = nnz.open("testdata/daphne/frame_10types.dbdf")
    >>> t.shape, t.columns[:2]
    ((6, 10), ['c_u8', 'c_u16'])
    >>> t[1:3, "c_i8"]
    array([ 43, -37], dtype=int8)
    >>> t[["c_i32", "c_i8"]].shape
    (6, 2)
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
            source = _opened(shown, memory, given)
            self._start(TableHandle(absolute(shown), shown, memory, source, given))

    @property
    def _source(self) -> _nnz.TableSource:
        return self._handle.source

    @property
    def shape(self) -> Tuple[int, int]:
        """The number of rows and columns."""
        return len(self._handle.rows), len(self._handle.cols)

    def __len__(self) -> int:
        return len(self._handle.rows)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    @property
    def columns(self) -> List[str]:
        """The labels of the columns, which need not be unique."""
        columns = self._source.columns
        return [columns[col][0] for col in self._handle.cols]

    @property
    def dtypes(self) -> List[np.dtype[Any]]:
        """The types of the columns."""
        columns = self._source.columns
        return [np.dtype(columns[col][1]) for col in self._handle.cols]

    @property
    def format(self) -> str:
        """The format, such as ``"DAPHNE frame"``."""
        return self._source.about()[0]

    def __getitem__(self, key: Any) -> Any:
        """Select rows and columns.

        Parameters
        ----------
        key : index, label, list of labels, or an index of rows and one of columns
            Rows are selected by a position, a slice, or a list or array of positions or booleans; columns by
            labels or positions. A label alone is a column.

        Returns
        -------
        numpy.ndarray or Table
            The values of a column if a single one is selected, a value if also a single row is, otherwise a table, of
            which nothing is read.

        Raises
        ------
        IndexError
            A position is outside of the table.
        KeyError
            No column has the label.
        """
        if is_tuple(key):
            if len(key) != 2:
                raise PositionError(f"{len(key)} indices for rows and columns")
            return self._select(key[0], key[1])
        if isinstance(key, str) or _is_labels(key):
            return self._select(slice(None), key)
        return self._select(key, slice(None))

    def _select(self, row: Any, col: Any) -> Any:
        rows, single = self._select_rows(row)
        positions = self._select_cols(col)
        if isinstance(positions, int):
            values = self._read(rows, [positions])[0]
            return values[0] if single else values
        return Table.of(self._handle.part(rows, positions))

    def _select_rows(self, row: Any) -> Tuple[Rows, bool]:
        if isinstance(row, slice):
            try:
                return self._handle.rows[row], False
            except TypeError:
                raise PositionError(f"a slice of rows takes integers, not {row}") from None
        chosen = _index.select(row, len(self._handle.rows), "row", _no_names)
        if chosen.positions is None:
            return self._handle.rows, False
        positions = chosen.positions if chosen.repeated is None else chosen.positions[chosen.repeated]
        own = self._handle.rows
        if isinstance(own, range):
            return (positions.astype(np.int64) * own.step + own.start).astype(np.uint64), chosen.single
        return own[positions], chosen.single

    def _select_cols(self, col: Any) -> Union[int, List[int]]:
        if isinstance(col, str):
            return self._handle.cols[self._find(col)]
        if _is_labels(col):
            return [self._handle.cols[self._find(label)] for label in col]
        if is_slice(col):
            return list(self._handle.cols[col])
        chosen = _index.select(col, len(self._handle.cols), "column", _no_names)
        if chosen.positions is None:
            return list(self._handle.cols)
        positions = chosen.positions if chosen.repeated is None else chosen.positions[chosen.repeated]
        found = [self._handle.cols[int(position)] for position in positions]
        return found[0] if chosen.single else found

    def _find(self, label: str) -> int:
        labels = self.columns
        if labels.count(label) > 1:
            raise ArgumentError(f"several columns have the label {label!r}")
        try:
            return labels.index(label)
        except ValueError:
            raise UnknownNameError(f"no column has the label {label!r}") from None

    def _read(self, rows: Rows, cols: Sequence[int]) -> List[npt.NDArray[Any]]:
        return self._source.read(runs(rows), list(cols), self._handle.memory)

    def to_dict(self) -> Dict[str, npt.NDArray[Any]]:
        """Read all values: an array for each column, by its label.

        Returns
        -------
        dict of str to numpy.ndarray

        Raises
        ------
        nnz.ArgumentError
            Several columns have the same label.
        nnz.MemoryLimitError
            The values need more memory than allowed.

        Examples
        --------
        >>> t = nnz.open("testdata/daphne/frame_10types.dbdf")
        >>> t[:2, ["c_i8"]].to_dict()
        {'c_i8': array([-128,   43], dtype=int8)}
        """
        labels = self.columns
        if len(set(labels)) < len(labels):
            raise ArgumentError("several columns have the same label; use to_pandas()")
        return dict(zip(labels, self._read(self._handle.rows, self._handle.cols)))

    def to_pandas(self) -> pandas.DataFrame:
        """Read all values into a data frame, with the types of the file. Requires pandas.

        Returns
        -------
        pandas.DataFrame
            Of the shape of the table. Its index counts the rows from 0.

        Raises
        ------
        nnz.MemoryLimitError
            The values need more memory than allowed.

        Examples
        --------
        >>> nnz.open("testdata/daphne/frame_10types.dbdf")[:2, ["c_i8", "c_i32"]].to_pandas().shape
        (2, 2)
        """
        frames = load("pandas", "to_pandas")
        values = self._read(self._handle.rows, self._handle.cols)
        frame: pandas.DataFrame = frames.DataFrame(dict(enumerate(values)), index=frames.RangeIndex(len(self)))
        frame.columns = frames.Index(self.columns, dtype=object)
        return frame

    def iter_batches(self, nbytes: int = 1 << 26) -> Iterator[Table]:
        """Iterate over the rows in tables of a bounded size, which are not read yet.

        Parameters
        ----------
        nbytes : int
            Maximum size of the values of a table in bytes. It has at least one row.

        Yields
        ------
        Table
            Consecutive rows, and all columns.

        Examples
        --------
        >>> t = nnz.open("testdata/daphne/frame_10types.dbdf")
        >>> [len(part) for part in t[["c_i8"]].iter_batches(nbytes=4)]
        [4, 2]
        """
        if nbytes < 1:
            raise ArgumentError(f"nbytes {nbytes}: expected 1 or more")
        row = sum(dtype.itemsize for dtype in self.dtypes)
        together = max(nbytes // max(row, 1), 1)
        return (self[start : start + together] for start in range(0, len(self._handle.rows), together))

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Return an Arrow stream, which reads batches of rows. The types are as in the file; a requested schema is ignored."""
        return self._source.stream(runs(self._handle.rows), list(self._handle.cols))

    def _text(self) -> str:
        return _show.frame_text(self)

    def _html(self) -> str:
        return _show.table("nnz.Table", _show.frame_facts(self))


def runs(rows: Rows) -> List[Tuple[int, int]]:
    """Put neighbours together: starts and ends of rows that follow each other."""
    if isinstance(rows, range):
        if not rows:
            return []
        if rows.step == 1:
            return [(rows.start, rows.stop)]
        return [(row, row + 1) for row in rows]
    if not len(rows):
        return []
    breaks = np.flatnonzero(rows[1:] != rows[:-1] + np.uint64(1)) + 1
    starts = rows[np.concatenate(([0], breaks))].tolist()
    ends = rows[np.concatenate((breaks - 1, [len(rows) - 1]))].tolist()
    return [(start, end + 1) for start, end in zip(starts, ends)]


def _is_labels(key: Any) -> bool:
    if isinstance(key, (str, bytes, slice, int)) or not hasattr(key, "__iter__"):
        return False
    if is_array(key) and key.dtype.kind in "biuf":
        return False
    texts: List[Any] = list(key)
    return bool(texts) and all(isinstance(text, str) for text in texts)


def _no_names(names: List[str]) -> npt.NDArray[np.uint64]:
    raise PositionError("rows of a table have no names")


def _opened(path: str, memory: Memory, reading: Reading) -> _nnz.TableSource:
    source = _nnz.open(path, memory, reading)
    if not isinstance(source, _nnz.TableSource):
        raise UnsupportedError(f"{path}: not a table", path)
    return source
