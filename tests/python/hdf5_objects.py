"""Compares the datasets that h5py finds with those that the example h5_objects prints."""

import hashlib
import json
import subprocess

import h5py
import numpy as np


def checksum(data):
    """Returns the start of the SHA-256 of an array, little-endian and in C order."""
    little = np.ascontiguousarray(data, data.dtype.newbyteorder("<"))
    return hashlib.sha256(little.tobytes()).hexdigest()[:16]


def describe(dataset):
    """Returns what h5_objects prints about a dataset, according to h5py."""
    shape = dataset.shape
    line = {"shape": shape if shape is None else list(shape)}
    try:
        dtype = dataset.dtype
        line["dtype"] = "compound" if dtype.names else dtype.str
        summed = dtype.kind == "S" or (dtype.kind in "iufb" and dtype.itemsize <= 8)
        if summed and shape is not None:
            # As an array even without dimensions.
            line["sha256_le"] = checksum(np.asarray(dataset[()], dtype))
    except (OSError, RuntimeError, TypeError, ValueError) as error:
        line["error"] = str(error)
    return line


def expected(path):
    """Describes all datasets that hard links lead to, each group once."""
    found = {}

    def visit(group, prefix, seen):
        for name in group:
            if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                continue
            here = f"{prefix}/{name}"
            try:
                member = group[name]
            except (KeyError, TypeError) as error:
                found[here] = {"error": str(error)}
                continue
            if isinstance(member, h5py.Dataset):
                found[here] = describe(member)
            elif isinstance(member, h5py.Group):
                address = h5py.h5o.get_info(member.id).addr
                if address not in seen:
                    seen.add(address)
                    visit(member, here, seen)

    with h5py.File(path) as file:
        visit(file, "", {h5py.h5o.get_info(file.id).addr})
    return found


def printed(nnz, path):
    """Returns the lines that h5_objects prints by path, and its message if it refuses the file."""
    done = subprocess.run([nnz.example("h5_objects"), path], capture_output=True, timeout=120)
    assert done.returncode in (0, 1), f"{path}: {done.returncode}\n{done.stderr.decode()}"
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    found = {line.pop("path"): line for line in lines}
    assert len(found) == len(lines), path
    return found, done.stderr.decode() if done.returncode else None


def differences(expected, found):
    """Lists the paths that two descriptions of a file disagree on. Texts of errors may differ."""
    for path in sorted(expected.keys() | found.keys()):
        theirs, ours = expected.get(path), found.get(path)
        if theirs is None or ours is None or ("error" in theirs) != ("error" in ours):
            yield path, theirs, ours
        elif "error" not in theirs and theirs != ours:
            yield path, theirs, ours
