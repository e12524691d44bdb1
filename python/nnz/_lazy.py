"""Selections and computations of a matrix on disk, which are applied as it is read."""

from __future__ import annotations

from typing import Any, Tuple

from . import _convert
from ._base import BaseMatrix, steps_of
from ._errors import ArgumentError


class LazyMatrix(BaseMatrix):
    """A matrix on disk with operations that are applied as it is read. An index selects, and does not read.

    Returned by `Matrix.lazy`, and by what selects or computes: `select`, `filter`, `sample`, `T`, `normalize_total`,
    `log1p` and others. Its representation and `steps` list the operations. `to_scipy`, `to_numpy` and others read it,
    `item` reads a single value, and `sum`, `nnz.write` and others process it in bounded memory.

    It has the methods of a `Matrix`, but is no instance of it: ``isinstance(x, (nnz.Matrix, nnz.LazyMatrix))`` is True
    for both. It keeps the file open until it is closed or deleted.

    Examples
    --------
    >>> m = nnz.open("examples/pbmc_10x_v3_mtx")
    >>> x = m.normalize_total(1e4).log1p()["SOD1", :100]
    >>> x
    <nnz.LazyMatrix 1 x 100 of float64, by column: 10x directory, 'examples/pbmc_10x_v3_mtx';
    normalize_total(10000), log1p(), 1 of 507 rows x 100 of 1107 columns>
    >>> x.to_scipy().shape
    (1, 100)
    """

    __slots__ = ()

    @property
    def steps(self) -> Tuple[str, ...]:
        """The operations in their order, such as ``("log1p()", "T")``."""
        return steps_of(self)

    def __getitem__(self, key: Any) -> LazyMatrix:
        """Select rows and columns without reading them.

        Parameters
        ----------
        key : index, or two of them
            As for a `Matrix`, each row and column at most once.

        Returns
        -------
        nnz.LazyMatrix
            The selected rows and columns, in this order, always of two dimensions.

        Raises
        ------
        IndexError
            A position is outside of the matrix.
        KeyError
            No row or column has the name.
        nnz.ArgumentError
            Several rows or columns have the name, or one is selected twice.

        Examples
        --------
        >>> x = nnz.open("examples/pbmc_10x_v3_mtx").log1p()
        >>> x[:100].shape, round(x["SOD1", 3].item(), 6)
        ((100, 1107), 1.098612)
        """
        return self._subset(*self._selected(key))

    def item(self) -> Any:
        """Read the value of a matrix of one row and one column.

        Returns
        -------
        int, float, complex or bool

        Raises
        ------
        nnz.ArgumentError
            There are more rows or columns, or none.

        Examples
        --------
        >>> nnz.open("examples/pbmc_10x_v3_mtx").scale(0.5)["SOD1", 3].item()
        1.0
        """
        if self.shape != (1, 1):
            raise ArgumentError(f"{self.path}: {self.shape[0]} x {self.shape[1]}: expected one row and one column", self.path)
        return _convert.read(self._source, self._handle.memory, duplicates="sum")[0, 0].item()
