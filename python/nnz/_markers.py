"""Markers: features whose values in a group of cells differ from those in all other cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._alignment import AxisNames, check_order, positions_of_features
from ._base import BaseMatrix, steps_of
from ._computing import source_and_memory
from ._errors import ArgumentError, UnknownNameError
from ._external import load
from ._guards import is_list
from ._members import listed
from ._metrics import cells_by_features, column, labels
from ._metrics import groups as groups_of
from ._options import PathLike
from ._progress import Progress, reporting
from ._values import warn_of_missing, warn_of_types, warn_unless_logarithms

if TYPE_CHECKING:
    from ._external import anndata, pandas

Floats = npt.NDArray[np.float64]

METHODS = ("wilcoxon", "t-test")

#: The columns of a table of markers.
_COLUMNS = ["group", "names", "scores", "logfoldchanges", "pvals", "pvals_adj", "pct_nz_group", "pct_nz_reference"]


class Markers(NamedTuple):
    """The result of `nnz.markers`. Arrays have a row for each group and a column for each feature.

    Attributes
    ----------
    groups : pandas.Index
        The labels of the groups.
    features : pandas.Index
        The names of the features, or their positions.
    scores : numpy.ndarray
        The z-score of the Wilcoxon test, or the t of the t-test: positive if values in the group are greater.
    logfoldchanges : numpy.ndarray
        The binary logarithm of the ratio of the means in the group and in other cells, as scanpy computes it: of ``expm1(mean) + 1e-9``.
    pvals, pvals_adj : numpy.ndarray
        P-values, and those adjusted by the method of Benjamini and Hochberg for the number of features.
    pts, pts_rest : numpy.ndarray
        The fraction of cells in the group, and of all other cells, with a value other than zero.
    method : str
        The test.
    groupby : str or None
        The column of the annotations with the labels, if its name was given.
    sorting_seconds : float or None
        The time it took to sort the entries by feature first, if the matrix is not stored by feature.
    """

    groups: pandas.Index
    features: pandas.Index
    scores: Floats
    logfoldchanges: Floats
    pvals: Floats
    pvals_adj: Floats
    pts: Floats
    pts_rest: Floats
    method: str
    groupby: Optional[str] = None
    sorting_seconds: Optional[float] = None

    def __repr__(self) -> str:
        count, features = self.scores.shape
        return f"<nnz.Markers of {count} groups and {features} features, {self.method}>"

    def to_pandas(self, group: Any = None, top: Optional[int] = None) -> pandas.DataFrame:
        """Return a table with the columns of `scanpy.get.rank_genes_groups_df`, by group and in descending order of scores.

        Parameters
        ----------
        group : optional
            The label of one group, or a list of them; by default all.
        top : int, optional
            The number of features of each group; by default all.

        Returns
        -------
        pandas.DataFrame
            ``group``, ``names``, ``scores``, ``logfoldchanges``, ``pvals``, ``pvals_adj``, ``pct_nz_group`` and
            ``pct_nz_reference``.

        Raises
        ------
        KeyError
            There is no such group.

        Examples
        --------
        >>> m = nnz.open("examples/pbmc_10x_v3_mtx").normalize_total(1e4).log1p()
        >>> found = nnz.markers(m, np.arange(1107) % 2)
        >>> found.to_pandas(group=1, top=2).columns.tolist()[:4]
        ['group', 'names', 'scores', 'logfoldchanges']
        """
        frames = load("pandas", "to_pandas")
        groups: Any = self.groups
        chosen = list(range(len(groups)))
        if group is not None:
            wanted: List[Any] = list(group) if is_list(group) else [group]
            for one in wanted:
                if one not in groups:
                    raise UnknownNameError(f"there is no group {one!r}: the groups are {listed(map(repr, groups))}")
            chosen = [int(groups.get_loc(one)) for one in wanted]
        parts = [self._table(frames, at, self._order(at, top)) for at in chosen]
        made: pandas.DataFrame = frames.concat(parts, ignore_index=True) if parts else frames.DataFrame(columns=_COLUMNS)
        return made

    def add_to(self, adata: anndata.AnnData, key: str = "rank_genes_groups", groupby: Optional[str] = None) -> None:
        """Store the result in an AnnData object, where scanpy does and its functions, such as plots, look for it.

        Parameters
        ----------
        adata : anndata.AnnData
            With the features of the matrix, or more, which are found by their names. If only its `raw` has them, the result is of
            `raw`, as with ``use_raw=True`` of scanpy.
        key : str
            The key in `uns`.
        groupby : str, optional
            The column of `obs` with the labels, which plots need; by default the one whose name was given.

        Raises
        ------
        nnz.ArgumentError
            The object does not have all of the features, or no such column with the groups; or names of features occur more than once, and are in
            another order.

        Examples
        --------
        >>> m = nnz.open("examples/pbmc_10x_v3_mtx")
        >>> adata = m.to_anndata()
        >>> nnz.markers(m.log1p(), np.arange(1107) % 2).add_to(adata)
        >>> adata.uns["rank_genes_groups"]["names"].dtype.names
        ('0', '1')
        """
        frames = load("pandas", "add_to")
        given: Any = adata
        groups: Any = self.groups
        names = [str(label) for label in groups]
        orders = [self._order(at, None) for at in range(len(names))]
        features, use_raw = self._names_in(frames, given)
        by = self.groupby if groupby is None else groupby
        if by is not None and by not in given.obs:
            raise ArgumentError(f"the obs of the AnnData object has no column {by!r}, which has the groups: groupby= names one")
        if by is not None:
            column: Any = given.obs[by]
            known = {str(value) for value in column.unique()}
            absent = [name for name in names if name not in known]
            if absent:
                what = f"the column {by!r} of obs does not have the group {absent[0]!r}"
                raise ArgumentError(f"{what}: groupby= names the one that has the groups")
        made: Dict[str, Any] = {}
        made["params"] = {
            "groupby": by,
            "reference": "rest",
            "method": self.method,
            "use_raw": use_raw,
            "layer": None,
            "corr_method": "benjamini-hochberg",
        }
        for field, array, dtype in (
            ("names", np.broadcast_to(features, self.scores.shape), "O"),
            ("scores", self.scores, "float32"),
            ("pvals", self.pvals, "float64"),
            ("pvals_adj", self.pvals_adj, "float64"),
            ("logfoldchanges", self.logfoldchanges, "float32"),
        ):
            sorted_by_score = {name: row[order] for name, row, order in zip(names, array, orders)}
            made[field] = frames.DataFrame(sorted_by_score).to_records(index=False, column_dtypes=dtype)
        for field, array in (("pts", self.pts), ("pts_rest", self.pts_rest)):
            made[field] = frames.DataFrame(array.T, index=features, columns=names)
        given.uns[key] = made

    def _names_in(self, frames: Any, given: Any) -> Tuple[npt.NDArray[np.object_], bool]:
        """Return the names that the features have in an AnnData object, and whether only its `raw` has them."""
        own: Any = self.features
        names = None if isinstance(own, frames.RangeIndex) else np.asarray(own, object)
        use_raw = False
        try:
            positions = positions_of_features(names, len(own), given, "markers")
        except ArgumentError:
            if given.raw is None:
                raise
            use_raw, given = True, given.raw
            positions = positions_of_features(names, len(own), given, "markers")
        return np.asarray(given.var_names, object)[positions], use_raw

    def _order(self, at: int, top: Optional[int]) -> npt.NDArray[np.intp]:
        """Return the features of a group in descending order of scores. Equal ones stay in order."""
        order: npt.NDArray[np.intp] = np.argsort(-self.scores[at], kind="stable")
        return order[:top]

    def _table(self, frames: Any, at: int, order: npt.NDArray[np.intp]) -> Any:
        groups: Any = self.groups
        columns: Dict[str, Any] = {"group": groups[at : at + 1].repeat(len(order)), "names": self.features[order]}
        for name, array in (
            ("scores", self.scores),
            ("logfoldchanges", self.logfoldchanges),
            ("pvals", self.pvals),
            ("pvals_adj", self.pvals_adj),
            ("pct_nz_group", self.pts),
            ("pct_nz_reference", self.pts_rest),
        ):
            columns[name] = array[at, order]
        return frames.DataFrame(columns)


def markers(
    source: Union[BaseMatrix, PathLike],
    groups: Any,
    *,
    method: str = "wilcoxon",
    tie_correct: bool = True,
    axis: Optional[str] = None,
    progress: Progress = None,
) -> Markers:
    """Compare each feature in each group of cells with all other cells, as `scanpy.tl.rank_genes_groups` does. Requires pandas.

    Each feature is ranked by itself, without its zeros, on all cores. A matrix that is stored by feature is read in one pass; the
    entries of another one are sorted first, in memory or in a temporary file. The result is the same for any number of threads.

    Parameters
    ----------
    source : Matrix, LazyMatrix, str or os.PathLike
        Logarithms, such as ``m.normalize_total(1e4).log1p()``.
    groups : str or array_like
        A column of the annotations of cells, or a label for each cell. Cells without a label are in no group, but among the others
        of every group; a `UserWarning` has their number. Categories without cells are left out.
    method : {"wilcoxon", "t-test"}
        The Wilcoxon rank-sum test, with the normal approximation, or Welch's t-test.
    tie_correct : bool
        Correct the Wilcoxon test for equal values. scanpy does not by default.
    axis : {"rows", "cols", "cells", "features"}, optional
        The axis of the cells; by default as stated in the file, otherwise the rows, or the columns of a matrix of R.
    progress : bool or callable, optional
        As in `nnz.convert`.

    Returns
    -------
    nnz.Markers

    Raises
    ------
    KeyError
        There is no annotation with the name.
    nnz.ArgumentError
        The number of labels differs from the number of cells, or a group has one cell, or all of them.
    nnz.UnsupportedError
        The matrix has complex numbers, a fill value, or values that are not finite.
    nnz.MemoryLimitError
        The result, 48 bytes for each group and feature, needs more memory than allowed.

    Examples
    --------
    >>> m = nnz.open("examples/pbmc_10x_v3_mtx").normalize_total(1e4).log1p()
    >>> nnz.markers(m, np.array(["a", "b", "c"])[np.arange(1107) % 3])
    <nnz.Markers of 3 groups and 507 features, wilcoxon>
    """
    if method not in METHODS:
        raise ArgumentError(f"method {method!r}: expected one of {', '.join(map(repr, METHODS))}")
    frames = load("pandas", "markers")
    matrix = cells_by_features(source, axis)
    given: Any = column(matrix, groups) if isinstance(groups, str) else groups
    check_order(given, AxisNames.of(source_and_memory(matrix)[0], "rows"), "groups")
    codes, found = groups_of(frames, given, matrix.shape[0])
    if len(codes) and not len(found):
        raise ArgumentError(f"{matrix.path}: no cell has a label{f' in {groups!r}' if isinstance(groups, str) else ''}")
    for label, count in zip(found, np.bincount(codes[codes >= 0], minlength=len(found))):
        if count == 1:
            raise ArgumentError(f"group {label!r} has 1 cell: expected at least 2")
        if count == len(codes):
            raise ArgumentError(f"group {label!r} has all cells: there are none to compare with")
    opened, memory = source_and_memory(matrix)
    warn_unless_logarithms(opened, steps_of(matrix))
    warn_of_types(opened, "rows")
    warn_of_missing(int((codes < 0).sum()), "among the others of every group")
    with reporting(progress) as report:
        arrays, seconds = opened.markers(codes, len(found), "rows", method, tie_correct, memory, None, report)
    shape = (len(found), matrix.shape[1])
    scores, pvals, adjusted, changes, inside, rest = (array.reshape(shape) for array in arrays)
    names: Any = frames.Index(labels(matrix.col_names, shape[1]))
    name = groups if isinstance(groups, str) else None
    return Markers(found, names, scores, changes, pvals, adjusted, inside, rest, method, name, seconds)
