"""Principal components."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, NamedTuple, Optional, Union

import numpy as np
import numpy.typing as npt

from ._alignment import Positions, positions_of_cells, positions_of_features
from ._arguments import cell_axis, integer
from ._base import BaseMatrix, steps_of
from ._computing import source_and_memory
from ._errors import ArgumentError, ClosedError
from ._handle import handle_of
from ._open import open as open_path
from ._options import PathLike
from ._progress import Progress, reporting
from ._values import warn_of_types, warn_of_variable, warn_unless_logarithms

if TYPE_CHECKING:
    from ._external import anndata

Floats = npt.NDArray[np.float64]
Scores = Union[npt.NDArray[np.float32], npt.NDArray[np.float64]]


class PCA(NamedTuple):
    """The result of `nnz.pca`.

    Attributes
    ----------
    scores : numpy.ndarray
        A row for each cell, and a column for each component: of float32 if the values are, as in scanpy, otherwise float64.
    loadings : numpy.ndarray
        A row for each feature, and a column of length 1 for each component. Its largest element is positive.
    singular_values : numpy.ndarray
        Of the centred matrix, in descending order.
    mean : numpy.ndarray
        The mean of each feature, which was subtracted.
    total_variance : float
        The sum of the variances of all features.
    features : numpy.ndarray or None
        The names of the features, if the matrix has them.
    matrix : Matrix or LazyMatrix, or None
        The matrix, with cells as rows, by whose names `add_to` finds the cells.
    """

    scores: Scores
    loadings: Floats
    singular_values: Floats
    mean: Floats
    total_variance: float
    features: Optional[npt.NDArray[np.object_]] = None
    matrix: Optional[BaseMatrix] = None

    def __repr__(self) -> str:
        count = self.scores.shape[1] if self.scores.ndim > 1 else 0
        share = float(np.sum(self.explained_variance_ratio))
        return f"<nnz.PCA of {count} components of {len(self.scores)} cells, {share:.1%} of the variance>"

    @property
    def explained_variance(self) -> Floats:
        """The variance of each component, with the number of cells minus 1 in the denominator."""
        return self.singular_values**2 / max(len(self.scores) - 1, 1)

    @property
    def explained_variance_ratio(self) -> Floats:
        """The variance of each component, as a fraction of the variance of all features."""
        with np.errstate(divide="ignore", invalid="ignore"):
            made: Floats = self.explained_variance / np.float64(self.total_variance)
        return made

    def add_to(self, adata: anndata.AnnData) -> None:
        """Store the result in an AnnData object, where scanpy does and its functions look for it.

        These are ``obsm["X_pca"]``, ``varm["PCs"]`` and ``uns["pca"]``, with ``params``, ``variance`` and ``variance_ratio``. If the
        components are of some of its features, such as the most variable ones, the loadings of all others are 0.

        Parameters
        ----------
        adata : anndata.AnnData
            With the cells of the matrix, and its features or more: in the same order, or found by their names. Cells are taken by
            position if the matrix has no names of them, or if names of one are the positions, as in an AnnData without names.

        Raises
        ------
        nnz.ArgumentError
            It has another number of cells, other cells or other features; or names occur more than once, and are in another order.
        nnz.ClosedError
            The matrix is closed, so that its names of cells cannot be compared.

        Examples
        --------
        >>> m = nnz.open("examples/pbmc_10x_v3_mtx")
        >>> adata = m.to_anndata()
        >>> nnz.pca(m.log1p(), n_components=5).add_to(adata)
        >>> adata.obsm["X_pca"].shape
        (1107, 5)
        """
        given: Any = adata
        if len(self.scores) != given.n_obs:
            raise ArgumentError(f"components of {len(self.scores)} cells: the AnnData object has {given.n_obs}")
        count = len(self.loadings)
        features = positions_of_features(self.features, count, given, "components")
        cells = positions_of_cells(self._cell_names(), given, "components")
        loadings = np.zeros((given.n_vars, self.loadings.shape[1]))
        loadings[features] = self.loadings
        given.obsm["X_pca"] = self.scores[cells]
        given.varm["PCs"] = loadings
        given.uns["pca"] = {
            "params": _params(given, features),
            "variance": self.explained_variance,
            "variance_ratio": self.explained_variance_ratio,
        }

    def _cell_names(self) -> Optional[npt.NDArray[np.object_]]:
        """Return the names of the cells, if the matrix has them."""
        try:
            return None if self.matrix is None else self.matrix.row_names
        except ClosedError as error:
            raise ClosedError("the matrix is closed, so names of cells cannot be compared: add components before it is closed") from error


def _params(adata: Any, features: Positions) -> Dict[str, Any]:
    """Return the parameters that scanpy stores, of which `scanpy.tl.ingest` needs the first two."""
    chosen = np.zeros(adata.n_vars, bool)
    chosen[features] = True
    variable = "highly_variable"
    masked = not chosen.all() and variable in adata.var and np.array_equal(adata.var[variable], chosen)
    return {"zero_center": True, "use_highly_variable": masked, "mask_var": variable if masked else None}


def pca(
    source: Union[BaseMatrix, PathLike],
    n_components: int = 50,
    *,
    axis: Optional[str] = None,
    iterations: Optional[int] = None,
    seed: int = 0,
    progress: Progress = None,
) -> PCA:
    """Compute the first principal components of a matrix, whose features are centred, without reading it into memory.

    A randomised block Krylov method, in ``iterations + 4`` passes over the entries of a matrix that is stored by cell, and
    ``2 * iterations + 5`` over others. By default, it goes on until all components are precise: the residual of each is at most 5 %
    of its variance, which makes singular values precise to 1 %. Entries are read once and kept: in memory while they take at most half of the limit, and
    what is more in a temporary file. The result is the same for any number of threads.

    Parameters
    ----------
    source : Matrix, LazyMatrix, str or os.PathLike
        The matrix, such as ``m.normalize_total(1e4).log1p()``, or its path.
    n_components : int
        How many, at most the number of cells and of features.
    axis : {"rows", "cols", "cells", "features"}, optional
        The observations; by default the cells, or the rows if the file does not state which axis is cells (of a matrix of R the columns).
    iterations : int, optional
        Fewer are faster, and make the last components less precise; by default as many as it takes.
    seed : int
        Seed of the random numbers.
    progress : bool or callable, optional
        As in `nnz.convert`, for each pass over the entries.

    Returns
    -------
    nnz.PCA

    Raises
    ------
    nnz.ArgumentError
        There are fewer cells or features than components.
    nnz.UnsupportedError
        The matrix has complex numbers, a fill value, or values that are not finite.
    nnz.MemoryLimitError
        Scores and loadings need more memory than allowed.

    Examples
    --------
    >>> found = nnz.pca(nnz.open("examples/pbmc_10x_v3_mtx").normalize_total(1e4).log1p(), n_components=10)
    >>> found.scores.shape, found.loadings.shape, found.singular_values.shape
    ((1107, 10), (507, 10), (10,))
    """
    found: Any = source if isinstance(source, BaseMatrix) else open_path(source)
    if not isinstance(found, BaseMatrix):
        raise ArgumentError(f"{found.path}: not a matrix; PATH::GROUP selects one of several")
    count = integer("n_components", n_components, 1)
    rounds = None if iterations is None else integer("iterations", iterations, 1)
    start = integer("seed", seed, 0)
    opened, memory = source_and_memory(found)
    along = cell_axis(opened, axis, found.path, handle_of(found).transposed)
    matrix: BaseMatrix = found
    warn_unless_logarithms(opened, steps_of(matrix), negative=True)
    warn_of_types(opened, along)
    warn_of_variable(opened, along)
    with reporting(progress) as report:
        found = opened.pca(count, along, rounds, start, memory, None, report)
    scores, loadings, singular_values, mean, total = found
    names = matrix.col_names if along == "rows" else matrix.row_names
    cells = matrix if along == "rows" else matrix.T
    return PCA(scores.reshape(-1, count), loadings.reshape(-1, count), singular_values, mean, total, names, cells)
