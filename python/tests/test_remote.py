"""Files at URLs: the same as local ones, with credentials that are nowhere printed, in any process."""

import collections
import concurrent.futures
import json
import multiprocessing
import os
import pickle
import shutil
import subprocess
import sys

import numpy as np
import pytest
from conftest import FULL, PBMC, random_matrix, same
from object_server import ObjectServer

import nnz

anndata = pytest.importorskip("anndata")

SECRET = "hunter2hunter2"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    directory = tmp_path_factory.mktemp("bucket")
    shutil.copy(FULL, directory / "full.h5ad")
    nnz.convert(FULL, directory / "full.zarr")
    nnz.convert(PBMC, directory / "pbmc.mtx")
    nnz.convert(PBMC, directory / "pbmc.bpcells")
    matrix = random_matrix((2_000, 5_000), 0.05, np.uint32, order="col")
    nnz.write(matrix, directory / "large.bpcells")
    with ObjectServer(directory) as server:
        server.matrix = matrix
        yield server


@pytest.fixture(autouse=True)
def no_credentials(monkeypatch, tmp_path):
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))


@pytest.mark.parametrize("name", ["pbmc.bpcells", "pbmc.mtx"])
def test_a_matrix_at_a_url_equals_the_local_one(server, name):
    local = nnz.open(server.directory / name)
    m = nnz.open(f"s3://data/{name}", storage_options=server.options)
    assert (m.shape, m.dtype, m.nnz, m.path) == (local.shape, local.dtype, local.nnz, f"s3://data/{name}")
    same(m[:40, 5:9], local[:40, 5:9])
    same(m.to_scipy(), local.to_scipy())
    same(nnz.open(f"{server.endpoint}/data/{name}").to_scipy(), local.to_scipy())


def test_a_file_at_a_url_lists_its_matrices(server):
    local, file = nnz.open(FULL), nnz.open("s3://data/full.h5ad", storage_options=server.options)
    assert isinstance(file, nnz.File) and list(file) == list(local)
    copy = pickle.loads(pickle.dumps(file))
    for name in ("X", "layers/counts"):
        same(copy[name].to_scipy(), local[name].to_scipy())
    one = nnz.open("s3://data/full.h5ad::layers/counts", storage_options=server.options)
    same(one.to_scipy(), local["layers/counts"].to_scipy())


@pytest.mark.parametrize("name", ["full.h5ad", "full.zarr"])
@pytest.mark.parametrize("backed", [True, False])
def test_an_anndata_at_a_url_equals_the_local_one(server, name, backed):
    if name == "full.zarr":
        pytest.importorskip("zarr", minversion="3")
    expected = anndata.read_h5ad(FULL)
    found = nnz.read_anndata(f"s3://data/{name}", backed=backed, storage_options=server.options)
    if backed:
        pytest.importorskip("dask")
        found = found.to_memory()
    assert found.obs.equals(expected.obs) and found.var.equals(expected.var)
    assert sorted(found.obsm) == sorted(expected.obsm) and sorted(found.uns) == sorted(expected.uns)
    assert (found.X != expected.X).nnz == 0
    assert (found.layers["counts"] != expected.layers["counts"]).nnz == 0


def test_an_anndata_at_a_presigned_url_is_read(server):
    pytest.importorskip("dask")
    found = nnz.read_anndata(f"{server.endpoint}/data/full.h5ad?X-Amz-Signature={SECRET}")
    assert found.shape == (11, 7) and found.X.compute().nnz == anndata.read_h5ad(FULL).X.nnz


def test_operations_take_options_of_urls(server, tmp_path):
    url, options = "s3://data/pbmc.bpcells", {"storage_options": server.options}
    local = server.directory / "pbmc.bpcells"
    assert nnz.validate(url, **options) == []
    assert nnz.diff(url, local, **options) == []
    assert nnz.stats(url, **options) == nnz.stats(local)
    assert nnz.convert(url, tmp_path / "copy.mtx", **options).entries == nnz.open(local).nnz
    nnz.slice(url, tmp_path / "part.bpcells", rows=np.arange(3), cols=":20", **options)
    same(nnz.open(tmp_path / "part.bpcells").to_scipy(), nnz.open(local)[:3, :20])
    nnz.transpose(url, tmp_path / "turned.bpcells", **options)
    nnz.concat([url, url], tmp_path / "both.bpcells", "cols", ignore_names=True, **options)
    assert nnz.open(tmp_path / "both.bpcells").shape[1] == 2 * nnz.open(local).shape[1]
    nnz.write(nnz.open(url, **options), tmp_path / "written.bpcells")
    assert nnz.diff(tmp_path / "written.bpcells", local) == []


@pytest.mark.parametrize("name", ["new.bpcells", "new.h5ad", "new.mtx"])
def test_matrices_are_written_to_urls(server, name):
    matrix, url = random_matrix(dtype=np.uint32, order="col"), f"s3://data/written/{name}"
    nnz.write(matrix, url, storage_options=server.options)
    # Text has integers of 64 bits.
    read = lambda path, **options: nnz.open(path, **options).to_scipy(order="col").astype(np.uint32)
    same(read(url, storage_options=server.options), matrix)
    same(read(server.directory / "written" / name), matrix)
    with pytest.raises(nnz.ExistsError):
        nnz.write(matrix, url, storage_options=server.options)
    with nnz.writer(f"s3://data/parts/{name}", matrix.shape, "col", storage_options=server.options) as parts:
        parts.write(matrix)
    same(read(server.directory / "parts" / name), matrix)
    with pytest.raises(nnz.Error, match="https:// and http:// are read-only"):
        nnz.write(matrix, f"{server.endpoint}/data/{name}")


def test_options_of_the_process_apply_to_all_urls(server):
    nnz.set_storage_options(server.options)
    try:
        m = nnz.open("s3://data/pbmc.bpcells")
        assert SECRET.encode() not in pickle.dumps(m) and server.endpoint.encode() not in pickle.dumps(m)
        assert m[:, :5].shape == (m.shape[0], 5)
    finally:
        nnz.set_storage_options(None)
    with pytest.raises(nnz.ArgumentError, match="storage_options"):
        nnz.open("s3://data/pbmc.bpcells", storage_options="anon")


def test_a_block_of_options_ends_with_its_call(server):
    with pytest.raises(FileNotFoundError):
        nnz.open("s3://data/missing.bpcells", storage_options=server.options)
    from nnz._storage import entered

    assert entered() is None
    m = nnz.open("s3://data/pbmc.bpcells", storage_options=server.options)
    assert entered() is None
    assert pickle.loads(pickle.dumps(m.T)).shape == m.shape[::-1]
    assert pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(m)))).shape == m.shape


def test_secrets_are_not_shown(server):
    keys = {**server.options, "anon": False, "access_key_id": "AKIAEXAMPLE", "secret_access_key": SECRET}
    m = nnz.open("s3://data/pbmc.bpcells", storage_options=keys)
    file = nnz.open(f"{server.endpoint}/data/full.h5ad?X-Amz-Signature={SECRET}")
    shown = [repr(m), m._repr_html_(), m.path, repr(file), file._repr_html_(), file.path, repr(file["X"])]
    for url in (f"{server.endpoint}/data/none.mtx?X-Amz-Signature={SECRET}", "s3://data/none.mtx"):
        with pytest.raises(FileNotFoundError) as raised:
            nnz.open(url, storage_options=keys)
        shown += [str(raised.value), repr(raised.value), str(raised.value.path)]
    with pytest.raises(nnz.Error) as raised:
        nnz.open("s3://data/none.mtx", storage_options={**keys, "no_such_option": SECRET})
    shown.append(str(raised.value))
    assert not [text for text in shown if SECRET in text]


def test_secrets_of_the_environment_are_not_pickled(server, monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_SESSION_TOKEN", SECRET)
    server.reset()
    options = {name: value for name, value in server.options.items() if name != "anon"}
    matrix = nnz.open("s3://data/pbmc.bpcells", storage_options=options)
    file = nnz.open("s3://data/full.h5ad", storage_options=options)
    assert server.authorized == len(server.requests) > 0
    for opened in (matrix, file, matrix.T, matrix[:5, :5], file["X"]):
        assert SECRET.encode() not in pickle.dumps(opened)
        assert SECRET not in repr(opened)


def test_opening_reads_and_lists_once(server):
    server.reset()
    nnz.open("s3://data/pbmc.bpcells", storage_options=server.options)
    assert len(server.requests) <= 16, server.requests
    server.reset()
    assert isinstance(nnz.open("s3://data/full.h5ad", storage_options=server.options), nnz.File)
    # The file before may still be read ahead.
    sent = sum(sent for path, sent in server.bytes_of.items() if "full.h5ad" in path)
    assert 0 < sent <= FULL.stat().st_size + 2_000, server.requests


DESCRIPTOR = {
    "version": "0.1",
    "format": "CSR",
    "shape": [1, 10_000],
    "number_of_stored_values": 10_000,
    "data_types": {"pointers_to_1": "int64", "indices_1": "int32", "values": "float32"},
}


# Files of h5py with many groups: as it writes them by default, and with pages of metadata. Files of this size are
# downloaded completely, to detect that there are several, and to list them.
@pytest.mark.parametrize(
    ("name", "more", "requests"), [("plain", {}, 9), ("paged", {"fs_strategy": "page", "fs_page_size": 1 << 20}, 10)]
)
def test_groups_of_a_file_are_listed_with_few_requests(server, name, more, requests):
    h5py = pytest.importorskip("h5py")
    path = server.directory / f"{name}.h5"
    with h5py.File(path, "w", **more) as file:
        for at in range(100):
            group = file.create_group(f"m{at}")
            group.attrs["binsparse"] = json.dumps({"binsparse": DESCRIPTOR})
            group["values"], group["indices_1"] = np.ones(10_000, np.float32), np.arange(10_000, dtype=np.int32)
            group["pointers_to_1"] = np.array([0, 10_000], np.int64)
    server.reset()
    found = nnz.open(f"s3://data/{name}.h5", storage_options=server.options)
    assert list(found) == sorted(f"m{at}" for at in range(100))
    assert len(server.requests) <= requests, server.requests
    assert server.bytes <= 2.01 * path.stat().st_size, server.requests


def test_unknown_options_are_refused_for_local_paths(server):
    local = server.directory / "pbmc.bpcells"
    for call in (nnz.open, nnz.stats, nnz.validate):
        with pytest.raises(nnz.ArgumentError, match='unknown storage option "regionn"'):
            call(local, storage_options={"regionn": SECRET})
    with pytest.raises(nnz.ArgumentError, match='unknown storage option "regionn"'):
        nnz.set_storage_options({"regionn": SECRET})


def column_sums(m, start, end):
    return np.asarray(m[:, start:end].sum(axis=0)).ravel()


def test_processes_read_their_ranges_once(server):
    m = nnz.open("s3://data/large.bpcells", storage_options=server.options)
    total = sum(path.stat().st_size for path in (server.directory / "large.bpcells").iterdir())
    server.reset()
    half = m.shape[1] // 2
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        jobs = [pool.submit(column_sums, m, start, start + half) for start in (0, half)]
        found = np.concatenate([job.result(timeout=120) for job in jobs])
    np.testing.assert_array_equal(found, np.asarray(server.matrix.sum(axis=0)).ravel())
    assert len(server.requests) <= 2 * 24
    # Each opens the matrix: some bytes at the start of each array.
    assert server.bytes < 1.1 * total
    assert not repeated(server)


def test_workers_of_dask_read_their_chunks_once(server):
    dask = pytest.importorskip("dask")
    adata = nnz.read_anndata("s3://data/large.bpcells", nbytes=1 << 20, storage_options=server.options)
    assert adata.X.npartitions > 2
    total = sum(path.stat().st_size for path in (server.directory / "large.bpcells").iterdir())
    server.reset()
    with dask.config.set(scheduler="processes", num_workers=2):
        found = adata.X.map_blocks(entries, dtype=np.int64, chunks=(1, 1)).compute()
    assert found.sum() == server.matrix.nnz
    assert server.bytes < 2 * total
    assert len(server.requests) <= 24 * adata.X.npartitions


def entries(block):
    return np.array([[block.nnz]])


def repeated(server):
    """Return the ranges of entries that were requested more than once, except when opening."""
    requests = ((path, wanted) for _, path, wanted in server.requests if path.endswith("_data"))
    ranges = collections.Counter(one for one in requests if one[1] != "bytes=0-4095")
    return [one for one, count in ranges.items() if count > 1]


def test_the_command_of_the_package_reads_urls(server):
    main = "import sys; from nnz._command import main; sys.exit(main())"
    command = [sys.executable, "-c", main, "info", "s3://data/pbmc.bpcells"]
    for name, value in server.options.items():
        command += ["--storage-option", f"{name}={str(value).lower()}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "23866" in done.stdout.replace(",", "").replace(" ", "")


def test_fragments_at_a_url_equal_the_local_ones(server, tmp_path):
    source = FULL.parents[4] / "bpcells" / "fragments_dir" / "basic.packed"
    shutil.copytree(source, server.directory / "basic.fragments", dirs_exist_ok=True)
    local, found = nnz.open(source), nnz.open("s3://data/basic.fragments", storage_options=server.options)
    assert len(found) == len(local) and list(found.cell_names) == list(local.cell_names)
    found.write(tmp_path / "copy.fragments")
    assert nnz.diff(tmp_path / "copy.fragments", source) == []
    assert pickle.loads(pickle.dumps(found)).count_tiles(1000).nnz == local.count_tiles(1000).nnz


@pytest.mark.parametrize("name", ["plain.zarr", "cells.zarr", "packed.h5ad"])
def test_a_scan_asks_for_each_chunk_once(server, tmp_path, name):
    """Chunks were read in pieces, one after the other: 292 requests for 34 chunks."""
    path = server.directory / name
    if not path.exists():
        matrix = random_matrix((3_000, 4_000), 0.15, np.uint32, order="row")
        nnz.write(matrix, tmp_path / "m.zarr", axis_kinds=("cells", "features"))
        options = {"plain.zarr": {}, "cells.zarr": {"to": "anndata"}, "packed.h5ad": {"compress": "gzip:1"}}[name]
        nnz.convert(tmp_path / "m.zarr", path, **options)
    files = sum(one.is_file() for one in path.rglob("*")) if path.is_dir() else 20
    expected = nnz.open(path).sum(axis=0)

    def summed(url):
        np.testing.assert_array_equal(nnz.open(url).sum(axis=0), expected)

    for work in [summed, lambda url: nnz.convert(url, tmp_path / "copy.bpcells")]:
        server.reset()
        work(f"{server.endpoint}/data/{name}")
        assert len(server.requests) <= files + 10
        asked = collections.Counter((path, requested) for _, path, requested in server.requests if requested)
        assert max(asked.values(), default=1) == 1
