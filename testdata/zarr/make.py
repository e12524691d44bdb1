"""Writes the stores of this directory: `python make.py` with zarr 3.1.6, numcodecs 0.16.6, pcodec 1.1.0 and numpy 2.4.6."""

import json
import shutil
import warnings

import numpy as np
import zarr
from numcodecs import LZ4, Blosc, Delta, GZip, Shuffle, Zlib, Zstd
from numcodecs.pcodec import PCodec
from zarr.codecs import (
    BloscCodec,
    BytesCodec,
    Crc32cCodec,
    GzipCodec,
    ShardingCodec,
    TransposeCodec,
    ZstdCodec,
)
from zarr.codecs import numcodecs as numcodecs3

warnings.simplefilter("ignore")

N = 700
VALUES = [i * i % 97 for i in range(N)]
STRINGS = ["a", "bcd", "", "é€😀"] * 5
COMPRESSORS = ["blosclz", "lz4", "lz4hc", "zlib", "zstd"]
manifest = {"values": VALUES, "strings": STRINGS, "arrays": {}}


def group(version):
    path = f"v{version}.zarr"
    shutil.rmtree(path, ignore_errors=True)
    told = manifest["arrays"][path] = {}
    made = zarr.open_group(path, mode="w", zarr_format=version)
    made.attrs["binsparse"] = {"binsparse": {"version": "0.1", "shape": [2**63, 3]}}
    made.attrs["text"] = "a text"

    def add(name, dtype, chunk=300, **options):
        values = np.array(VALUES).astype(dtype)
        array = made.create_array(name, shape=(N,), chunks=(chunk,), dtype=dtype, **options)
        array[:] = values
        told[name] = np.dtype(dtype).name

    def add_strings(name, dtype, **options):
        array = made.create_array(name, shape=(20,), chunks=(6,), dtype=dtype, **options)
        array[:] = np.array(STRINGS, dtype=object if dtype is str else dtype)
        told[name] = "strings"

    return made, add, add_strings


TYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128"

made, add, add_strings = group(2)
for dtype in TYPES.split():
    add(dtype, dtype)
    if np.dtype(dtype).itemsize > 1:
        add(f"{dtype}_big", np.dtype(dtype).newbyteorder(">"), compressors=None)
for codec in [Zlib(1), GZip(1), Zstd(1), Zstd(1, checksum=True), LZ4()]:
    name = codec.codec_id + ("_sum" if getattr(codec, "checksum", False) else "")
    add(name, "<i4", compressors=codec)
for name in COMPRESSORS:
    for shuffle in (0, 1, 2):
        add(f"blosc_{name}_{shuffle}", "<i4", compressors=Blosc(name, 5, shuffle=shuffle))
add("blosc_blocks", "<i4", compressors=Blosc("blosclz", 9, shuffle=1, blocksize=512))
add("blosc_left", "<i2", chunk=333, compressors=Blosc("lz4", 1, shuffle=2, blocksize=256))
add("delta", "<i4", filters=[Delta(dtype="<i4")], compressors=Zlib(1))
add("shuffle", "<i4", filters=[Shuffle(4)], compressors=None)
add("delta_shuffle", "<i4", filters=[Delta(dtype="<i4"), Shuffle(4)], compressors=Zstd(1))
add("pcodec", "<u4", compressors=PCodec(8))
add("pcodec_float", "<f8", compressors=PCodec(0))
add("delta_pcodec", "<i2", filters=[Delta(dtype="<i2")], compressors=PCodec(4))
add("slash", "<i4", chunk_key_encoding={"name": "v2", "separator": "/"})
add_strings("unicode", "<U3")
add_strings("unicode_big", ">U3")
add_strings("texts", str)

made, add, add_strings = group(3)
for dtype in TYPES.split():
    add(dtype, dtype)
    add(f"{dtype}_big", dtype, compressors=[], serializer=BytesCodec(endian="big"))
add("gzip", "int32", compressors=[GzipCodec(level=1)])
add("zstd", "int32", compressors=[ZstdCodec(level=1)])
add("zstd_sum", "int32", compressors=[ZstdCodec(level=1, checksum=True)])
add("crc32c", "int32", compressors=[Crc32cCodec()])
add("zstd_crc32c", "int32", compressors=[ZstdCodec(level=1), Crc32cCodec()])
add("crc32c_zstd", "int32", compressors=[Crc32cCodec(), ZstdCodec(level=1)])
for name in COMPRESSORS:
    for shuffle in ("noshuffle", "shuffle", "bitshuffle"):
        codec = BloscCodec(cname=name, clevel=5, shuffle=shuffle)
        add(f"blosc_{name}_{shuffle}", "int32", compressors=[codec])
add("delta", "int16", filters=[numcodecs3.Delta(dtype="<i2")], compressors=[ZstdCodec(level=1)])
shuffled = [numcodecs3.Shuffle(elementsize=8), ZstdCodec(level=1)]
add("delta_shuffle", "uint64", filters=[numcodecs3.Delta(dtype="<u8", astype="<u8")], compressors=shuffled)
add("delta_shards", "uint32", chunk=50, shards=(200,), filters=[numcodecs3.Delta(dtype="<u4")])
for dtype in ["uint16", "uint32", "int64", "float32"]:
    add(f"pcodec_{dtype}", dtype, serializer=numcodecs3.PCodec(level=8), compressors=[])
add("shards", "int32", chunk=50, shards=(200,))
inner = [BytesCodec(), ZstdCodec()]
start = ShardingCodec(chunk_shape=(50,), codecs=inner, index_location="start")
add("shards_start", "int32", chunk=200, serializer=start, compressors=[])
add("transpose", "int32", filters=[TransposeCodec(order=(0,))])
add("dot", "int32", chunk_key_encoding={"name": "default", "separator": "."})
add("v2_keys", "int32", chunk_key_encoding={"name": "v2", "separator": "."})
add_strings("unicode", "<U3")
add_strings("texts", str)
add_strings("texts_shards", str, shards=(12,))

with open("manifest.json", "w") as out:
    json.dump(manifest, out)
