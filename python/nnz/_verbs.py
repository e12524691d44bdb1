"""The verbs of the command, from files to files."""

from __future__ import annotations

import os
from builtins import slice as builtin_slice
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple, TypedDict, Union

import numpy as np

from . import _frames, _index, _nnz
from ._errors import ArgumentError
from ._matrix import Matrix, open_matrix
from ._progress import Progress, reporting
from ._results import Difference, Finding, Format, RepairSummary, SplitSummary, Summary, summary

if TYPE_CHECKING:
    from typing_extensions import Unpack

PathLike = Union[str, bytes, "os.PathLike[Any]"]


class WriteOptions(TypedDict, total=False):
    """Options of all functions that write.

    ``to``
        The name of the format; by default that of the extension of the target.
    ``order``
        ``"row"`` or ``"col"``: how entries are stored; by default as in the source.
    ``type``
        The type of values, such as ``"float32"`` or ``numpy.uint8``. What does not fit exactly is an error.
    ``lossy``
        Whether values may be rounded to the nearest float.
    ``structure``, ``expand``
        Which triangles of a symmetric matrix are written: ``"keep"`` as in the source, ``"general"`` (the same as
        ``expand=True``) both, ``"auto"`` one if the other follows from it.
    ``cell_axis``
        The axis of the target cells are on: ``"rows"``, ``"cols"``, or ``"as-is"``.
    ``duplicates``
        What to do with entries at one place: ``"refuse"``, ``"sum"`` or ``"keep"``.
    ``compress``
        How arrays are compressed: ``"none"``, ``"gzip:6"``, ``"zstd:3"``.
    ``row_names``, ``col_names``
        The column of annotations that names the rows, the columns.
    ``make_unique``
        Whether names that occur again get a number.
    ``row_annotations``, ``col_annotations``
        Tables to add by name: data frames of pandas, or paths of ``.csv`` or ``.tsv`` files.
    ``force``
        Whether a target that is there is replaced.
    ``strict``
        Whether it is an error that the target does not hold all of the source.
    ``no_sync``
        Does not wait until the data is on disk.
    ``threads``
        Threads that work at the same time; by default as many as there are cores.
    ``memory``
        Bytes of memory for sorting, or a text such as ``"2G"``; by default a quarter of what is free.

    All others are options of one format each, which `nnz.formats` lists, with underscores for dashes.
    """

    to: Optional[str]
    order: Optional[str]
    type: Any
    lossy: bool
    structure: Optional[str]
    expand: bool
    cell_axis: Optional[str]
    duplicates: Optional[str]
    compress: Optional[str]
    row_names: Any
    col_names: Any
    make_unique: bool
    row_annotations: Any
    col_annotations: Any
    force: bool
    strict: bool
    no_sync: bool
    threads: Optional[int]
    memory: Union[int, str, None]
    binsparse_version: str
    block: str
    block_type: str
    dialect: str
    format_version: Union[int, str]
    genome: str
    layout: str
    levels: str
    meta: bool
    minimize: bool
    narrow: bool
    segments: int
    sparse_format: str
    unpacked: bool


def prepared(options: Dict[str, Any]) -> Dict[str, Any]:
    """Turn types of NumPy and data frames into what the compiled part takes."""
    made = dict(options)
    kind = made.get("type")
    if kind is not None and not isinstance(kind, str):
        made["type"] = np.dtype(kind).name
    for name in ("row_annotations", "col_annotations"):
        table = made.get(name)
        if hasattr(table, "columns"):
            made[name] = _frames.from_frame(table)
        elif table is not None:
            made[name] = os.fspath(table)
    return made


def convert(source: PathLike, target: PathLike, *, progress: Progress = None, **options: Unpack[WriteOptions]) -> Summary:
    """Convert a matrix, or a file of AnnData with all that is in it, to another format.

    The target appears when it is complete and on disk, or not at all.

    Parameters
    ----------
    source, target : str or os.PathLike
        Paths, or ``PATH::GROUP``.
    progress : bool or callable, optional
        True shows a bar of tqdm where it is installed; a callable is called with a word for the work, the number
        of entries done, and their number or None.
    **options
        As in `nnz.WriteOptions`.

    Returns
    -------
    nnz.Summary

    Raises
    ------
    nnz.Error
        The source is broken, the target exists and ``force`` is not set, or a value does not fit.

    Examples
    --------
    >>> nnz.convert("examples/pbmc_10x_v3_mtx", tmp / "pbmc.bpcells", strict=False).entries
    23866
    """
    with reporting(progress) as report:
        made = _nnz.convert(os.fsdecode(source), os.fsdecode(target), prepared(dict(options)), report)
    return summary(made)


def transpose(source: PathLike, target: PathLike, *, progress: Progress = None, **options: Unpack[WriteOptions]) -> Summary:
    """Write a matrix with rows and columns exchanged. Options are those of `nnz.convert`."""
    given = {**prepared(dict(options)), "transpose": True}
    with reporting(progress) as report:
        made = _nnz.convert(os.fsdecode(source), os.fsdecode(target), given, report)
    return summary(made)


def slice(
    source: PathLike,
    target: PathLike,
    *,
    rows: Any = None,
    cols: Any = None,
    cells: Any = None,
    features: Any = None,
    progress: Progress = None,
    **options: Unpack[WriteOptions],
) -> Summary:
    """Write some rows and columns of a matrix; of a file of AnnData, all that belongs to them.

    Parameters
    ----------
    source, target : str or os.PathLike
        Paths, or ``PATH::GROUP``.
    rows, cols, cells, features : optional
        What is selected, each once, in this order: a text as in ``nnz slice`` (``"CD3E,0:10"``, ``"cell_type=B"``,
        ``"@genes.txt"``), a list of names, or, of rows and columns, a slice, positions or truth values. A tuple has
        several of these, which all have to hold.
    progress : bool or callable, optional
        As in `nnz.convert`.
    **options
        As in `nnz.WriteOptions`.

    Examples
    --------
    >>> target = tmp / "part.bpcells"
    >>> nnz.slice("examples/pbmc_10x_v3_mtx", target, rows=["APP", "SOD1"], cols="0:100").shape
    (2, 100)
    """
    place = os.fsdecode(source)
    opened: List[Matrix] = []
    selected = tuple(
        _selections(given, axis, place, opened)
        for given, axis in ((rows, 0), (cols, 1), (cells, None), (features, None))
    )
    with reporting(progress) as report:
        made = _nnz.slice(place, os.fsdecode(target), selected, prepared(dict(options)), report)
    return summary(made)


def _selections(given: Any, axis: Optional[int], place: str, opened: List[Matrix]) -> List[Any]:
    if given is None:
        return []
    several = given if isinstance(given, tuple) else (given,)
    return [_selection(one, axis, place, opened) for one in several]


def _selection(given: Any, axis: Optional[int], place: str, opened: List[Matrix]) -> Any:
    if isinstance(given, str):
        return given
    if not isinstance(given, builtin_slice):
        texts = list(given)
        if texts and all(isinstance(text, str) for text in texts):
            return [str(text) for text in texts]
    if axis is None:
        raise TypeError("cells and features are selected by texts and names")
    if not opened:
        opened.append(open_matrix(place))
    length = opened[0].shape[axis]
    one = ("row", "column")[axis]
    found = _index.select(given, length, one, lambda: _index.NameIndex([], one, list))
    if found.repeated is not None:
        raise ArgumentError(f"a {one} is selected twice")
    return np.arange(length, dtype=np.uint64) if found.positions is None else found.positions


def concat(
    sources: Sequence[PathLike],
    target: PathLike,
    axis: str,
    *,
    ignore_names: bool = False,
    join: Optional[str] = None,
    label: Optional[str] = None,
    index_unique: Optional[str] = None,
    fill: Optional[float] = None,
    progress: Progress = None,
    **options: Unpack[WriteOptions],
) -> Summary:
    """Write matrices one behind the other.

    Parameters
    ----------
    sources : sequence of str or os.PathLike
        What comes first to last.
    target : str or os.PathLike
        Where they are written.
    axis : {"rows", "cols", "cells", "features"}
        The axis they are put together along.
    ignore_names : bool
        Takes the names of the other axis from the first that has any.
    join, label, index_unique, fill : optional
        Of files of AnnData, as in ``nnz concat``.
    progress : bool or callable, optional
        As in `nnz.convert`.
    **options
        As in `nnz.WriteOptions`.
    """
    paths = [os.fsdecode(source) for source in sources]
    files = (join, label, index_unique, fill)
    with reporting(progress) as report:
        made = _nnz.concat(paths, os.fsdecode(target), axis, ignore_names, files, prepared(dict(options)), report)
    return summary(made)


def split(
    source: PathLike,
    directory: PathLike,
    by: str,
    *,
    extension: str = "h5ad",
    progress: Progress = None,
    **options: Unpack[WriteOptions],
) -> SplitSummary:
    """Write the cells of a file of AnnData that share a value of a column of obs to a file each.

    Parameters
    ----------
    source : str or os.PathLike
        The file.
    directory : str or os.PathLike
        Where the files go, each named by its value.
    by : str
        The column of obs.
    extension : {"h5ad", "zarr"}
        What the files are.
    progress : bool or callable, optional
        As in `nnz.convert`.
    **options
        As in `nnz.WriteOptions`.
    """
    given = prepared(dict(options))
    with reporting(progress) as report:
        made, missing = _nnz.split(os.fsdecode(source), os.fsdecode(directory), by, extension, given, report)
    return SplitSummary({path: summary(one) for path, one in made}, missing)


def repair(
    source: PathLike,
    target: PathLike,
    *,
    complete: bool = False,
    progress: Progress = None,
    **options: Unpack[WriteOptions],
) -> RepairSummary:
    """Write a broken file as it was meant to be, where that is certain.

    Parameters
    ----------
    source, target : str or os.PathLike
        The file, and where it is written.
    complete : bool
        Takes a text with fewer entries than its header states for complete.
    progress : bool or callable, optional
        As in `nnz.convert`.
    **options
        As in `nnz.WriteOptions`.
    """
    with reporting(progress) as report:
        repairs, made = _nnz.repair(
            os.fsdecode(source), os.fsdecode(target), complete, prepared(dict(options)), report
        )
    return RepairSummary(repairs, None if made is None else summary(made))


def validate(
    path: PathLike,
    *,
    notes: bool = False,
    from_format: Optional[str] = None,
    threads: Optional[int] = None,
    memory: Union[int, str, None] = None,
) -> List[Finding]:
    """Check everything about what is at a place.

    Parameters
    ----------
    path : str or os.PathLike
        The place.
    notes : bool
        Whether what is odd but allowed is listed, too.
    from_format : str, optional
        The format, in place of the one that is detected.
    threads, memory : optional
        As in `nnz.WriteOptions`.

    Returns
    -------
    list of nnz.Finding
        Empty if nothing is wrong.

    Examples
    --------
    >>> nnz.validate("examples/pbmc_10x_v3_mtx")
    []
    """
    found = _nnz.validate(os.fsdecode(path), from_format, memory, threads)
    findings = [Finding(**one) for one in found]
    return [finding for finding in findings if notes or finding.severity == "fault"]


def diff(
    first: PathLike,
    second: PathLike,
    *,
    stored: bool = False,
    most: int = 10,
    threads: Optional[int] = None,
    memory: Union[int, str, None] = None,
) -> List[Difference]:
    """Compare two matrices of any formats, or two files of AnnData.

    Parameters
    ----------
    first, second : str or os.PathLike
        The places.
    stored : bool
        Compares stored entries, explicit zeros too, in place of what they mean.
    most : int
        How many differences are listed at the most.
    threads, memory : optional
        As in `nnz.WriteOptions`.

    Returns
    -------
    list of nnz.Difference
        Empty if they are equal.
    """
    found = _nnz.diff(os.fsdecode(first), os.fsdecode(second), stored, most, memory, threads)
    return [Difference(**one) for one in found]


def stats(
    path: PathLike,
    axis: Optional[str] = None,
    *,
    measures: str = "all",
    rows: Any = None,
    cols: Any = None,
    threads: Optional[int] = None,
    memory: Union[int, str, None] = None,
) -> Dict[str, Any]:
    """Compute sum, mean, variance, least and greatest in one pass.

    Parameters
    ----------
    path : str or os.PathLike
        The place.
    axis : {"rows", "cols", "cells", "features"}, optional
        Of each row or column; by default of the whole.
    measures : {"nnz", "sums", "all"}
        Less takes less time.
    rows, cols : optional
        What counts, as in `nnz.slice`.
    threads, memory : optional
        As in `nnz.WriteOptions`.

    Returns
    -------
    dict of str to value or numpy.ndarray
        ``nnz``, ``sum``, ``mean``, ``variance`` (over one less than the number of cells), ``min`` and ``max``.

    Examples
    --------
    >>> float(nnz.stats("examples/pbmc_10x_v3_mtx", measures="sums")["sum"])
    41549.0
    """
    source = _nnz.Source.open(os.fsdecode(path), memory)
    opened = [Matrix(source, os.fsdecode(path), os.fsdecode(path))]
    chosen: List[Any] = []
    for given, at in ((rows, 0), (cols, 1)):
        several = _selections(given, at, os.fsdecode(path), opened)
        if len(several) > 1:
            raise TypeError("stats takes one selection of an axis")
        chosen.append(several[0] if several else None)
    if any(one is not None for one in chosen):
        source = source.select(*chosen)
    found = source.stats(axis, measures, False, memory, threads)
    names: Tuple[Tuple[str, int], ...] = (("nnz", 5),)
    if measures != "nnz":
        names += (("sum", 0), ("mean", 1))
    if measures == "all":
        names += (("variance", 2), ("min", 3), ("max", 4))
    columns = {name: found[at] for name, at in names}
    if axis is None:
        return {name: column[0] for name, column in columns.items()}
    return {name: np.array(column) for name, column in columns.items()}


def formats() -> List[Format]:
    """List the formats that are read and written.

    Examples
    --------
    >>> [format.name for format in nnz.formats() if ".npy" in "." + " .".join(format.extensions)]
    ['npy']
    """
    return [Format(**{**one, "options": dict(one["options"])}) for one in _nnz.formats()]
