"""One measurement in a separate process: the call, its time, and a checksum.

usage: calls.py CALL URL ENDPOINT [SELECTION]
       calls.py make RAW OUT NAME BUCKET
       calls.py fetch CONNECTIONS < REQUESTS
"""

import json
import sys
import time
import warnings

import numpy as np

warnings.simplefilter("ignore")
GENE, CELLS = 1234, slice(500, 1500)


def make(raw, out, name, bucket):
    """Write counts, by cell or by gene."""
    import anndata
    import pandas as pd

    import nnz

    if name == "chunks.zarr":
        rechunk(f"{bucket}/plain.zarr", out)
        return
    sys.path.insert(0, str(HERE / "peers"))
    from common import raw_counts

    counts = raw_counts(raw)
    if name.endswith(".bpcells"):
        names = [[f"{letter}{at}" for at in range(length)] for letter, length in zip("GC", counts.shape)]
        nnz.write(counts, out, to="bpcells", row_names=names[0], col_names=names[1])
        return
    if name == "plain.zarr":
        nnz.write(counts, out, to="binsparse")
        return
    x = counts.T.astype(np.float32)
    x = x.tocsr() if name.startswith("cells") else x.tocsc()
    obs = pd.DataFrame(index=[f"CELL{at}" for at in range(x.shape[0])])
    var = pd.DataFrame(index=[f"GENE{at}" for at in range(x.shape[1])])
    made = anndata.AnnData(x, obs, var)
    if name.endswith(".zarr"):
        made.write_zarr(out)
    else:
        made.write_h5ad(out, compression="gzip")


def rechunk(source, out):
    """Copy a store, with 2,000 chunks in all."""
    import zarr

    read = zarr.open_group(source, mode="r")
    made = zarr.create_group(out, attributes=dict(read.attrs))
    for name, array in read.arrays():
        # Indices and values have as many elements.
        step = max(1, -(-array.size // 1000))
        chunks = (step if name != "pointers_to_1" else array.size,)
        made.create_array(name, data=array[:], chunks=chunks, compressors=None, attributes=dict(array.attrs))


def fetch(connections):
    """Fetch what lines state as the path and the range of a request, in order, over so many connections."""
    import http.client
    import threading

    endpoint, *lines = sys.stdin.read().splitlines()
    rest, lock, sizes = iter(lines), threading.Lock(), []

    def work():
        connection = http.client.HTTPConnection(endpoint)
        while True:
            with lock:
                line = next(rest, None)
            if line is None:
                return
            path, _, wanted = line.partition("\t")
            connection.request("GET", path, headers={"Range": wanted} if wanted else {})
            sizes.append(len(connection.getresponse().read()))

    def all_of_them():
        threads = [threading.Thread(target=work) for _ in range(int(connections))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return np.array(sizes)

    return timed(all_of_them)


def timed(work):
    started = time.perf_counter()
    found = work()
    seconds = time.perf_counter() - started
    return {
        "seconds": seconds,
        "check": float(np.sum(found) if isinstance(found, tuple) else found.sum(dtype=np.float64)),
    }


def opened(url, endpoint, group=""):
    import nnz

    options = {"endpoint": endpoint, "region": "local", "anon": True} if url.startswith("s3:") else None
    return nnz.open(url + group, storage_options=options)


def nnz_open(url, endpoint):
    return timed(lambda: opened(url, endpoint).shape)


def nnz_cols(url, endpoint, which):
    def work():
        m = opened(url, endpoint)
        cols = m.shape[1]
        chosen = {
            "one": slice(cols // 2, cols // 2 + 1),
            "near": slice(cols // 4, cols // 4 + 1000),
            "random": np.sort(np.random.default_rng(0).choice(cols, min(1000, cols), replace=False)),
        }
        return m[:, chosen[which]]

    return timed(work)


def nnz_sums(url, endpoint):
    return timed(lambda: opened(url, endpoint).sum(axis=0))


def nnz_row_sums(url, endpoint):
    return timed(lambda: opened(url, endpoint).sum(axis=1))


def nnz_convert(url, _):
    import tempfile

    import nnz

    with tempfile.TemporaryDirectory() as folder:
        return timed(lambda: np.array([nnz.convert(url, f"{folder}/out.bpcells", to="bpcells", no_sync=True) is None]))


def nnz_diff(url, _, other):
    import nnz

    return timed(lambda: np.array([len(nnz.diff(url, other))]))


def nnz_gene(url, endpoint):
    return timed(lambda: opened(url, endpoint, "::X")[:, GENE])


def nnz_cells(url, endpoint):
    return timed(lambda: opened(url, endpoint, "::X")[CELLS])


def lazily(url):
    """Return the matrix of an AnnData as anndata reads it over a network."""
    import anndata.experimental
    import anndata.io
    import fsspec
    import h5py
    import zarr

    if url.endswith(".zarr"):
        store = zarr.storage.FsspecStore.from_url(url, read_only=True)
        return anndata.experimental.read_lazy(zarr.open_group(store, mode="r", use_consolidated=True)).X
    # read_lazy opens HDF5 files again by their names, which are not those of files here.
    return anndata.io.sparse_dataset(h5py.File(fsspec.filesystem("http").open(url), "r")["X"])


def computed(found):
    return found.compute() if hasattr(found, "compute") else found


def anndata_gene(url, _):
    return timed(lambda: computed(lazily(url)[:, GENE]))


def anndata_cells(url, _):
    return timed(lambda: computed(lazily(url)[CELLS]))


def main():
    call, *arguments = sys.argv[1:]
    if call == "make":
        make(*arguments)
        return
    if call == "fetch":
        print(json.dumps(fetch(*arguments)))
        return
    # Imports are not timed.
    if call.startswith("nnz"):
        import scipy.sparse  # noqa: F401

        import nnz

        nnz.Matrix  # noqa: B018
    else:
        import anndata.experimental  # noqa: F401
        import dask.array  # noqa: F401
        import fsspec.implementations.http  # noqa: F401
        import h5py  # noqa: F401
        import xarray  # noqa: F401
        import zarr  # noqa: F401
    print(json.dumps(globals()[call](*arguments)))


if __name__ == "__main__":
    import pathlib

    HERE = pathlib.Path(__file__).resolve().parents[1]
    main()
