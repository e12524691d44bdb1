"""Options of what writes."""

from __future__ import annotations

import os
import stat
from typing import Any, Dict, Mapping, Optional, Sequence, TypedDict, Union

import numpy as np

from . import _frames, _nnz
from ._errors import ArgumentError, UnsupportedError
from ._reading import ReadOptions, reading_among
from ._storage import StorageOptions

PathLike = Union[str, bytes, "os.PathLike[Any]"]


class TargetOptions(TypedDict, total=False):
    """Options of a target, whatever the order of its entries.

    ``to``
        The name of the format; by default from the extension of the target.
    ``type``
        The type of values, such as ``"float32"`` or ``numpy.uint8``. A value that does not fit exactly is an error.
    ``lossy``
        Whether floats may be rounded to a narrower type. Integers have to fit exactly.
    ``structure``, ``expand``
        Which triangles of a symmetric matrix are written: ``"keep"`` as in the source, ``"general"`` (the same as
        ``expand=True``) both, ``"auto"`` one if the other follows from it.
    ``cell_axis``
        The axis of the target that cells are on: ``"rows"``, ``"cols"``, or ``"as-is"``; the axis of the source, if it does not
        state its own.
    ``reorder``
        The order of the rows and columns of the source, such as ``{"rows": "frequency"}``: ``"frequency"`` (those with
        most entries first), ``"original"`` (as before they were reordered), or a list of all names.
    ``duplicates``
        How to handle entries at the same position: ``"error"``, ``"sum"`` or ``"keep"``.
    ``profile``
        Goal of the options that are not given: ``"fast"`` reading, ``"small"`` size, or ``"share"`` with other
        programs.
    ``compress``
        How arrays are compressed: ``"none"``, ``"gzip:6"``, ``"zstd:3"``, ``"blosc"``, ``"pcodec:8"``, or after filters
        as in ``"zstd:9+delta+shuffle"``. Filters and pcodec are for Zarr; shuffling and Blosc also for HDF5.
    ``row_names``, ``col_names``
        The column of the annotations to use as names of the rows or columns.
    ``row_names_file``, ``col_names_file``
        A ``.csv``, ``.tsv`` or ``.txt`` file with the names of rows or columns of a source without names in its first column,
        with or without a header, such as ``genes.tsv``.
    ``make_unique``
        Whether numbers are appended to duplicate names, as in ``var_names_make_unique`` of anndata.
    ``row_annotations``, ``col_annotations``
        Tables to join by name: pandas data frames, or paths of ``.csv`` or ``.tsv`` files.
    ``force``
        Whether an existing target is replaced.
    ``strict``
        Whether data that the target format cannot store is an error instead of a warning.
    ``no_sync``
        Whether to skip syncing to disk (fsync).
    ``threads``
        Number of threads; by default the number of cores.
    ``memory``
        Memory limit for sorting, in bytes or such as ``"2G"``; by default a quarter of the free memory.
    ``storage_options``
        Options of URLs, as in `set_storage_options`.

    All others are options of one format each, which `nnz.formats` lists, with underscores for dashes.
    """

    to: Optional[str]
    type: Any
    lossy: bool
    structure: Optional[str]
    expand: bool
    cell_axis: Optional[str]
    reorder: Mapping[str, Union[str, Sequence[str]]]
    duplicates: Optional[str]
    profile: Optional[str]
    compress: Optional[str]
    row_names: Any
    col_names: Any
    row_names_file: PathLike
    col_names_file: PathLike
    make_unique: bool
    row_annotations: Any
    col_annotations: Any
    force: bool
    strict: bool
    no_sync: bool
    threads: Optional[int]
    memory: Union[int, str, None]
    storage_options: StorageOptions
    binsparse_version: str
    node_names: bool
    to_base: Union[int, str]
    block: str
    block_type: str
    dense: bool
    dialect: str
    format_version: Union[int, str]
    genome: str
    layout: str
    levels: str
    meta: bool
    minimize: bool
    modality: Union[str, Sequence[str]]
    narrow: bool
    segments: int
    sparse_format: str
    unpacked: bool


class WriteOptions(TargetOptions, total=False):
    """Options of all functions that write: `TargetOptions`, and

    ``order``
        The storage order, ``"row"`` or ``"col"``; by default as in the source.
    """

    order: Optional[str]


class ConvertOptions(WriteOptions, ReadOptions, total=False):
    """Options of functions from file to file: `WriteOptions`, and `ReadOptions` for the source."""


def prepared(options: Dict[str, Any]) -> Dict[str, Any]:
    """Turn types of NumPy and data frames into what the compiled part takes."""
    made = {**options, **reading_among(options)}
    kind = made.get("type")
    if kind is not None and not isinstance(kind, str):
        made["type"] = np.dtype(kind).name
    for name in ("row_names_file", "col_names_file"):
        if made.get(name) is not None:
            made[name] = os.fsdecode(made[name])
    for name in ("row_annotations", "col_annotations"):
        table = made.get(name)
        if table is not None:
            made[name] = annotation_table(name, table)
    return made


def annotation_table(what: str, table: Any) -> Any:
    """Return a table of annotations as the compiled part takes it: a path, or names and columns."""
    if hasattr(table, "columns"):
        return _frames.from_frame(table)
    try:
        return os.fsdecode(table)
    except TypeError:
        raise ArgumentError(f"{what}: expected a data frame or a path, not {type(table).__name__}") from None


def path_text(path: PathLike) -> str:
    """Return a path as text."""
    try:
        return os.fsdecode(path)
    except TypeError:
        if not hasattr(path, "shape"):
            raise
        what = f"expected a path, not {type(path).__name__}: write it to a file first, such as by nnz.write(obj, 'x.h5ad')"
        raise ArgumentError(what) from None


def source_path(path: PathLike) -> str:
    """Return the path of a source. Reading a pipe could wait forever, and could not be interrupted."""
    shown = path_text(path)
    if not _nnz.is_url(shown) and _is_pipe(shown):
        what = "a pipe is not read here; the command reads one as standard input, such as nnz convert - TARGET"
        raise UnsupportedError(f"{shown}: {what}", shown)
    return shown


def _is_pipe(path: str) -> bool:
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def set_temporary_directory(path: PathLike) -> None:
    """Set the directory for temporary files of the process, as ``nnz --temp-dir``.

    By default, temporary files of sorting are in the directory of the target, others in ``TMPDIR`` or ``/tmp``.

    Parameters
    ----------
    path : str or os.PathLike
        An existing directory. It can be set once.

    Raises
    ------
    nnz.ArgumentError
        Another directory has been set.
    OSError
        It is not a directory, or does not exist.

    Examples
    --------
    >>> nnz.set_temporary_directory("/scratch")  # doctest: +SKIP
    """
    global _temporary
    whole = os.path.abspath(os.fsdecode(path))
    if not _nnz.set_temporary_directory(whole) and whole != _temporary:
        raise ArgumentError(f"{whole}: the directory for temporary files is already set to {_temporary}")
    _temporary = whole


_temporary: Optional[str] = None
