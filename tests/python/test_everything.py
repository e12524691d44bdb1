"""All matrices of AnnData, 10x and SciPy are converted to all formats unchanged, or refused for a known reason."""

import json
import random
import tarfile
from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[2] / "testdata"
EXAMPLE = DATA.parent / "examples/pbmc_10x_v3_mtx"

TARGETS = {
    "bpcells": ["x.bpcells"],
    "mtx": ["x.mtx"],
    "dgCMatrix": ["x.rds", "--to", "dgCMatrix"],
    "binsparse, HDF5": ["x.bsp.h5"],
    "binsparse, NetCDF": ["x.nc"],
    "binsparse, npz": ["x.bsp.npz"],
    "binsparse, Zarr": ["x.zarr", "--to", "binsparse"],
    "daphne": ["x.dbdf"],
    "anndata, HDF5": ["x.h5ad"],
    "anndata, Zarr": ["x.zarr", "--to", "anndata"],
    "scipy": ["x.npz"],
    "scipy, coo": ["x.npz", "--sparse-format", "coo"],
    "npy": ["x.npy"],
    "10x, HDF5": ["x.h5", "--to", "10x"],
    "10x, folder": ["x", "--to", "10x"],
}

# What a format does not support, and what the source leaves open.
REASONS = [
    "the rows have no names",
    "an id for each feature",
    "duplicate entry",
    "cannot be stored exactly",
    "names without tabs",
]

FILES = [
    *(DATA / "anndata/valid").rglob("*.h5ad"),
    *(DATA / "anndata/valid").rglob("*.zarr.tar.gz"),
    *(DATA / "tenx/h5").glob("*.h5"),
    *(path for path in (DATA / "tenx/mtx").iterdir() if path.is_dir()),
    *(DATA / "scipy/npz").rglob("*.npz"),
]
# Pointers of 2^33 columns take 64 GB.
LEFT_OUT = ["wide", "long", "bad_"]
FILES = sorted(path for path in FILES if not any(word in path.name for word in LEFT_OUT))
SAMPLE = [*random.Random(4).sample(FILES, 45), EXAMPLE]


def by_id(nnz, source):
    """Options that name the features of a 10x matrix by their ids."""
    info = json.loads(nnz.ok("info", "--json", source))
    if not info["format"].startswith("10x"):
        return []
    return ["--row-names" if info["row_axis"] == "features" else "--col-names", "id"]


@pytest.mark.parametrize("path", SAMPLE, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_all_matrices_to_all_formats(nnz, tmp_path, path):
    source = path
    if path.name.endswith(".tar.gz"):
        source = tmp_path / "source.zarr"
        with tarfile.open(path) as packed:
            packed.extractall(source, filter="data")
    if "anndata" in path.parts:
        source = f"{source}::X"
    if nnz.run("validate", source).returncode != 0:
        pytest.skip("no matrix, or one that is broken")
    for number, (name, (target, *options)) in enumerate(TARGETS.items()):
        (tmp_path / str(number)).mkdir()
        target = tmp_path / str(number) / target
        # In AnnData, features of 10x are named by their symbols otherwise.
        named = by_id(nnz, source) if name.startswith("anndata") else []
        done = nnz.run("convert", source, target, *options, *named)
        if done.returncode == 0:
            assert nnz.run("diff", source, target).returncode == 0, name
            continue
        message = done.stderr.decode()
        assert done.returncode == 1 and any(reason in message for reason in REASONS), f"{name}: {message}"
        assert not target.exists()
