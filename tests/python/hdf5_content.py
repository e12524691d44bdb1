"""Reads everything in an HDF5 file with h5py."""

import h5py
import numpy as np


def content(path):
    """Everything in a file that a reader can see, except where and how it is stored."""
    found = {}

    def plain(data):
        """Replaces references by names, since they are read as addresses in memory."""
        if isinstance(data, (h5py.Reference, h5py.RegionReference)):
            return file[data].name if data else None
        if isinstance(data, np.void) and data.dtype.names:
            return [plain(data[name]) for name in data.dtype.names]
        if isinstance(data, np.ndarray):
            if data.dtype.hasobject:
                return [plain(each) for each in data.ravel()]
            return data.dtype.str, data.shape, data.tobytes()
        return repr(data)

    def attributes(thing):
        return {name: plain(thing.attrs[name]) for name in thing.attrs}

    def visit(group, prefix, above):
        for name in group:
            link = group.get(name, getlink=True)
            here = f"{prefix}/{name}"
            if isinstance(link, h5py.SoftLink):
                found[here] = ("soft", link.path)
                continue
            if isinstance(link, h5py.ExternalLink):
                found[here] = ("external", link.filename, link.path)
                continue
            thing = group[name]
            if isinstance(thing, h5py.Group):
                found[here] = ("group", attributes(thing))
                if hash(thing.id) not in above:
                    visit(thing, here, above | {hash(thing.id)})
            elif isinstance(thing, h5py.Dataset):
                form = (str(thing.dtype), thing.shape)
                found[here] = ("dataset", form, plain(thing[()]), attributes(thing))
            else:
                found[here] = ("type", str(thing.dtype))

    with h5py.File(path) as file:
        found["/"] = ("group", attributes(file))
        visit(file, "", {hash(file["/"].id)})
    return found
