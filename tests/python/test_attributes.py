"""Attributes that users and other programs add to elements of AnnData files, by h5py."""

import pytest

np = pytest.importorskip("numpy")
pd = pytest.importorskip("pandas")
h5py = pytest.importorskip("h5py")
sparse = pytest.importorskip("scipy.sparse")
anndata = pytest.importorskip("anndata", exc_type=ImportError)

SPARSE = ["X", "X/data", "X/indices", "X/indptr", "layers/l", "obsp/c", "uns/s", "raw/X"]
OTHERS = ["layers/dense", "obs", "obs/d", "obs/k", "obs/k/codes", "var/_index", "layers", "uns", "raw"]


@pytest.fixture
def source(tmp_path):
    """A file whose elements have attributes of the user."""
    x = sparse.csr_matrix(np.eye(3, 2, dtype="f4"))
    obs = pd.DataFrame({"d": [1.0, 2, 3], "k": pd.Categorical(["a", "b", "a"])}, index=list("ABC"))
    whole = anndata.AnnData(x, obs=obs, layers={"l": x.copy(), "dense": x.toarray()})
    whole.raw = whole.copy()
    whole.obsp["c"] = sparse.csr_matrix(np.eye(3))
    whole.uns["s"] = sparse.csr_matrix(np.eye(2))
    path = tmp_path / "a.h5ad"
    whole.write_h5ad(path)
    with h5py.File(path, "a") as file:
        for name in SPARSE + OTHERS:
            file[name].attrs["unit"] = "counts"
            file[name].attrs["each"] = np.arange(3.0)
        file.attrs["lab"] = 7
    return path


def attributes(path, element):
    with h5py.File(path) as file:
        return {name: file[element].attrs[name] for name in ["unit", "each"] if name in file[element].attrs}


def test_copies_keep_attributes_of_every_element(nnz, tmp_path, source):
    """Those of sparse matrices were lost without a word."""
    nnz.ok("convert", source, tmp_path / "b.zarr", "--strict")
    nnz.ok("convert", tmp_path / "b.zarr", tmp_path / "c.h5ad", "--strict")
    nnz.ok("convert", source, tmp_path / "b.h5ad", "--strict")
    for path in [tmp_path / "b.h5ad", tmp_path / "c.h5ad"]:
        for element in SPARSE + OTHERS:
            found = attributes(path, element)
            assert found["unit"] == "counts" and list(found["each"]) == [0, 1, 2], element
        with h5py.File(path) as file:
            assert file.attrs["lab"] == 7
        nnz.ok("diff", "--stored", source, path)
    nnz.ok("diff", "--stored", source, tmp_path / "b.zarr")


@pytest.mark.parametrize("element", ["/", *SPARSE, *OTHERS])
def test_stored_differences_of_attributes_are_reported(nnz, tmp_path, source, element):
    other = tmp_path / "other.h5ad"
    for change, expected in [("set", "counts"), ("remove", "only in the first"), ("add", "only in the second")]:
        other.write_bytes(source.read_bytes())
        with h5py.File(other, "a") as file:
            attrs = file[element].attrs
            name = "lab" if element == "/" else "unit"
            if change == "set":
                expected = "7" if element == "/" else expected
                attrs[name] = 8 if element == "/" else "reads"
            elif change == "remove":
                del attrs[name]
            else:
                name = attrs["new"] = "new"
        nnz.ok("diff", source, other)
        done = nnz.run("diff", "--stored", source, other)
        assert done.returncode == 1, done
        lines = done.stdout.decode().splitlines()
        assert len(lines) == 1 and f'attribute "{name}"' in lines[0] and expected in lines[0], lines


def test_slices_keep_attributes_that_describe_no_axis(nnz, tmp_path, source):
    out = tmp_path / "s.h5ad"
    done = nnz.run("slice", source, out, "--rows", "2,0")
    assert done.returncode == 0
    report = done.stderr.decode()
    # A single value of a matrix or a group describes no row. Those of columns and of the index may.
    for element, kept in [
        ("X", ["unit"]),
        ("X/data", ["unit"]),
        ("layers/dense", ["unit"]),
        ("obsp/c", ["unit"]),
        ("obs", ["unit"]),
        ("obs/d", []),
        ("obs/k", []),
        ("obs/k/codes", []),
        ("var/_index", ["unit", "each"]),
        ("uns/s", ["unit", "each"]),
    ]:
        assert sorted(attributes(out, element)) == sorted(kept), element
        for name in {"unit", "each"} - set(kept):
            assert f'{element}, attribute "{name}"' in report, (element, name)
    with h5py.File(out) as file:
        assert file.attrs["lab"] == 7
    assert list(anndata.read_h5ad(out).obs["d"]) == [3, 1]
    nnz.refuses("slice", source, tmp_path / "t.h5ad", "--rows", "2,0", "--strict")
    # The whole axis in its order.
    nnz.ok("slice", source, tmp_path / "u.h5ad", "--rows", "0:3", "--strict")
    nnz.ok("diff", "--stored", source, tmp_path / "u.h5ad")


def test_attributes_that_are_not_joined_or_renamed_are_listed(nnz, tmp_path, source):
    done = nnz.run("concat", source, source, tmp_path / "j.h5ad", "--axis", "rows", "--join", "outer")
    report = done.stderr.decode()
    for element in ["X", "X/data", "layers/l", "layers/dense", "obs", "obs/d", "var/_index", "raw/X"]:
        assert f'{element}, attribute "unit" (not concatenated)' in report, element
    assert attributes(tmp_path / "j.h5ad", "X") == {}
    done = nnz.run("convert", source, tmp_path / "n.h5ad", "--row-names", "k", "--make-unique")
    assert 'obs/d, attribute "unit" (not kept with other names or columns)' in done.stderr.decode()
    assert attributes(tmp_path / "n.h5ad", "X")["unit"] == "counts"
    nnz.ok("split", source, tmp_path / "parts", "--by", "k")
    assert list(attributes(tmp_path / "parts/a.h5ad", "X")) == ["unit"]
    assert attributes(tmp_path / "parts/a.h5ad", "obs/_index") == {}
