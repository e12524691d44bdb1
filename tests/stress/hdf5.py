"""Creates, changes and lists HDF5 files with h5py, for `cargo xtask stress`.

Each line of standard input is a request in JSON, and each line of standard output its answer.
"""

import hashlib
import json
import os
import sys
import time

import h5py
import numpy as np


def make(path):
    """Writes a file with objects of many kinds, always the same."""
    rng = np.random.default_rng(7)
    with h5py.File(path, "w") as file:
        file.attrs["title"] = "kept as it is"
        file.attrs["vector"] = np.arange(5.0)
        file["plain"] = rng.standard_normal((40, 30))
        file["scalar"] = np.int16(-3)
        file.create_dataset("chunked", data=rng.integers(0, 99, 5000), chunks=(700,), compression="gzip")
        file.create_dataset("shuffled", data=rng.integers(0, 99, (64, 64)), chunks=(16, 16), shuffle=True,
                            compression="lzf", fletcher32=True)
        file.create_dataset("growing", data=np.arange(100), maxshape=(None,), chunks=(8,))
        file["strings"] = np.array(["a", "bc", "", "def"], dtype=h5py.string_dtype())
        file["compound"] = np.array([(1, 2.5), (3, -0.0)], dtype=[("a", "i4"), ("b", "f8")])
        deep = file.create_group("deep/er/est")
        deep.attrs["unit"] = "m"
        deep["values"] = np.linspace(0, 1, 1000)
        file["same"] = file["plain"]
        file["soft"] = h5py.SoftLink("/deep/er/est/values")
        file["elsewhere"] = h5py.ExternalLink("other.h5", "/x")
        file["deep"].attrs["reference"] = file["plain"].ref
        many = file.create_group("many")
        for number in range(60):
            many[f"d{number}"] = np.full(20, number)


def hashed(*parts):
    digest = hashlib.sha1()
    for part in parts:
        digest.update(part if isinstance(part, bytes) else repr(part).encode())
    return digest.hexdigest()[:16]


def value(array):
    """Returns the content of an array or attribute, in a reproducible form."""
    array = np.asarray(array)
    return array.tolist() if array.dtype.kind == "O" else array.tobytes()


def attributes(item):
    found = []
    for name in sorted(item.attrs):
        held = item.attrs[name]
        if isinstance(held, h5py.Reference):
            # Its name can be that of any of its links.
            held = item.file[held][()]
        found.append((name, value(held)))
    return repr(found)


def digest(path):
    """Lists all links of a file with a hash of their target."""
    found = {}
    with h5py.File(path, "r") as file:
        pending = [file]
        found["/"] = hashed(attributes(file))
        while pending:
            group = pending.pop()
            for name in group:
                link = group.get(name, getlink=True)
                at = f"{group.name.rstrip('/')}/{name}"
                if isinstance(link, h5py.SoftLink):
                    found[at] = hashed("soft", link.path)
                elif isinstance(link, h5py.ExternalLink):
                    found[at] = hashed("external", link.filename, link.path)
                else:
                    item = group[name]
                    if isinstance(item, h5py.Group):
                        pending.append(item)
                        found[at] = hashed("group", attributes(item))
                    else:
                        form = (item.dtype, item.shape, item.maxshape, item.chunks, item.compression,
                                item.shuffle, item.fletcher32)
                        found[at] = hashed(form, value(item[()]), attributes(item))
    return found


def number_of(name):
    return np.arange(200) + len(name)


def add(path, names, pause):
    """Adds one dataset at a time, opening the file each time and locking it as h5py does.

    If the file under its name is another one before anything was written, the opened file was being
    replaced. No other program can prevent that, so it is counted separately from lost datasets.
    """
    added, refused, replaced = [], [], []
    for name in names:
        time.sleep(pause)
        try:
            with h5py.File(path, "a") as file:
                mine = os.fstat(file.id.get_vfd_handle())
                there = os.stat(path)
                if (mine.st_dev, mine.st_ino) != (there.st_dev, there.st_ino):
                    replaced.append(name)
                    continue
                file[name] = number_of(name)
            added.append(name)
        except OSError as error:
            refused.append(f"{name}: {error}")
    return {"added": added, "refused": refused, "replaced": replaced}


def lost(path, names):
    """Lists the datasets of `add` that are missing or changed in the file."""
    missing = []
    with h5py.File(path, "r") as file:
        for name in names:
            if name not in file or not np.array_equal(file[name][()], number_of(name)):
                missing.append(name)
    return missing


ACTIONS = {"make": make, "digest": digest, "add": add, "lost": lost}


def main():
    for line in sys.stdin:
        request = json.loads(line)
        action = ACTIONS[request.pop("do")]
        try:
            answer = {"done": action(**request)}
        except Exception as error:  # noqa: BLE001: all errors are reported to the other side
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
