"""Sparse tensors of PyTorch, if it is installed."""

import numpy as np
import pytest
from conftest import random_matrix

import nnz

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("order", ["row", "col"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "uint8", "complex64"])
def test_matrices_are_converted_to_tensors(tmp_path, order, dtype):
    matrix = random_matrix(dtype=dtype)
    nnz.write(matrix, tmp_path / "m.npz", order=order)
    found = nnz.open(tmp_path / "m.npz").to_torch()
    assert found.layout == {"row": torch.sparse_csr, "col": torch.sparse_csc}[order]
    np.testing.assert_array_equal(found.to_dense().numpy(), matrix.toarray())
    nnz.write(found, tmp_path / "n.npz")
    assert nnz.diff(tmp_path / "m.npz", tmp_path / "n.npz") == []


@pytest.mark.parametrize("layout", ["sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc", "strided"])
def test_tensors_of_all_layouts_are_written(tmp_path, layout):
    cells = random_matrix((6, 8), dtype="float32").toarray()
    dense = torch.from_numpy(cells)
    if layout == "strided":
        tensor = dense
    elif layout == "sparse_coo":
        tensor = dense.to_sparse()
    else:
        tensor = getattr(dense, f"to_{layout}")(*[(2, 4)] * ("bs" in layout))
    nnz.write(tensor.requires_grad_(), tmp_path / "m.npz")
    np.testing.assert_array_equal(nnz.open(tmp_path / "m.npz").to_numpy(), cells)


def test_tensors_of_several_dimensions_round_trip(tmp_path):
    cells = np.where(np.random.default_rng(0).random((3, 4, 5)) < 0.3, 1.5, 0)
    nnz.write(torch.from_numpy(cells).to_sparse(), tmp_path / "t.bsp.h5")
    found = nnz.open(tmp_path / "t.bsp.h5").to_torch()
    assert found.layout == torch.sparse_coo and found.is_coalesced()
    np.testing.assert_array_equal(found.to_dense().numpy(), cells)
    twice = torch.sparse_coo_tensor([[0, 0], [1, 1]], [1.0, 2.0], size=(2, 2))
    nnz.write(twice, tmp_path / "m.npz")
    assert nnz.open(tmp_path / "m.npz")[0, 1] == 3


def test_unsupported_tensors_are_refused(tmp_path):
    for tensor in (
        torch.sparse_coo_tensor([[0]], [[1.0, 2.0]], size=(2, 2)),
        torch.eye(2).to(torch.bfloat16).to_sparse(),
        torch.stack([torch.eye(2), torch.eye(2)]).to_sparse_csr(),
    ):
        with pytest.raises(nnz.Error):
            nnz.write(tensor, tmp_path / "m.npz")
    assert list(tmp_path.iterdir()) == []
