"""Options of what writes."""

from __future__ import annotations

import os
from typing import Any, Dict, Optional, TypedDict, Union

import numpy as np

from . import _frames

PathLike = Union[str, bytes, "os.PathLike[Any]"]


class TargetOptions(TypedDict, total=False):
    """Options of a target, whatever the order of its entries.

    ``to``
        The name of the format; by default that of the extension of the target.
    ``type``
        The type of values, such as ``"float32"`` or ``numpy.uint8``. What does not fit exactly is an error.
    ``lossy``
        Whether values may be rounded to the nearest float.
    ``structure``, ``expand``
        Which triangles of a symmetric matrix are written: ``"keep"`` as in the source, ``"general"`` (the same as
        ``expand=True``) both, ``"auto"`` one if the other follows from it.
    ``cell_axis``
        The axis of the target that cells are on: ``"rows"``, ``"cols"``, or ``"as-is"``.
    ``duplicates``
        What to do with entries at the same position: ``"error"``, ``"sum"`` or ``"keep"``.
    ``compress``
        How arrays are compressed: ``"none"``, ``"gzip:6"``, ``"zstd:3"``.
    ``row_names``, ``col_names``
        The column of annotations to take the names of rows, of columns from.
    ``make_unique``
        Whether names that occur again get a number, as in ``var_names_make_unique`` of anndata.
    ``row_annotations``, ``col_annotations``
        Tables to add by name: data frames of pandas, or paths of ``.csv`` or ``.tsv`` files.
    ``force``
        Whether a target that exists is replaced.
    ``strict``
        Whether it is an error if the target format does not hold all of the source, and not a warning.
    ``no_sync``
        Whether not to wait until the data is on disk.
    ``threads``
        Number of threads; by default that of the cores.
    ``memory``
        Bytes of memory for sorting, or a string such as ``"2G"``; by default a quarter of what is free.

    All others are options of one format each, which `nnz.formats` lists, with underscores for dashes.
    """

    to: Optional[str]
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


class WriteOptions(TargetOptions, total=False):
    """Options of all functions that write: those of `TargetOptions`, and

    ``order``
        ``"row"`` or ``"col"``: how entries are stored; by default as in the source.
    """

    order: Optional[str]


def prepared(options: Dict[str, Any]) -> Dict[str, Any]:
    """Turn types of NumPy and data frames into what the compiled part takes."""
    made = dict(options)
    kind = made.get("type")
    if kind is not None and not isinstance(kind, str):
        made["type"] = np.dtype(kind).name
    for name in ("row_annotations", "col_annotations"):
        table = made.get(name)
        if table is not None:
            made[name] = _frames.from_frame(table) if hasattr(table, "columns") else os.fspath(table)
    return made
