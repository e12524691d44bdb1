"""The verbs of the command that write, from files to files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Optional, Sequence, Union

from . import _frames, _nnz
from ._errors import ArgumentError
from ._fragment_options import fragment_summary
from ._options import ConvertOptions, PathLike, WriteOptions, prepared, source_path
from ._progress import Progress, reporting
from ._results import RepairSummary, SplitSummary, Summary, summary
from ._storage import storage
from ._values import warn_of_missing

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["concat", "convert", "repair", "split", "transpose"]


def convert(
    source: PathLike,
    target: PathLike,
    *,
    types: Optional[Sequence[str]] = None,
    from_dialect: Optional[str] = None,
    progress: Progress = None,
    **options: Unpack[ConvertOptions],
) -> Summary:
    """Convert a matrix, fragments, or an AnnData or Loom file with all its elements, to another format.

    The target is written atomically, and synced to disk.

    Parameters
    ----------
    source, target : str or os.PathLike
        Paths, or ``PATH::GROUP``.
    types : sequence of str, optional
        The types of the columns of a table in ``.csv``, such as ``["int64", "float32"]`` or ``["si64", "f32"]``. By
        default the first of int64, uint64 and float64 that holds all values of a column.
    from_dialect : {"spec", "daphne", "daphne-2022"}, optional
        The dialect of a source of DAPHNE; by default it is detected.
    progress : bool or callable, optional
        True shows a tqdm progress bar if tqdm is installed; a callable is called with the name of the step, the number of
        entries done, and the total number or None. An exception in it cancels the operation, as Ctrl-C does.
    **options
        As in `nnz.ConvertOptions`.

    Returns
    -------
    nnz.Summary
        Of fragments a `nnz.FragmentSummary`.

    Raises
    ------
    FileNotFoundError
        The source does not exist.
    nnz.CorruptFileError
        The source is damaged.
    nnz.ExistsError
        The target exists, and ``force`` is not set.
    nnz.CastError
        The type of the target cannot represent a value exactly.
    nnz.UnsupportedError
        ``strict`` is set, and the target format cannot store all of the source; or the source is a pipe.
    KeyboardInterrupt
        Ctrl-C was pressed. Nothing is left, unless the target was complete already: then it stays, and is valid.

    Examples
    --------
    >>> nnz.convert("examples/pbmc_10x_v3_mtx", tmp / "pbmc.bpcells", strict=False).entries
    23866
    """
    if isinstance(types, str):
        types = types.split(",")
    reading = None if types is None else [str(name) for name in types], from_dialect
    with storage(options.pop("storage_options", None)):
        with reporting(progress) as report:
            made = _nnz.verbs.convert(source_path(source), os.fsdecode(target), reading, prepared(dict(options)), report)
        return fragment_summary(made) if "fragments" in made else summary(made)


def transpose(
    source: PathLike,
    target: PathLike,
    *,
    from_dialect: Optional[str] = None,
    progress: Progress = None,
    **options: Unpack[ConvertOptions],
) -> Summary:
    """Write a matrix with rows and columns exchanged.

    Parameters
    ----------
    source, target : str or os.PathLike
        Paths, or ``PATH::GROUP``.
    from_dialect, progress : optional
        As in `nnz.convert`.
    **options
        As in `nnz.ConvertOptions`. Entries are stored by column where they were by row unless ``order`` says otherwise.

    Returns
    -------
    nnz.Summary

    Raises
    ------
    nnz.Error
        As in `nnz.convert`.

    Examples
    --------
    >>> nnz.transpose("examples/pbmc_10x_v3_mtx", tmp / "cells.mtx").shape
    (1107, 507)
    """
    with storage(options.pop("storage_options", None)), reporting(progress) as report:
        given = {**prepared(dict(options)), "transpose": True}
        made = _nnz.verbs.convert(source_path(source), os.fsdecode(target), (None, from_dialect), given, report)
    return summary(made)


def concat(
    sources: Union[Sequence[PathLike], Mapping[str, PathLike]],
    target: PathLike,
    axis: Union[str, int],
    *,
    ignore_names: bool = False,
    join: Optional[str] = None,
    label: Optional[str] = None,
    index_unique: Optional[str] = None,
    keys: Optional[Sequence[str]] = None,
    fill: Optional[float] = None,
    progress: Progress = None,
    **options: Unpack[ConvertOptions],
) -> Summary:
    """Concatenate matrices, or AnnData or Loom files with all their elements.

    Parameters
    ----------
    sources : sequence of str or os.PathLike, or mapping from str
        Two paths or more, or ``PATH::GROUP``, in the order of the result; in a mapping, by their `keys`.
    target : str or os.PathLike
        Where the result is written.
    axis : {"rows", "cols", "cells", "features", 0, 1}
        The axis to concatenate along; 0 is that of rows.
    ignore_names : bool
        Whether names of the other axis may differ; the names of the first source that has any are written.
    join : {"inner", "outer"}, optional
        How to combine the other axis, by its names, if sources differ: what all of them have, or what any has. By default a
        difference is an error. Of files that become modalities: the cells of all of them, or of any, which is the default.
    label : str, optional
        A new column of annotations with the key of the source.
    index_unique : str, optional
        The separator between a name and the key of its source, which is appended.
    keys : sequence of str, optional
        A key for each source. By default they are the numbers of files of AnnData and MuData, from 0, and the names of other
        sources without extension. Files of AnnData that become modalities of MuData have them as names.
    fill : float, optional
        For AnnData files: the value of elements that a source does not have, with ``join="outer"``.
    progress : bool or callable, optional
        As in `nnz.convert`.
    **options
        As in `nnz.ConvertOptions`.

    Returns
    -------
    nnz.Summary

    Raises
    ------
    nnz.ArgumentError
        The lengths or names of the other axis differ, or there are fewer than two sources.
    nnz.Error
        As in `nnz.convert`.

    Examples
    --------
    >>> source = "examples/pbmc_10x_v3_mtx"
    >>> parts = [tmp / "first.bpcells", tmp / "second.bpcells"]
    >>> for path, cols in zip(parts, (":500", "500:")):
    ...     _ = nnz.slice(source, path, cols=cols)
    >>> nnz.concat(parts, tmp / "both.bpcells", "cols").shape
    (507, 1107)
    """
    if isinstance(sources, (str, bytes, os.PathLike)):
        raise ArgumentError("expected a list of sources to concatenate")
    if isinstance(sources, Mapping):
        if keys is not None:
            raise ArgumentError("keys are given twice, as the sources have some")
        # Without a place to write them to, they are not needed.
        keys = [str(key) for key in sources] if label is not None or index_unique is not None else None
        sources = list(sources.values())
    if isinstance(keys, (str, bytes)):
        raise ArgumentError("keys: expected a list of names")
    along = {0: "rows", 1: "cols"}.get(axis, "") if isinstance(axis, int) and not isinstance(axis, bool) else axis
    if not isinstance(along, str) or not along:
        raise ArgumentError(f"axis {axis!r}: expected \"rows\", \"cols\", \"cells\", \"features\", 0 or 1")
    paths = [source_path(source) for source in sources]
    if len(paths) < 2:
        raise ArgumentError(f"{len(paths)} sources to concatenate: expected two or more; `nnz.convert` writes one")
    files = (join, label, index_unique, fill, [str(key) for key in keys or []])
    with storage(options.pop("storage_options", None)), reporting(progress) as report:
        made = _nnz.verbs.concat(paths, os.fsdecode(target), along, ignore_names, files, prepared(dict(options)), report)
    return summary(made)


def split(
    source: PathLike,
    directory: PathLike,
    by: str | Sequence[str],
    *,
    extension: str | None = None,
    progress: Progress = None,
    **options: Unpack[WriteOptions],
) -> SplitSummary:
    """Split an AnnData, MuData or Loom file into one file for each value of a column of the cells.

    Parameters
    ----------
    source : str or os.PathLike
        The file.
    directory : str or os.PathLike
        Where the files are written, each named by its value, with ``_`` for characters that not every system allows
        in names of files. It is created if it does not exist.
    by : str or sequence of str
        The column; of MuData also ``"MODALITY:COLUMN"``. Several make a file of each combination of their values, named by
        these with ``_`` between. ``row_annotations`` and ``col_annotations`` can provide columns.
    extension : {"h5ad", "h5mu", "zarr", "loom"}, optional
        The format of the files; by default that of the source.
    progress : bool or callable, optional
        As in `nnz.convert`.
    **options
        As in `nnz.WriteOptions`.

    Returns
    -------
    nnz.SplitSummary

    Raises
    ------
    nnz.ArgumentError
        There is no such column, or the source is a single matrix.
    nnz.Error
        As in `nnz.convert`.

    Examples
    --------
    >>> source = "testdata/anndata/valid/0.12.19/h5ad/full_csr.h5ad"
    >>> [part.shape for part in nnz.split(source, tmp / "batches", by="batch").files.values()]
    [(6, 7), (5, 7)]
    """
    columns = _frames.labels("by", [by] if isinstance(by, str) else by)
    if not columns:
        raise ArgumentError("by: expected a column, or several")
    with storage(options.pop("storage_options", None)), reporting(progress) as report:
        given = prepared(dict(options))
        made, missing, notes = _nnz.verbs.split(source_path(source), os.fsdecode(directory), columns, extension, given, report)
    warn_of_missing(missing, "in no file")
    return SplitSummary({path: summary(one) for path, one in made}, missing, notes)


def repair(
    source: PathLike,
    target: PathLike,
    *,
    complete: bool = False,
    progress: Progress = None,
    **options: Unpack[ConvertOptions],
) -> RepairSummary:
    """Write a corrected copy of a damaged file: overflowed ``indptr``, wrong counts, unsorted entries.

    Parameters
    ----------
    source, target : str or os.PathLike
        The file, and where it is written.
    complete : bool
        Whether a text with fewer entries than its header states is treated as complete.
    progress : bool or callable, optional
        As in `nnz.convert`.
    **options
        As in `nnz.ConvertOptions`.

    Returns
    -------
    nnz.RepairSummary

    Raises
    ------
    nnz.CorruptFileError
        There is more than one possible correction. `nnz.validate` lists the errors in the file.
    nnz.Error
        As in `nnz.convert`.

    Examples
    --------
    >>> source = "testdata/anndata/malformed/indptr_wrapped_int8.h5ad"
    >>> done = nnz.repair(source, tmp / "good.h5ad")
    >>> len(done.repairs), nnz.validate(tmp / "good.h5ad")
    (1, [])
    """
    with storage(options.pop("storage_options", None)), reporting(progress) as report:
        repairs, made = _nnz.verbs.repair(
            source_path(source), os.fsdecode(target), complete, prepared(dict(options)), report
        )
    return RepairSummary(repairs, None if made is None else summary(made))
