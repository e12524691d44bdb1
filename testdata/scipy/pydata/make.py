"""Writes the files of this directory with PyData's package sparse, and their entries in ../manifest.json."""

import hashlib
import json
import pathlib

import numpy as np
import sparse

HERE = pathlib.Path(__file__).parent
PRODUCER = f"sparse {sparse.__version__}"
entries = []


def add(name, expected, reason="", by_hand=False):
    path = HERE / name
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    entries.append({
        "path": f"pydata/{name}", "place": "", "format": "pydata-npz",
        "producer": "by hand" if by_hand else PRODUCER, "by_hand": by_hand,
        "verdict": "must_reject" if reason else "valid", "reason": reason or None, "expected": expected,
        "sha256_16": {f"pydata/{name}": digest},
    })


def expected(array):
    if isinstance(array, sparse.GCXS):
        by_column = list(array.compressed_axes) == [1]
        array = array.tocoo()
        order = np.lexsort(array.coords if by_column else array.coords[::-1])
        coords, data = array.coords[:, order], array.data[order]
    else:
        coords, data = array.coords, array.data
    listed = [[*map(int, place), float(value)] for *place, value in zip(*coords, data)]
    return {"shape": list(array.shape), "entries": listed, "fill": float(array.fill_value)}


def save(name, array):
    sparse.save_npz(HERE / name, array)
    add(name, expected(array))


small = sparse.COO(np.array([[0, 1, 2], [1, 3, 0]]), np.array([1.5, -3.0, 2.0]), shape=(3, 4))
filled = sparse.COO(np.array([[0, 1, 2], [1, 3, 0]]), np.array([1.5, -3.0, 2.0]), shape=(3, 4), fill_value=7.5)
cube = sparse.random((2, 3, 4), density=0.3, random_state=1, fill_value=2.5)
save("coo_2d.npz", small)
save("coo_fill.npz", filled)
save("coo_3d_fill.npz", cube)
save("coo_1d.npz", sparse.COO(np.array([[0, 4]]), np.array([1.0, 2.0]), shape=(6,)))
dense = np.array([[0, 1.0, 0, 2], [0, 0, 0, 0], [3, 0, 4, 0]])
for name, axis in [("rows", 0), ("cols", 1)]:
    save(f"gcxs_{name}.npz", sparse.GCXS.from_numpy(dense, compressed_axes=[axis]))
save("gcxs_1d.npz", sparse.GCXS.from_numpy(np.array([0, 1.0, 0])))
sparse.save_npz(HERE / "gcxs_3d.npz", sparse.GCXS.from_coo(cube, compressed_axes=[0, 2]))
add("gcxs_3d.npz", None, "gcxs of three dimensions")
# As before sparse 0.16: without `format`.
for name, own in [("coo_fill", filled), ("gcxs_cols", sparse.GCXS.from_numpy(dense, compressed_axes=[1]))]:
    parts = dict(np.load(HERE / f"{name}.npz"))
    del parts["format"]
    np.savez(HERE / f"old_{name}.npz", **parts)
    add(f"old_{name}.npz", expected(own), by_hand=True)
parts = dict(np.load(HERE / "gcxs_cols.npz"))
np.savez(HERE / "bad_axes.npz", **{**parts, "compressed_axes": np.array([2])})
add("bad_axes.npz", None, "an axis that does not exist", by_hand=True)

path = HERE.parent / "manifest.json"
manifest = json.loads(path.read_text())
manifest["entries"] = [entry for entry in manifest["entries"] if not entry["path"].startswith("pydata/")] + entries
path.write_text(json.dumps(manifest, separators=(",", ":")))
