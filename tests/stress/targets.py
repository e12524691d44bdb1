"""Targets of matrices, and the types of values they support."""

import binsparse_files
import text_files

# Maximum number of cells of a format that stores all.
DENSE = 200_000


class Target:
    """A format and container that nnz writes."""

    def __init__(self, name, ending, flags=(), order=True, group="", types=None, options=(), reader=None):
        self.name, self.ending, self.flags, self.group = name, ending, list(flags), group
        # Whether it supports both orders.
        self.order = order
        # The types it supports, given that of the source; all if not set.
        self.types = types
        self.options = options
        self.reader = reader


def bpcells_type(dtype):
    return {"f4": "f4", "f8": "f8"}.get(dtype.str[1:], None if dtype.kind == "c" else "u4")


def text_type(dtype):
    return {"f": "f8", "c": "c16", "b": "?"}.get(dtype.kind, "i8")


def double(dtype):
    return None if dtype.kind == "c" else "f8"


def loom_type(dtype):
    return {"b": "u1", "c": None}.get(dtype.kind, dtype.str[1:])


GZIP = [f"gzip:{level}" for level in (1, 6, 9)]
ZSTD = ["zstd:1", "zstd:9"]
BINSPARSE = ["CSR", "CSC", "DCSR", "DCSC", "COOR", "COOC", "dense(sparse(element))", "sparse2(element)",
             "sparse(sparse(element))", "sparse(dense(element))", "DMATR", "DMATC", "dense2(element)"]


def targets():
    bpcells = {"types": bpcells_type, "options": ("unpacked",)}
    to_bpcells = ["--to", "bpcells"]
    return [
        Target("bpcells", "bpcells", **bpcells),
        Target("bpcells in HDF5", "h5", to_bpcells, group="a/b", types=bpcells_type,
               options=("unpacked", "gzip")),
        Target("bpcells in npz", "npz", to_bpcells, types=bpcells_type, options=("gzip",)),
        Target("bpcells in Zarr", "zarr", to_bpcells, types=bpcells_type, options=("gzip", "zstd")),
        Target("bpcells in R", "rds", types=bpcells_type, options=("gzip",)),
        Target("dgCMatrix", "rds", ["--to", "dgCMatrix"], order=False, types=double, options=("gzip",)),
        Target("mtx", "mtx", types=text_type, options=("array",), reader=lambda path, group: text_files.read_mtx(path)),
        Target("mtx.gz", "mtx.gz", types=text_type, options=("array",),
               reader=lambda path, group: text_files.read_mtx(path)),
        Target("npz", "bsp.npz", options=("gzip", "tree", "minimize", "structure"),
               reader=lambda path, group: binsparse_files.read_npz(path)),
        Target("HDF5", "bsp.h5", options=("gzip", "tree", "minimize", "structure"),
               reader=binsparse_files.read_hdf5),
        Target("HDF5 group", "h5", ["--to", "binsparse"], group="g",
               options=("gzip", "structure"), reader=binsparse_files.read_hdf5),
        Target("NetCDF", "nc", options=("gzip", "tree", "minimize"), reader=binsparse_files.read_hdf5),
        Target("Zarr", "zarr", options=("gzip", "zstd", "tree", "structure")),
        Target("Zarr group", "zarr", group="g/h", options=("gzip", "zstd", "tree")),
        Target("directory of .npy", "bsp", options=("tree", "minimize")),
        Target("DAPHNE", "dbdf", order=False, options=("blocks",)),
        Target("DAPHNE's dialect", "dbdf", ["--dialect", "daphne"], order=False),
        Target("DAPHNE's old dialect", "dbdf", ["--dialect", "daphne-2022"], order=False),
        Target("Loom", "loom", types=loom_type, options=("gzip", "dense")),
        Target("DAPHNE segments", "dbdf.hdfs", ["--segments", "3"], order=False),
    ]


TARGETS = targets()
