"""Metrics of cells and features, and sums over groups of cells."""

from __future__ import annotations

from typing import (
    Any,
    cast,
    Dict,
    List,
    Literal,
    Mapping,
    NamedTuple,
    Optional,
    overload,
    Sequence,
    Set,
    Tuple,
    TYPE_CHECKING,
    Union,
)

import numpy as np
import numpy.typing as npt

from . import _exact, _frames, _index
from ._alignment import AxisNames, check_order
from ._arguments import cell_axis, integer
from ._base import BaseMatrix
from ._computing import source_and_memory
from ._errors import ArgumentError, UnknownNameError
from ._external import load
from ._guards import dtype_kind, is_array, is_list, is_tuple
from ._handle import handle_of
from ._open import open as open_path
from ._options import PathLike
from ._values import warn_of_missing, warn_of_types, warn_unless_counts

if TYPE_CHECKING:
    from ._external import pandas

TOPS = (50, 100, 200, 500)

AGGREGATES = ("sum", "mean", "var", "count_nonzero")


class QC(NamedTuple):
    """The result of `nnz.qc`.

    Attributes
    ----------
    cells : pandas.DataFrame
        A row for each cell.
    features : pandas.DataFrame
        A row for each feature.
    """

    cells: pandas.DataFrame
    features: pandas.DataFrame

    def __repr__(self) -> str:
        return f"<nnz.QC of {len(self.cells)} cells and {len(self.features)} features>"


def qc(
    source: Union[BaseMatrix, PathLike],
    *,
    qc_vars: Union[Mapping[str, Any], Sequence[str], None] = None,
    percent_top: Optional[Sequence[int]] = TOPS,
    axis: Optional[str] = None,
) -> QC:
    """Compute the usual metrics of cells and features, as `scanpy.pp.calculate_qc_metrics` does. Requires pandas.

    Parameters
    ----------
    source : Matrix, LazyMatrix, str or os.PathLike
        Counts.
    qc_vars : mapping from str to array_like or sequence of str, optional
        Sets of features, such as ``{"mt": names.startswith("MT-")}``: a boolean for each feature, positions, or names. Numbers are
        booleans if there is one for each feature, and all are 0 or 1. Or the names of annotations of features with booleans, or with
        0 and 1, such as ``["mt"]``.
    percent_top : sequence of int, optional
        For the shares of the most frequent features of each cell; by default 50, 100, 200 and 500, as far as there are as
        many features. None computes none. If the matrix is stored by
        feature, it is read into memory for them.
    axis : {"rows", "cols", "cells", "features"}, optional
        The axis of the cells; by default as stated in the file, otherwise the rows, or the columns of a matrix of R.

    Returns
    -------
    nnz.QC
        Its tables have the columns of scanpy, such as ``total_counts`` and ``pct_counts_mt``. Sums are of 64 bits. Features of a
        10x matrix are named by their ids: ``adata.var.join(found.features, on="gene_ids")`` adds them to an AnnData object whose
        names are symbols.

    Raises
    ------
    KeyError
        There is no annotation, or no feature, with the name.
    nnz.ArgumentError
        A set of features does not fit the matrix, or an annotation has other values.
    nnz.MemoryLimitError
        The matrix is stored by feature, and needs more memory than allowed.

    Examples
    --------
    >>> found = nnz.qc("examples/pbmc_10x_v3_mtx", percent_top=[50])
    >>> found.cells.columns.tolist()[:3]
    ['n_genes_by_counts', 'log1p_n_genes_by_counts', 'total_counts']
    >>> int(found.features["n_cells_by_counts"].sum())
    23866
    """
    matrix = cells_by_features(source, axis)
    try:
        tops = [integer("percent_top", top, 1) for top in (() if percent_top is None else percent_top)]
    except TypeError:
        raise ArgumentError(f"percent_top {percent_top!r}: expected a list of integers") from None
    if percent_top is TOPS:
        tops = [top for top in tops if top <= matrix.shape[1]]
    chosen = _chosen(matrix, qc_vars)
    for name, one in chosen.items():
        # Positions and names mean the same in any order.
        if getattr(one, "shape", None) == matrix.shape[1:] or dtype_kind(one) == "b":
            check_order(one, AxisNames.of(source_and_memory(matrix)[0], "cols"), f"qc_vars {name!r}")
    sets = {name: np.ascontiguousarray(_mask(matrix, one, name)) for name, one in chosen.items()}
    if tops and max(tops) > matrix.shape[1]:
        raise ArgumentError(f"percent_top {max(tops)}: there are {matrix.shape[1]} features")
    opened, memory = source_and_memory(matrix)
    warn_unless_counts(opened)
    warn_of_types(opened, "rows")
    cells, features = opened.qc(list(sets.items()), tops, memory)
    frames = load("pandas", "qc")
    # Sets that are columns of the features are there already.
    own = [] if isinstance(qc_vars, Mapping) else list(sets)
    return QC(
        frames.DataFrame(dict(cells), index=labels(matrix.row_names, matrix.shape[0])),
        frames.DataFrame(dict(features), index=labels(matrix.col_names, matrix.shape[1])).drop(columns=own),
    )


@overload
def aggregate(
    source: Union[BaseMatrix, PathLike],
    by: Any,
    func: str = "sum",
    *,
    axis: Optional[str] = None,
    counts: Literal[False] = False,
) -> pandas.DataFrame: ...


@overload
def aggregate(
    source: Union[BaseMatrix, PathLike],
    by: Any,
    func: str = "sum",
    *,
    axis: Optional[str] = None,
    counts: Literal[True],
) -> Tuple[pandas.DataFrame, Any]: ...


@overload
def aggregate(
    source: Union[BaseMatrix, PathLike],
    by: Any,
    func: Sequence[str],
    *,
    axis: Optional[str] = None,
    counts: Literal[False] = False,
) -> Dict[str, pandas.DataFrame]: ...


@overload
def aggregate(
    source: Union[BaseMatrix, PathLike],
    by: Any,
    func: Sequence[str],
    *,
    axis: Optional[str] = None,
    counts: Literal[True],
) -> Tuple[Dict[str, pandas.DataFrame], Any]: ...


def aggregate(
    source: Union[BaseMatrix, PathLike],
    by: Any,
    func: Union[str, Sequence[str]] = "sum",
    *,
    axis: Optional[str] = None,
    counts: bool = False,
) -> Any:
    """Combine the cells of each group, such as all of a cell type and sample (pseudobulk), in one pass. Requires pandas.

    Parameters
    ----------
    source : Matrix, LazyMatrix, str or os.PathLike
        The matrix.
    by : str, list of str or array_like
        A column of the annotations of cells, or a label for each cell. A list of several columns makes a group of each
        combination that occurs. Cells without a label are left out; a `UserWarning` has their number.
    func : {"sum", "mean", "var", "count_nonzero"}, or a list of them
        How to combine the values of each group. Variances have the number of cells minus 1 in the denominator.
    axis : {"rows", "cols", "cells", "features"}, optional
        The axis of the cells; by default as stated in the file, otherwise the rows, or the columns of a matrix of R.
    counts : bool
        Also return the number of cells of each group.

    Returns
    -------
    pandas.DataFrame
        Of float64, with a row for each group, in the order of categories or sorted, and a column for each feature. With a list of
        functions, a dict with a data frame for each.
    pandas.Series
        The number of cells of each group, with `counts`.

    Raises
    ------
    KeyError
        There is no annotation with the name.
    nnz.ArgumentError
        The number of labels differs from the number of cells, or there are cells and none has a label. A matrix without cells
        has no groups: the result has no rows.

    Examples
    --------
    >>> m = nnz.open("examples/pbmc_10x_v3_mtx")
    >>> sums, cells = nnz.aggregate(m, np.arange(1107) % 2 == 0, counts=True)
    >>> sums.sum(axis=1).tolist(), cells.tolist()
    ([20875.0, 20674.0], [553, 554])
    >>> found = nnz.aggregate(m, np.arange(1107) % 2 == 0, ["mean", "var"])
    >>> found["var"].shape
    (2, 507)
    """
    functions: List[Any] = list(func) if is_list(func) or is_tuple(func) else [func]
    for one in functions:
        if one not in AGGREGATES:
            raise ArgumentError(f"func {one!r}: expected one of {', '.join(map(repr, AGGREGATES))}")
    frames = load("pandas", "aggregate")
    matrix = cells_by_features(source, axis)
    names = _columns(by, matrix.shape[0])
    if names is None:
        check_order(by, AxisNames.of(source_and_memory(matrix)[0], "rows"), "labels")
        codes, found = groups(frames, by, matrix.shape[0])
    else:
        each = [groups(frames, column(matrix, name), matrix.shape[0]) for name in names]
        codes, found = each[0] if isinstance(by, str) else _combined(frames, names, each)
    if len(codes) and not len(found):
        raise ArgumentError(f"{matrix.path}: no cell has a label{f' in {by!r}' if names else ''}")
    opened, memory = source_and_memory(matrix)
    if "sum" in functions:
        warn_unless_counts(opened)
    warn_of_missing(int((codes < 0).sum()), "left out")
    names = labels(matrix.col_names, matrix.shape[1])
    tables = [
        frames.DataFrame(numbers.reshape(len(found), matrix.shape[1]), index=found, columns=names)
        for numbers in opened.aggregate(codes, len(found), "rows", functions, memory)
    ]
    made: Any = tables[0] if isinstance(func, str) else dict(zip(functions, tables))
    if not counts:
        return made
    return made, frames.Series(np.bincount(codes[codes >= 0], minlength=len(found)), index=found, name="n_obs_aggregated")


def _columns(by: Any, length: int) -> Optional[List[str]]:
    """Return names of columns: of one, or of a list that is not one of a label for each cell."""
    if isinstance(by, str):
        return [by]
    if (is_list(by) or is_tuple(by)) and by and len(by) != length and all(isinstance(name, str) for name in by):
        return list(by) if len(set(by)) == len(by) else None
    return None


def _combined(frames: Any, names: List[str], each: List[Tuple[npt.NDArray[np.int64], Any]]) -> Tuple[npt.NDArray[np.int64], Any]:
    """Return the number of the combination of labels of each cell, -1 if one is missing, and an index of the combinations."""
    codes = np.column_stack([codes for codes, _ in each])
    known = (codes >= 0).all(axis=1)
    found, inverse = np.unique(codes[known], axis=0, return_inverse=True)
    combined = np.full(len(codes), -1, np.int64)
    combined[known] = inverse.reshape(-1)
    levels = [index for _, index in each]
    return combined, frames.MultiIndex(levels, list(found.T), names=names)


def groups(frames: Any, given: Any, length: int) -> Tuple[npt.NDArray[np.int64], Any]:
    """Return the number of the group of each label, -1 without a label, and an index of the labels.

    Parameters
    ----------
    frames : module
        pandas.
    given : array_like
        Labels: in the order of their categories, otherwise sorted.
    length : int
        How many there have to be.
    """
    if not isinstance(given, (frames.Series, frames.Index, frames.api.extensions.ExtensionArray, np.ndarray)):
        given = _objects(given)
    if len(np.shape(given)) != 1 or len(given) != length:
        raise ArgumentError(f"labels of the shape {np.shape(given)} for {length} cells")
    if isinstance(given.dtype, frames.CategoricalDtype):
        categorical = frames.Categorical(given).remove_unused_categories()
        return np.asarray(categorical.codes, np.int64), categorical.categories
    if isinstance(given.dtype, frames.SparseDtype):
        given = np.asarray(given)
    missing: npt.NDArray[np.bool_] = np.asarray(frames.isna(given), bool)
    if isinstance(given, np.ma.MaskedArray):
        mask: Any = cast(Any, given).mask
        missing |= np.asarray(mask, bool)
        given = given.data
    labels = given[~missing]
    plain: Any = getattr(given.dtype, "numpy_dtype", given.dtype)
    if plain.kind in "biuf" and not isinstance(given, np.ndarray):
        # The types of pandas for missing values have one of NumPy for the others.
        labels = labels.to_numpy(dtype=plain)
    elif plain.kind == "O":
        labels = _exactly(list(labels))
    try:
        found, index = frames.factorize(labels, sort=True)
    except TypeError as error:
        raise ArgumentError(f"labels of the type {plain}: {error}") from None
    codes = np.full(length, -1, np.int64)
    codes[~missing] = found
    return codes, frames.Index(index)


def _objects(given: Any) -> npt.NDArray[Any]:
    """Return labels as they are: an array of NumPy would have the same type for all."""
    if not is_list(given) and not is_tuple(given):
        array: npt.NDArray[Any] = np.asarray(given)
        return array
    made = np.empty(len(given), object)
    for at, label in enumerate(given):
        if is_list(label) or is_tuple(label) or (is_array(label) and label.ndim):
            raise ArgumentError(f"label {at} is a list: expected one label for each cell")
        made[at] = label
    return made


def _exactly(labels: List[Any]) -> npt.NDArray[Any]:
    """Return labels as an array of numbers if they are numbers of one type, which does not round them."""
    kinds: Set[Any] = {type(label) for label in labels}
    if len(kinds) == 1 and issubclass(kinds.pop(), (int, float, np.bool_, np.number)):
        numbers: npt.NDArray[Any] = np.array(labels)
        if _exact.inexact_in_list(labels, numbers.dtype) is None:
            return numbers
    objects = np.empty(len(labels), object)
    for at, label in enumerate(labels):
        objects[at] = label
    return objects


def cells_by_features(source: Union[BaseMatrix, PathLike], axis: Optional[str]) -> BaseMatrix:
    found: Any = source if isinstance(source, BaseMatrix) else open_path(source)
    if not isinstance(found, BaseMatrix):
        raise ArgumentError(f"{found.path}: expected a matrix; PATH::GROUP selects one of several")
    if found.dtype.kind == "c":
        raise ArgumentError(f"{found.path}: complex numbers cannot be counted")
    opened, _ = source_and_memory(found)
    return found if cell_axis(opened, axis, found.path, handle_of(found).transposed) == "rows" else found.T


def labels(names: Any, length: int) -> Any:
    return range(length) if names is None else names


def column(matrix: BaseMatrix, name: str, rows: str = "cells") -> Any:
    """Return annotations of the rows."""
    frame: Any = _frames.to_frame(None, source_and_memory(matrix)[0].annotations("rows", [name]), matrix.shape[0])
    if name not in frame:
        raise UnknownNameError(f"{matrix.path}: the {rows} have no annotation {name!r}")
    return frame[name]


def _chosen(matrix: BaseMatrix, given: Any) -> Mapping[str, Any]:
    """Return sets of features by name."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return cast(Mapping[str, Any], given)
    names: List[Any] = [given] if isinstance(given, str) else list(given) if is_list(given) or is_tuple(given) else [None]
    if not all(isinstance(name, str) for name in names):
        raise ArgumentError("qc_vars: expected a dict of sets of features, or names of their annotations")
    return {name: _booleans(column(matrix.T, name, "features"), name) for name in names}


def _booleans(given: Any, name: str) -> Any:
    """Return an annotation of booleans, or of 0 and 1, as booleans. Other numbers are not positions here, and texts no names."""
    if getattr(given.dtype, "kind", None) in ("b", "i", "u"):
        array: npt.NDArray[Any] = _index.of_pandas(given, "feature")
        if array.dtype == np.bool_ or bool(np.all((array == 0) | (array == 1))):
            return array.astype(np.bool_)
    raise ArgumentError(f"qc_vars {name!r}: the annotation has values of {given.dtype}: expected booleans, or only 0 and 1")


def _mask(matrix: BaseMatrix, chosen: Any, name: str) -> npt.NDArray[np.bool_]:
    """Return whether each feature is in a set of booleans, positions or names."""
    length = matrix.shape[1]
    array: npt.NDArray[Any] = np.asarray(_index.of_pandas(_index.booleans(chosen, "feature"), "feature"))
    if array.ndim == 1 and array.dtype.kind in "iu" and len(array) == length and bool(np.all((array == 0) | (array == 1))):
        # A number for each feature, not positions.
        return array.astype(np.bool_)
    if array.ndim == 1 and array.size and all(isinstance(one, str) for one in array):
        array = source_and_memory(matrix)[0].find_names("cols", array.tolist())
    if array.ndim == 1 and array.dtype == np.bool_ and len(array) == length:
        return array
    if array.ndim == 1 and (array.dtype.kind in "iu" or not array.size) and bool(np.all((array >= 0) & (array < length))):
        mask = np.zeros(length, bool)
        mask[array.astype(np.intp)] = True
        return mask
    raise ArgumentError(f"the features of {name!r}: expected {length} booleans, positions below {length}, or names")
