"""One measurement in a separate process: the call, its time, its peak memory, and a checksum.

usage: calls.py CALL PATH [COUNT [DIR]]

Imports are not timed; opening a file on disk is, reading into memory before a task in memory is not.
"""

import json
import os
import pathlib
import resource
import sys
import time

import numpy as np

WIDTH = 32


def timed(work, describe):
    started = time.perf_counter()
    found = work()
    seconds = time.perf_counter() - started
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"seconds": seconds, "megabytes": kilobytes / 1024, "entries": None, "check": describe(found)}


def dense(rows):
    return np.random.default_rng(0).random((rows, WIDTH), np.float32)


def rough(product):
    """Sums that do not depend on the order of additions, to the digits shown."""
    return float(f"{np.asarray(product, np.float64).sum():.3g}")


def nnz_product(path, *_):
    import nnz

    right = dense(nnz.open(path).shape[1])
    return timed(lambda: nnz.open(path) @ right, rough)


def nnz_product_t(path, *_):
    import nnz

    right = dense(nnz.open(path).shape[0])
    return timed(lambda: nnz.open(path).T @ right, rough)


def in_memory(path):
    import nnz

    return nnz.open(path).to_scipy().astype(np.float32)


def scipy_product(path, *_):
    matrix = in_memory(path)
    right = dense(matrix.shape[1])
    return timed(lambda: matrix @ right, rough)


def scipy_product_t(path, *_):
    matrix = in_memory(path).T
    right = dense(matrix.shape[1])
    return timed(lambda: matrix @ right, rough)


def leading(values):
    """The sum of the leading 20 singular values, to two digits: methods differ by less than a percent."""
    return float(f"{np.sort(values)[::-1][:20].sum():.2g}")


def nnz_pca(path, *_):
    import nnz

    def work():
        return nnz.pca(nnz.open(path).normalize_total(1e4).log1p(), n_components=50, iterations=2)

    return timed(work, lambda found: leading(found.singular_values))


def scanpy_pca(path, *_):
    import anndata
    import scanpy

    data = anndata.read_h5ad(path.partition("::")[0])
    data.X = data.X.astype(np.float32)

    def work():
        scanpy.pp.normalize_total(data, target_sum=1e4)
        scanpy.pp.log1p(data)
        scanpy.pp.pca(data, n_comps=50)
        return data

    def describe(found):
        return leading(np.sqrt(found.uns["pca"]["variance"] * (found.n_obs - 1)))

    return timed(work, describe)


def batches(iterate, count):
    """Reads batches until `count` cells have been read."""

    def work():
        read = 0
        for x in iterate():
            read += x.shape[0]
            if read >= count:
                break
        return read

    # Which cells come first is not the same for all.
    return timed(work, lambda _: None)


def nnz_batches(path, count, *_):
    import nnz
    import scipy.sparse  # noqa: F401

    return batches(lambda: (batch.x for batch in nnz.open(path).batches(256, seed=1)), int(count))


def anndata_batches(path, count, *_):
    import anndata

    def iterate():
        data = anndata.read_h5ad(path.partition("::")[0], backed="r")
        order = np.random.default_rng(1).permutation(data.n_obs)
        for start in range(0, len(order), 256):
            yield data.X[np.sort(order[start : start + 256])]

    return batches(iterate, int(count))


def annbatch_batches(path, count, scratch):
    """Reads from a store that annbatch has shuffled before, which is not timed."""
    import annbatch
    import anndata
    import zarr

    store = pathlib.Path(scratch) / f"{pathlib.Path(path.partition('::')[0]).stem}.annbatch.zarr"
    if not store.exists():
        part = store.with_suffix(".part")
        collection = annbatch.DatasetCollection(zarr.open_group(part, mode="w"))
        collection.add_adatas([path.partition("::")[0]], shuffle=True)
        part.rename(store)

    def iterate():
        loader = annbatch.Loader(batch_size=256, chunk_size=64, preload_nchunks=32, shuffle=True)
        loader.use_collection(annbatch.DatasetCollection(store, mode="r"))
        for batch in loader:
            yield batch["X"]

    return batches(iterate, int(count))


def resampled(number, block):
    """The sums of genes over the cells of a block, each drawn as often as in 100 random samples of all cells."""
    weights = np.random.default_rng(number).poisson(1, (block.shape[1], 100)).astype(np.float64)
    return block @ weights


def with_workers(path, workers):
    import dask
    import dask.array  # noqa: F401
    import distributed

    import nnz

    def imports():
        import dask.array  # noqa: F401
        import scipy.sparse  # noqa: F401

        import nnz

        nnz.open  # noqa: B018

    def work():
        blocks = nnz.open(path).to_dask(nbytes=1 << 26).to_delayed().ravel()
        sums = [dask.delayed(resampled)(number, block) for number, block in enumerate(blocks)]
        while len(sums) > 1:
            pairs = zip(sums[::2], [*sums[1::2], None])
            sums = [one if other is None else one + other for one, other in pairs]
        return sums[0].compute()

    with distributed.Client(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None) as client:
        client.run(imports)
        # A core each: nnz decodes on all cores that a process may use, so one worker would use those of two.
        if hasattr(os, "sched_setaffinity"):
            cores = sorted(os.sched_getaffinity(0))
            for core, address in zip(cores, client.scheduler_info()["workers"]):
                client.run(os.sched_setaffinity, 0, {core}, workers=[address])
        return timed(work, rough)


def dask_one(path, *_):
    return with_workers(path, 1)


def dask_two(path, *_):
    return with_workers(path, 2)


if __name__ == "__main__":
    name, *arguments = sys.argv[1:]
    print(json.dumps(globals()[name](*arguments)))
