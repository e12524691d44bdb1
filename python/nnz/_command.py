"""The command ``nnz``."""

from __future__ import annotations

import os
import sys

from ._nnz import run_command


def main() -> int:
    """Run the command with the arguments of the process, and return its exit status."""
    _occupy_closed_streams()
    return run_command(["nnz", *sys.argv[1:]])


def _occupy_closed_streams() -> None:
    # A file opened later would get the number of a stream that is closed, and messages would be written into it.
    # /dev/null is opened so that the stream cannot be used, which is an error, as in the program.
    for stream, access in ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_RDWR)):
        try:
            os.fstat(stream)
        except OSError:
            os.open(os.devnull, access)
