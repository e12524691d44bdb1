"""Statistics of a matrix that are computed in one pass."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

import numpy as np
import numpy.typing as npt

from . import _nnz, _reduce
from ._errors import ArgumentError
from ._handle import Opened
from ._matrix_handle import MatrixHandle
from ._reduce import Reduced


class Statistics(Opened[MatrixHandle]):
    """Sums, means, variances, extremes and counts of a matrix."""

    __slots__ = ()

    @property
    def _source(self) -> _nnz.Source:
        return self._handle.source

    def stats(self, axis: Optional[int] = None, *, measures: str = "all") -> Dict[str, Any]:
        """Compute several statistics in one pass, of each column (``axis=0``) or of each row (``axis=1``).

        Parameters
        ----------
        axis : {0, 1}, optional
            By default the whole matrix.
        measures : {"nnz", "sums", "variance", "extremes", "all"}
            As in `nnz.stats`.

        Returns
        -------
        dict of str to value or numpy.ndarray
            As `nnz.stats` returns it: ``nnz``, ``sum``, ``mean``, ``variance`` (with ``ddof=1``), ``min`` and ``max``, as
            far as they are requested.

        Raises
        ------
        nnz.UnsupportedError
            The values are complex.

        Examples
        --------
        >>> found = nnz.open("examples/pbmc_10x_v3_mtx").normalize_total(1e4).stats(axis=1, measures="variance")
        >>> list(found)
        ['nnz', 'sum', 'mean', 'variance']
        """
        return _reduce.measured(self._source, axis, measures, self._handle.memory)

    def sum(self, axis: Optional[int] = None, *, dtype: None = None, out: None = None) -> Reduced:
        """Add up all elements, or the elements of each column (``axis=0``) or of each row (``axis=1``).

        Integers are added exactly. Floats are added in 64 bits, those of 64 bits with compensation for rounding errors, and
        complex numbers part by part, in a pass for each.

        Parameters
        ----------
        axis : {0, 1}, optional
            By default the whole matrix.
        dtype, out : None
            Only for functions of NumPy, such as ``numpy.sum``, which pass None.

        Returns
        -------
        numpy.generic or numpy.ndarray
            Of type uint64, int64, float64 or complex128.

        Raises
        ------
        OverflowError
            The sum of integers does not fit into 64 bits.

        Examples
        --------
        >>> int(nnz.open("examples/pbmc_10x_v3_mtx").sum())
        41549
        """
        _reduce.check_unset(dtype=dtype, out=out)
        return _reduce.total(self._source, axis, self._handle.memory)

    def mean(self, axis: Optional[int] = None, *, dtype: None = None, out: None = None) -> Reduced:
        """Compute the mean of all elements, or of each column (``axis=0``) or of each row (``axis=1``).

        Parameters
        ----------
        axis : {0, 1}, optional
            By default the whole matrix.
        dtype, out : None
            Only for functions of NumPy, such as ``numpy.sum``, which pass None.

        Returns
        -------
        numpy.generic or numpy.ndarray
            Of type float64 or complex128.

        Examples
        --------
        >>> nnz.open("examples/pbmc_10x_v3_mtx").mean(axis=1).shape
        (507,)
        """
        _reduce.check_unset(dtype=dtype, out=out)
        return _reduce.mean(self._source, axis, self._handle.memory)

    def var(
        self, axis: Optional[int] = None, ddof: int = 0, *, dtype: None = None, out: None = None
    ) -> Reduced:
        """Compute the variance of all elements, or of each column (``axis=0``) or of each row (``axis=1``).

        Parameters
        ----------
        axis : {0, 1}, optional
            By default the whole matrix.
        ddof : int
            Subtracted from the number of elements: 0 as in NumPy; 1 as in ``nnz stats``.
        dtype, out : None
            Only for functions of NumPy, such as ``numpy.var``, which pass None.

        Returns
        -------
        numpy.generic or numpy.ndarray
            Of type float64.

        Examples
        --------
        >>> round(nnz.open("examples/pbmc_10x_v3_mtx").var().item(), 4)
        0.2707
        """
        _reduce.check_unset(dtype=dtype, out=out)
        return _reduce.var(self._source, axis, ddof, self._handle.memory)

    def quantile(self, q: Any, axis: int, *, method: str = "linear") -> npt.NDArray[np.float64]:
        """Compute quantiles of each column (``axis=0``) or of each row (``axis=1``), as `numpy.quantile` does.

        Elements without an entry are zero. A matrix that is stored by the axis is read in one pass; the entries of another one are
        sorted first, in memory or in a temporary file.

        Parameters
        ----------
        q : float or array_like
            Quantiles from 0 to 1: 0.5 is the median.
        axis : {0, 1}
            As in `sum`.
        method : str
            Where a quantile lies between two values, as in NumPy: ``"linear"`` (type 7 of R), ``"interpolated_inverted_cdf"`` (4),
            ``"hazen"`` (5), ``"weibull"`` (6), ``"median_unbiased"`` (8) or ``"normal_unbiased"`` (9).

        Returns
        -------
        numpy.ndarray
            Of float64: a number for each column or row, with several quantiles in a row for each. NaN where a value is NaN.

        Raises
        ------
        nnz.ArgumentError
            A quantile is not from 0 to 1, or the method is unknown.
        nnz.UnsupportedError
            The matrix has complex numbers, a fill value, or integers of 2^53 or more.
        nnz.MemoryLimitError
            The result needs more memory than allowed.

        Examples
        --------
        >>> m = nnz.open("examples/pbmc_10x_v3_mtx")
        >>> m.quantile(0.99, axis=1).max().item()
        23.0
        >>> m.quantile([0.5, 1], axis=0).shape
        (2, 1107)
        """
        along = _reduce.along(axis)
        if along is None:
            raise ArgumentError("axis None: expected 0 or 1")
        array: npt.NDArray[np.float64] = np.asarray(q, np.float64)
        if array.ndim > 1:
            raise ArgumentError("q: expected a number, or a list of them")
        wanted: List[float] = np.atleast_1d(array).tolist()
        found = np.empty((len(wanted), self._source.shape[0 if along == "rows" else 1]))
        for at, values in enumerate(self._source.quantiles(along, wanted, method, self._handle.memory)):
            found[at] = values
        return found if array.ndim else found[0]

    def std(
        self, axis: Optional[int] = None, ddof: int = 0, *, dtype: None = None, out: None = None
    ) -> Reduced:
        """Compute the standard deviation, the square root of `var`.

        Parameters
        ----------
        axis, ddof, dtype, out : optional
            As in `var`.

        Returns
        -------
        numpy.generic or numpy.ndarray
            Of type float64.

        Examples
        --------
        >>> round(nnz.open("examples/pbmc_10x_v3_mtx").std().item(), 4)
        0.5203
        """
        _reduce.check_unset(dtype=dtype, out=out)
        return np.sqrt(_reduce.var(self._source, axis, ddof, self._handle.memory))

    def min(self, axis: Optional[int] = None, *, out: None = None) -> Reduced:
        """Find the minimum of all elements, of each column (``axis=0``) or of each row (``axis=1``). Zeros count.

        Parameters
        ----------
        axis : {0, 1}, optional
            By default the whole matrix.
        out : None
            Only for functions of NumPy, which pass None.

        Returns
        -------
        numpy.generic or numpy.ndarray
            Of the type of the matrix.

        Raises
        ------
        nnz.ArgumentError
            There are no elements.
        nnz.UnsupportedError
            The values are complex.

        Examples
        --------
        >>> nnz.open("examples/pbmc_10x_v3_mtx").min().item()
        0
        """
        _reduce.check_unset(out=out)
        return _reduce.extreme(self._source, axis, False, self._handle.memory)

    def max(self, axis: Optional[int] = None, *, out: None = None) -> Reduced:
        """Find the maximum of all elements, of each column (``axis=0``) or of each row (``axis=1``). Zeros count.

        Parameters
        ----------
        axis : {0, 1}, optional
            By default the whole matrix.
        out : None
            Only for functions of NumPy, which pass None.

        Returns
        -------
        numpy.generic or numpy.ndarray
            Of the type of the matrix.

        Raises
        ------
        nnz.ArgumentError
            There are no elements.
        nnz.UnsupportedError
            The values are complex.

        Examples
        --------
        >>> nnz.open("examples/pbmc_10x_v3_mtx").max().item()
        36
        """
        _reduce.check_unset(out=out)
        return _reduce.extreme(self._source, axis, True, self._handle.memory)

    def count_nonzero(self, axis: Optional[int] = None) -> Reduced:
        """Count the elements that are not zero: all, in each column (``axis=0``) or in each row (``axis=1``).

        Parameters
        ----------
        axis : {0, 1}, optional
            By default the whole matrix.

        Returns
        -------
        numpy.generic or numpy.ndarray
            Of type int64.

        Examples
        --------
        >>> nnz.open("examples/pbmc_10x_v3_mtx").count_nonzero().item()
        23866
        """
        return _reduce.count_nonzero(self._source, axis, self._handle.memory)
