"""Writes HDF5 datasets of all types, layouts and filters with h5py."""

import ctypes
import pathlib

import h5py
import numpy as np
from h5py import h5d, h5f, h5p, h5s, h5t, h5z

try:
    import hdf5plugin
except ImportError:
    hdf5plugin = None

# The oldest and the newest version of structures that a file may have.
GENERATIONS = {
    "earliest": ("earliest", "latest"),
    "v108": ("earliest", "v108"),
    "v110": ("v108", "v110"),
    "v112": ("v110", "v112"),
    "v114": ("v112", "v114"),
    "v200": ("v200", "v200"),
}

BOUNDS = {
    "earliest": "LIBVER_EARLIEST",
    "v108": "LIBVER_V18",
    "v110": "LIBVER_V110",
    "v112": "LIBVER_V112",
    "v114": "LIBVER_V114",
    "v200": "LIBVER_V200",
    "latest": "LIBVER_LATEST",
}
GENERATIONS = {
    name: bounds
    for name, bounds in GENERATIONS.items()
    if all(hasattr(h5f, BOUNDS[bound]) for bound in bounds)
}


def library():
    """Returns the HDF5 library of h5py, for settings that h5py does not have, or None."""
    directory = pathlib.Path(h5py.__file__).parents[1] / "h5py.libs"
    for path in directory.glob("libhdf5-*.so*"):
        return ctypes.CDLL(str(path))
    return None


LIBRARY = library()


def set_property(name, plist, *values):
    """Calls a function of the library that sets a property, if the library was found."""
    if LIBRARY:
        numbers = [ctypes.c_uint(value) for value in values]
        done = LIBRARY[name](ctypes.c_int64(plist.id), *numbers)
        assert done >= 0, (name, values)


def create(path, generation, **options):
    """Creates a file. Options: `userblock`, `sizes` of offsets and lengths, `strategy`, `btrees`, `shared`."""
    fcpl = h5p.create(h5p.FILE_CREATE)
    if "userblock" in options:
        fcpl.set_userblock(options["userblock"])
    if "sizes" in options:
        fcpl.set_sizes(*options["sizes"])
    if "strategy" in options:
        fcpl.set_file_space_strategy(options["strategy"], True, 1)
    if "btrees" in options:
        set_property("H5Pset_sym_k", fcpl, 2, 1)
        set_property("H5Pset_istore_k", fcpl, options["btrees"])
    if "shared" in options:
        set_property("H5Pset_shared_mesg_nindexes", fcpl, 1)
        # Dataspaces, types, fill values, pipelines and attributes of at least 20 bytes.
        set_property("H5Pset_shared_mesg_index", fcpl, 0, 0x1F, 20)
        set_property("H5Pset_shared_mesg_phase_change", fcpl, options["shared"], options["shared"] // 2)
    fapl = h5p.create(h5p.FILE_ACCESS)
    fapl.set_libver_bounds(*(getattr(h5f, BOUNDS[bound]) for bound in GENERATIONS[generation]))
    return h5py.File(h5f.create(str(path).encode(), h5f.ACC_TRUNC, fcpl, fapl))


# As HDF5 has it.
UNLIMITED = 2**64 - 1


def random_bytes(rng, count, datatype):
    # Few different bytes, which filters can make smaller, or all.
    return rng.integers(0, rng.choice([2, 5, 256]), count * datatype.get_size(), "u1")


def small_numbers(rng, count, datatype):
    """Numbers with many equal bytes, which filters make smaller."""
    data = np.zeros((count, datatype.get_size()), "u1")
    data[:, 0] = np.arange(count) // 3
    data[:, -1] = rng.integers(0, 2)
    return data.ravel()


def few_bytes(choice):
    def random(rng, count, datatype):
        return rng.choice(np.frombuffer(choice, "u1"), count * datatype.get_size())

    return random


def odd_integer(base, precision, offset, signed=None):
    datatype = base.copy()
    datatype.set_precision(precision)
    datatype.set_offset(offset)
    if signed is not None:
        datatype.set_sign(signed)
    return datatype


def odd_float(base, precision, offset, sign, exponent, mantissa, bias):
    """Returns a float type. The exponent and the mantissa are a position after the offset and a number of bits."""
    datatype = base.copy()
    datatype.set_fields(offset + sign, offset + exponent[0], exponent[1], offset + mantissa[0], mantissa[1])
    datatype.set_offset(offset)
    datatype.set_precision(precision)
    datatype.set_ebias(bias)
    return datatype


def floats(rng, count, datatype):
    """Finite numbers and infinities, converted by HDF5."""
    data = rng.normal(size=count) * 10.0 ** rng.integers(-5, 5, count)
    data[::7] = rng.choice([0.0, -0.0, np.inf, -np.inf], len(data[::7]))
    # The buffer is as large as the larger of both types.
    flat = np.zeros(count * max(8, datatype.get_size()), "u1")
    flat[: 8 * count] = data.astype("<f8").view("u1")
    h5t.convert(h5t.IEEE_F64LE, datatype, count, flat)
    return flat[: count * datatype.get_size()]


def fixed_string(size, padding):
    datatype = h5t.C_S1.copy()
    datatype.set_size(size)
    datatype.set_strpad(padding)
    return datatype


def types():
    """Returns types whose elements can be summed, each with a function for random elements."""
    found = {}
    for order in ("LE", "BE"):
        for bits in (8, 16, 32, 64):
            for kind in ("I", "U", "B"):
                # h5py 3.16 does not read bit fields of one big-endian byte.
                if (kind, bits, order) == ("B", 8, "BE"):
                    continue
                found[f"{kind}{bits}{order}"] = getattr(h5t, f"STD_{kind}{bits}{order}"), random_bytes
        for bits in (16, 32, 64):
            found[f"F{bits}{order}"] = getattr(h5t, f"IEEE_F{bits}{order}"), random_bytes
        for bits in (16, 32, 64):
            found[f"small{bits}{order}"] = getattr(h5t, f"STD_I{bits}{order}"), small_numbers
        signed, unsigned = h5t.SGN_2, h5t.SGN_NONE
        for precision, offset, sign in [(13, 5, signed), (1, 0, unsigned), (20, 12, unsigned), (31, 0, signed)]:
            odd = odd_integer(getattr(h5t, f"STD_I32{order}"), precision, offset, sign)
            found[f"I{precision}at{offset}{order}"] = odd, random_bytes
        odd = odd_integer(getattr(h5t, f"STD_U64{order}"), 37, 11)
        found[f"U37at11{order}"] = odd, random_bytes
        base = getattr(h5t, f"IEEE_F32{order}")
        # The 20 bits of the documentation of the n-bit filter, and bfloat16 in 4 bytes.
        odd = odd_float(base, 20, 7, 19, (13, 6), (0, 13), 31)
        found[f"F20at7{order}"] = odd, floats
        odd = odd_float(base, 16, 0, 15, (7, 8), (0, 7), 127)
        found[f"F16at0{order}"] = odd, floats
    found["bool"] = h5t.py_create(np.dtype(bool), logical=True), few_bytes(b"\0\1")
    enum = h5py.enum_dtype({"a": 0, "b": 257, "c": 256, "d": 1}, ">i2")
    found["enum"] = h5t.py_create(enum, logical=True), few_bytes(b"\0\1")
    for name in ("NULLTERM", "NULLPAD", "SPACEPAD"):
        for size in (1, 2, 5, 19):
            found[f"{name}{size}"] = fixed_string(size, getattr(h5t, f"STR_{name}")), few_bytes(b"ab \0")
    return found


def nbit(plist):
    plist.set_filter(h5z.FILTER_NBIT, h5z.FLAG_OPTIONAL)


def plugin(make):
    def add(plist):
        made = make()
        plist.set_filter(made["compression"], h5z.FLAG_OPTIONAL, made["compression_opts"])

    return add


# Filters that depend on the type, that reorder, and that compress.
TYPED = {"nbit": nbit}
REORDER = {"shuffle": lambda plist: plist.set_shuffle()}
COMPRESS = {
    "gzip": lambda plist: plist.set_deflate(4),
    "lzf": lambda plist: plist.set_filter(h5z.FILTER_LZF, h5z.FLAG_OPTIONAL),
}
SZIP = {}
if h5z.filter_avail(h5z.FILTER_SZIP):
    SZIP["szip, NN"] = lambda plist: plist.set_szip(h5z.SZIP_NN_OPTION_MASK, 8)
    SZIP["szip, EC"] = lambda plist: plist.set_szip(h5z.SZIP_EC_OPTION_MASK, 32)
if hdf5plugin:
    REORDER["bitshuffle"] = plugin(lambda: hdf5plugin.Bitshuffle(cname="none"))
    COMPRESS["bitshuffle, lz4"] = plugin(lambda: hdf5plugin.Bitshuffle())
    COMPRESS["bitshuffle, zstd"] = plugin(lambda: hdf5plugin.Bitshuffle(cname="zstd"))
    COMPRESS["bzip2"] = plugin(lambda: hdf5plugin.BZip2())
    COMPRESS["lz4"] = plugin(lambda: hdf5plugin.LZ4())
    COMPRESS["zstd"] = plugin(lambda: hdf5plugin.Zstd())
    for codec in ("blosclz", "lz4", "lz4hc", "zlib", "zstd"):
        for shuffle in range(3):
            COMPRESS[f"blosc, {codec}, {shuffle}"] = plugin(
                lambda codec=codec, shuffle=shuffle: hdf5plugin.Blosc(cname=codec, shuffle=shuffle)
            )
            COMPRESS[f"blosc2, {codec}, {shuffle}"] = plugin(
                lambda codec=codec, shuffle=shuffle: hdf5plugin.Blosc2(cname=codec, filters=shuffle)
            )


def scale_offset(rng, datatype, plist):
    if isinstance(datatype, h5t.TypeFloatID):
        plist.set_scaleoffset(h5z.SO_FLOAT_DSCALE, int(rng.integers(0, 4)))
    else:
        plist.set_scaleoffset(h5z.SO_INT, int(rng.choice([0, 0, 3, 8])))


def add_filters(rng, datatype, plist):
    """Adds random filters. Returns their names."""
    number = isinstance(datatype, (h5t.TypeIntegerID, h5t.TypeFloatID)) and not isinstance(datatype, h5t.TypeEnumID)
    names = []

    def add(filters, chance):
        if filters and rng.random() < chance:
            name = str(rng.choice(sorted(filters)))
            filters[name](plist)
            names.append(name)

    whole = number and datatype.get_precision() == 8 * datatype.get_size()
    if whole and rng.random() < 0.15:
        # Its result depends on the fill value, which must not be given later.
        scale_offset(rng, datatype, plist)
        names.append("scaleoffset")
    elif number:
        add(TYPED, 0.2)
    if whole and not names and rng.random() < 0.15:
        add(SZIP, 1.0)
    else:
        add(REORDER, 0.4)
        add({"fletcher32": lambda plist: plist.set_fletcher32()}, 0.1)
        # Plugins fail on their own chunks if Blosc2 gets fewer bytes than a chunk has, or if there are two of bitshuffle.
        left_out = ["blosc2"] * bool({"nbit", "scaleoffset", "fletcher32"} & set(names))
        left_out += ["bitshuffle"] * ("bitshuffle" in names)
        add({name: COMPRESS[name] for name in COMPRESS if not name.startswith(tuple(left_out))}, 0.7)
    if "fletcher32" not in names:
        add({"fletcher32": lambda plist: plist.set_fletcher32()}, 0.3)
    return names


def write(dataset, start, count, data):
    """Writes elements in the form of the file."""
    datatype, space = dataset.get_type(), dataset.get_space()
    if not count:
        dataset.write(h5s.ALL, h5s.ALL, data, datatype)
    elif all(count):
        space.select_hyperslab(tuple(start), tuple(count))
        dataset.write(h5s.create_simple(tuple(count)), space, data, datatype)


class Elements:
    """Random elements of a type."""

    def __init__(self, rng, datatype, random):
        self.rng, self.datatype, self.random = rng, datatype, random

    def __call__(self, count):
        count = int(np.prod(count, dtype=int))
        # Bytes of an opaque type are not converted to the type of the file.
        raw = self.random(self.rng, count, self.datatype)
        return np.ascontiguousarray(raw).view(f"V{self.datatype.get_size()}")


def write_some(rng, dataset, shape, elements):
    """Writes all elements, none, or a part."""
    share = rng.random()
    start, count = [0] * len(shape), list(shape)
    if shape and share < 0.4:
        start = [int(rng.integers(0, length + 1)) for length in shape]
        count = [int(rng.integers(0, length - at + 1)) for length, at in zip(shape, start)]
    if share > 0.1:
        write(dataset, start, count, elements(count))


def fill_value(rng, plist, elements):
    if rng.random() < 0.4:
        datatype = elements.datatype
        value = elements(1)
        # h5py takes the type from the array.
        if isinstance(datatype, h5t.TypeBitfieldID) or rng.random() < 0.2:
            return
        try:
            plist.set_fill_value(value.view(datatype.dtype))
        except (TypeError, ValueError):
            return


def random_dataset(group, name, rng, datatype, random):
    """Writes a dataset with random properties. Returns whether HDF5 supports them."""
    elements = Elements(rng, datatype, random)
    rank = int(rng.choice([0, 1, 1, 1, 2, 2, 3, 4]))
    shape = [int(rng.integers(1, [40, 40, 14, 8, 5][rank])) for _ in range(rank)]
    if rank and rng.random() < 0.08:
        shape[rng.integers(0, rank)] = 0
    limit = list(shape)
    resizes = rng.integers(0, 3)
    plist = h5p.create(h5p.DATASET_CREATE)
    plist.set_alloc_time(int(rng.choice([h5d.ALLOC_TIME_DEFAULT] * 3 + [h5d.ALLOC_TIME_EARLY] * 2)))
    plist.set_obj_track_times(bool(rng.integers(0, 2)))
    layout = rng.choice(["compact", "contiguous"] + ["chunked"] * 8) if rank else rng.choice(["compact", "contiguous"])
    if layout == "compact":
        plist.set_layout(h5d.COMPACT)
        plist.set_alloc_time(h5d.ALLOC_TIME_DEFAULT)
    if layout != "chunked":
        fill_value(rng, plist, elements)
    else:
        for axis in rng.permutation(rank)[: rng.choice([0, 0, 1, 1, 2, 4])]:
            limit[axis] = UNLIMITED if rng.random() < 0.8 else shape[axis] + int(rng.integers(0, 9))
        whole = rng.random() < 0.15
        chunk = [
            max(1, length) if whole else int(rng.integers(1, max(2, 2 + length // 2)))
            for length in shape
        ]
        chunk = [
            max(1, min(part, most)) for part, most in zip(chunk, limit)
        ]
        plist.set_chunk(tuple(chunk))
        names = add_filters(rng, datatype, plist) if rng.random() < 0.7 else []
        fill_value(rng, plist, elements)
        if rng.random() < 0.2:
            # Chunks that reach over the end are not filtered.
            set_property("H5Pset_chunk_opts", plist, 2)
            # HDF5 2.0 forgets which of them filters did not make smaller when a dataset grows.
            if not {"nbit", "shuffle", "fletcher32", "gzip"}.issuperset(names):
                resizes = 0
    try:
        space = h5s.create_simple(tuple(shape), tuple(limit)) if rank else h5s.create(h5s.SCALAR)
        dataset = h5d.create(group.id, name.encode(), datatype, space, plist)
    except (TypeError, ValueError, RuntimeError, OSError):
        return False
    write_some(rng, dataset, shape, elements)
    for _ in range(resizes if limit != shape else 0):
        shape = [int(rng.integers(0, min(most, 2 * length + 3) + 1)) for length, most in zip(shape, limit)]
        try:
            dataset.set_extent(tuple(shape))
        except RuntimeError:
            # HDF5 2.0 fails to shrink some datasets.
            group.id.unlink(name.encode())
            return False
        write_some(rng, dataset, shape, elements)
    if layout == "chunked" and all(shape) and rng.random() < 0.1:
        # A chunk that no filter was applied to.
        at = tuple(int(rng.integers(0, -(-length // part))) * part for length, part in zip(shape, chunk))
        mask = 2 ** plist.get_nfilters() - 1
        dataset.write_direct_chunk(at, elements(chunk).tobytes(), mask)
    return True
