"""Functions of values, selections and products, which are computed as a matrix is read."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, List, Optional, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _nnz
from ._alignment import AxisNames, check_order
from ._arguments import cell_axis
from ._derived import DerivedHandle, Operation, stored_of
from ._errors import ArgumentError
from ._external import load
from ._results import outside
from ._statistics import Statistics
from ._values import warn_of_log1p, warn_of_types, warn_unless_counts

if TYPE_CHECKING:
    from ._lazy import LazyMatrix

Floats = npt.NDArray[Any]


class Computing(Statistics):
    """Computations on a matrix that is not read first."""

    __slots__ = ()

    @property
    def shape(self) -> Tuple[int, int]:
        """The number of rows and columns."""
        return self._source.shape

    def _names(self, axis: str) -> Optional[npt.NDArray[np.object_]]:
        names = self._source.names(axis)
        return None if names is None else np.array(names, dtype=object)

    def _stated(self, axis: Optional[str], along: str) -> Computing:
        """Return the matrix with its kinds of axes, if the axis of cells was given and the file does not state it."""
        if axis is None or any(self._source.axis_kinds):
            return self
        kinds = ("cells", "features") if along == "rows" else ("features", "cells")
        return self._derived(("kinds", kinds), f"cells as {along}")

    def _derived(self, operation: Operation, step: str) -> LazyMatrix:
        # It imports this module.
        from ._lazy import LazyMatrix

        return LazyMatrix.of(DerivedHandle(self._handle, operation, step))

    def normalize_total(self, target_sum: Optional[float] = None, *, axis: Optional[str] = None) -> LazyMatrix:
        """Scale each cell to the same sum, as `scanpy.pp.normalize_total` does.

        The sums are computed now, in a pass over the values.

        Parameters
        ----------
        target_sum : float, optional
            The sum of each cell; by default the median of the positive sums.
        axis : {"rows", "cols", "cells", "features"}, optional
            The axis to scale; by default the cells, or the rows if the file does not state which axis is cells (of a matrix of R the columns).

        Returns
        -------
        nnz.LazyMatrix
            With values of type float32, or of float64 if the matrix has values of 64 bits. Cells without a positive
            sum are unchanged.

        Raises
        ------
        nnz.ArgumentError
            `target_sum` is not a positive number.
        nnz.UnsupportedError
            The matrix has complex numbers, or a fill value, or the sum of a cell is NaN or infinite.

        Examples
        --------
        >>> m = nnz.open("examples/pbmc_10x_v3_mtx").normalize_total(1e4)
        >>> m.sum(axis=0)[:3].round(1).tolist()
        [10000.0, 10000.0, 10000.0]
        """
        along = cell_axis(self._source, axis, self.path, self._handle.transposed)
        target = None if target_sum is None else _number(target_sum, "target_sum")
        warn_unless_counts(self._source)
        warn_of_types(self._source, along)
        factors = self._source.normalizing_factors(along, target, self._handle.memory)
        return self._stated(axis, along)._derived(("steps", (along, factors)), f"normalize_total({'' if target is None else f'{target:g}'})")

    def log1p(self) -> LazyMatrix:
        """Replace each value by the natural logarithm of 1 plus the value.

        Returns
        -------
        nnz.LazyMatrix
            With values of type float32, or of float64 if the matrix has values of 64 bits. Values below -1 become
            NaN.

        Examples
        --------
        >>> m = nnz.open("examples/pbmc_10x_v3_mtx")
        >>> round(m.log1p()["SOD1", 3].item(), 6), m["SOD1", 3].item()
        (1.098612, 2)
        """
        steps = self._handle.steps()
        if "log1p()" in steps:
            warnings.warn("log1p was applied before", UserWarning, stacklevel=outside())
        elif "expm1()" not in steps:
            warn_of_log1p(stored_of(self._handle).source)
        return self._derived(("steps", ("log1p",)), "log1p()")

    def expm1(self) -> LazyMatrix:
        """Replace each value by its exponential minus 1, the inverse of `log1p`.

        Returns
        -------
        nnz.LazyMatrix
            With values of type float32, or of float64 if the matrix has values of 64 bits.

        Examples
        --------
        >>> m = nnz.open("examples/pbmc_10x_v3_mtx")
        >>> round(m.log1p().expm1()["SOD1", 3].item(), 6)
        2.0
        """
        return self._derived(("steps", ("expm1",)), "expm1()")

    def limit_rows(self, limits: npt.ArrayLike) -> LazyMatrix:
        """Replace values that are greater than the limit of their row by it.

        Parameters
        ----------
        limits : array_like
            A number for each row, which is not negative.

        Returns
        -------
        nnz.LazyMatrix
            With values of type float32, or of float64 if the matrix has values of 64 bits.

        Examples
        --------
        >>> nnz.open("examples/pbmc_10x_v3_mtx").limit_rows(np.full(507, 3)).max().item()
        3.0
        """
        check_order(limits, AxisNames.of(self._source, "rows"), "limits")
        return self._derived(("steps", ("limit_rows", _factors(limits, "limits"))), "limit_rows(...)")

    def limit_cols(self, limits: npt.ArrayLike) -> LazyMatrix:
        """Replace values that are greater than the limit of their column by it.

        Parameters
        ----------
        limits : array_like
            A number for each column, which is not negative.

        Returns
        -------
        nnz.LazyMatrix
            With values of type float32, or of float64 if the matrix has values of 64 bits.

        Examples
        --------
        >>> nnz.open("examples/pbmc_10x_v3_mtx").limit_cols(np.arange(1107))[:, :3].max(axis=0).tolist()
        [0.0, 1.0, 2.0]
        """
        check_order(limits, AxisNames.of(self._source, "cols"), "limits")
        return self._derived(("steps", ("limit_cols", _factors(limits, "limits"))), "limit_cols(...)")

    def scale_rows(self, factors: npt.ArrayLike) -> LazyMatrix:
        """Multiply each row by a number of its own.

        Parameters
        ----------
        factors : array_like
            A finite number for each row.

        Returns
        -------
        nnz.LazyMatrix
            With values of type float32, or of float64 if the matrix has values of 64 bits.

        Examples
        --------
        >>> m = nnz.open("examples/pbmc_10x_v3_mtx")
        >>> bool(m.scale_rows(np.arange(507))[2].sum() == 2 * m[2].sum())
        True
        """
        check_order(factors, AxisNames.of(self._source, "rows"), "factors")
        return self._derived(("steps", ("rows", _factors(factors))), "scale_rows(...)")

    def scale_cols(self, factors: npt.ArrayLike) -> LazyMatrix:
        """Multiply each column by a number of its own.

        Parameters
        ----------
        factors : array_like
            A finite number for each column.

        Returns
        -------
        nnz.LazyMatrix
            With values of type float32, or of float64 if the matrix has values of 64 bits.

        Examples
        --------
        >>> m = nnz.open("examples/pbmc_10x_v3_mtx")
        >>> bool(m.scale_cols(np.arange(1107))[:, 3].sum() == 3 * m[:, 3].sum())
        True
        """
        check_order(factors, AxisNames.of(self._source, "cols"), "factors")
        return self._derived(("steps", ("cols", _factors(factors))), "scale_cols(...)")

    def scale(self, factor: float) -> LazyMatrix:
        """Multiply all values by a finite number.

        Parameters
        ----------
        factor : float
            The number.

        Returns
        -------
        nnz.LazyMatrix
            With values of type float32, or of float64 if the matrix has values of 64 bits.

        Examples
        --------
        >>> nnz.open("examples/pbmc_10x_v3_mtx").scale(0.5).sum().item()
        20774.5
        """
        number = _number(factor, "factor")
        return self._derived(("steps", ("scale", number)), f"scale({number:g})")

    def abs(self) -> LazyMatrix:
        """Replace each value by its absolute value.

        Returns
        -------
        nnz.LazyMatrix
            With values of type float32, or of float64 if the matrix has values of 64 bits.

        Examples
        --------
        >>> m = nnz.open("examples/pbmc_10x_v3_mtx")
        >>> bool(m.scale(-1).abs().sum() == m.sum())
        True
        """
        return self._derived(("steps", ("abs",)), "abs()")

    def clip(self, min: float = -np.inf, max: float = np.inf) -> LazyMatrix:
        """Limit values to a range, which has to include zero.

        Parameters
        ----------
        min, max : float
            The least and the greatest value of the result.

        Returns
        -------
        nnz.LazyMatrix
            With values of type float32, or of float64 if the matrix has values of 64 bits.

        Examples
        --------
        >>> nnz.open("examples/pbmc_10x_v3_mtx").clip(max=3).max().item()
        3.0
        """
        least, most = _number(min, "min"), _number(max, "max")
        return self._derived(("steps", ("clip", least, most)), f"clip({least:g}, {most:g})")

    def binarize(self, threshold: float = 0) -> LazyMatrix:
        """Replace each value by 1 if it is greater than a threshold, and otherwise by 0.

        Parameters
        ----------
        threshold : float
            A number that is not negative.

        Returns
        -------
        nnz.LazyMatrix
            With values of type float32, or of float64 if the matrix has values of 64 bits. The stored entries stay.

        Examples
        --------
        >>> m = nnz.open("examples/pbmc_10x_v3_mtx")
        >>> bool(m.binarize().sum() == m.count_nonzero())
        True
        """
        number = _number(threshold, "threshold")
        return self._derived(("steps", ("binarize", number)), f"binarize({number:g})")

    def tfidf(self, scale: float = 1e4, *, axis: Optional[str] = None) -> LazyMatrix:
        """Weight counts by term frequency and inverse document frequency, as is usual for chromatin accessibility.

        A value is ``log1p(count / sum of the cell * (number of cells / sum of the feature) * scale)``. The sums are computed now, in a pass over the values for each axis.

        Parameters
        ----------
        scale : float
            The factor.
        axis : {"rows", "cols", "cells", "features"}, optional
            The axis of the documents; by default the cells, or the rows if the file does not state which axis is cells (of a matrix of R the columns).

        Returns
        -------
        nnz.LazyMatrix
            With values of type float32, or of float64 if the matrix has values of 64 bits.

        Examples
        --------
        >>> nnz.open("examples/pbmc_10x_v3_mtx").tfidf().dtype
        dtype('float64')
        """
        along = cell_axis(self._source, axis, self.path, self._handle.transposed)
        other = "rows" if along == "cols" else "cols"
        count = float(max(self.shape[0 if along == "rows" else 1], 1))
        factors = self._source.normalizing_factors(along, 1.0, self._handle.memory)
        weights = self._source.normalizing_factors(other, count, self._handle.memory)
        number = _number(scale, "scale")
        steps = (along, factors), (other, weights), ("scale", number), ("log1p",)
        return self._stated(axis, along)._derived(("steps", *steps), f"tfidf({number:g})")

    def rank(self, axis: int) -> LazyMatrix:
        """Replace each value by its rank in its row (``axis=1``) or column (``axis=0``), minus the rank of zero there.

        Equal values have the mean of their ranks, as in `scipy.stats.rankdata`. As the rank of zero is subtracted, the matrix stays
        sparse. BPCells computes the same by ``rank_transform``. If the matrix is not stored by the axis, its entries are sorted first,
        and kept in memory or in a temporary file.

        Parameters
        ----------
        axis : {0, 1}
            1 ranks each row, and 0 each column.

        Returns
        -------
        nnz.LazyMatrix
            With values of type float64, stored by the axis.

        Raises
        ------
        nnz.UnsupportedError
            The matrix has complex numbers or a fill value; where it is read, if it has NaN.

        Examples
        --------
        >>> m = nnz.open("examples/pbmc_10x_v3_mtx")
        >>> m.rank(axis=0)[:, 3].max().item()
        258.5
        """
        if axis not in (0, 1):
            raise ArgumentError(f"axis {axis!r}: expected 0 or 1")
        return self._derived(("ranks", ("cols", "rows")[axis]), f"rank({axis})")

    def pearson_residuals(self, theta: float = 100.0, clip: Optional[float] = None, *, axis: Optional[str] = None) -> LazyMatrix:
        """Compute the Pearson residuals of counts, as `scanpy.experimental.pp.normalize_pearson_residuals` does.

        Each element is replaced by its difference from what the sums of its cell and feature make expected, divided by the standard
        deviation of a negative binomial distribution, and clipped. The sums are computed now, in a pass over the values. The result is
        dense, and computed as it is read: select features first, such as the most variable ones, if these are enough, and their sums.

        Parameters
        ----------
        theta : float
            The overdispersion; infinity for a Poisson distribution.
        clip : float, optional
            The greatest absolute value; by default the square root of the number of cells.
        axis : {"rows", "cols", "cells", "features"}, optional
            The axis of the cells; by default the rows if the file does not state which axis is cells (of a matrix of R the columns).

        Returns
        -------
        nnz.LazyMatrix
            With values of type float32, or of float64 if the matrix has values of 64 bits. Residuals of cells and features without
            counts are 0, where scanpy has NaN.

        Raises
        ------
        nnz.ArgumentError
            `theta` or `clip` is not positive.
        nnz.UnsupportedError
            A sum is negative, or the matrix has complex numbers or a fill value.

        Examples
        --------
        >>> residuals = nnz.open("examples/pbmc_10x_v3_mtx").pearson_residuals()
        >>> residuals.var(axis=1).shape, round(float(residuals.max()), 3)
        ((507,), 33.272)
        """
        along = cell_axis(self._source, axis, self.path, self._handle.transposed)
        number = float(theta) if theta == float("inf") else _number(theta, "theta")
        limit = None if clip is None else _number(clip, "clip")
        shown = f"pearson_residuals({number:g}{'' if limit is None else f', {limit:g}'})"
        warn_unless_counts(self._source)
        warn_of_types(self._source, along)
        return self._stated(axis, along)._derived(("pearson_residuals", along, number, limit), shown)

    def regress_out(self, covariates: Any, *, axis: Optional[str] = None) -> LazyMatrix:
        """Subtract what covariates of the cells explain, as `scanpy.pp.regress_out` does.

        The values of each feature are replaced by the residuals of a linear least-squares fit to the covariates and a constant. The
        coefficients are computed now, in a pass over the values. The result is dense, and computed as it is read; products with it
        (``@``) and `nnz.pca` use the entries of the matrix, and a few numbers of each row and column.

        Parameters
        ----------
        covariates : str, list of str, array_like or pandas.DataFrame
            Columns of the annotations of cells, or numbers for each cell: an array of one dimension, or with a column for each
            covariate. Texts and categories are groups, of which each has a mean of its own.
        axis : {"rows", "cols", "cells", "features"}, optional
            The axis of the cells; by default the rows if the file does not state which axis is cells (of a matrix of R the columns).

        Returns
        -------
        nnz.LazyMatrix
            With values of type float32, or of float64 if the matrix has values of 64 bits.

        Raises
        ------
        KeyError
            There is no annotation with the name.
        nnz.ArgumentError
            A covariate has not a finite number for each cell.
        nnz.UnsupportedError
            The matrix has complex numbers or a fill value.

        Examples
        --------
        >>> m = nnz.open("examples/pbmc_10x_v3_mtx").normalize_total(1e4).log1p()
        >>> depth = nnz.open("examples/pbmc_10x_v3_mtx").sum(axis=0)
        >>> x = m.regress_out(np.log(depth))
        >>> bool(np.abs(x.sum(axis=1)).max() < 1e-6)
        True
        >>> nnz.pca(x, n_components=5).scores.shape
        (1107, 5)
        """
        # It imports this module.
        from ._covariates import covariates_of

        along = cell_axis(self._source, axis, self.path, self._handle.transposed)
        matrix: Any = self
        numbers, shown = covariates_of(matrix if along == "rows" else matrix.T, covariates)
        return self._stated(axis, along)._derived(("regress_out", along, numbers), f"regress_out({shown})")

    def __matmul__(self, other: Any) -> Floats:
        return self._product(other, False)

    def __rmatmul__(self, other: Any) -> Floats:
        return self._product(other, True)

    def _product(self, other: Any, reflected: bool, entries: Any = None) -> Floats:
        """Multiply by an array from the right, or from the left. `entries` is a source with the same entries."""
        if hasattr(other, "tocsr") or isinstance(other, Computing):
            raise ArgumentError("a matrix on disk is multiplied by dense arrays; to_scipy() reads it")
        # From the left, columns of a data frame meet the rows.
        along = other.T if reflected and hasattr(other, "columns") else other
        check_order(along, AxisNames.of(self._source, "rows" if reflected else "cols"), "the operand")
        array: Floats = np.asarray(other)
        if array.ndim not in (1, 2) or array.dtype.kind not in "biuf":
            raise ArgumentError(f"an array of {array.ndim} dimensions of {array.dtype}: expected numbers in 1 or 2 dimensions")
        source = self._source if entries is None else entries
        source = source.transposed() if reflected else source
        dense = array.T if reflected else array
        if dense.shape[0] != source.shape[1]:
            shapes = (array.shape, self.shape) if reflected else (self.shape, array.shape)
            raise ArgumentError(f"shapes {shapes[0]} and {shapes[1]} do not match for a product")
        width = 1 if dense.ndim == 1 else dense.shape[1]
        narrow = array.dtype == np.float32 and np.dtype(source.dtype).itemsize <= 4
        elements = np.ascontiguousarray(dense, np.float32 if narrow else np.float64).reshape(-1)
        found = source.product(elements, width, self._handle.memory)
        if array.ndim == 1:
            return found
        made: Floats = found.reshape(source.shape[0], width)
        return made.T if reflected else made

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        # NumPy would make an array of all elements for a product.
        if ufunc is np.matmul and method == "__call__" and not options:
            left, right = inputs
            return left @ right if isinstance(left, Computing) else right.__rmatmul__(left)
        if any(isinstance(one, Computing) for one in options.get("out", ())):
            raise TypeError("a matrix on disk cannot be the output of a function of NumPy")
        arrays = [_plain(one) for one in inputs]
        options = {name: _plain(one) for name, one in options.items()}
        return getattr(ufunc, method)(*arrays, **options)

    def as_linear_operator(self, *, center: Union[bool, npt.ArrayLike] = False) -> Any:
        """Return the matrix as an operator for iterative methods of SciPy, such as `scipy.sparse.linalg.svds`. Each
        product is a pass over the entries, which the first one keeps in memory if they take at most half of the memory limit.

        Parameters
        ----------
        center : bool or array_like
            Subtract from each column its mean, or these numbers. The matrix stays sparse: products are corrected.

        Returns
        -------
        scipy.sparse.linalg.LinearOperator
            Of type float64.

        Examples
        --------
        >>> from scipy.sparse.linalg import svds
        >>> operator = nnz.open("examples/pbmc_10x_v3_mtx").T.as_linear_operator(center=True)
        >>> svds(operator, k=2, rng=0)[1].shape
        (2,)
        """
        linalg = load("scipy.sparse.linalg", "as_linear_operator")
        if isinstance(center, (bool, np.bool_)):
            mean: Optional[Floats] = self.mean(axis=0) if center else None
        else:
            check_order(center, AxisNames.of(self._source, "cols"), "center")
            mean = _factors(center, "center")
            if len(mean) != self.shape[1]:
                raise ArgumentError(f"{len(mean)} numbers to subtract for {self.shape[1]} columns")

        kept: List[Any] = []

        def entries() -> Any:
            if not kept:
                kept.append(self._source.kept(self._handle.memory))
            return kept[0]

        def times(x: Floats) -> Floats:
            found = self._product(_real(x), False, entries())
            return found if mean is None else found - mean @ x

        def times_transposed(x: Floats) -> Floats:
            dense = _real(x)
            found: Floats = self._product(dense.T, True, entries()).T
            if mean is None:
                return found
            sums = dense.sum(axis=0)
            made: Floats = found - (mean * sums if dense.ndim == 1 else np.multiply.outer(mean, sums))
            return made

        return linalg.LinearOperator(
            self.shape,
            matvec=times,
            rmatvec=times_transposed,
            matmat=times,
            rmatmat=times_transposed,
            dtype=np.dtype(np.float64),
        )


def _real(given: Any) -> Floats:
    if np.iscomplexobj(given):
        raise ArgumentError("products with complex numbers are not supported")
    return np.asarray(given, np.float64)


def _plain(given: Any) -> Any:
    return np.asarray(given) if isinstance(given, Computing) else given


def _number(given: Any, name: str) -> float:
    try:
        if np.iscomplexobj(given):
            raise TypeError
        return float(given)
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"{name} {given!r}: expected a number") from None


def _factors(given: npt.ArrayLike, name: str = "factors") -> npt.NDArray[np.float64]:
    try:
        if np.iscomplexobj(given):
            raise TypeError
        found = np.array(given, np.float64)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name}: expected numbers") from None
    if found.ndim != 1:
        raise ArgumentError(f"{name}: expected one dimension, not {found.ndim}")
    return found


def source_and_memory(matrix: Computing) -> Tuple[_nnz.Source, Any]:
    """Return what computes, and the memory limit, for modules of this package."""
    handle = matrix._handle  # pyright: ignore[reportPrivateUsage]
    return handle.source, handle.memory
