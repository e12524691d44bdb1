"""The command ``nnz``."""

from __future__ import annotations

import sys

from ._nnz import run_command


def main() -> int:
    """Run the command with the arguments of the process, and return its exit status."""
    return run_command(["nnz", *sys.argv[1:]])
