"""The base class of matrices on disk and lazy matrices."""

from __future__ import annotations

import warnings
from numbers import Number
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Tuple

import numpy as np
import numpy.typing as npt

from . import _binsparse, _convert, _frames, _index, _nnz, _scanpy, _show
from ._alignment import AxisNames, check_mask
from ._annotations import Annotations
from ._batches import batches
from ._computing import Computing
from ._errors import ArgumentError, DroppedWarning, Error, PositionError
from ._guards import is_tuple
from ._matrix_handle import MatrixHandle
from ._members import beside_main
from ._parallel import Parallel
from ._plot import Plots
from ._positions import Positions, sampled
from ._progress import Progress, reporting
from ._report import Report
from ._results import outside
from ._selections import selections
from ._storage import storage

if TYPE_CHECKING:
    from ._external import Block, anndata, pandas
    from ._lazy import LazyMatrix

DENSE_LIMIT = 1 << 28
"""Bytes that `numpy.asarray` makes of a matrix at the most."""


class BaseMatrix(Computing, Parallel):
    """Base class of `Matrix` and `LazyMatrix`, which differ in what an index returns."""

    __slots__ = ("_read",)

    def _start(self, handle: MatrixHandle) -> None:
        super()._start(handle)
        self._read: List[_binsparse.Exported] = []

    @property
    def ndim(self) -> int:
        """The number of dimensions, 2."""
        return 2

    @property
    def size(self) -> int:
        """The number of elements, stored or not."""
        rows, cols = self.shape
        return rows * cols

    @property
    def nnz(self) -> Optional[int]:
        """The number of entries; None if the file does not state it, or stores only a triangle of the matrix."""
        return self._source.nnz if self._source.structure is None else None

    @property
    def stored(self) -> Optional[int]:
        """The number of entries in the file; None if it does not state it. `nnz`, unless only a triangle is stored."""
        return self._source.nnz

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values."""
        return np.dtype(self._source.dtype)

    @property
    def order(self) -> str:
        """``"row"`` if entries are stored row by row, ``"col"`` if column by column."""
        return self._source.order

    @property
    def format(self) -> str:
        """The format, such as ``"BPCells matrix"``."""
        return self._source.about()[0]

    @property
    def axis_kinds(self) -> Tuple[Optional[str], Optional[str]]:
        """Kinds of rows and columns: ``"cells"``, ``"features"`` or None."""
        return self._source.axis_kinds

    @property
    def row_names(self) -> Optional[npt.NDArray[np.object_]]:
        """The names of rows; None if there are none."""
        return self._names("rows")

    @property
    def col_names(self) -> Optional[npt.NDArray[np.object_]]:
        """The names of columns; None if there are none."""
        return self._names("cols")

    @property
    def rows(self) -> pandas.DataFrame:
        """The annotations of rows, with their names as the index. Requires pandas."""
        return self._frame(0)

    @property
    def cols(self) -> pandas.DataFrame:
        """The annotations of columns, with their names as the index. Requires pandas."""
        return self._frame(1)

    def annotations(self, axis: str) -> Annotations:
        """Return the names and annotations of an axis as a table, which can be converted to Arrow without pandas.

        Parameters
        ----------
        axis : {"rows", "cols", "cells", "features"}
            The axis.

        Returns
        -------
        nnz.Annotations

        Examples
        --------
        >>> nnz.open("examples/pbmc_10x_v3_mtx").annotations("features").columns
        ['name', 'feature_type']
        """
        return Annotations(self._handle, axis)

    def _frame(self, axis: int) -> pandas.DataFrame:
        name = ("rows", "cols")[axis]
        source = self._source
        return _frames.to_frame(source.names(name), source.annotations(name), self.shape[axis])

    def _positions(self, axis: str, names: List[str]) -> npt.NDArray[np.uint64]:
        return self._source.find_names(axis, names)

    @property
    def T(self) -> LazyMatrix:
        """The matrix with rows and columns exchanged. Nothing is read."""
        # It imports this module.
        from ._lazy import LazyMatrix

        return LazyMatrix.of(self._handle.flipped())

    def _selected(self, key: Any) -> Tuple[_index.Selected, _index.Selected]:
        shape = self.shape
        try:
            row, col = _pair(key)
            check_mask(row, AxisNames.of(self._source, "rows"), "the selection of rows")
            check_mask(col, AxisNames.of(self._source, "cols"), "the selection of columns")
            rows = _index.select(row, shape[0], "row", lambda names: self._positions("rows", names))
            return rows, _index.select(col, shape[1], "column", lambda names: self._positions("cols", names))
        except ArgumentError as error:
            if error.path is None:
                error.path = self.path
            raise

    def __eq__(self, other: object) -> bool:
        self._refuse_values(other, "==")
        return super().__eq__(other)

    __hash__ = object.__hash__

    def __lt__(self, other: Any) -> Any:
        return self._refuse_values(other, "<")

    def __le__(self, other: Any) -> Any:
        return self._refuse_values(other, "<=")

    def __gt__(self, other: Any) -> Any:
        return self._refuse_values(other, ">")

    def __ge__(self, other: Any) -> Any:
        return self._refuse_values(other, ">=")

    def _refuse_values(self, other: object, operator: str) -> Any:
        """Refuse comparisons with values, which the operators of arrays compare element by element."""
        if isinstance(other, (Number, np.generic, np.ndarray)) or hasattr(other, "tocsr") or hasattr(other, "iloc"):
            raise TypeError(f"a matrix on disk is not compared by element: m.to_scipy() {operator} ... reads it and compares, m.filter selects rows and columns")
        return NotImplemented

    # Rows one by one would be slow: iter_batches reads many at once.
    __iter__: None = None
    __contains__: None = None

    def select(self, rows: Any = None, cols: Any = None) -> LazyMatrix:
        """Select rows and columns without reading them.

        Parameters
        ----------
        rows, cols : index, optional
            As in an index of the matrix: a position, a slice, a name, or a list or array of positions, booleans
            or names, each row and column at most once; by default all.

        Returns
        -------
        nnz.LazyMatrix
            The selected rows and columns, in this order.

        Raises
        ------
        IndexError
            A position is outside of the matrix.
        KeyError
            No row or column has the name.
        nnz.ArgumentError
            A row or column is selected twice, or the axis has no names.

        Examples
        --------
        >>> m = nnz.open("examples/pbmc_10x_v3_mtx")
        >>> m.select(rows=["APP", "SOD1"], cols=slice(100)).shape
        (2, 100)
        """
        whole = slice(None)
        return self._subset(*self._selected((whole if rows is None else rows, whole if cols is None else cols)))

    def filter(self, *, rows: Any = None, cols: Any = None, cells: Any = None, features: Any = None) -> LazyMatrix:
        """Select the rows and columns that meet conditions, such as a number of entries.

        Measures take a pass over the entries, which is made here. Both axes are filtered by measures of this matrix.

        Parameters
        ----------
        rows, cols, cells, features : optional
            A condition as in ``nnz filter``: a measure of `nnz.stats` (``"nnz>=200"``, ``"variance>0.5"``), one of the
            rows or columns whose names match a regular expression (``"sum(features=^MT-)>5"``), or a quotient
            (``"sum(features=^MT-)/sum<0.2"``); or what `nnz.slice` takes: ``"batch=A"``, ``"@barcodes.txt"``, a list of
            names, positions, or a boolean for each. A tuple combines several with AND. A missing value or NaN never
            matches, also with ``!=``, as in `nnz.slice`.

        Returns
        -------
        nnz.LazyMatrix
            The rows and columns that meet all conditions, in the order of this matrix. There may be none, as with an
            index.

        Raises
        ------
        nnz.ArgumentError
            A condition is invalid, or no name matches a regular expression.

        Examples
        --------
        >>> m = nnz.open("examples/pbmc_10x_v3_mtx")
        >>> m.filter(rows="nnz>=3", cols=("nnz>=40", "sum<=500")).shape
        (161, 50)
        """
        conditions = selections((rows, cols, cells, features), self.path, lambda: self._source)
        kept_rows, kept_cols, _ = self._source.filter(conditions, False, self._handle.memory)
        return self._part(kept_rows, kept_cols)

    def sample(
        self,
        *,
        rows: Optional[int] = None,
        cols: Optional[int] = None,
        cells: Optional[int] = None,
        features: Optional[int] = None,
        seed: int = 0,
    ) -> LazyMatrix:
        """Select random rows or columns without reading them.

        Parameters
        ----------
        rows, cols, cells, features : int, optional
            How many; by default all.
        seed : int
            Determines which. Each set of rows or columns is equally likely.

        Returns
        -------
        nnz.LazyMatrix
            The sample, in the order of this matrix.

        Raises
        ------
        nnz.ArgumentError
            There are fewer, two numbers are given for an axis, or the file does not state which axis has cells or features.

        Examples
        --------
        >>> nnz.open("examples/pbmc_10x_v3_mtx").sample(cells=100, seed=1).shape
        (507, 100)
        """
        kept_rows, kept_cols = sampled(self._source, (rows, cols, cells, features), seed)
        return self._part(kept_rows, kept_cols)

    def _subset(self, rows: _index.Selected, cols: _index.Selected) -> LazyMatrix:
        for selected, one in ((rows, "row"), (cols, "column")):
            if selected.repeated is not None:
                raise ArgumentError(f"{self.path}: a {one} is selected twice", self.path)
        return self._part(rows.positions, cols.positions)

    def _part(self, rows: Positions, cols: Positions) -> LazyMatrix:
        shape = self.shape
        chosen = ((rows, shape[0], "rows"), (cols, shape[1], "columns"))
        steps = [f"{len(kept)} of {length} {many}" for kept, length, many in chosen if kept is not None]
        return self._derived(("select", rows, cols), " x ".join(steps) or "all")

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> npt.NDArray[Any]:
        if copy is False:
            raise ValueError("a matrix on disk cannot be an array without a copy")
        size = self.size * self.dtype.itemsize
        if size > DENSE_LIMIT:
            raise ArgumentError(
                f"{self.path}: all elements take {size} bytes, more than {DENSE_LIMIT}: to_numpy() makes an array of any "
                "size, to_scipy() a sparse matrix",
                self.path,
            )
        made = self.to_numpy()
        return made if dtype is None else made.astype(dtype, copy=False)

    def to_scipy(self, order: Optional[str] = None, *, matrix: bool = False, duplicates: Optional[str] = None) -> Block:
        """Read all entries into a SciPy sparse array.

        Parameters
        ----------
        order : {"row", "col"}, optional
            Return compressed rows or columns; by default as stored in the file.
        matrix : bool
            Whether to return a `csr_matrix` or `csc_matrix` instead of an array.
        duplicates : {"error", "sum", "keep"}, optional
            How to handle entries at the same position; by default they are kept where the format allows them.

        Returns
        -------
        scipy.sparse.csr_array or scipy.sparse.csc_array
            With sorted indices of 32 bits, or of 64 bits if the matrix or the number of entries is too large.

        Raises
        ------
        nnz.MemoryLimitError
            The entries need more memory than allowed. `iter_batches` reads less at a time.
        nnz.CorruptFileError
            The file is damaged.
        nnz.DuplicateError
            Entries share a position, and ``duplicates`` is ``"error"``.

        Examples
        --------
        >>> nnz.open("examples/pbmc_10x_v3_mtx").to_scipy("row").format
        'csr'
        """
        return _convert.read(self._source, self._handle.memory, order, matrix, duplicates)

    def to_numpy(self, order: Optional[str] = None) -> npt.NDArray[Any]:
        """Read all elements, including zeros, into a dense array.

        Parameters
        ----------
        order : {"row", "col"}, optional
            The order of elements in memory: C or Fortran order; by default as stored in the file.

        Returns
        -------
        numpy.ndarray
            Of the shape of the matrix.

        Raises
        ------
        nnz.MemoryLimitError
            The array needs more memory than allowed.
        nnz.CorruptFileError
            The file is damaged.

        Examples
        --------
        >>> nnz.open("examples/pbmc_10x_v3_mtx").to_numpy().shape
        (507, 1107)
        """
        return _convert.read_dense(self._source, self._handle.memory, order)

    def to_pandas(self) -> pandas.DataFrame:
        """Read all entries into a data frame with sparse columns. Requires pandas.

        Returns
        -------
        pandas.DataFrame
            Of the shape of the matrix. Its index and columns are the names, or positions if there are none.

        Examples
        --------
        >>> nnz.open("examples/pbmc_10x_v3_mtx").to_pandas().loc["ENSG00000142168"].sum().item()
        1529
        """
        return _convert.to_pandas(self)

    def to_anndata(self) -> anndata.AnnData:
        """Read all entries, names and annotations into an AnnData, with cells as observations. Requires anndata.

        Returns
        -------
        anndata.AnnData
            Of the shape cells by features. If the file does not state which axis is cells, rows are observations.
            `X` is a `csr_matrix` or `csc_matrix`. Of a 10x matrix it is as `nnz.read_anndata` has it: with symbols as names
            of genes, and float32. Of layers and everything else in a file of AnnData or Loom there is nothing, and a
            `DroppedWarning` lists them: ``nnz.read_anndata(path, backed=False)`` reads all of an AnnData file.

        Examples
        --------
        >>> nnz.open("examples/pbmc_10x_v3_mtx").to_anndata().shape
        (1107, 507)
        """

        def entries(matrix: BaseMatrix, dtype: Optional[np.dtype[Any]]) -> Any:
            found = matrix.to_scipy(matrix=True)
            return found if dtype is None else _scanpy.cast(found, dtype)

        self._warn_of_elements()
        return _convert.to_anndata(self, entries, _scanpy.TenxOptions())

    def _warn_of_elements(self) -> None:
        """Warn of elements of the file that are not of the matrix, such as layers."""
        handle = self._handle
        if self.format not in ("AnnData", "Loom"):
            return
        try:
            with storage(handle.storage_options):
                names = beside_main(handle.path, handle.reading)
        except Error:
            # The file was removed: the matrix is still open.
            return
        # Columns with missing values are groups, too.
        columns = {f"{frame}/{name}" for frame in ("obs", "var") for axis in ("rows", "cols") for name, _ in self._source.annotation_types(axis)}
        names = [name for name in names if name not in columns]
        if names:
            path = handle.shown
            others = ("nnz.read_anndata", "backed=False", "reads") if self.format == "AnnData" else ("nnz.convert", "'all.h5ad'", "writes")
            what = f"dropped: {', '.join(names)}; {others[0]}({path!r}, {others[1]}) {others[2]} all of the file"
            warnings.warn(what, DroppedWarning, stacklevel=outside())

    def to_torch(self, order: Optional[str] = None) -> Any:
        """Read all entries into a sparse PyTorch tensor. Requires torch.

        Parameters
        ----------
        order : {"row", "col"}, optional
            The layout of the tensor: CSR or CSC; by default as stored in the file.

        Returns
        -------
        torch.Tensor
            On the CPU. Indices have 32 bits unless the matrix or the number of entries is too large.

        Raises
        ------
        nnz.UnsupportedError
            The installed PyTorch does not support the type of the values.
        ImportError
            PyTorch is not installed.

        Examples
        --------
        >>> nnz.open("examples/pbmc_10x_v3_mtx").to_torch().layout  # doctest: +SKIP
        torch.sparse_csc
        """
        # Any, since the types of PyTorch are unknown where it is not installed.
        from . import _torch

        return _torch.from_block(self.to_scipy(order))

    def __binsparse_descriptor__(self) -> Dict[str, Any]:
        """Describe the arrays of `__binsparse__`, as Binsparse does. Reads all entries, and keeps them for that call."""
        self._read[:] = [_binsparse.of_block(self.to_scipy())]
        return self._read[0].descriptor

    def __binsparse__(self) -> Dict[str, npt.NDArray[Any]]:
        """Read all entries as the named arrays of Binsparse."""
        self._check_open()
        return _binsparse.take(self._read, lambda: _binsparse.of_block(self.to_scipy())).arrays

    def iter_batches(self, nbytes: int = 1 << 26) -> Iterator[Block]:
        """Read the matrix in batches of a bounded size: of rows, or of columns if `order` is ``"col"``.

        Parameters
        ----------
        nbytes : int
            Approximate maximum size of a batch in bytes. A batch has at least one row or column.

        Yields
        ------
        scipy.sparse.csr_array or scipy.sparse.csc_array
            Some rows and all columns, or all rows and some columns.

        Examples
        --------
        >>> m = nnz.open("examples/pbmc_10x_v3_mtx")
        >>> sum(batch.nnz for batch in m.iter_batches(nbytes=50_000))
        23866
        """
        return batches(self._source, self._handle.memory, nbytes)

    @property
    def plot(self) -> Plots:
        """Pictures of the matrix, on axes of matplotlib.

        Examples
        --------
        >>> m = nnz.open("examples/pbmc_10x_v3_mtx")
        >>> m.plot.spy()  # doctest: +SKIP
        <Axes: ...>
        """
        return Plots(self._source, self._handle.memory)

    def report(self, *, progress: Progress = None) -> Report:
        """Make a page about the matrix: properties, pictures, sizes in other formats, and summaries of both axes.

        Stored data is also validated; the page of a broken file lists its errors, as in `nnz.report`. Entries are read several
        times.

        Parameters
        ----------
        progress : bool or callable, optional
            As in `nnz.convert`.

        Returns
        -------
        nnz.Report
            Shown in notebooks; `save` writes it to a file.

        Raises
        ------
        nnz.Error
            The matrix cannot be read.

        Examples
        --------
        >>> page = nnz.open("examples/pbmc_10x_v3_mtx").report()
        >>> page.save(tmp / "pbmc.html")
        """
        is_stored = type(self._handle) is MatrixHandle and not self._handle.transposed
        path = self._handle.path if is_stored else None
        with storage(self._handle.storage_options), reporting(progress) as report:
            handle = self._handle
            return Report(_nnz.report(self._source, path, handle.memory, None, report, handle.reading))

    def _beside(self) -> List[str]:
        return []

    def _text(self) -> str:
        return _show.text(self, steps_of(self))

    def _html(self) -> str:
        return _show.html(self, steps_of(self)) + _show.picture(self._source, self.path, self._handle.memory)


def left_out(matrix: BaseMatrix) -> List[str]:
    """Return the members of the file of a matrix that are not part of it."""
    return matrix._beside()  # pyright: ignore[reportPrivateUsage]


def steps_of(matrix: BaseMatrix) -> Tuple[str, ...]:
    """Return the operations of a matrix that are applied as it is read."""
    return matrix._handle.steps()  # pyright: ignore[reportPrivateUsage]


def _pair(key: Any) -> Tuple[Any, Any]:
    keys = key if is_tuple(key) else (key,)
    if len(keys) == 1:
        return keys[0], slice(None)
    if len(keys) != 2:
        raise PositionError(f"{len(keys)} indices for 2 dimensions")
    return keys[0], keys[1]
