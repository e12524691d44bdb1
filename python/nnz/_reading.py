"""Options of what reads."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Sequence, Tuple, TypedDict, Union

Reading = Dict[str, Any]
"""Options of reading by their names, without those that are None. It can be pickled."""


class ReadOptions(TypedDict, total=False):
    """Options of reading a file, as in the command.

    ``from_format``
        The name of the format; by default it is detected.

    All others are options of some formats each, which `nnz.formats` lists as ``read_options``, with underscores for
    dashes:

    ``na``
        Tables: the text of missing values, which are read as NaN, such as ``"NA"``, or ``""`` for empty fields.
    ``separator``, ``decimal``
        Tables: the character between fields, or ``"comma"``, ``"tab"``, ``"semicolon"`` or ``"blanks"``; the character
        before the fraction of a number.
    ``header``, ``id_columns``
        Tables: whether the first line has the names of columns; the number of columns before the numbers.
    ``base``
        SVMlight and edge lists: the first index or id, 0 or 1.
    ``shape``
        SVMlight and edge lists: the number of rows and columns, as a tuple or as ``"ROWSxCOLS"``.
    ``undirected``, ``bipartite``
        Edge lists: whether each edge is listed once and has no direction; whether rows and columns are different nodes.
    ``label_weights``
        SVMlight: whether rows begin with a label and a weight, ``LABEL:WEIGHT``, as XGBoost reads them.
    ``nodes``, ``weight``
        Edge lists: ``"ids"`` or ``"names"``; the field with the weights, from 1, or ``"none"``.
    ``ignore_counts``
        Edge lists: whether there may be other numbers of edges and nodes than the header of KONECT or SNAP states.
    ``drop``
        AnnData and Loom: the name of an element or a column to leave out, such as ``"obs/phase"`` or ``"uns/date"``, or
        a list of names.
    ``x``
        Seurat objects and SummarizedExperiment: the name of the layer that is the main matrix.
    ``join_layers``, ``follow_paths``
        Seurat objects: whether layers that have parts of the cells are joined; objects of R: whether matrices that an
        object only has the path of are read.
    """

    from_format: Optional[str]
    na: Optional[str]
    separator: Optional[str]
    decimal: Optional[str]
    header: Union[bool, str, None]
    id_columns: Optional[int]
    base: Union[int, str, None]
    shape: Union[Tuple[int, int], int, str, None]
    undirected: bool
    bipartite: bool
    label_weights: Union[bool, str, None]
    nodes: Optional[str]
    weight: Union[int, str, None]
    ignore_counts: bool
    drop: Union[str, Sequence[str], None]
    x: Optional[str]
    join_layers: bool
    follow_paths: bool


NAMES = frozenset(ReadOptions.__annotations__)


def reading(options: Mapping[str, Any]) -> Reading:
    """Turn options of reading into what the compiled part takes."""
    made = {name: value for name, value in options.items() if value is not None}
    shape = made.get("shape")
    if shape is not None and not isinstance(shape, (str, int)):
        made["shape"] = "x".join(map(str, shape))
    dropped = made.get("drop")
    if dropped is not None and not isinstance(dropped, str):
        made["drop"] = list(dropped)
    return made


def reading_among(options: Mapping[str, Any]) -> Reading:
    """Return the options of reading among others."""
    return reading({name: value for name, value in options.items() if name in NAMES})
