"""Return types of operations."""

from __future__ import annotations

import inspect
import re
import warnings
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple

from ._errors import DroppedWarning, Position


@dataclass(frozen=True)
class Summary:
    """The result of functions that write: what was written, and what was dropped.

    Attributes
    ----------
    shape : tuple of int
        Rows and columns; empty for several matrices.
    entries : int
        Entries written.
    bytes_before : int or None
        Bytes read from, if known.
    bytes_after : int
        Bytes written.
    disk : int
        Size of temporary files, in bytes.
    seconds : float
        Run time in seconds.
    dropped : list of str
        Data that the target cannot store.
    left_out : list of str
        Data that was dropped for another reason, with the reason.
    notes : list of str
        Unusual but valid properties of the source.
    """

    shape: Tuple[int, ...]
    entries: int
    bytes_before: Optional[int]
    bytes_after: int
    disk: int
    seconds: float
    dropped: List[str]
    left_out: List[str]
    notes: List[str]


def summary(made: Dict[str, Any]) -> Summary:
    """Make a summary, and warn of what was dropped."""
    result = Summary(**made)
    # Notes have options as the command takes them.
    result.notes[:] = [re.sub(r"\bcell_axis (\w+)", r'cell_axis="\1"', note) for note in result.notes]
    stacklevel = outside()
    dropped = result.dropped + result.left_out
    if dropped:
        warnings.warn(f"dropped: {', '.join(dropped)}", DroppedWarning, stacklevel=stacklevel)
    return result


def outside() -> int:
    """Return the stack level, for the caller, of the code that called the package."""
    frame = inspect.currentframe()
    level = 0
    while frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == __package__:
        frame = frame.f_back
        level += 1
    return level


@dataclass(frozen=True)
class SplitSummary:
    """The result of `nnz.split`.

    Attributes
    ----------
    files : dict of str to Summary
        The files by their paths.
    missing : int
        Rows without a value, which are in no file.
    notes : list of str
        The values that are not names of files, and where their rows are.
    """

    files: Dict[str, Summary]
    missing: int
    notes: List[str]


@dataclass(frozen=True)
class EditSummary:
    """The result of `nnz.edit`.

    Attributes
    ----------
    removed : list of str
        The paths of what was removed.
    added : list of str
        The paths of columns that were added or replaced.
    bytes_before : int or None
        The size of an HDF5 file before; None for a Zarr store.
    bytes_after : int or None
        Its size afterwards; None for a Zarr store, and if the changes were only checked.
    """

    removed: List[str]
    added: List[str]
    bytes_before: Optional[int]
    bytes_after: Optional[int]


@dataclass(frozen=True)
class RepairSummary:
    """The result of `nnz.repair`.

    Attributes
    ----------
    repairs : list of str
        Repairs, with their positions.
    written : Summary or None
        Summary of the target; None for fragments.
    """

    repairs: List[str]
    written: Optional[Summary]


@dataclass(frozen=True)
class Finding:
    """An error or a note of `nnz.validate`.

    Attributes
    ----------
    severity : str
        ``"fault"`` for an error, which makes the file invalid, otherwise ``"note"``.
    message : str
        Description of the finding.
    path, array, position
        Where, as in `nnz.Error`.
    """

    severity: str
    message: str
    path: Optional[str]
    array: Optional[str]
    position: Optional[Position]
    text: str = field(repr=False, default="")

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Difference:
    """A difference between two matrices or files, as `nnz.diff` lists them.

    Attributes
    ----------
    kind : str
        ``"shape"``, ``"names"``, ``"fill"``, ``"entry"`` or ``"tensor"``; of files also ``"first_only"``,
        ``"second_only"``, ``"kind"`` and ``"value"``; of fragments ``"chromosomes"``, ``"cells"`` and ``"fragment"``.
    element : str or None
        The element of a file, or the chromosome of a fragment, that differs.
    row, col : int or None
        The position of an entry.
    axis : str or None
        The axis whose names differ.
    position : int or None
        The index of a value in its element, or of a fragment on its chromosome.
    first, second : str or None
        The value in each of the two; ``"-"`` for none.
    """

    kind: str
    element: Optional[str] = None
    row: Optional[int] = None
    col: Optional[int] = None
    axis: Optional[str] = None
    position: Optional[int] = None
    first: Optional[str] = None
    second: Optional[str] = None


@dataclass(frozen=True)
class Format:
    """A format that is read or written, as `nnz.formats` lists them.

    Attributes
    ----------
    name : str
        The name, as ``to=`` takes it.
    aliases, extensions : list of str
        Other names, and extensions of files without the dot.
    summary : str
        A one-line summary.
    reads, writes : list of str
        Kinds of data that can be read and written: ``"matrix"``, ``"tensor"``, ``"fragments"``, ``"table"``.
    options : dict of str to str
        Options of targets, and what they do.
    read_options : dict of str to str
        Options of sources, and what they do.
    """

    name: str
    aliases: List[str]
    extensions: List[str]
    summary: str
    reads: List[str]
    writes: List[str]
    options: Dict[str, str]
    read_options: Dict[str, str]
