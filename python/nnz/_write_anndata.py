"""Writing an AnnData with all its elements."""

from __future__ import annotations

import os
import re
import shutil
import signal
import tempfile
import threading
from contextlib import contextmanager
from typing import Any, Dict, Generator, List, Optional

from . import _nnz
from ._errors import CorruptFileError, Error, FormatError, StorageError, UnsupportedError
from ._options import prepared
from ._progress import Progress, reporting
from ._results import Summary, summary

OF_LABELS = ("row_names", "col_names", "row_names_file", "col_names_file", "row_annotations", "col_annotations", "make_unique", "cell_axis")
"""Options that depend on the annotations of the object."""
GROUPS = ("layers", "obsm", "varm", "obsp", "varp")
ENDING = ("SIGTERM", "SIGHUP")
"""Signals that end a process without an exception."""


def write(obj: Any, target: str, options: Dict[str, Any], progress: Progress) -> Summary:
    """Have anndata write a file, and convert that with all that is in it."""
    given = prepared(options)
    _check(obj, target, given)
    with _temporary(target) as directory:
        between = os.path.join(directory, "whole.h5ad")
        with _unchanged(obj), _one_family(target):
            _write_h5ad(obj, between)
        with reporting(progress) as report:
            try:
                made = _nnz.verbs.convert(between, target, (None, None), given, report)
            except Error as error:
                raise _of_object(error, between, target) from None
    return summary(made)


def beside(obj: Any) -> List[str]:
    """Return the elements of an object other than `X`, `obs` and `var`."""
    found = [f"{group}/{name}" for group in GROUPS for name in getattr(obj, group)]
    return [*found, *([] if obj.raw is None else ["raw"]), *(f"uns/{name}" for name in obj.uns)]


def _of_object(error: Error, between: str, target: str) -> Error:
    """Return an error without the name of the temporary file. What it has is a fault of the object, not of a file."""
    kind = UnsupportedError if isinstance(error, (CorruptFileError, FormatError)) else type(error)
    path = error.path.replace(between, target) if isinstance(error.path, str) else error.path
    made = kind(str(error).replace(between, target), path, error.array, error.position)
    if isinstance(error, StorageError) and isinstance(made, StorageError):
        made.errno, made.strerror = error.errno, error.strerror
    return made


def _check(obj: Any, target: str, given: Dict[str, Any]) -> None:
    """Check the options and the target, before all of the object is written."""
    compiled = _nnz.PartsWriter(target, obj.shape, "row", "float64")
    compiled.check(compiled.source(), {name: value for name, value in given.items() if name not in OF_LABELS})


def _write_h5ad(obj: Any, path: str) -> None:
    if getattr(obj, "isbacked", False):
        # write_h5ad would make it an object of the new file.
        obj.copy(path).file.close()
    elif getattr(obj, "is_view", False):
        # write_h5ad would make it a copy.
        obj.copy().write_h5ad(path)
    else:
        obj.write_h5ad(path)


@contextmanager
def _unchanged(obj: Any) -> Generator[None, None, None]:
    """Restore the columns of text, of which anndata makes categories before it writes an object."""
    frames = [obj.obs, obj.var]
    if obj.raw is not None:
        frames.append(obj.raw.var)
    before = [frame.copy(deep=False) for frame in frames]
    try:
        yield
    finally:
        for frame, columns in zip(frames, before):
            for at, name in enumerate(columns.columns):
                if frame.columns.is_unique and frame.dtypes.iloc[at] != columns.dtypes.iloc[at]:
                    frame[name] = columns[name]


@contextmanager
def _one_family(target: str) -> Generator[None, None, None]:
    """Raise errors of the system as errors of this package.

    After a failed write, such as on a full disk, HDF5 writes again what it holds when the process exits, and may crash
    then. h5py has no function that discards it.
    """
    try:
        yield
    except RecursionError as error:
        raise UnsupportedError(f"{target}: the object is nested too deeply", target) from error
    except OSError as error:
        number = _number(error)
        raise _failed(target, number, str(error) if number is None else os.strerror(number)) from error


def _failed(target: str, number: Optional[int], what: str) -> StorageError:
    raised = StorageError(f"{target}: {what}", target)
    raised.errno, raised.strerror = number, what
    return raised


def _number(error: OSError) -> Optional[int]:
    """Return the number of an error of the system, which h5py may have in the message only."""
    found = re.search(r"errno = (\d+)", str(error))
    return error.errno if error.errno is not None or found is None else int(found[1])


@contextmanager
def _temporary(target: str) -> Generator[str, None, None]:
    """Create a directory, which is removed at the end and by signals that end the process."""
    beside = None if _nnz.is_url(target) else os.path.dirname(os.path.abspath(target))
    try:
        directory = tempfile.mkdtemp(prefix=".nnz-", dir=beside)
    except OSError as error:
        raise _failed(target, error.errno, str(error.strerror)) from error
    try:
        with _removed_by_signals(directory):
            yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)


@contextmanager
def _removed_by_signals(directory: str) -> Generator[None, None, None]:
    process = os.getpid()

    def end(number: int, _: Any) -> None:
        # A child process has the handler, too.
        if os.getpid() == process:
            shutil.rmtree(directory, ignore_errors=True)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    numbers = [int(getattr(signal, name)) for name in ENDING if hasattr(signal, name)]
    # Only the main thread has handlers. Handlers of the user stay.
    main = threading.current_thread() is threading.main_thread()
    numbers = [number for number in numbers if main and signal.getsignal(number) is signal.SIG_DFL]
    try:
        for number in numbers:
            signal.signal(number, end)
    except ValueError:
        # Nor does the main thread of a subinterpreter.
        numbers = []
    try:
        yield
    finally:
        for number in numbers:
            if signal.getsignal(number) is end:
                signal.signal(number, signal.SIG_DFL)
