#!/usr/bin/env python3
"""Benchmarks of anndata, scanpy and SciPy on their own files, and creating such files.

usage: anndata_peer.py make-h5ad|make-10x|make-npz RAW OUT [SUFFIX]
       anndata_peer.py read|read-10x|load-npz IN
       anndata_peer.py write IN.npz OUT
       anndata_peer.py slice|slice-to-memory IN.h5ad [OUT] --names FILE
       anndata_peer.py concat A.h5ad B.h5ad OUT
Needs ../../tests/readers/scanpy/requirements.txt.
"""
import argparse
import warnings

import numpy as np
import scipy.sparse as sp

from common import Clock, raw_counts, report, sync

warnings.simplefilter("ignore")

ap = argparse.ArgumentParser()
ap.add_argument("call")
ap.add_argument("paths", nargs="+")
ap.add_argument("--names")
a = ap.parse_args()
source = a.paths[0]
# The name of the output can have a suffix.
target = a.paths[1] if a.call.startswith("make") else a.paths[-1]


def cells(count, suffix=""):
    return [f"CELL{cell:08d}{suffix}" for cell in range(count)]


def genes(count):
    return [f"ENSG{gene:011d}" for gene in range(count)]


def make_h5ad():
    import anndata
    import pandas as pd

    suffix = a.paths[2] if len(a.paths) > 2 else ""
    x = raw_counts(source).T.tocsr().astype(np.float32)
    sample = pd.Categorical(np.array(["a", "b", "c"])[np.arange(x.shape[0]) % 3])
    obs = pd.DataFrame({"sample": sample, "n": np.diff(x.indptr)}, index=cells(x.shape[0], suffix))
    var = pd.DataFrame({"symbol": [f"G{gene}" for gene in range(x.shape[1])]}, index=genes(x.shape[1]))
    anndata.AnnData(x, obs, var).write_h5ad(target, compression="gzip")


def make_10x():
    import h5py

    x = raw_counts(source)
    text = lambda strings: np.array(strings, "S")
    how = dict(
        compression="gzip", compression_opts=4, shuffle=True, chunks=(80_000,), maxshape=(None,)
    )
    with h5py.File(target, "w") as file:
        group = file.create_group("matrix")
        group.create_dataset("barcodes", data=text(cells(x.shape[1])), compression="gzip")
        group.create_dataset("data", data=x.data.astype(np.int32), **how)
        group.create_dataset("indices", data=x.indices.astype(np.int64), **how)
        group.create_dataset("indptr", data=x.indptr.astype(np.int64), **how)
        group.create_dataset("shape", data=np.array(x.shape, np.int32))
        table = group.create_group("features")
        names = genes(x.shape[0])
        for name, strings in [
            ("id", names),
            ("name", names),
            ("feature_type", ["Gene Expression"] * len(names)),
            ("genome", ["GRCh38"] * len(names)),
        ]:
            table.create_dataset(name, data=text(strings), compression="gzip")
        table.create_dataset("_all_tag_keys", data=text(["genome"]))


def make_npz():
    sp.save_npz(target, raw_counts(source).T.tocsr().astype(np.float32), compressed=False)


def read():
    import anndata

    clock = Clock()
    x = anndata.read_h5ad(source).X
    report(seconds=clock.seconds(), entries=x.nnz, check=float(x.data.sum(dtype="f8")))


def read_10x():
    import scanpy

    clock = Clock()
    x = scanpy.read_10x_h5(source).X
    report(seconds=clock.seconds(), entries=x.nnz, check=float(x.data.sum(dtype="f8")))


def load_npz():
    clock = Clock()
    x = sp.load_npz(source)
    report(seconds=clock.seconds(), entries=x.nnz, check=float(x.data.sum(dtype="f8")))


def write():
    import anndata

    file = anndata.AnnData(sp.load_npz(source))
    clock = Clock()
    file.write_h5ad(target, compression="gzip", compression_opts=4)
    seconds = clock.seconds()
    sync(target)
    report(seconds=seconds, synced_seconds=clock.seconds(), entries=file.X.nnz)


def cut(to_file):
    import anndata

    with open(a.names) as names:
        wanted = names.read().splitlines()
    clock = Clock()
    file = anndata.read_h5ad(source, backed="r")
    # Sorted positions, which are the fastest.
    found = np.sort(file.obs_names.get_indexer(wanted))
    part = file[found].to_memory()
    if to_file:
        part.write_h5ad(target, compression="gzip", compression_opts=4)
    report(seconds=clock.seconds(), entries=part.X.nnz)


def concat():
    from anndata.experimental import concat_on_disk

    clock = Clock()
    concat_on_disk(a.paths[:2], target)
    report(seconds=clock.seconds())


{
    "make-h5ad": make_h5ad,
    "make-10x": make_10x,
    "make-npz": make_npz,
    "read": read,
    "read-10x": read_10x,
    "load-npz": load_npz,
    "write": write,
    "slice": lambda: cut(True),
    "slice-to-memory": lambda: cut(False),
    "concat": concat,
}[a.call]()
