"""Whole AnnData files: conversions, slices, concatenations and splits match anndata."""

import tarfile
import warnings
from pathlib import Path

import pytest

np = pytest.importorskip("numpy")
pd = pytest.importorskip("pandas")
sparse = pytest.importorskip("scipy.sparse")
anndata = pytest.importorskip("anndata", exc_type=ImportError)

import anndata_same
from anndata_same import read, same_file

CORPUS = Path(__file__).resolve().parents[2] / "testdata/anndata/valid"

# Filters that h5py has as plugins only, values that scipy does not support, and stores that zarr does not
# open.
UNREAD = ["bitshuffle", "blosc", "lz4", "zstd", "dtypes_sparse", "zip.zarr"]

# All files of the newest anndata of the tests, and the most complete ones of the others.
FULL = ["full_csr", "full_csc", "full_dense", "categories", "unsorted_csc", "x_none"]

FILES = sorted(
    str(path.relative_to(CORPUS))
    for path in CORPUS.glob("*/*/*")
    if not (path.suffix == ".h5ad" and any(name in path.name for name in UNREAD[:4]))
    and not any(name in path.name for name in UNREAD[4:])
    and not ("0.13.4/zarr3" in str(path))
    and (path.parts[-3] == "0.12.19" or any(path.name.startswith(name) for name in FULL))
)


@pytest.fixture
def source(request, tmp_path):
    """A file of the test data, unpacked."""
    path = CORPUS / request.param
    if path.name.endswith(".tar.gz"):
        store = tmp_path / "source.zarr"
        with tarfile.open(path) as packed:
            packed.extractall(store, filter="data")
        return store
    return path


@pytest.mark.parametrize("source", FILES, indirect=True)
def test_copies_are_complete(nnz, tmp_path, source):
    expected = read(source)
    for target, options in [
        ("a.h5ad", ["--compress", "gzip:4"]),
        ("c.zarr", []),
        ("d.zarr", ["--format-version", "3"]),
    ]:
        found = read(nnz.convert(source, tmp_path / target, "--no-sync", *options), strict=True)
        same_file(expected, found)
        nnz.ok("diff", source, tmp_path / target)
    # And back.
    nnz.convert(tmp_path / "d.zarr", tmp_path / "back.h5ad", "--no-sync")
    same_file(expected, read(tmp_path / "back.h5ad", strict=True))


@pytest.fixture
def keep_categories():
    before = anndata.settings.remove_unused_categories
    anndata.settings.remove_unused_categories = False
    yield
    anndata.settings.remove_unused_categories = before


@pytest.fixture
def any_order(monkeypatch):
    """Compare sparse matrices whose entries may be in another order in each row."""

    same = anndata_same.same

    def same_entries(a, b, where=""):
        if not sparse.issparse(a):
            return same(a, b, where)
        assert a.format == b.format and a.dtype == b.dtype and a.nnz == b.nnz, where
        np.testing.assert_array_equal(a.toarray(), b.toarray(), err_msg=where)

    monkeypatch.setattr(anndata_same, "same", same_entries)


@pytest.mark.parametrize("source", FILES, indirect=True)
def test_slices_match_anndata(nnz, tmp_path, source, keep_categories, any_order):
    whole = read(source)
    cells, genes = whole.shape
    if cells < 5 or genes < 5:
        pytest.skip("too small to slice")
    if whole.X is not None and getattr(getattr(whole.X, "indptr", None), "dtype", None) == np.uint64:
        pytest.skip("scipy does not slice it")
    for target, options, rows, cols in [
        ("a.h5ad", ["--rows", "3,0,2"], [3, 0, 2], slice(None)),
        ("b.zarr", ["--rows", "1:4", "--cols", "4,1:3"], slice(1, 4), [4, 1, 2]),
        ("c.h5ad", ["--cols", f"{genes - 1},0"], slice(None), [genes - 1, 0]),
        ("d.h5ad", ["--rows", "0:0", "--allow-empty"], slice(0, 0), slice(None)),
        ("e.h5ad", ["--rows", "2:", "--cols", "1,3"], slice(2, None), [1, 3]),
    ]:
        nnz.ok("slice", source, tmp_path / target, "--no-sync", *options)
        found = read(tmp_path / target, strict=True)
        same_file(whole[rows, cols].copy(), found)


GENES = [f"g{i}" for i in range(8)]


def study(seed, genes, kind, extra=None):
    """A study with elements of all kinds that are concatenated."""
    rng = np.random.default_rng(seed)
    cells, count = 7 + seed, len(genes)
    dense = rng.poisson(0.6, (cells, count)).astype("float32")
    form = {"csr": sparse.csr_matrix, "csc": sparse.csc_matrix, "dense": np.asarray}[kind]
    obs = pd.DataFrame(
        {
            "n": rng.integers(0, 9, cells),
            "f": rng.random(cells).astype("float32"),
            "t": pd.Categorical(rng.choice(["T", "s10", "s2", f"x{seed}"], cells)),
            "s": [f"c{seed}-{i}" for i in range(cells)],
            "b": rng.random(cells) > 0.5,
        },
        index=[f"cell{i}" for i in range(cells)],
    )
    if extra:
        obs[extra] = rng.random(cells)
    by_name = [sum(map(ord, gene)) for gene in genes]
    var = pd.DataFrame(
        {
            "v": range(count),
            "same": np.array(by_name, "int32"),
            "kind": pd.Categorical([f"k{number % 3}" for number in by_name], ["k2", "k0", "k1"]),
            "symbol": [f"S-{gene}" for gene in genes],
            "half": np.where(np.isin(genes, GENES[2:6]), np.array(by_name, float), np.nan),
            "seen": np.array(by_name) % 2 == 0,
            "type": np.array(by_name, "int64" if seed else "int32"),
        },
        index=genes,
    )
    a = anndata.AnnData(form(dense), obs=obs, var=var)
    a.layers["counts"] = form((dense * 2).astype("int32"))
    a.layers["dense"] = dense * 3
    a.obsm["X_pca"] = rng.random((cells, 3 + seed % 2))
    a.obsm["table"] = pd.DataFrame({"q": rng.random(cells)}, index=obs.index)
    a.obsm["sparse"] = sparse.csr_matrix(dense[:, :2])
    a.obsp["graph"] = sparse.csr_matrix(dense[:, :1] @ dense[:, :1].T)
    a.varm["PCs"] = rng.random((count, 2))
    a.varm["same"] = np.array([[number, -number] for number in by_name], "float32")
    a.uns["x"] = 3
    names = list(genes) + [f"{gene}r" for gene in genes]
    raw = anndata.AnnData(
        form(np.hstack([dense, dense])),
        obs=pd.DataFrame(index=obs.index),
        var=pd.DataFrame(index=names),
    )
    a.raw = raw
    return a


SETS = {
    "same": [GENES, GENES, GENES],
    "moved": [GENES, GENES[::-1], GENES],
    "others": [GENES, GENES[2:] + ["h1", "a0"], ["zz"] + GENES[:6]],
}


@pytest.fixture
def studies(request, tmp_path):
    """Three files and their content."""
    genes, kinds = request.param
    paths = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed, (names, kind) in enumerate(zip(SETS[genes], kinds)):
            extra = "extra" if seed == 1 else None
            paths.append(tmp_path / f"{seed}.h5ad")
            study(seed, names, kind, extra).write_h5ad(paths[-1])
    return paths, [read(path) for path in paths]


KINDS = [["csr"] * 3, ["csc"] * 3, ["dense"] * 3, ["csr", "csc", "dense"]]


@pytest.mark.parametrize("join", ["inner", "outer"])
@pytest.mark.parametrize(
    "studies",
    [(genes, kinds) for genes in SETS for kinds in KINDS],
    indirect=True,
    ids=[f"{genes}-{'-'.join(dict.fromkeys(kinds))}" for genes in SETS for kinds in KINDS],
)
def test_concatenations_match_anndata(nnz, tmp_path, studies, join, any_order):
    paths, parts = studies
    for options, arguments in [
        ([], {}),
        (["--label", "batch", "--index-unique", "-"], {"label": "batch", "index_unique": "-"}),
        (["--fill", "0"], {"fill_value": 0}),
    ]:
        out = tmp_path / "all.h5ad"
        nnz.ok("concat", *paths, out, "--axis", "rows", "--join", join, "--force", "--no-sync", *options)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = anndata.concat(parts, join=join, merge="same", **arguments)
            expected.write_h5ad(tmp_path / "expected.h5ad")
        found = read(out)
        # anndata drops columns without values for the genes that a file lacks.
        for column in found.var.columns.difference(expected.var.columns):
            assert join == "outer" and column in ["same", "kind", "symbol", "seen"], column
            for part in parts:
                own = found.var.loc[part.var_names, column]
                assert own.astype(object).equals(part.var[column].astype(object)), column
            del found.var[column]
        same_file(read(tmp_path / "expected.h5ad"), found)


@pytest.mark.parametrize("studies", [("others", ["csr"] * 3)], indirect=True)
def test_elements_left_out_of_concatenations_are_listed(nnz, tmp_path, studies):
    paths, _ = studies
    out = tmp_path / "all.h5ad"
    message = nnz.refuses("concat", *paths, out, "--axis", "rows")
    assert "--join inner" in message and not out.exists()
    done = nnz.run("concat", *paths, out, "--axis", "rows", "--join", "inner")
    message = done.stderr.decode()
    assert done.returncode == 0, message
    assert "dropped: " in message and "target" not in message, message
    for name in ['"v" of var', '"type" of var', "obsp/graph", "uns/x", "varm/PCs", '"extra" of obs']:
        assert name in message, message
    for name in ['"same" of var', '"kind" of var', '"symbol" of var', "varm/same"]:
        assert name not in message, message
    message = nnz.refuses(
        "concat", *paths, out, "--axis", "rows", "--join", "inner", "--strict", "--force"
    )
    assert "uns/x" in message


def write(path, x, **parts):
    """Write a file whose cells have a prefix."""
    obs = parts.pop("obs", None)
    obs = pd.DataFrame(obs or {}, index=[f"{path.stem}{i}" for i in range(x.shape[0])])
    genes = parts.pop("genes", [f"g{i}" for i in range(x.shape[1])])
    whole = anndata.AnnData(x, obs=obs, var=pd.DataFrame(index=genes), **parts)
    whole.write_h5ad(path)
    return path


def concat(nnz, out, paths, *options, **arguments):
    """Concatenate files, and compare with anndata."""
    done = nnz.run("concat", *paths, out, "--axis", "rows", "--force", "--no-sync", *options)
    assert done.returncode == 0, done.stderr.decode()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = anndata.concat([read(path) for path in paths], merge="same", **arguments)
        expected.write_h5ad(out.with_suffix(".expected.h5ad"))
    same_file(read(out.with_suffix(".expected.h5ad")), read(out))
    return done.stderr.decode()


PAIRS = [
    ("int32", "int64"),
    ("int8", "uint8"),
    ("uint32", "float32"),
    ("int16", "float32"),
    ("int64", "float64"),
    ("uint64", "int8"),
    ("float32", "float64"),
]


@pytest.mark.parametrize("types", PAIRS, ids=["-".join(pair) for pair in PAIRS])
@pytest.mark.parametrize("kind", ["csr", "csc", "dense"])
def test_values_of_different_types_are_promoted_as_in_numpy(nnz, tmp_path, types, kind, any_order):
    """They were once left out of obs, and refused in X."""
    form = {"csr": sparse.csr_matrix, "csc": sparse.csc_matrix, "dense": np.asarray}[kind]
    paths = []
    for number, dtype in enumerate(types):
        x = np.arange(12).reshape(4, 3).astype(dtype)
        paths.append(
            write(
                tmp_path / f"{number}.h5ad",
                form(x),
                obs={"n": x[:, 0]},
                layers={"l": form(x[:, ::-1].copy())},
                obsm={"m": x[:, :2].copy()},
            )
        )
    assert "obs" not in concat(nnz, tmp_path / "all.h5ad", paths)


def test_categories_of_numbers_of_different_types_are_united(nnz, tmp_path):
    """They were once refused; 1 and 1.0 are one category."""
    x = np.ones((3, 2), "float32")
    values = [np.array([3, 1, 2], "int8"), np.array([1, 2.5, 3], "float32")]
    paths = [
        write(tmp_path / f"{at}.h5ad", x, obs={"c": pd.Categorical(of)})
        for at, of in enumerate(values)
    ]
    nnz.ok("concat", *paths, tmp_path / "both.h5ad", "--axis", "rows")
    found = read(tmp_path / "both.h5ad").obs["c"]
    assert found.tolist() == np.concatenate(values).tolist()
    assert found.cat.categories.tolist() == [1, 2, 2.5, 3]


def test_columns_of_type_object_in_pandas_are_listed(nnz, tmp_path):
    x = np.ones((2, 2), "float32")
    columns = [
        {"b": [True, False], "s": ["x", "y"], "c": pd.Categorical(["1", "1"]), "big": [2**53 + 1, 1]},
        {"b": [1, 2], "s": [1, 2], "c": pd.Categorical([1, 1]), "big": [0.5, 1]},
    ]
    paths = [write(tmp_path / f"{at}.h5ad", x, obs=obs) for at, obs in enumerate(columns)]
    done = nnz.run("concat", *paths, tmp_path / "all.h5ad", "--axis", "rows")
    message = done.stderr.decode()
    assert done.returncode == 0 and "target" not in message, message
    for text in [
        '"b" of obs (bool in one file and int64 in another)',
        '"s" of obs (string in one file and int64 in another)',
        '"c" of obs (categories of numbers and categories of strings)',
        '"big" of obs (9007199254740993 cannot be stored exactly',
    ]:
        assert text in message, message
    assert read(tmp_path / "all.h5ad").obs.columns.tolist() == []


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_matrix, np.asarray])
def test_values_that_do_not_fit_the_joint_type_are_refused_with_their_position(nnz, tmp_path, kind):
    paths = [
        write(tmp_path / "0.h5ad", kind(np.array([[1, 2], [3, 2**53 + 1]], "int64"))),
        write(tmp_path / "1.h5ad", kind(np.array([[0.5, 1]]))),
    ]
    message = nnz.refuses("concat", *paths, tmp_path / "all.h5ad", "--axis", "rows")
    assert "9007199254740993" in message and "0.h5ad" in message and "exactly" in message, message
    assert not (tmp_path / "all.h5ad").exists()


def test_files_without_genes_in_outer_joins(nnz, tmp_path):
    """A dense matrix of it once failed with a number of bytes."""
    x = np.arange(14, dtype="float32").reshape(2, 7)
    paths = [
        write(tmp_path / "0.h5ad", sparse.csr_matrix(x), layers={"l": x}),
        write(
            tmp_path / "1.h5ad",
            sparse.csr_matrix((2, 0), dtype="float32"),
            layers={"l": np.zeros((2, 0), "float32")},
        ),
    ]
    out = tmp_path / "all.h5ad"
    for options, fill in [([], np.nan), (["--fill", "0"], 0)]:
        nnz.ok("concat", *paths, out, "--axis", "rows", "--join", "outer", "--force", *options)
        found = read(out)
        assert np.array_equal(found.X.toarray(), np.vstack([x, np.zeros((2, 7))]))
        expected = np.vstack([x, np.full((2, 7), fill, "float32")])
        np.testing.assert_array_equal(found.layers["l"], expected)
    done = nnz.run("concat", *paths, out, "--axis", "rows", "--join", "outer", "--fill", "1", "--force")
    message = done.stderr.decode()
    assert done.returncode == 2 and "the fill value must be 0 for sparse matrices such as X" in message, message


def test_the_label_cannot_be_the_name_of_the_index(nnz, tmp_path):
    path = write(tmp_path / "0.h5ad", np.ones((2, 2), "float32"))
    out = tmp_path / "all.h5ad"
    message = nnz.run("concat", path, path, out, "--axis", "rows", "--label", "_index")
    assert message.returncode == 2 and "named _index" in message.stderr.decode()
    assert not out.exists()


def test_a_nullable_column_without_missing_values_stays_nullable(nnz, tmp_path):
    obs = {
        "i": pd.array([1, 2], "Int32"),
        "b": pd.array([True, False], "boolean"),
    }
    path = write(tmp_path / "0.h5ad", np.ones((2, 2), "float32"), obs=obs)
    concat(nnz, tmp_path / "all.h5ad", [path, path])
    nnz.ok("convert", f"{path}::X", tmp_path / "x.h5ad")
    for name in ["all.h5ad", "x.h5ad"]:
        assert [str(t) for t in read(tmp_path / name).obs.dtypes] == ["Int32", "boolean"]


@pytest.mark.parametrize("studies", [("same", ["csr", "csc", "dense"])], indirect=True)
def test_a_file_is_split_by_a_column(nnz, tmp_path, studies, keep_categories, any_order):
    for path, whole in zip(*studies):
        folder = tmp_path / path.stem
        nnz.ok("split", path, folder, "--by", "t")
        values = whole.obs["t"].unique().tolist()
        assert sorted(file.stem for file in folder.iterdir()) == sorted(values)
        for value in values:
            part = whole[whole.obs["t"] == value].copy()
            same_file(part, read(folder / f"{value}.h5ad", strict=True))
        assert "exists" in nnz.refuses("split", path, folder, "--by", "t")
        assert 'annotations are "n", "f", "t"' in nnz.refuses("split", path, folder, "--by", "none")


@pytest.mark.parametrize("kind", ["sparse", "dense"])
def test_pairs_of_cells_in_uns_are_sliced_as_obsp(nnz, tmp_path, kind):
    """scanpy before 1.5 stored them there; files that were sliced could once not be opened."""
    h5py = pytest.importorskip("h5py")
    graph = sparse.random(9, 9, 0.4, format="csr", random_state=3)
    whole = anndata.AnnData(sparse.random(9, 4, 0.5, format="csr", random_state=1))
    whole.obsp["connectivities"] = graph if kind == "sparse" else graph.toarray()
    whole.uns["neighbors"] = {"params": {"n_neighbors": 3, "grid": np.zeros((9, 9))}}
    path, out = tmp_path / "old.h5ad", tmp_path / "cut.h5ad"
    whole.write_h5ad(path)
    with h5py.File(path, "r+") as file:
        file.move("obsp/connectivities", "uns/neighbors/connectivities")
    nnz.ok("slice", path, out, "--rows", "5:7,1")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        cut = anndata.read_h5ad(out)
    expected = graph.toarray()[[5, 6, 1]][:, [5, 6, 1]]
    found = cut.obsp["connectivities"]
    assert np.array_equal(found.toarray() if sparse.issparse(found) else found, expected)
    assert cut.uns["neighbors"]["params"]["grid"].shape == (9, 9)


def test_old_arrays_of_one_string_become_strings(nnz, tmp_path):
    """In uns of anndata 0.5 a string is an array of one string of a fixed length."""
    h5py = pytest.importorskip("h5py")
    source = CORPUS / "0.12.19/h5ad/full_csr.h5ad"
    path, out = tmp_path / "old.h5ad", tmp_path / "new.h5ad"
    path.write_bytes(source.read_bytes())
    with h5py.File(path, "r+") as file:
        file["uns"]["one"] = np.array([b"text"])
        file["uns"]["two"] = np.array([b"a", b"b"])
        file["uns"]["any"] = np.array(["text"], dtype=h5py.string_dtype())
    expected = read(path)
    nnz.ok("convert", path, out)
    found = read(out)
    assert found.uns["one"] == expected.uns["one"] == "text"
    assert list(found.uns["two"]) == ["a", "b"]
    assert list(found.uns["any"]) == ["text"]
    with h5py.File(out) as file:
        assert file["uns/one"].shape == () and file["uns/any"].shape == (1,)
    nnz.ok("diff", path, out)


def test_values_too_long_for_file_names_are_truncated(nnz, tmp_path):
    long = "x" * 250
    x = np.ones((4, 2), "float32")
    path = write(tmp_path / "s.h5ad", x, obs={"by": pd.Categorical(["a", long, long + "y", long + "z"])})
    folder = tmp_path / "parts"
    for options in [[], ["--force"]]:
        done = nnz.run("split", path, folder, "--by", "by", *options)
        assert done.returncode == 0, done.stderr
        assert sorted(file.stem for file in folder.iterdir()) == ["a", "x" * 248 + "-2", "x" * 248 + "-3", long]
        assert done.stderr.count(b"note: rows with the value") == 2, done.stderr
    assert read(folder / f"{long}.h5ad").obs["by"].tolist() == [long]


def test_columns_with_operators_in_their_names_are_conditions(nnz, tmp_path):
    x = np.ones((4, 2), "float32")
    obs = {"n": [1, 2, 3, 4], "n>=2": [9, 8, 7, 6], "a=b": ["u", "v", "u", "v"]}
    path = write(tmp_path / "s.h5ad", x, obs=obs)
    for condition, expected in [("n>=2", [1, 2, 3]), ("n>=2>=8", [0, 1]), ("a=b=u", [0, 2])]:
        nnz.ok("slice", path, tmp_path / "out.h5ad", "--rows", condition, "--force")
        names = read(tmp_path / "out.h5ad").obs_names.tolist()
        assert names == [f"s{at}" for at in expected], condition


def put(path, value):
    def change(file):
        data = file[path]
        data[(0,) * data.ndim] = value

    return change


CHANGES = {
    "X": put("X/data", 99),
    "layers/counts layers/other": lambda file: file.move("layers/counts", "layers/other"),
    "obs/f": put("obs/f", 7),
    "obs": put("obs/_index", "other"),
    "var/v": put("var/v", 77),
    "obsm/X_pca": put("obsm/X_pca", 5),
    "obsm/table/q": put("obsm/table/q", 5),
    "obsp/graph": put("obsp/graph/data", 5),
    "varm/PCs": put("varm/PCs", 5),
    "uns/x": put("uns/x", 4),
    "raw/X": put("raw/X/data", 99),
    "raw/var": put("raw/var/_index", "other"),
    "uns/new": lambda file: file["uns"].create_dataset("new", data=1),
}


@pytest.mark.parametrize("elements", CHANGES)
def test_diff_lists_elements_that_differ(nnz, tmp_path, elements):
    """Once, only X was compared."""
    h5py = pytest.importorskip("h5py")
    first, second = tmp_path / "a.h5ad", tmp_path / "b.h5ad"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study(1, GENES, "csr").write_h5ad(first)
    second.write_bytes(first.read_bytes())
    nnz.ok("diff", first, second)
    with h5py.File(second, "r+") as file:
        CHANGES[elements](file)
    done = nnz.run("diff", first, second)
    found = {line.split("\t")[0] for line in done.stdout.decode().splitlines()}
    assert done.returncode == 1 and found == set(elements.split()), done
    done = nnz.run("diff", f"{first}::X", f"{second}::X")
    assert done.returncode == int(elements in ["X", "obs"]), done


def test_outer_joins_fill_missing_elements(nnz, tmp_path):
    rng = np.random.default_rng(8)

    def file(name, genes, cells, layers):
        x = sparse.random(cells, len(genes), 0.4, "csr", np.float32, random_state=rng)
        made = anndata.AnnData(x)
        made.obs_names = [f"{name}{cell}" for cell in range(cells)]
        made.var_names = genes
        for layer, kind in layers.items():
            other = sparse.random(cells, len(genes), 0.4, "csr", np.float64, random_state=rng)
            made.layers[layer] = other if kind == "sparse" else other.toarray()
        return made

    a = file("a", list("uvwx"), 5, {"s": "sparse", "d": "dense", "both": "sparse"})
    b = file("b", list("wxyz"), 4, {"both": "sparse"})
    a.obsm["pca"] = rng.normal(size=(5, 3))
    b.obsm["umap"] = sparse.random(4, 2, 0.5, "csr", random_state=rng)
    a.write_h5ad(tmp_path / "a.h5ad")
    b.write_h5ad(tmp_path / "b.h5ad")
    options = ["--axis", "rows", "--join", "outer"]
    nnz.ok("concat", tmp_path / "a.h5ad", tmp_path / "b.h5ad", tmp_path / "c.h5ad", *options)
    found = read(tmp_path / "c.h5ad")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = anndata.concat([a, b], join="outer")
    assert found.var_names.tolist() == expected.var_names.tolist()
    for group in ["layers", "obsm"]:
        ours, theirs = getattr(found, group), getattr(expected, group)
        assert set(ours) == set(theirs)
        for name in theirs:
            dense = [x.toarray() if sparse.issparse(x) else x for x in (ours[name], theirs[name])]
            np.testing.assert_array_equal(*dense, err_msg=f"{group}/{name}")
            assert sparse.issparse(ours[name]) == sparse.issparse(theirs[name])


def test_differences_of_types_and_unsupported_elements_are_found(nnz, tmp_path):
    source = read(CORPUS / "0.12.19/h5ad/full_csr.h5ad")
    source.write_h5ad(tmp_path / "a.h5ad")
    other = source.copy()
    other.X = other.X.astype("f8")
    other.write_h5ad(tmp_path / "b.h5ad")
    nnz.ok("diff", tmp_path / "a.h5ad", tmp_path / "b.h5ad")
    done = nnz.run("diff", "--stored", tmp_path / "a.h5ad", tmp_path / "b.h5ad")
    assert done.returncode == 1 and "X" in done.stdout.decode()
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "b.h5ad", "r+") as file:
        file["uns/elsewhere"] = h5py.ExternalLink("nowhere.h5", "/x")
    assert nnz.run("diff", tmp_path / "a.h5ad", tmp_path / "b.h5ad").returncode == 2
