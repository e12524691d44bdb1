"""Changing a file in place."""

from __future__ import annotations

from typing import Any, Iterator, Mapping, Optional, Sequence, Tuple, Union

from . import _frames, _nnz
from ._errors import ArgumentError
from ._guards import is_list
from ._matrix_handle import note_edit, version_of
from ._options import PathLike, annotation_table, source_path
from ._results import EditSummary


def edit(
    path: PathLike,
    *,
    drop: Union[str, Sequence[str]] = (),
    add_columns: Optional[Mapping[str, Any]] = None,
    replace: bool = False,
    compress: Optional[str] = None,
    no_sync: bool = False,
    dry_run: bool = False,
) -> EditSummary:
    """Remove parts of an AnnData or MuData file in place, and add columns, all in one step.

    The file has all changes or, after an error or an interruption, none. Everything else is kept bit for bit. In an
    HDF5 file the space of what was removed is not reused; `nnz.convert` writes a copy without it. Matrices of the file that
    are open in this process have the changed annotations; those that are open in others have to be opened again.

    Parameters
    ----------
    path : str or os.PathLike
        An HDF5 file or a Zarr directory, or ``PATH::GROUP`` for an AnnData in it, such as a modality (``m.h5mu::mod/rna``). Of
        MuData itself, the common tables and what belongs to them are changed.
    drop : str or sequence of str
        The paths to remove: ``"layers/NAME"``, and the same of ``obsm``, ``varm``, ``obsp``, ``varp`` and ``uns``
        (``"uns/NAME/INNER"``); all of such a group, such as ``"uns"``; ``"raw"``; a column ``"obs/NAME"`` or
        ``"var/NAME"``.
    add_columns : mapping of str to table, optional
        The columns to add to ``obs`` (``"cells"`` or ``"rows"``) and ``var`` (``"features"`` or ``"cols"``): a pandas
        data frame, a named series, the path of a ``.csv``, ``.tsv`` or ``.txt`` file, or a list of these. The index of a data frame,
        or the first column of a file, has exactly the names of the axis, in any order.
    replace : bool
        Whether added columns replace existing ones with the same names.
    compress : str, optional
        The compression of added columns: ``"none"`` (the default), ``"gzip:N"`` or ``"zstd:N"``.
    no_sync : bool
        Whether the changes appear before data is synced to disk.
    dry_run : bool
        Whether the changes are only checked.

    Returns
    -------
    nnz.EditSummary

    Raises
    ------
    FileNotFoundError
        The file or a table does not exist.
    nnz.ArgumentError
        Something that is removed does not exist or is required, or the rows of a table do not match the names.
    nnz.ExistsError
        A column that is added exists, and ``replace`` is not set.
    nnz.CorruptFileError
        The path is not AnnData in HDF5 or Zarr, or it is damaged.
    nnz.UnsupportedError
        The layout of the file is too old for the change, or files of the format cannot be changed.

    Examples
    --------
    >>> path = tmp / "study.h5ad"
    >>> _ = nnz.convert("testdata/anndata/valid/0.12.19/h5ad/full_csr.h5ad", path)
    >>> names = nnz.open(path).obs_names
    >>> lines = ["name,cluster", *(f"{name},B" for name in names)]
    >>> _ = (tmp / "clusters.csv").write_text("\\n".join(lines))
    >>> done = nnz.edit(path, drop=["layers/counts"], add_columns={"cells": tmp / "clusters.csv"})
    >>> done.removed, done.added
    (['layers/counts'], ['obs/cluster'])
    """
    removed = _frames.labels("drop", [drop] if isinstance(drop, str) else drop)
    added = list(_tables(add_columns))
    if not removed and not added:
        raise ArgumentError("nothing to change: expected drop or add_columns")
    flags = (replace, no_sync, dry_run)
    shown = source_path(path)
    before = version_of(shown)
    made = EditSummary(*_nnz.verbs.edit(shown, removed, added, compress, flags))
    if not dry_run:
        note_edit(before, shown)
    return made


def _tables(given: Optional[Mapping[str, Any]]) -> Iterator[Tuple[str, Any]]:
    """Yield axes and tables as the compiled part takes them."""
    try:
        items = () if given is None else given.items()
    except AttributeError:
        raise ArgumentError('add_columns: expected a mapping, such as {"cells": "clusters.csv"}') from None
    for axis, tables in items:
        for table in tables if is_list(tables) else [tables]:
            table = _column(table)
            yield str(axis), annotation_table(f"add_columns of {axis}", table)


def _column(table: Any) -> Any:
    """Return a series of pandas as a table of one column, which has its name."""
    if not hasattr(table, "to_frame") or hasattr(table, "columns"):
        return table
    if table.name is None:
        raise ArgumentError("add_columns: a series without a name; series.rename(name) gives it the name of the column")
    return table.to_frame()
