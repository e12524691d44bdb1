"""Verbs for fragments, from files to files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, List, Sequence, Union

from . import _nnz, _regions
from ._errors import ArgumentError
from ._fragment_options import FragmentOptions, FragmentSummary, fragment_summary
from ._guards import is_path
from ._handle import Opened, handle_of
from ._options import PathLike, source_path
from ._progress import Progress, reporting
from ._storage import storage

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._fragment_handle import FragmentReader

Source = Union[PathLike, "FragmentReader"]


def import_fragments(
    source: PathLike,
    target: PathLike,
    *,
    sort: bool = False,
    end_inclusive: bool = False,
    cells: Any = None,
    chrom_sizes: Any = None,
    progress: Progress = None,
    **options: Unpack[FragmentOptions],
) -> FragmentSummary:
    """Convert text to a fragment file: ``fragments.tsv`` of 10x, plain, gzipped or bgzipped.

    Lines have chromosome, start, end and cell; further columns are ignored. The fragments of a chromosome have to be
    contiguous, and sorted by start.

    Parameters
    ----------
    source : str or os.PathLike
        The text.
    target : str or os.PathLike
        Where the fragment file is written: ``.h5`` and ``PATH::GROUP`` are HDF5, ``.rds`` is an R object, everything
        else a directory.
    sort : bool
        Whether to sort the fragments, in bounded memory. By default unsorted fragments are an error.
    end_inclusive : bool
        Whether the ends in the text are inclusive.
    cells : str, os.PathLike or sequence of str, optional
        The cells to keep: a file with one name per line, or a list of names. By default all.
    chrom_sizes : str, os.PathLike, mapping or sequence of str, optional
        The chromosomes and their order: a file with one name per line, optionally followed by a tab and a size; a
        mapping from names to sizes; or names. By default in order of first appearance.
    progress : bool or callable, optional
        As in `nnz.convert`.
    **options
        As in `nnz.FragmentOptions`.

    Returns
    -------
    nnz.FragmentSummary

    Raises
    ------
    nnz.CorruptFileError
        A line is not a fragment, is out of order, or has a chromosome that is not listed; ``position`` says where.
    nnz.ExistsError
        The target exists, and ``force`` is not set.

    Examples
    --------
    >>> text = "testdata/bpcells/interop/fragments_tsv/frag_basic.tsv.gz"
    >>> nnz.import_fragments(text, tmp / "basic.fragments").cells
    25
    """
    lists = (_names(cells), _regions.to_sizes(chrom_sizes))
    paths = source_path(source), os.fsdecode(target)
    with storage(options.pop("storage_options", None)), reporting(progress) as report:
        made = _nnz.import_fragments(*paths, sort, end_inclusive, lists, dict(options), report)
    return fragment_summary(made)


def merge_fragments(
    sources: Sequence[Source],
    target: PathLike,
    *,
    prefix: Union[str, Sequence[str]] = (),
    progress: Progress = None,
    **options: Unpack[FragmentOptions],
) -> FragmentSummary:
    """Merge fragment files into one.

    The cells of each file are appended to the cells of the previous ones, and their names must be unique. Chromosomes
    with the same name are merged.

    Parameters
    ----------
    sources : sequence of str, os.PathLike or Fragments
        The fragment files, at least two.
    target : str or os.PathLike
        Where the fragments are written, as in `Fragments.write`.
    prefix : sequence of str, optional
        Prefixes of the cell names, one for each file; also a string, separated by commas.
    progress : bool or callable, optional
        As in `nnz.convert`.
    **options
        As in `nnz.FragmentOptions`.

    Returns
    -------
    nnz.FragmentSummary

    Raises
    ------
    nnz.ArgumentError
        There are fewer than two files, two cells would have the same name, or the number of prefixes differs from the
        number of files.

    Examples
    --------
    >>> monday, tuesday = (f"testdata/bpcells/fragments_dir/{name}.packed" for name in ("basic", "boundary"))
    >>> nnz.merge_fragments([monday, tuesday], tmp / "all.fragments", prefix=["mon_", "tue_"]).fragments
    1612
    """
    if isinstance(sources, (str, bytes, os.PathLike)):
        raise ArgumentError("expected a list of sources to merge")
    prefixes = prefix.split(",") if isinstance(prefix, str) else [str(one) for one in prefix]
    paths = [place(source) for source in sources]
    if len(paths) < 2:
        raise ArgumentError(f"{len(paths)} sources to merge: expected two or more")
    with storage(options.pop("storage_options", None)), reporting(progress) as report:
        made = _nnz.merge_fragments(paths, os.fsdecode(target), prefixes, dict(options), report)
    return fragment_summary(made)


def write_fragments(
    source: PathLike, target: PathLike, selected: Any, progress: Progress, options: Dict[str, Any]
) -> FragmentSummary:
    """Write fragments, all or some of them."""
    with storage(options.pop("storage_options", None)), reporting(progress) as report:
        made = _nnz.write_fragments(source_path(source), os.fsdecode(target), selected, options, report)
    return fragment_summary(made)


def place(source: Source) -> str:
    """Return the path of a store."""
    return handle_of(source).path if isinstance(source, Opened) else os.fsdecode(source)


def listed(given: Any, allow_empty: bool) -> Any:
    """Read a text of the command: names with commas between, or ``@FILE``. All else is returned as it is."""
    if not isinstance(given, str):
        return given
    if not given.startswith("@"):
        return given.split(",")
    names = _nnz.read_names(given[1:])
    if not names and not allow_empty:
        raise ArgumentError(f"{given[1:]}: the list is empty; allow_empty=True accepts it")
    return names


def _names(given: Any) -> Union[str, List[str], None]:
    if given is None:
        return None
    if is_path(given):
        return os.fsdecode(given)
    return [str(name) for name in given]


def holds_fragments(path: PathLike) -> bool:
    """Return whether a place holds fragments, and no matrix."""
    return _nnz.holds_fragments(os.fsdecode(path))
