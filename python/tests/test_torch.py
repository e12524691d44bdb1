"""Sparse tensors and datasets of PyTorch, if it is installed."""

import concurrent.futures
import pickle
import warnings

import numpy as np
import pytest
from conftest import FULL, random_matrix

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


@pytest.fixture
def cells(tmp_path):
    """A matrix of 101 cells, stored by column, and the cells by features."""
    matrix = random_matrix((101, 13), 0.3, np.uint32)
    nnz.write(matrix.T.tocsc(), tmp_path / "m.bpcells", axis_kinds=("features", "cells"))
    return nnz.open(tmp_path / "m.bpcells"), matrix.toarray().astype(np.float32)


def loaded(dataset, workers, **options):
    """Return the batches of a loader of PyTorch."""
    with warnings.catch_warnings():
        # Of sparse CSR tensors, which are in beta.
        warnings.simplefilter("ignore", UserWarning)
        return list(torch.utils.data.DataLoader(dataset, batch_size=None, num_workers=workers, **options))


def positions(batches):
    return [int(cell) for batch in batches for cell in batch["index"]]


@pytest.mark.parametrize("layout", ["csr", "dense"])
@pytest.mark.parametrize("workers", [0, 1, 2, 3])
def test_loaders_have_each_cell_once(cells, layout, workers):
    m, expected = cells
    dataset = m.to_torch_dataset(8, layout=layout, block=4, buffer=16, seed=1)
    assert isinstance(dataset, torch.utils.data.IterableDataset)
    batches = loaded(dataset, workers)
    assert sorted(positions(batches)) == list(range(101))
    for batch in batches:
        x = batch["x"]
        assert x.layout == {"csr": torch.sparse_csr, "dense": torch.strided}[layout] and x.dtype == torch.float32
        np.testing.assert_array_equal(x.to_dense().numpy(), expected[batch["index"].numpy()])
    assert positions(loaded(dataset, workers)) == positions(batches)
    dataset.set_epoch(1)
    other = positions(loaded(dataset, workers))
    assert sorted(other) == list(range(101)) and other != positions(batches)


@pytest.mark.parametrize("ranks, workers", [(1, 0), (2, 0), (3, 2)])
@pytest.mark.parametrize("drop_last", [False, True])
def test_ranks_and_workers_divide_an_epoch(cells, ranks, workers, drop_last):
    m, _ = cells
    found = [
        loaded(m.to_torch_dataset(4, rank=rank, world_size=ranks, block=2, buffer=8, drop_last=drop_last), workers)
        for rank in range(ranks)
    ]
    taken = [cell for batches in found for cell in positions(batches)]
    assert len(set(taken)) == len(taken)
    if drop_last:
        assert {len(batches) for batches in found} == {101 // (ranks * max(workers, 1)) // 4 * max(workers, 1)}
        assert all(len(batch["index"]) == 4 for batches in found for batch in batches)
    else:
        assert sorted(taken) == list(range(101))


def test_workers_that_stay_follow_the_epoch(cells):
    m, _ = cells
    dataset = m.to_torch_dataset(8, block=4, buffer=16, layout="dense")
    loader = torch.utils.data.DataLoader(dataset, batch_size=None, num_workers=2, persistent_workers=True)
    orders = []
    for epoch in (0, 1, 0):
        dataset.set_epoch(epoch)
        orders.append(positions(loader))
    assert orders[0] == orders[2] != orders[1]
    assert all(sorted(order) == list(range(101)) for order in orders)


def test_datasets_are_passed_to_spawned_workers(cells):
    m, _ = cells
    dataset = m.to_torch_dataset(8, rank=1, world_size=2, annotations=[])
    dataset.set_epoch(3)
    expected = positions(loaded(dataset, 1))
    assert positions(loaded(dataset, 1, multiprocessing_context="spawn")) == expected
    assert positions(pickle.loads(pickle.dumps(dataset))) == expected
    assert len(expected) == 51


def test_the_rank_is_that_of_the_process_group(cells, tmp_path):
    m, _ = cells
    if not torch.distributed.is_available():
        pytest.skip("this PyTorch has no torch.distributed")
    dataset = m.to_torch_dataset(8)
    # An object pickled before does not store that there was no rank.
    context = torch.multiprocessing.get_context("spawn")
    jobs = [(dataset, str(tmp_path / "group"), rank) for rank in range(2)]
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        found = list(pool.map(positions_of_rank, jobs, timeout=120))
    assert [len(one) for one in found] == [50, 51]
    assert sorted(found[0] + found[1]) == list(range(101))


def positions_of_rank(job):
    dataset, file, rank = job
    torch.distributed.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=2)
    try:
        # A loader without workers, and one whose worker is not forked.
        found = positions(loaded(dataset, 0))
        assert positions(loaded(dataset, 1, multiprocessing_context="spawn")) == found
        return found
    finally:
        torch.distributed.destroy_process_group()


def test_annotations_are_tensors():
    m = nnz.open(FULL)["X"]
    dataset = m.to_torch_dataset(4, annotations=["n_counts", "n_genes", "is_doublet", "cell_type", "note"], seed=2)
    batches = loaded(dataset, 0)
    assert sum(len(batch["obs"]["note"]) for batch in batches) == 11
    columns = {name: [name, *column] for name, *column in nnz.open(FULL)["X"]._source.annotations("rows")}
    for batch in batches:
        index = batch["index"].numpy()
        for name in ("n_counts", "n_genes", "is_doublet", "cell_type"):
            np.testing.assert_array_equal(batch["obs"][name].numpy(), columns[name][2][index])
        texts, missing = columns["note"][2:4]
        assert batch["obs"]["note"] == [None if missing is not None and missing[at] else texts[at] for at in index]
    assert dataset.categories["cell_type"].tolist() == columns["cell_type"][4]
    with pytest.raises(nnz.ArgumentError, match="opt_int"):
        m.to_torch_dataset(4, annotations=["opt_int"])


def test_wrong_arguments_of_datasets(cells):
    m, _ = cells
    for arguments in ({"layout": "coo"}, {"rank": 1}, {"rank": 2, "world_size": 2}, {"rank": -1, "world_size": 2}, {"seed": -1}):
        with pytest.raises(nnz.ArgumentError):
            m.to_torch_dataset(4, **arguments)
    with pytest.raises(nnz.ArgumentError):
        m.to_torch_dataset(4).set_epoch(-1)
