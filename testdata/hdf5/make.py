"""Writes the HDF5 files beside it: h5py 3.16.0 (HDF5 2.0.0), hdf5plugin 7.1.0, NumPy 2.2.6."""

import json
from pathlib import Path

import h5py
import hdf5plugin  # noqa: F401, registers filters
import numpy as np
from h5py import h5d, h5p, h5s, h5t, h5z

HERE = Path(__file__).parent

FILTERS = {
    "deflate": lambda plist: plist.set_deflate(6),
    "shuffle": lambda plist: plist.set_shuffle(),
    "fletcher32": lambda plist: plist.set_fletcher32(),
    "szip": lambda plist: plist.set_szip(h5z.SZIP_NN_OPTION_MASK, 8),
    "nbit": lambda plist: plist.set_filter(h5z.FILTER_NBIT, h5z.FLAG_OPTIONAL),
    "scaleoffset": lambda plist: plist.set_scaleoffset(h5z.SO_INT, 0),
    "lzf": lambda plist: plist.set_filter(h5z.FILTER_LZF, h5z.FLAG_OPTIONAL),
    "blosc": lambda plist: plist.set_filter(32001, h5z.FLAG_OPTIONAL, (0, 0, 0, 0, 5, 1, 1)),
    "lz4": lambda plist: plist.set_filter(32004, h5z.FLAG_OPTIONAL, (0,)),
    "bitshuffle": lambda plist: plist.set_filter(32008, h5z.FLAG_OPTIONAL, (0, 2)),
    "zstd": lambda plist: plist.set_filter(32015, h5z.FLAG_OPTIONAL, (3,)),
}
COMPRESSORS = ["deflate", "szip", "lzf", "blosc", "lz4", "bitshuffle", "zstd"]

# Every filter with the checksum last, as h5py puts it, and first, which HDF5 allows.
PIPELINES = [["fletcher32"], ["shuffle", "fletcher32"], ["fletcher32", "shuffle"]]
PIPELINES += [["scaleoffset", "fletcher32"], ["nbit", "fletcher32"]]
PIPELINES += [["scaleoffset", "shuffle", "deflate", "fletcher32"], ["nbit", "lzf", "fletcher32"]]
for name in COMPRESSORS:
    PIPELINES += [[name, "fletcher32"], ["fletcher32", name]]
    PIPELINES += [["shuffle", name, "fletcher32"], ["shuffle", "fletcher32", name]]
PIPELINES += [["lzf", "fletcher32", "deflate"], ["lz4", "zstd", "fletcher32"]]
PIPELINES += [["fletcher32", "lzf", "fletcher32"], ["shuffle", "lzf"], ["lz4", "deflate"]]

# A chunk that compresses, and one that does not: optional filters leave it out.
SMALL = np.arange(64) % 7
WILD = np.random.default_rng(16).integers(-(2**31), 2**31, 64)


def filters():
    """Writes the same numbers through each pipeline, and where their chunks lie."""
    numbers = np.concatenate([SMALL, WILD]).astype("<i4")
    listed = {}
    with h5py.File(HERE / "filters.h5", "w", libver="latest") as file:
        for pipeline in PIPELINES:
            plist = h5p.create(h5p.DATASET_CREATE)
            plist.set_chunk((64,))
            plist.set_obj_track_times(False)
            for name in pipeline:
                FILTERS[name](plist)
            name = "+".join(pipeline)
            space = h5s.create_simple((len(numbers),))
            dataset = h5d.create(file.id, name.encode(), h5t.STD_I32LE, space, plist)
            dataset.write(h5s.ALL, h5s.ALL, numbers)
    with h5py.File(HERE / "filters.h5") as file:
        for name, dataset in file.items():
            assert np.array_equal(dataset[:], numbers), name
            chunks = [dataset.id.get_chunk_info(at) for at in range(2)]
            listed[name] = [[c.byte_offset, c.size, c.filter_mask] for c in chunks]
    manifest = {"values": numbers.tolist(), "chunks": listed}
    (HERE / "filters.json").write_text(json.dumps(manifest, separators=(",", ":")) + "\n")


def neighbours():
    """Writes what a reader may be unable to parse, and where it lies."""
    names = ["virtual", "external", "complex", "inner/virtual"]
    for libver in ["earliest", "latest"]:
        path = HERE / f"neighbours_{libver}.h5"
        with h5py.File(path, "w", libver=(libver, "latest")) as file:
            file["numbers"] = np.arange(4, dtype="<i4")
            for name in ["virtual", "inner/virtual"]:
                layout = h5py.VirtualLayout((2, 4), "<i4")
                layout[0] = h5py.VirtualSource(".", "numbers", (4,))
                file.create_virtual_dataset(name, layout, fillvalue=-1)
            file.create_dataset("external", (4,), "<i4", external=[("numbers.bin", 0, 16)])
            # The type that HDF5 2.0 has for them, and not the compound of h5py.
            space = h5s.create_simple((2,))
            h5d.create(file.id, b"complex", h5t.COMPLEX_IEEE_F64LE, space)
            file["nowhere"] = h5py.SoftLink("/gone")
            file.create_group("inner/group")
        with h5py.File(path) as file:
            assert file["virtual"][:].tolist() == [[0, 1, 2, 3], [-1] * 4]
            headers = {}
            for name in names:
                info = h5py.h5o.get_info(file[name].id)
                assert info.hdr.nchunks == 1
                headers[name] = [info.addr, info.hdr.space.total]
        text = json.dumps(headers, separators=(",", ":"))
        path.with_suffix(".json").write_text(text + "\n")


if __name__ == "__main__":
    filters()
    neighbours()
