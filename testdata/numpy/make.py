"""Writes the files of this directory: `python make.py` with numpy 2.4.6."""

import json

import numpy as np
from numpy.lib import format as npy

TYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128"
N = 700
VALUES = [i * i % 97 for i in range(N)]
STRINGS = ["a", "bcd", "", "é€😀"] * 5
TEXT = '{"binsparse":\n {"version": "0.1"}}'

arrays = {name: np.array(VALUES).astype(name) for name in TYPES.split()}
told = {name: name for name in arrays}
for name in list(arrays):
    if arrays[name].itemsize > 1:
        arrays[f"{name}_big"] = arrays[name].astype(arrays[name].dtype.newbyteorder(">"))
        told[f"{name}_big"] = name
arrays["unicode"], told["unicode"] = np.array(STRINGS), "strings"
arrays["unicode_big"], told["unicode_big"] = np.array(STRINGS, dtype=">U3"), "strings"
np.savez("stored.npz", binsparse=np.array(TEXT), **arrays)
np.savez_compressed("deflated.npz", binsparse=np.array(TEXT), **arrays)
for version in (1, 2, 3):
    with open(f"directory/version_{version}.npy", "wb") as out:
        npy.write_array(out, arrays["int32"], version=(version, 0))
with open("directory/binsparse.json", "w") as out:
    out.write(TEXT)
files = {
    "stored.npz": told,
    "deflated.npz": told,
    "directory": {f"version_{version}": "int32" for version in (1, 2, 3)},
}
with open("manifest.json", "w") as out:
    json.dump({"values": VALUES, "strings": STRINGS, "text": TEXT, "arrays": files}, out)
