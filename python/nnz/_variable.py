"""Highly variable features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional, Union

import numpy as np
import numpy.typing as npt

from ._alignment import AxisNames, check_order
from ._arguments import integer
from ._base import BaseMatrix, steps_of
from ._computing import source_and_memory
from ._errors import ArgumentError
from ._external import load
from ._metrics import cells_by_features, column, groups, labels
from ._options import PathLike
from ._values import warn_of_types, warn_unless_counts, warn_unless_logarithms

if TYPE_CHECKING:
    from ._external import pandas

Floats = npt.NDArray[np.float64]

FLAVORS = ("seurat", "seurat_v3")

RANKED = 2000
"""How many features of the flavor `seurat_v3` are chosen by default."""


def highly_variable_genes(
    source: Union[BaseMatrix, PathLike],
    n_top_genes: Optional[int] = None,
    *,
    flavor: str = "seurat",
    min_mean: float = 0.0125,
    max_mean: float = 3,
    min_disp: float = 0.5,
    max_disp: float = np.inf,
    n_bins: int = 20,
    span: float = 0.3,
    batch: Any = None,
    axis: Optional[str] = None,
) -> pandas.DataFrame:
    """Find features that vary more than others with the same mean, as `scanpy.pp.highly_variable_genes` does.

    Requires pandas; the flavor ``"seurat_v3"`` also scikit-misc.

    Parameters
    ----------
    source : Matrix, LazyMatrix, str or os.PathLike
        The matrix: logarithms for the flavor ``"seurat"``, such as ``m.normalize_total(1e4).log1p()``, and counts for
        ``"seurat_v3"``.
    n_top_genes : int, optional
        How many features are chosen; a few more for ``"seurat"`` if several are equal. By default 2000 for ``"seurat_v3"``, and those within the limits for
        ``"seurat"``.
    flavor : {"seurat", "seurat_v3"}
        The method.
    min_mean, max_mean, min_disp, max_disp : float
        Limits of the logarithm of the mean plus 1, and of the normalized dispersion, if `n_top_genes` is not given.
    n_bins : int
        In how many bins features are divided by their mean, for ``"seurat"``.
    span : float
        The part of the features that the regression at each mean is based on, for ``"seurat_v3"``.
    batch : str or array_like, optional
        A column of the annotations of cells, or a label for each cell. Features are found in each batch, and those
        found in most of them are chosen.
    axis : {"rows", "cols", "cells", "features"}, optional
        The axis of the cells; by default as stated in the file, otherwise the rows, or the columns of a matrix of R.

    Returns
    -------
    pandas.DataFrame
        With a row for each feature, and the column ``highly_variable``. For ``"seurat"``: ``means``, ``dispersions``
        and ``dispersions_norm``; for ``"seurat_v3"``: ``means``, ``variances``, ``variances_norm`` and
        ``highly_variable_rank``. With batches also ``highly_variable_nbatches``, and for ``"seurat"``
        ``highly_variable_intersection``. Features of a 10x matrix are named by their ids:
        ``adata.var.join(found, on="gene_ids")`` adds them to an AnnData object whose names are symbols.

    Raises
    ------
    KeyError
        There is no annotation with the name.
    nnz.ArgumentError
        An argument is not valid, the number of labels differs from the number of cells, or a batch has a single cell.

    Examples
    --------
    >>> m = nnz.open("examples/pbmc_10x_v3_mtx").normalize_total(1e4).log1p()
    >>> found = nnz.highly_variable_genes(m, 20)
    >>> int(found["highly_variable"].sum())
    20
    """
    if flavor not in FLAVORS:
        raise ArgumentError(f"flavor {flavor!r}: expected one of {', '.join(map(repr, FLAVORS))}")
    if n_top_genes is not None:
        n_top_genes = integer("n_top_genes", n_top_genes, 1)
    frames = load("pandas", "highly_variable_genes")
    matrix = cells_by_features(source, axis)
    warn_of_types(source_and_memory(matrix)[0], "rows")
    codes = None if batch is None else _codes(matrix, batch)
    if flavor == "seurat_v3":
        parts: List[BaseMatrix] = [matrix] if codes is None else [matrix.select(rows=codes == code) for code in np.unique(codes)]
        found = _by_rank(matrix, parts, RANKED if n_top_genes is None else n_top_genes, span, codes is not None)
    else:
        opened, memory = source_and_memory(matrix)
        warn_unless_logarithms(opened, steps_of(matrix))
        limits = (min_mean, max_mean, min_disp, max_disp)
        batches = None if codes is None else codes.astype(np.uint32)
        found = dict(opened.highly_variable(n_top_genes, limits, integer("n_bins", n_bins, 1), batches, memory))
    made: pandas.DataFrame = frames.DataFrame(found, index=labels(matrix.col_names, matrix.shape[1]))
    return made


def _codes(matrix: BaseMatrix, batch: Any) -> npt.NDArray[np.int64]:
    """Return the number of the batch of each cell."""
    frames = load("pandas", "highly_variable_genes")
    given: Any = column(matrix, batch) if isinstance(batch, str) else batch
    check_order(given, AxisNames.of(source_and_memory(matrix)[0], "rows"), "batch")
    codes, found = groups(frames, given, matrix.shape[0])
    if (codes < 0).any():
        raise ArgumentError("batch: some cells have no label")
    for label, count in zip(found, np.bincount(codes, minlength=len(found))):
        if count == 1:
            raise ArgumentError(f"batch {label!r} has 1 cell: the variance of a feature needs at least 2 cells")
    return codes


def _mean_and_variance(matrix: BaseMatrix) -> Any:
    """Compute the mean and the variance of each feature in one pass."""
    opened, memory = source_and_memory(matrix)
    if 0 in opened.shape:
        raise ArgumentError(f"{matrix.path}: there are no cells or no features in {opened.shape[0]} x {opened.shape[1]}")
    if opened.shape[0] == 1:
        raise ArgumentError(f"{matrix.path}: there is 1 cell: the variance of a feature needs at least 2 cells")
    found = opened.stats("cols", "all", memory)
    means, variances, least = (np.asarray(found[at], np.float64) for at in (1, 2, 3))
    if not (np.isfinite(means).all() and np.isfinite(variances).all() and (least >= 0).all()):
        raise ArgumentError(f"{matrix.path}: the flavor 'seurat_v3' needs counts: finite values that are not negative")
    return means, variances


def _by_rank(matrix: BaseMatrix, parts: List[BaseMatrix], top: int, span: float, batched: bool) -> Dict[str, Any]:
    """The method of Seurat 3: the variance of counts that are standardized by what a regression expects."""
    warn_unless_counts(source_and_memory(matrix)[0])
    means, variances = _mean_and_variance(matrix)
    each = np.array([_standardized_variances(part, span) for part in parts])
    # Positions in descending order of variance.
    ranks: npt.NDArray[Any] = np.argsort(np.argsort(-each, axis=1), axis=1).astype(np.float32)
    ranks[ranks >= top] = np.nan
    batches = (~np.isnan(ranks)).sum(axis=0)
    median = np.full(ranks.shape[1], np.nan, np.float32)
    found = batches > 0
    if found.any():
        median[found] = np.nanmedian(ranks[:, found], axis=0)
    order = np.lexsort((-batches, np.where(np.isnan(median), np.inf, median)))
    chosen = np.zeros(len(order), bool)
    chosen[order[:top]] = True
    made = {
        "means": means,
        "variances": variances,
        "variances_norm": each.mean(axis=0),
        "highly_variable_rank": median,
        "highly_variable": chosen,
    }
    if batched:
        made["highly_variable_nbatches"] = batches
    return made


def _standardized_variances(matrix: BaseMatrix, span: float) -> Floats:
    loess: Any = load("skmisc.loess", "highly_variable_genes with the flavor seurat_v3")
    means, variances = _mean_and_variance(matrix)
    varies = variances > 0
    expected = np.zeros(len(means))
    if varies.any():
        model = loess.loess(np.log10(means[varies]), np.log10(variances[varies]), span=span, degree=2)
        model.fit()
        expected[varies] = model.outputs.fitted_values
    deviation = np.sqrt(10**expected)
    count = matrix.shape[0]
    limited = matrix.limit_cols(deviation * np.sqrt(count) + means)
    limited_means, limited_variances = _mean_and_variance(limited)
    # The sum of squares of the distances from the mean before values were limited.
    squares = limited_variances * (count - 1) + count * (limited_means - means) ** 2
    made: Floats = squares / (max(count - 1, 1) * deviation**2)
    return made
