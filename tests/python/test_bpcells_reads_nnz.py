"""BPCells reads files of nnz. (Its Python package reads packed integers.)"""

import gzip
import json

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

import matrices
import triples
from conftest import ROOT

GOLDEN = ROOT / "testdata" / "bpcells"

MATRICES = {
    "counts": lambda: matrices.counts(1, (500, 300), 0.1),
    "tall": lambda: matrices.counts(2, (100_000, 3), 0.01, top=5),
    "wide": lambda: matrices.counts(3, (3, 20_000), 0.2, top=5),
    "ones": lambda: matrices.counts(4, (200, 100), 0.2, top=1),
    "dense": lambda: matrices.counts(5, (60, 50), 1.0),
    "every width": lambda: matrices.every_width(6),
    "largest": lambda: matrices.counts(7, (50, 50), 0.3, top=2**32 - 1),
    "one": lambda: sp.csc_matrix(np.array([[7]], dtype=np.uint32)),
    "no entries": lambda: sp.csc_matrix((12, 5), dtype=np.uint32),
}


def golden_cases():
    """Returns the integer matrices with rows and columns, in unpacked directories."""
    manifest = json.loads((GOLDEN / "manifest.json").read_text())
    for entry in manifest["artifacts"]:
        version = entry.get("version") or ""
        if entry.get("backend") == "dir" and version.startswith("unpacked-uint-matrix"):
            if 0 not in entry["shape"]:
                yield pytest.param(entry, id=entry["path"])


def write_mtx(path, matrix):
    """Writes integers. (scipy always writes a matrix without entries as real.)"""
    coo = matrix.tocoo()
    lines = ["%%MatrixMarket matrix coordinate integer general"]
    lines.append(f"{coo.shape[0]} {coo.shape[1]} {coo.nnz}")
    lines += [f"{row + 1} {col + 1} {value}" for row, col, value in zip(coo.row, coo.col, coo.data)]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("order", ["col", "row"])
@pytest.mark.parametrize("name", MATRICES)
def test_a_matrix(nnz, dir_matrix, tmp_path, name, order):
    matrix = MATRICES[name]()
    mtx = write_mtx(tmp_path / "a.mtx", matrix)
    store = nnz.convert(mtx, tmp_path / "a.bpcells", "--order", order)
    read = dir_matrix(store)
    assert read.shape == matrix.shape
    triples.assert_same(triples.of(read[:, :]), triples.of(matrix))


@pytest.mark.parametrize("order", ["col", "row"])
@pytest.mark.parametrize("name", MATRICES)
def test_the_same_bytes(nnz, dir_matrix, tmp_path, name, order):
    """BPCells writes the same files for the same matrix."""
    matrix = MATRICES[name]()
    mtx = write_mtx(tmp_path / "a.mtx", matrix)
    ours = nnz.convert(mtx, tmp_path / "a.bpcells", "--order", order)
    theirs = tmp_path / "b.bpcells"
    dir_matrix.from_scipy_sparse(matrix.tocsr() if order == "row" else matrix, theirs)
    assert files(ours) == files(theirs)


def files(directory):
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir())}


@pytest.mark.parametrize("shape, order", [((0, 5), "col"), ((5, 0), "row")])
def test_no_minor_dimension(nnz, dir_matrix, tmp_path, shape, order):
    mtx = write_mtx(tmp_path / "a.mtx", sp.csc_matrix(shape, dtype=np.uint32))
    read = dir_matrix(nnz.convert(mtx, tmp_path / "a.bpcells", "--order", order))
    assert read.shape == shape
    assert read[:, :].nnz == 0


@pytest.mark.parametrize("shape, order", [((5, 0), "col"), ((0, 5), "row")])
def test_no_major_dimension(nnz, dir_matrix, tmp_path, shape, order):
    """BPCells writes such a matrix so that it reads 1 instead of 0: both are correct here."""
    mtx = write_mtx(tmp_path / "a.mtx", sp.csc_matrix(shape, dtype=np.uint32))
    read = dir_matrix(nnz.convert(mtx, tmp_path / "a.bpcells", "--order", order))
    assert max(read.shape) == 5
    assert min(read.shape) in (0, 1)


@pytest.mark.parametrize("entry", golden_cases())
def test_a_golden_store_rewritten(nnz, dir_matrix, tmp_path, entry):
    store = nnz.convert(GOLDEN / entry["path"], tmp_path / "a.bpcells")
    read = dir_matrix(store)
    assert list(read.shape) == entry["shape"]
    triples.assert_same(triples.of(read[:, :]), triples.from_golden(GOLDEN / entry["expected"]))


def test_a_slice(nnz, dir_matrix, tmp_path):
    matrix = MATRICES["counts"]()
    store = nnz.convert(write_mtx(tmp_path / "a.mtx", matrix), tmp_path / "a.bpcells")
    read = dir_matrix(store)
    rows, cols = [4, 499, 0, 17], [299, 3, 150]
    triples.assert_same(
        triples.of(read[rows, cols]).without_zeros(),
        triples.of(matrix[rows][:, cols]).without_zeros(),
    )


def test_symmetric_matrices_are_expanded(nnz, dir_matrix, tmp_path):
    dense = np.abs(matrices.structured(8, "integer", "symmetric")) % 1000 + 0
    mtx = tmp_path / "a.mtx"
    scipy.io.mmwrite(mtx, sp.coo_matrix(dense), field="integer", symmetry="symmetric")
    read = dir_matrix(nnz.convert(mtx, tmp_path / "a.bpcells"))
    expected = triples.of(sp.coo_matrix(dense)).astype(np.uint32)
    triples.assert_same(triples.of(read[:, :]).without_zeros(), expected)


@pytest.mark.parametrize("order", ["col", "row"])
def test_the_example(nnz, dir_matrix, tmp_path, pbmc, order):
    store = nnz.convert(pbmc, tmp_path / "pbmc.bpcells", "--order", order)
    expected = scipy.io.mmread(pbmc / "matrix.mtx.gz")
    read = dir_matrix(store)
    assert read.shape == expected.shape
    triples.assert_same(triples.of(read[:, :]), triples.of(expected).astype(np.uint32))
    with gzip.open(pbmc / "features.tsv.gz", "rt") as features:
        assert nnz.names(store, "rows") == [line.split("\t")[0] for line in features]
    with gzip.open(pbmc / "barcodes.tsv.gz", "rt") as barcodes:
        assert nnz.names(store, "cols") == barcodes.read().splitlines()
