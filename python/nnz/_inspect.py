"""The verbs of the command that write nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional, Union

from . import _nnz, _reduce
from ._errors import ArgumentError, UnsupportedError
from ._fragment_verbs import holds_fragments
from ._handle import handle_of
from ._matrix import Matrix
from ._options import PathLike, source_path
from ._progress import Progress, reporting
from ._reading import ReadOptions, reading
from ._report import Report
from ._results import Difference, Finding, Format
from ._selections import selections
from ._storage import StorageOptions, storage

if TYPE_CHECKING:
    from typing_extensions import Unpack


def validate(
    path: PathLike,
    *,
    notes: bool = False,
    dialect: Optional[str] = None,
    progress: Progress = None,
    threads: Optional[int] = None,
    memory: Union[int, str, None] = None,
    storage_options: StorageOptions = None,
    **options: Unpack[ReadOptions],
) -> List[Finding]:
    """Check a file: its structure, all entries and names.

    Parameters
    ----------
    path : str or os.PathLike
        A path, or ``PATH::GROUP``.
    notes : bool
        Whether unusual but valid properties are listed, too.
    dialect : {"spec", "daphne", "daphne-2022"}, optional
        The dialect of a source of DAPHNE; by default it is detected.
    progress : bool or callable, optional
        As in `nnz.convert`.
    threads, memory, storage_options : optional
        As in `nnz.WriteOptions`.
    **options
        As in `nnz.ReadOptions`.

    Returns
    -------
    list of nnz.Finding
        Empty if there are no errors.

    Raises
    ------
    FileNotFoundError
        The path does not exist.
    nnz.FormatError
        The content matches no supported format.

    Examples
    --------
    >>> nnz.validate("examples/pbmc_10x_v3_mtx")
    []
    >>> nnz.validate("testdata/anndata/malformed/indptr_wrapped_int8.h5ad")[0].severity
    'fault'
    """
    with storage(storage_options), reporting(progress) as report:
        found = _nnz.verbs.validate(source_path(path), reading(options), memory, threads, dialect, report)
    findings = [Finding(**one) for one in found]
    return [finding for finding in findings if notes or finding.severity == "fault"]


def report(
    path: PathLike,
    *,
    progress: Progress = None,
    threads: Optional[int] = None,
    memory: Union[int, str, None] = None,
    storage_options: StorageOptions = None,
    **options: Unpack[ReadOptions],
) -> Report:
    """Make a page about a file, as the command does: the page of a broken file lists its errors and shows what can be read.

    Parameters
    ----------
    path : str or os.PathLike
        A path, or ``PATH::GROUP``.
    progress : bool or callable, optional
        As in `nnz.convert`.
    threads, memory, storage_options : optional
        As in `nnz.WriteOptions`.
    **options
        As in `nnz.ReadOptions`.

    Returns
    -------
    nnz.Report
        Shown in notebooks; `save` writes it to a file.

    Raises
    ------
    FileNotFoundError
        The path does not exist.
    nnz.FormatError
        The content matches no supported format.

    Examples
    --------
    >>> page = nnz.report("testdata/anndata/malformed/indptr_wrapped_int8.h5ad")
    >>> "one error was found" in page.html
    True
    """
    with storage(storage_options), reporting(progress) as callback:
        return Report(_nnz.report(None, source_path(path), memory, threads, callback, reading(options)))


def diff(
    first: PathLike,
    second: PathLike,
    *,
    stored: bool = False,
    by_name: bool = False,
    max_diffs: int = 10,
    progress: Progress = None,
    threads: Optional[int] = None,
    memory: Union[int, str, None] = None,
    storage_options: StorageOptions = None,
    **options: Unpack[ReadOptions],
) -> List[Difference]:
    """Compare two matrices of any formats, two fragment files, or two AnnData files.

    Parameters
    ----------
    first, second : str or os.PathLike
        Paths, or ``PATH::GROUP``.
    stored : bool
        Whether to compare stored entries, explicit zeros and types too, and not only values.
    by_name : bool
        Whether rows and columns are matched by name, so that only their order may differ. An axis without names
        is compared by position.
    max_diffs : int
        The maximum number of differences that are listed.
    progress : bool or callable, optional
        As in `nnz.convert`.
    threads, memory, storage_options : optional
        As in `nnz.WriteOptions`.
    **options
        As in `nnz.ReadOptions`.

    Returns
    -------
    list of nnz.Difference
        Empty if they are equal.

    Raises
    ------
    nnz.Error
        One of them cannot be read, or they cannot be compared.

    Examples
    --------
    >>> _ = nnz.slice("examples/pbmc_10x_v3_mtx", tmp / "less.mtx", cols=":100")
    >>> for difference in nnz.diff("examples/pbmc_10x_v3_mtx", tmp / "less.mtx"):
    ...     print(difference.kind, difference.first, difference.second)
    shape 507 x 1107 507 x 100
    """
    if max_diffs < 0:
        raise ArgumentError(f"max_diffs {max_diffs}: expected 0 or more")
    paths, given = (source_path(first), source_path(second)), reading(options)
    with storage(storage_options), reporting(progress) as report:
        try:
            found = _nnz.verbs.diff(*paths, stored, max_diffs, memory, threads, by_name, given, report)
        except UnsupportedError:
            if by_name or given or not (holds_fragments(first) and holds_fragments(second)):
                raise
            found = _nnz.diff_fragments(*paths, max_diffs, report)
    return [Difference(**one) for one in found]


def stats(
    path: PathLike,
    axis: Optional[str] = None,
    *,
    measures: str = "all",
    rows: Any = None,
    cols: Any = None,
    cells: Any = None,
    features: Any = None,
    allow_empty: bool = False,
    progress: Progress = None,
    threads: Optional[int] = None,
    memory: Union[int, str, None] = None,
    storage_options: StorageOptions = None,
    **options: Unpack[ReadOptions],
) -> Dict[str, Any]:
    """Compute the number of entries, sum, mean, variance, minimum and maximum in one pass.

    Parameters
    ----------
    path : str or os.PathLike
        A path, or ``PATH::GROUP``.
    axis : {"rows", "cols", "cells", "features"}, optional
        The axis for which a value is computed for each row or column; by default for the whole matrix.
    measures : {"nnz", "sums", "variance", "extremes", "all"}
        Measures to compute: the number of entries; also sums and means; also variances; the number of entries, minima
        and maxima; or all.
    rows, cols, cells, features : optional
        The rows and columns to include, as in `nnz.slice`.
    allow_empty : bool
        As in `nnz.slice`.
    progress : bool or callable, optional
        As in `nnz.convert`.
    threads, memory, storage_options : optional
        As in `nnz.WriteOptions`.
    **options
        As in `nnz.ReadOptions`.

    Returns
    -------
    dict of str to value or numpy.ndarray
        ``nnz``, ``sum``, ``mean``, ``variance`` (with ``ddof=1``), ``min`` and ``max``, each a value, or
        an array of one dimension if `axis` is given. Integers that do not fit 64 bits together are in an array of
        objects.

    Raises
    ------
    KeyError
        No row or column has the name.
    IndexError
        A position is outside of the matrix.
    nnz.ArgumentError
        The matrix has no such axis, or a selection is invalid.
    nnz.Error
        The file cannot be read.

    Examples
    --------
    >>> float(nnz.stats("examples/pbmc_10x_v3_mtx", measures="sums")["sum"])
    41549.0
    """
    if axis is not None and not isinstance(axis, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ArgumentError(f'axis {axis!r}: expected "rows", "cols", "cells" or "features"')
    place = source_path(path)
    matrix = Matrix(path, memory=memory, storage_options=storage_options, **options)
    source = handle_of(matrix).source
    selected = selections((rows, cols, cells, features), place, lambda: source)
    if any(selected):
        source = source.select_all(selected, allow_empty)
    with reporting(progress) as report:
        found = source.stats(axis, measures, memory, threads, report)
    return _reduce.named(found, measures, axis is None)


def formats() -> List[Format]:
    """List the formats that are read and written.

    Returns
    -------
    list of nnz.Format

    Examples
    --------
    >>> [format.name for format in nnz.formats() if ".npy" in "." + " .".join(format.extensions)]
    ['npy']
    """
    found = _nnz.verbs.formats()
    for one in found:
        for options in ("options", "read_options"):
            one[options] = dict(one[options])
    return [Format(**one) for one in found]
