"""Prints a tree of HDF5 or Zarr as JSON: every group, attribute and array with type, shape and values.

    python dump.py FILE > FILE.json

Needs h5py and zarr 3. Floats are printed as their bits, so that nothing is rounded."""

import json
import os
import sys
import tempfile
import zipfile

import numpy as np


def text(value):
    if not isinstance(value, bytes):
        value = str(value).encode("utf-8", "surrogateescape")
    return value.decode("utf-8", "replace")


def bits(array):
    """Returns floats as texts of their bits."""
    kinds = {2: np.uint16, 4: np.uint32, 8: np.uint64}
    array = np.ascontiguousarray(array)
    if array.dtype.itemsize == 2:
        array = array.astype(np.float32)
    words = array.view(kinds[array.dtype.itemsize])
    return [f"{int(word):0{array.dtype.itemsize * 2}x}" for word in words.ravel()]


def number_values(array):
    array = np.ascontiguousarray(array)
    native = array.dtype.newbyteorder("=")
    array = array.astype(native)
    if array.dtype.kind == "b":
        return [bool(value) for value in array.ravel()]
    if array.dtype.kind in "iu":
        return [int(value) for value in array.ravel()]
    if array.dtype.kind == "c":
        return bits(array.view(np.float32 if array.dtype.itemsize == 8 else np.float64))
    return bits(array)


NAMES = {"bool": "bool", "complex64": "complex[float32]", "complex128": "complex[float64]"}


def describe(dtype, string_length=None, is_string=False):
    """Returns the name of a type; None if it is not read."""
    if is_string:
        return "string" if string_length is None else f"string of {string_length} bytes"
    if dtype.kind == "U":
        return f"string of {dtype.itemsize // 4} code points"
    if dtype.kind == "S":
        return f"string of {dtype.itemsize} bytes"
    if dtype.kind in "biufc" and dtype.itemsize <= 16 and dtype.name not in ("float128", "complex256", "longdouble"):
        return NAMES.get(dtype.name, dtype.name)
    return None


def strings(array):
    return [text(value) for value in np.asarray(array, dtype=object).ravel()]


def h5_values(dtype, array, depth=0):
    """Describes numbers, strings or compounds that h5py has read."""
    import h5py

    array = np.asarray(array)
    if dtype.subdtype is not None:
        dtype = dtype.subdtype[0]
    info = h5py.check_string_dtype(dtype)
    if info is not None:
        return {"type": describe(dtype, info.length, True), "values": strings(array)}
    if dtype.kind == "V" and dtype.names:
        fields = {}
        for name in dtype.names:
            inner = dtype.fields[name][0]
            found = h5_values(inner, array[name], depth + 1)
            found["shape"] = list(array[name].shape)
            fields[name] = found
        return {"type": "compound", "fields": fields}
    if h5py.check_enum_dtype(dtype) is not None or h5py.check_vlen_dtype(dtype) is not None:
        return {"type": "other"}
    if h5py.check_ref_dtype(dtype) is not None:
        return {"type": "reference" if h5py.check_ref_dtype(dtype) is h5py.Reference else "other"}
    name = describe(dtype)
    if name is None:
        return {"type": "other"}
    return {"type": name, "values": number_values(array)}


def h5_attribute(file, holder, name):
    import h5py

    raw = h5py.h5a.open(holder.id, name.encode("utf-8", "surrogateescape"))
    if raw.get_space().get_simple_extent_type() == h5py.h5s.NULL:
        return {"type": "empty"}
    try:
        dtype = raw.dtype
    except TypeError:
        return {"type": "other"}
    shape = list(raw.shape)
    if h5py.check_ref_dtype(dtype) is h5py.Reference:
        value = np.asarray(holder.attrs[name], dtype=object)
        paths = [file[one].name.strip("/") if one else None for one in value.ravel()]
        return {"type": "reference", "shape": shape, "values": paths}
    if dtype.kind == "V" or (h5py.check_vlen_dtype(dtype) is not None and not h5py.check_string_dtype(dtype)):
        return {"type": "other"}
    value = holder.attrs[name]
    found = h5_values(dtype, value if not isinstance(value, str) else np.array(value, dtype=object))
    if found["type"] == "other":
        return found
    found["shape"] = list(np.shape(value)) if dtype.subdtype is not None else shape
    if found["type"] == "float16":
        found["type"] = "float32"
    return found


def h5_attributes(file, holder):
    return {text(name): h5_attribute(file, holder, name) for name in sorted(holder.attrs)}


def h5_dataset(file, dataset):
    import h5py

    found = {"kind": "array", "attributes": h5_attributes(file, dataset)}
    if dataset.shape is None:
        return {**found, "type": "null"}
    try:
        dtype = dataset.dtype
        values = dataset[()] if dtype.kind != "O" or h5py.check_string_dtype(dtype) else None
    except (OSError, TypeError, ValueError, UnicodeDecodeError) as error:
        return {**found, "type": "error", "shape": list(dataset.shape), "error": str(error)[:80]}
    shape = list(dataset.shape)
    if values is None:
        is_reference = h5py.check_ref_dtype(dtype) is h5py.Reference
        return {**found, "type": "reference" if is_reference else "other", "shape": shape}
    found.update(h5_values(dtype, values))
    found["shape"] = list(np.shape(values)) if dtype.subdtype is not None else shape
    return found


def h5_group(file, group, path, tree, seen):
    import h5py

    address = h5py.h5o.get_info(group.id).addr
    if address in seen:
        return
    seen.add(address)
    children = {}
    inner = []
    for name in sorted(group):
        where = f"{path}/{name}" if path else name
        link = group.get(name, getlink=True)
        if isinstance(link, h5py.ExternalLink):
            children[name] = "other"
            continue
        try:
            child = group[name]
        except (KeyError, OSError, RuntimeError):
            children[name] = "other"
            continue
        if isinstance(child, h5py.Group):
            children[name] = "group"
            inner.append((child, where))
        elif isinstance(child, h5py.Dataset):
            children[name] = "array"
            tree[where] = h5_dataset(file, child)
        else:
            children[name] = "other"
    tree[path] = {"kind": "group", "attributes": h5_attributes(file, group), "children": children}
    for child, where in inner:
        h5_group(file, child, where, tree, seen)


def json_value(value):
    if isinstance(value, float):
        return bits(np.float64([value]))[0]
    if isinstance(value, list):
        return [json_value(one) for one in value]
    if isinstance(value, dict):
        return {key: json_value(one) for key, one in value.items()}
    return value


def zarr_attributes(node):
    return {name: json_value(node.attrs[name]) for name in sorted(node.attrs)}


def zarr_values(dtype, array):
    if dtype.subdtype is not None:
        dtype = dtype.subdtype[0]
    if dtype.kind == "V" and dtype.names:
        fields = {}
        for name in dtype.names:
            inner = array[name]
            found = zarr_values(dtype.fields[name][0], inner)
            found["shape"] = list(inner.shape)
            fields[name] = found
        return {"type": "compound", "fields": fields}
    if dtype.kind in "OT":
        return {"type": "string", "values": strings(array)}
    if dtype.kind in "US":
        return {"type": describe(dtype), "values": strings(array)}
    name = describe(dtype)
    if name is None:
        return {"type": "other"}
    return {"type": name, "values": number_values(array)}


def zarr_array(array):
    found = {"kind": "array", "attributes": zarr_attributes(array), "shape": list(array.shape)}
    values = np.asarray(array[...])
    # A single string of any length comes as a NumPy string of a fixed one.
    dtype = values.dtype if array.dtype.kind not in "OT" else array.dtype
    found.update(zarr_values(dtype, values))
    return found


def zarr_group(store, path, tree):
    import zarr

    node = zarr.open_group(store, path=path, mode="r", use_consolidated=False)
    children = {}
    inner = []
    folder = os.path.join(store, path)
    for name in sorted(os.listdir(folder)):
        below = os.path.join(folder, name)
        if not any(os.path.isfile(os.path.join(below, one)) for one in ("zarr.json", ".zgroup", ".zarray")):
            continue
        where = f"{path}/{name}" if path else name
        is_array = os.path.isfile(os.path.join(below, ".zarray"))
        if os.path.isfile(os.path.join(below, "zarr.json")):
            is_array = json.load(open(os.path.join(below, "zarr.json")))["node_type"] == "array"
        children[name] = "array" if is_array else "group"
        if not is_array:
            inner.append(where)
            continue
        try:
            tree[where] = zarr_array(zarr.open_array(store, path=where, mode="r"))
        except Exception as error:  # What zarr cannot read is compared with nothing.
            tree[where] = {"kind": "array", "type": "error", "error": str(error)[:80]}
    tree[path] = {"kind": "group", "attributes": zarr_attributes(node), "children": children}
    for where in inner:
        zarr_group(store, where, tree)


def dump(path):
    tree = {}
    if os.path.isdir(path):
        zarr_group(path, "", tree)
    elif path.endswith(".zip"):
        with tempfile.TemporaryDirectory() as folder:
            # Of several entries of one name the last stays.
            zipfile.ZipFile(path).extractall(folder)
            zarr_group(folder, "", tree)
    else:
        import h5py

        with h5py.File(path, "r") as file:
            h5_group(file, file, "", tree, set())
    return tree


if __name__ == "__main__":
    # A line for each group and array.
    lines = [f"{json.dumps(path)}: {json.dumps(found, sort_keys=True)}" for path, found in sorted(dump(sys.argv[1]).items())]
    print("{\n" + ",\n".join(lines) + "\n}")
