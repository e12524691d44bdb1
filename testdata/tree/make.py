"""Makes `layouts.h5`, `latest.h5`, `layouts2.zarr`, `layouts3.zarr`, `classic.nc`, `netcdf4.nc` and
`numpy.npz`: what real files seldom show.

    python make.py FOLDER

Needs h5py, zarr 3 and netCDF4."""

import os
import sys

import h5py
import numpy as np
import zarr

rng = np.random.default_rng(1)


def grid(*shape, dtype="i4"):
    return (np.arange(np.prod(shape)) * 7 % 1000).reshape(shape).astype(dtype)


def hdf5(path, libver):
    with h5py.File(path, "w", libver=libver) as file:
        # Each kind of index of chunks.
        many = file.create_group("index")
        many.create_dataset("one_chunk", data=grid(5, 7), chunks=(5, 7))
        many.create_dataset("one_chunk_gzip", data=grid(5, 7), chunks=(5, 7), compression="gzip")
        many.create_dataset("fixed", data=grid(10, 9, 4), chunks=(3, 4, 3))
        many.create_dataset("fixed_gzip", data=grid(10, 9), chunks=(3, 4), compression="gzip", shuffle=True)
        many.create_dataset("fixed_wider", data=grid(10, 9), chunks=(3, 4), maxshape=(20, 30))
        many.create_dataset("extensible", data=grid(30, 9), chunks=(3, 4), maxshape=(None, 9))
        many.create_dataset("extensible_last", data=grid(9, 30), chunks=(4, 3), maxshape=(9, None))
        many.create_dataset("tree", data=grid(30, 9, 3), chunks=(3, 4, 2), maxshape=(None, None, 3), compression="gzip")
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_chunk((3, 4))
        plist.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
        space = h5py.h5s.create_simple((10, 9))
        h5py.h5d.create(many.id, b"implicit", h5py.h5t.NATIVE_INT32, space, plist).write(
            h5py.h5s.ALL, h5py.h5s.ALL, grid(10, 9)
        )
        shrunk = many.create_dataset("shrunk", data=grid(12, 12), chunks=(4, 5), maxshape=(None, None))
        shrunk.resize((6, 7))
        # Missing chunks, fill values.
        partly = file.create_dataset("partly", (9, 9), "f4", chunks=(4, 4), fillvalue=-1.5)
        partly[5:7, 2:8] = 3
        file.create_dataset("nowhere", (3, 2), ">i2", fillvalue=7)
        file.create_dataset("contiguous", data=grid(6, 5, 4, dtype=">u8"))
        file.create_dataset("no_rows", (0, 5), "f8", chunks=(2, 5), maxshape=(None, 5))
        file.create_dataset("null", data=h5py.Empty("f4"))
        # Types.
        types = file.create_group("types")
        for name in ["i1", "u1", "<i2", ">i2", "<u2", "<i8", ">u8", "<f2", ">f2", ">f4", "<f8", "<c8", ">c16"]:
            values = np.array([[0, 1, 2], [100, 3, 0]], dtype=name)
            types.create_dataset(name.replace("<", "little ").replace(">", "big "), data=values)
        types["bool"] = np.array([[True, False], [False, False]])
        halves = np.array([0, -0.0, 1, 65504, 6e-8, np.inf, -np.inf, np.nan], "f2")
        types["halves"] = halves
        types["fixed"] = np.array([[b"a", b"bcd"], [b"", b"x\0y"]], "S4")
        utf8 = h5py.string_dtype("utf-8", 6)
        types.create_dataset("fixed utf8", data=np.array(["\u00e9\u00e8".encode(), b"ab"], dtype=utf8))
        spaces = h5py.h5t.C_S1.copy()
        spaces.set_size(5)
        spaces.set_strpad(h5py.h5t.STR_SPACEPAD)
        h5py.h5d.create(types.id, b"blanks", spaces, h5py.h5s.create_simple((2,))).write(
            h5py.h5s.ALL, h5py.h5s.ALL, np.array([b"ab   ", b"cdefg"], "S5"), spaces
        )
        strings = np.array([["one", "", "\u00fc\u4e2d"], ["d" * 300, "e", "f"]], dtype=object)
        types.create_dataset("strings", data=strings, dtype=h5py.string_dtype())
        types.create_dataset("strings chunked", data=strings, dtype=h5py.string_dtype(), chunks=(1, 2), compression="gzip")
        types.create_dataset("string", data="one text", dtype=h5py.string_dtype())
        compound = np.dtype(
            [
                ("name", h5py.string_dtype()),
                ("fixed", "S3"),
                ("flag", "?"),
                ("pca", "<f4", (3,)),
                ("image", ">i2", (2, 2)),
                ("z", "c16"),
                ("inner", [("a", "i4"), ("b", "f8")]),
            ]
        )
        records = np.zeros(7, compound)
        for at in range(7):
            records[at] = (f"row {at}", b"abc"[: at % 4], at % 2, [at, at / 2, -at], [[at, 1], [2, at]], at + 1j, (at, 0.5))
        types.create_dataset("compound", data=records)
        types.create_dataset("compound chunked", data=records, chunks=(2,), compression="gzip")
        array = np.dtype(("<i4", (2, 3)))
        types.create_dataset("arrays", (4,), array)[...] = grid(4, 2, 3)
        types["enumeration"] = np.array([1, 0], h5py.enum_dtype({"RED": 0, "GREEN": 1}, "i4"))
        types["opaque"] = np.array([b"abc", b"def"], "V3")
        types.create_dataset("sequences", (2,), h5py.vlen_dtype("i4"))
        types["reference"] = np.array([types["bool"].ref, file.ref], h5py.ref_dtype)
        types["named"] = np.dtype("i4")
        # Links.
        links = file.create_group("links")
        links["hard"] = file["contiguous"]
        links["soft"] = h5py.SoftLink("/types/bool")
        links["soft group"] = h5py.SoftLink("/index")
        links["broken"] = h5py.SoftLink("/nothing")
        links["circle"] = h5py.SoftLink("/links/circle")
        links["external"] = h5py.ExternalLink("other.h5", "/x")
        links["up"] = file
        # Attributes.
        holder = file.create_group("attributes")
        for at in range(20):
            holder.attrs[f"many {at}"] = at
        holder.attrs["text"] = "caf\u00e9"
        holder.attrs["fixed"] = np.bytes_("ascii")
        holder.attrs["strings"] = np.array(["a", "bc"], dtype=object)
        holder.attrs["matrix"] = grid(2, 3, dtype="<f8") / 7
        holder.attrs["bool"] = True
        holder.attrs["bools"] = np.array([True, False])
        holder.attrs["half"] = np.float16(0.5)
        holder.attrs["complex"] = 1 + 2j
        holder.attrs["empty"] = h5py.Empty("f4")
        holder.attrs["no columns"] = np.zeros(0)
        holder.attrs["reference"] = file["contiguous"].ref
        holder.attrs["references"] = np.array([file["index/tree"].ref, file.ref], h5py.ref_dtype)
        holder.attrs["compound"] = np.array((1, 2.0), [("a", "i4"), ("b", "f8")])
        file["contiguous"].attrs["unit"] = "m"


def zarr_store(path, version):
    root = zarr.open_group(path, mode="w", zarr_format=version)
    root.attrs.update(
        {"text": "caf\u00e9", "whole": 3, "float": 0.1, "list": [1, 2], "strings": ["a", "b"], "bool": True, "object": {"a": [1.5, None]}, "none": None, "empty": []}
    )
    group = root.create_group("inner")
    group.attrs["shape"] = [3, 4]

    def make(name, data, **options):
        array = root.create_array(name, shape=data.shape, dtype=data.dtype, **options)
        array[...] = data
        return array

    make("plain", grid(10, 9), chunks=(3, 4), compressors=None)
    make("packed", grid(10, 9, 4, dtype="f8"), chunks=(3, 4, 3))
    make("big", grid(10, 9, dtype=">i2"), chunks=(4, 9))
    make("single", np.float32(2.5), chunks=())
    partly = root.create_array("partly", shape=(9, 9), dtype="f4", chunks=(4, 4), fill_value=-1.5)
    partly[5:7, 2:8] = 3
    root.create_array("nowhere", shape=(3, 2), dtype="i2", chunks=(2, 2), fill_value=7)
    root.create_array("no_rows", shape=(0, 5), dtype="f8", chunks=(2, 5))
    make("half", np.array([[0, 1], [-2, 0.1]], "f2"), chunks=(1, 2))
    make("bool", np.array([[True, False], [False, True]]), chunks=(1, 2))
    make("complex", np.array([1 + 2j, 3]), chunks=(1,))
    make("code points", np.array([["a", "\u00fcb"], ["", "cde"]]), chunks=(1, 2), fill_value="zz")
    texts = root.create_array("texts", shape=(3, 4), dtype=str, chunks=(2, 3), fill_value="-")
    texts[0:2, 1:3] = np.array([["a", "\u4e2d\u6587"], ["", "dddd"]])
    make("records", np.array([(1, 2.5), (3, 4.5)], [("a", "<i4"), ("b", "<f8")]), chunks=(1,))
    if version == 2:
        make("fortran", grid(10, 9, 4), chunks=(3, 4, 3), order="F")
        make("nested", grid(5, 5), chunks=(2, 2), chunk_key_encoding={"name": "v2", "separator": "/"})
    else:
        make("transposed", grid(10, 9, 4), chunks=(3, 4, 3), filters=[zarr.codecs.TransposeCodec(order=(2, 0, 1))])
        make("sharded", grid(10, 9, 4), chunks=(1, 3, 2), shards=(4, 6, 2))
        make("prefix", grid(5, 5), chunks=(2, 2), chunk_key_encoding={"name": "default", "separator": "."})
        make("old keys", grid(5, 5), chunks=(2, 2), chunk_key_encoding={"name": "v2", "separator": "/"})
        part = root.create_array("sharded partly", shape=(9, 9), dtype="i4", chunks=(2, 2), shards=(4, 4), fill_value=5)
        part[0:3, 0:2] = 1


def netcdf(path, version):
    from netCDF4 import Dataset

    with Dataset(path, "w", format=version) as file:
        file.title = "caf\u00e9"
        file.levels = np.array([1.5, -2], "f4")
        file.createDimension("x", 3)
        file.createDimension("y", 4)
        file.createDimension("letters", 5)
        file.createDimension("time", None)
        fixed = file.createVariable("fixed", "i4", ("x", "y"))
        fixed[:] = grid(3, 4)
        fixed.units = "m"
        fixed.valid_range = np.array([0, 1000], "i4")
        file.createVariable("records", "f8", ("time", "y"))[:] = grid(5, 4, dtype="f8") / 7
        file.createVariable("bytes", "i1", ("time",))[:] = np.arange(5)
        file.createVariable("scalar", "i2", ())[:] = 7
        letters = np.array([list("abc\0\0"), list("\0\0\0\0\0"), list("hello")], "S1")
        file.createVariable("names", "S1", ("x", "letters"))[:] = letters
        # A variable that has the name of a dimension, and one that has not its dimension.
        file.createVariable("x", "f4", ("x",))[:] = [0.5, 1.5, 2.5]
        file.createVariable("y", "f4", ("x", "y"))[:] = grid(3, 4, dtype="f4")
        if version == "NETCDF4":
            inner = file.createGroup("inner")
            inner.createVariable("cube", "u8", ("x", "y", "x"), zlib=True, chunksizes=(2, 3, 2))[:] = grid(3, 4, 3, dtype="u8")


def numpy(path):
    np.savez(
        path,
        matrix=grid(5, 3),
        fortran=np.asfortranarray(grid(5, 3, 2, dtype=">f8")),
        single=np.float32(2.5),
        half=np.array([[0.5, -2]], "f2"),
        names=np.array([["a", "\u00fcb"], ["", "ccc"]]),
        bytes=np.array(b"csr"),
        empty=np.zeros((0, 3)),
    )


if __name__ == "__main__":
    folder = sys.argv[1]
    hdf5(os.path.join(folder, "layouts.h5"), "earliest")
    hdf5(os.path.join(folder, "latest.h5"), "latest")
    zarr_store(os.path.join(folder, "layouts2.zarr"), 2)
    zarr_store(os.path.join(folder, "layouts3.zarr"), 3)
    netcdf(os.path.join(folder, "classic.nc"), "NETCDF3_CLASSIC")
    netcdf(os.path.join(folder, "netcdf4.nc"), "NETCDF4")
    numpy(os.path.join(folder, "numpy.npz"))
