"""h5py (HDF5 2.x) and h5dump compare HDF5 files of nnz with the originals of BPCells."""

import itertools
import os
import shutil
import subprocess
from pathlib import Path

import pytest

h5py = pytest.importorskip("h5py")
np = pytest.importorskip("numpy")

from hdf5_content import content  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = sorted((ROOT / "testdata/bpcells").glob("*_h5/*.h5"))


@pytest.fixture(scope="session")
def copy(nnz):
    """Returns a function that runs the example that copies groups through the container traits."""

    def run(*arguments):
        command = [nnz.example("hdf5_copy"), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    return run


@pytest.mark.parametrize("options", [[], ["--gzip", "4"], ["--chunk", "1000"]], ids=str)
@pytest.mark.parametrize("golden", GOLDEN, ids=lambda path: path.name)
def test_copies_equal_the_originals(copy, tmp_path, golden, options):
    target = tmp_path / "copy.h5"
    ran = copy(*options, golden, target)
    assert ran.returncode == 0, ran.stderr
    assert content(target) == content(golden)
    with h5py.File(golden) as old, h5py.File(target) as new:

        def same_form(name, member):
            if isinstance(member, h5py.Dataset):
                copied = new[name]
                assert copied.maxshape == member.maxshape, name
                assert (copied.chunks is None) == (member.chunks is None), name
                if copied.chunks and "--gzip" in options:
                    assert (copied.compression, copied.shuffle) == ("gzip", True), name

        old.visititems(same_form)


@pytest.mark.skipif(not shutil.which("h5dump"), reason="there is no h5dump")
@pytest.mark.parametrize("golden", GOLDEN, ids=lambda path: path.name)
def test_h5dump_reads_copies(copy, tmp_path, golden):
    target = tmp_path / "copy.h5"
    assert copy("--gzip", "1", golden, target).returncode == 0
    dumps = [
        subprocess.run(["h5dump", path], capture_output=True, text=True, check=True).stdout
        for path in (golden, target)
    ]
    # Only the description of the bytes of a string differs.
    kept = [
        [line for line in dump.splitlines()[1:] if "CTYPE" not in line] for dump in dumps
    ]
    assert kept[0] == kept[1]


@pytest.mark.parametrize("libver", ["earliest", "v110", "latest"])
def test_virtual_and_external_datasets_are_kept(copy, tmp_path, monkeypatch, libver):
    # HDF5 looks for external files in this directory.
    monkeypatch.chdir(tmp_path)
    target = tmp_path / "virtual.h5"
    with h5py.File(tmp_path / "part.h5", "w") as file:
        file["numbers"] = np.arange(100)
    (tmp_path / "raw.bin").write_bytes(np.arange(50, dtype="<i4").tobytes())
    with h5py.File(target, "w", libver=(libver, "latest")) as file:
        for name in ["virtual", "inner/virtual"]:
            layout = h5py.VirtualLayout((3, 100), "<i8", maxshape=(None, 100))
            layout[0] = h5py.VirtualSource("part.h5", "numbers", (100,))
            layout[2, ::2] = h5py.VirtualSource("part.h5", "numbers", (100,))[:50]
            file.create_virtual_dataset(name, layout, fillvalue=-7)
        file.create_dataset("raw", (50,), "<i4", external=[("raw.bin", 0, 200)])
        for at in range(20):
            file.create_group(f"many/g{at}")

    def described():
        with h5py.File(target) as file:
            for name in ["virtual", "inner/virtual"]:
                dataset = file[name]
                yield dataset[:].tolist(), dataset.maxshape, dataset.fillvalue
                for source in dataset.virtual_sources():
                    spaces = source.vspace.encode(), source.src_space.encode()
                    yield source.file_name, source.dset_name, spaces
            yield file["raw"][:].tolist(), file["raw"].external

    before = list(described())
    golden = ROOT / "testdata/bpcells/matrix_h5/basic_uint.h5"
    for into, force in [("new", []), ("inner/new", []), ("many/g3", []), ("new", ["--force"])]:
        ran = copy("--into", into, *force, golden, target)
        assert ran.returncode == 0, ran.stderr
        assert list(described()) == before
        written = content(target)
        for name, thing in content(golden).items():
            assert name == "/" or written[f"/{into}{name}"] == thing, name


def test_an_h5ad_file_still_opens(copy, tmp_path):
    anndata = pytest.importorskip("anndata")
    target = tmp_path / "real.h5ad"
    shutil.copy(ROOT / "testdata/bpcells/interop/basic_uint.h5ad", target)
    old = anndata.read_h5ad(target)
    golden = ROOT / "testdata/bpcells/matrix_h5/basic_uint.h5"
    ran = copy("--into", "uns/bpcells", golden, target)
    assert ran.returncode == 0, ran.stderr
    before = content(ROOT / "testdata/bpcells/interop/basic_uint.h5ad")
    after = content(target)
    for name, thing in before.items():
        assert after[name] == thing, name
    new = anndata.read_h5ad(target)
    assert (new.X != old.X).nnz == 0 and list(new.obs_names) == list(old.obs_names)


def pipelines():
    """Up to two filters in all orders that HDF5 supports, and a checksum at any position."""
    h5z = h5py.h5z
    filters = {
        "deflate": lambda plist: plist.set_deflate(4),
        "shuffle": lambda plist: plist.set_shuffle(),
        "fletcher32": lambda plist: plist.set_fletcher32(),
        "lzf": lambda plist: plist.set_filter(h5z.FILTER_LZF, h5z.FLAG_OPTIONAL),
        "nbit": lambda plist: plist.set_filter(h5z.FILTER_NBIT, h5z.FLAG_OPTIONAL),
        "scaleoffset": lambda plist: plist.set_scaleoffset(h5z.SO_INT, 0),
    }
    if h5z.filter_avail(h5z.FILTER_SZIP):
        filters["szip"] = lambda plist: plist.set_szip(h5z.SZIP_NN_OPTION_MASK, 8)
    typed = {"nbit", "scaleoffset", "szip"}
    others = [name for name in filters if name != "fletcher32"]
    for names in itertools.chain.from_iterable(itertools.permutations(others, n) for n in (1, 2)):
        # These split numbers into parts, so they must come first.
        if names[1:] and names[1] in typed and names[0] != "shuffle":
            continue
        if names[1:] and names[1] in {"nbit", "scaleoffset"}:
            continue
        for at in range(len(names) + 1):
            if not typed & set(names[at:]):
                piped = (*names[:at], "fletcher32", *names[at:])
                yield "-".join(piped), [filters[name] for name in piped]


def test_checksums_at_any_position_in_the_pipeline(copy, tmp_path):
    source, target = tmp_path / "from.h5", tmp_path / "to.h5"
    wild = np.random.default_rng(7).integers(-(2**31), 2**31, 100)
    numbers = np.concatenate([np.arange(200) % 50, wild]).astype("<i4")
    with h5py.File(source, "w") as file:
        for name, piped in pipelines():
            plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            plist.set_chunk((64,))
            for add in piped:
                add(plist)
            group = file.create_group(name)
            group.attrs["version"] = "any"
            space = h5py.h5s.create_simple((len(numbers),))
            dataset = h5py.h5d.create(group.id, b"x", h5py.h5t.STD_I32LE, space, plist)
            dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, numbers)
        assert len(file) > 20
    ran = copy(source, target)
    assert ran.returncode == 0, ran.stderr
    with h5py.File(source) as old, h5py.File(target) as new:
        assert set(old) == set(new)
        for name in old:
            # HDF5 itself must be able to read the file.
            assert np.array_equal(old[name]["x"][:], numbers), name
            assert np.array_equal(new[name]["x"][:], numbers), name

    # The last byte of a chunk belongs to its checksum.
    with h5py.File(source) as file:
        chunk = file["lzf-fletcher32/x"].id.get_chunk_info(1)
    with open(source, "r+b") as file:
        file.seek(chunk.byte_offset + chunk.size - 1)
        last = file.read(1)[0]
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([last ^ 1]))
    refused = copy(source, tmp_path / "other.h5")
    assert refused.returncode == 1
    assert "::lzf-fletcher32: x, element 64: found a damaged chunk" in refused.stderr
    assert "checksum" in refused.stderr
