"""Dense tables: pandas reads what nnz writes, and nnz what pandas writes."""

from pathlib import Path

import pytest

np = pytest.importorskip("numpy")
pd = pytest.importorskip("pandas")
sparse = pytest.importorskip("scipy.sparse")

TABLES = Path(__file__).resolve().parents[2] / "testdata/tables"


def frame(kind):
    rng = np.random.default_rng(7)
    shape = (37, 23)
    counts = np.where(rng.random(shape) < 0.3, rng.integers(0, 3000, shape), 0)
    values = {
        "int64": counts * 3_000_000_019_000_001,
        "uint64": counts.astype(np.uint64) * np.uint64(6_000_000_019_000_001),
        "float64": np.where(counts == 0, -0.0, rng.standard_normal(shape) * 10.0 ** (counts % 37)),
    }[kind]
    if kind == "float64":
        values[3, 4], values[5, 6] = np.inf, -np.inf
    names = [f"g{i}" for i in range(shape[0])]
    names[:5] = ['a,b', 'q"x', "line\nbreak", " sp ", "é基"]
    return pd.DataFrame(values, index=names, columns=[f"c;{i}" for i in range(shape[1])])


def same(found, expected):
    assert found.index.tolist() == expected.index.tolist()
    assert found.columns.tolist() == expected.columns.tolist()
    assert found.to_numpy().tobytes() == expected.to_numpy().tobytes()


@pytest.mark.parametrize("kind", ["int64", "uint64", "float64"])
@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.txt.gz", "t.csv.gz"])
def test_tables_of_pandas(nnz, tmp_path, kind, name):
    expected = frame(kind)
    source, target = tmp_path / f"source.{name}", tmp_path / name
    separator = "," if ".csv" in name else "\t"
    expected.to_csv(source, sep=separator)
    # Through a format with names, so that the text is not only copied.
    store = nnz.convert(source, tmp_path / "store.h5ad")
    nnz.convert(store, target, "--order", "row")
    read = pd.read_csv(target, sep=separator, index_col=0, float_precision="round_trip")
    same(read.astype(expected.dtypes.iloc[0]), expected)
    assert nnz.ok("diff", source, target) == ""


def test_missing_values_of_pandas(nnz, tmp_path):
    expected = frame("float64")
    expected.iloc[2, 3] = np.nan
    expected.to_csv(tmp_path / "empty.csv")
    expected.to_csv(tmp_path / "na.csv", na_rep="NA")
    for name, option in [("empty.csv", ""), ("na.csv", "NA")]:
        assert "--na" in nnz.refuses("info", tmp_path / name)
        nnz.convert(tmp_path / name, tmp_path / f"nnz_{name}", "--na", option)
        read = pd.read_csv(tmp_path / f"nnz_{name}", index_col=0, float_precision="round_trip")
        same(read, expected)


def test_matrices_without_names(nnz, tmp_path):
    matrix = sparse.random(50, 40, 0.1, format="csr", random_state=3)
    sparse.save_npz(tmp_path / "m.npz", matrix)
    nnz.convert(tmp_path / "m.npz", tmp_path / "m.csv")
    found = pd.read_csv(tmp_path / "m.csv", index_col=0, float_precision="round_trip")
    assert found.index.tolist() == list(range(50))
    assert found.columns.tolist() == [str(col) for col in range(40)]
    assert (found.to_numpy() == matrix.toarray()).all()


@pytest.mark.parametrize("separator", [",", "\t", ";"])
@pytest.mark.parametrize("quoting", [0, 1, 2])
def test_every_way_pandas_writes(nnz, tmp_path, separator, quoting):
    expected = frame("int64")
    path = tmp_path / "t.csv"
    for options in [{}, {"index_label": "gene"}, {"lineterminator": "\r\n"}]:
        expected.to_csv(path, sep=separator, quoting=quoting, **options)
        target = nnz.convert(path, tmp_path / "back.csv", "--force")
        same(pd.read_csv(target, index_col=0), expected)
    floats = frame("float64")
    floats.to_csv(path, sep=";", decimal=",", quoting=quoting)
    if quoting != 2:
        target = nnz.convert(path, tmp_path / "back.csv", "--force", "--decimal", ",")
        same(pd.read_csv(target, index_col=0, float_precision="round_trip"), floats)
