"""Fixtures of all tests: the nnz command, and files of the repository."""

import os
import pathlib
import subprocess

import pytest

import triples

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Nnz:
    """The nnz command."""

    def __init__(self, binary):
        self.binary = binary

    def tool(self, name):
        """Returns the path of a tool that is built with the command."""
        return str(pathlib.Path(self.binary).with_name(name))

    def example(self, name):
        """Returns the path of an example program that is built with the command."""
        binary = pathlib.Path(self.binary)
        return str(binary.parent / "examples" / (name + binary.suffix))

    def run(self, *arguments):
        """Runs it and returns the result."""
        command = [self.binary, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, timeout=120)

    def ok(self, *arguments):
        """Runs it, expects success and returns its standard output."""
        done = self.run(*arguments)
        assert done.returncode == 0, f"nnz {arguments}: {done.returncode}\n{done.stderr.decode()}"
        return done.stdout.decode()

    def convert(self, source, target, *options):
        """Converts and returns the target."""
        self.ok("convert", *options, source, target)
        return target

    def cat(self, source, dtype, *options):
        """Returns the entries of a matrix in the order they are printed."""
        return triples.from_cat(self.ok("cat", *options, source), dtype)

    def names(self, source, axis):
        """Returns the names of an axis."""
        return self.ok("names", source, axis).splitlines()

    def refuses(self, *arguments):
        """Runs it, expects an error and returns the message."""
        done = self.run(*arguments)
        assert done.returncode == 1, f"nnz {arguments}: {done.returncode}\n{done.stderr.decode()}"
        return done.stderr.decode()


@pytest.fixture(scope="session")
def nnz():
    binary = os.environ.get("NNZ_BIN")
    assert binary, "NNZ_BIN is not set; `cargo xtask test` sets it"
    return Nnz(binary)


@pytest.fixture(scope="session")
def pbmc():
    """The 10x folder of the examples."""
    return ROOT / "examples" / "pbmc_10x_v3_mtx"


@pytest.fixture(scope="session")
def dir_matrix():
    """BPCells, or a skip if it has no wheel."""
    reason = "BPCells has no wheel for this Python or machine"
    return pytest.importorskip("bpcells.experimental", reason=reason).DirMatrix
