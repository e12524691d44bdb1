"""Principal components."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union

import numpy as np
import numpy.typing as npt

from ._arguments import cell_axis, integer
from ._base import BaseMatrix
from ._computing import source_and_memory
from ._errors import ArgumentError, ClosedError
from ._external import load
from ._open import open as open_path
from ._options import PathLike
from ._progress import Progress, reporting
from ._values import warn_unless_logarithms

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

        These are ``obsm["X_pca"]``, ``varm["PCs"]`` and ``uns["pca"]``, with ``variance`` and ``variance_ratio``. If the
        components are of some of its features, such as the most variable ones, the loadings of all others are 0.

        Parameters
        ----------
        adata : anndata.AnnData
            With the cells of the matrix, and its features or more: in the same order, or found by their names.

        Raises
        ------
        nnz.ArgumentError
            It has another number of cells, or other features.

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
        loadings = self.loadings
        names = self._names_in(given)
        if len(loadings) != given.n_vars or (self.features is not None and not np.array_equal(names, self.features)):
            loadings = self._of_all(names)
        given.obsm["X_pca"] = self.scores[self._cells_in(given)]
        given.varm["PCs"] = loadings
        given.uns["pca"] = {"variance": self.explained_variance, "variance_ratio": self.explained_variance_ratio}

    def _cells_in(self, given: Any) -> Any:
        """Return the cells in the order of an object with the same names, or all as they are."""
        try:
            names = None if self.matrix is None else self.matrix.row_names
        except ClosedError:
            names = None
        wanted = given.obs_names
        if names is None or not wanted.is_unique or np.array_equal(names, wanted):
            return slice(None)
        own = load("pandas", "PCA.add_to").Index(names)
        positions: npt.NDArray[np.intp] = np.asarray(own.get_indexer(wanted)) if own.is_unique else np.full(len(wanted), -1)
        if np.all(positions < 0):
            # Other names, as of cells that were numbered.
            return slice(None)
        if np.any(positions < 0):
            raise ArgumentError(f"the components are not of cell {wanted[int(np.argmax(positions < 0))]!r}")
        return positions

    def _names_in(self, given: Any) -> Any:
        """Return the names or, of a 10x matrix whose features are named by their symbols, the ids that the features have."""
        names: Any = given.var_names
        if "gene_ids" in given.var and self.features is not None and not names.isin(self.features).any():
            names = load("pandas", "PCA.add_to").Index(given.var["gene_ids"])
        return names

    def _of_all(self, names: Any) -> Floats:
        """Return a row of loadings for each of more features, with 0 for those of which the components are not."""
        own, features = len(self.loadings), self.features
        if features is None or own > len(names):
            raise ArgumentError(f"components of {own} features: the AnnData object has {len(names)}")
        positions: npt.NDArray[np.intp] = np.asarray(names.get_indexer_for(features))
        if len(positions) == own and np.any(positions < 0):
            missing = features[int(np.flatnonzero(positions < 0)[0])]
            raise ArgumentError(f"the AnnData object has no feature {missing!r}, of which the components are")
        if len(positions) != own or len(np.unique(positions)) != own:
            raise ArgumentError("names of features occur more than once in the AnnData object")
        made = np.zeros((len(names), self.loadings.shape[1]))
        made[positions] = self.loadings
        return made


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
        The observations; by default the cells, or the rows if the file does not state which axis is cells.
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
    along = cell_axis(opened, axis, found.path)
    matrix: BaseMatrix = found
    warn_unless_logarithms(opened, negative=True)
    with reporting(progress) as report:
        found = opened.pca(count, along, rounds, start, memory, None, report)
    scores, loadings, singular_values, mean, total = found
    names = matrix.col_names if along == "rows" else matrix.row_names
    cells = matrix if along == "rows" else matrix.T
    return PCA(scores.reshape(-1, count), loadings.reshape(-1, count), singular_values, mean, total, names, cells)
