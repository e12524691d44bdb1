"""The package and the command decide alike what is converted: for every kind of source and every name of a target, both
write the same bytes, or fail with the same message. The tests of the command compare it with the library."""

import pathlib
import shutil
import subprocess
import sys
import warnings

import pytest
from conftest import TESTDATA

import nnz

NNZ = pathlib.Path(sys.executable).with_name("nnz")

TEXTS = {
    "matrix.mtx": "%%MatrixMarket matrix coordinate integer general\n3 2 3\n1 1 5\n3 1 7\n2 2 1\n",
    "numbers.csv": "a,b\n1,2.5\n0,4\n",
    "people.csv": "name,age\nAda,36\nGrace,85\n",
    "fragments.tsv": "chr1\t1\t9\tA\t1\nchr1\t3\t8\tB\t2\n",
    "unknown.bin": "no format\n",
}
GOLDEN = {
    "cells.h5ad": "anndata/valid/0.11.4/h5ad/full_csr.h5ad",
    "genes.loom": "loom/attrs.loom",
    "cite.h5mu": "mudata/cells-0.3.h5mu",
    "tensor.bsp.h5": "binsparse/valid/hand/custom_sss_t021.bsp.h5",
    "vector.bsp.h5": "binsparse/valid/py/cvec_float64.bsp.h5",
    "genomes.h5": "tenx/h5/cr2_two_genomes.h5",
}
SOURCES = [
    *TEXTS,
    *GOLDEN,
    "cells.h5ad::X",
    "cells.h5ad::layers/counts",
    "cells.zarr",
    "cite.h5mu::mod/rna",
    "groups.h5",
    "groups.h5::a",
    "genomes.h5::hg19",
    "several.mat",
    "frame.dbdf",
    "fragments.h5",
    "missing.mtx",
]
# Text has to be imported.
REFUSED = ["fragments.tsv", "unknown.bin", "missing.mtx"]
EXTENSIONS = [
    "mtx", "mtx.gz", "dbdf", "mat", "rds", "fragments", "bpcells", "bsp.h5", "nc", "zarr", "bsp.npz", "bsp", "loom", "h5mu",
    "h5ad", "npz", "npy", "svm", "el", "graph", "csv", "tsv", "gct", "tsv.gz", "bed", "unknown",
]  # fmt: skip
TARGETS = [(f"out.{extension}", None) for extension in EXTENSIONS]
TARGETS += [("out", None), ("out.h5", None), ("out.h5::group", None), ("there.h5ad::layers/new", None)]
TARGETS += [(name, to) for name in ("out", "out.h5") for to in ("bpcells", "binsparse", "anndata", "mudata", "mtx", "daphne", "csv", "10x")]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    made = tmp_path_factory.mktemp("inputs")
    for name, text in TEXTS.items():
        (made / name).write_text(text)
    for name, golden in GOLDEN.items():
        shutil.copy(TESTDATA / golden, made / name)
    nnz.convert(made / "cells.h5ad", made / "cells.zarr")
    for group in ("a", "b"):
        nnz.convert(made / "matrix.mtx", f"{made / 'groups.h5'}::{group}", to="bpcells")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", nnz.DroppedWarning)
        nnz.convert(made / "genomes.h5", made / "several.mat")
    nnz.convert(made / "numbers.csv", made / "frame.dbdf")
    nnz.convert(TESTDATA / "bpcells/fragments_dir/basic.packed", made / "fragments.h5")
    return made


def contents(directory):
    return {path.relative_to(directory): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


@pytest.mark.parametrize("source", SOURCES)
def test_every_kind_of_source_and_target(inputs, tmp_path, source):
    source = f"{inputs}/{source}"
    outputs = tmp_path / "out"
    wrong, written = [], 0
    for name, to in TARGETS:
        found = []
        for by_command in (False, True):
            shutil.rmtree(outputs, ignore_errors=True)
            outputs.mkdir()
            shutil.copy(inputs / "cells.h5ad", outputs / "there.h5ad")
            message = ""
            if by_command:
                more = ["--to", to] if to else []
                done = subprocess.run(
                    [NNZ, "-q", "convert", "--no-sync", source, f"{outputs}/{name}", *more], capture_output=True, text=True, timeout=120
                )
                message = done.stderr.removeprefix("nnz: ").strip() if done.returncode else ""
            else:
                try:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore", nnz.DroppedWarning)
                        nnz.convert(source, f"{outputs}/{name}", to=to, no_sync=True)
                except (nnz.Error, OSError) as error:
                    message = str(error)
            # Hints on options and functions have other names, or other words.
            found.append((message.replace("`", "").split("; ")[0], contents(outputs)))
        if found[0][0] != found[1][0]:
            wrong.append(f"{name} to={to}: {found[0][0]!r}, the command: {found[1][0]!r}")
        elif found[0][1] != found[1][1]:
            wrong.append(f"{name} to={to}: other bytes")
        written += not found[0][0]
    assert not wrong, f"{len(wrong)} of {len(TARGETS)} differ:\n" + "\n".join(wrong)
    assert (written > 0) == (pathlib.Path(source).name not in REFUSED), written
