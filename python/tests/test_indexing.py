"""Indexing selects as in SciPy."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sparse
from conftest import PBMC, random_matrix, same

import nnz

SHAPE = (40, 30)


@pytest.fixture(scope="module", params=["packed by column", "packed by row", "text", "symmetric"])
def pair(request, tmp_path_factory):
    """A matrix in a file and in memory, of each kind of source."""
    folder = tmp_path_factory.mktemp("indexing")
    matrix = random_matrix(SHAPE, dtype=np.int32)
    if request.param == "text":
        path = folder / "m.mtx"
        nnz.write(matrix, path)
    elif request.param == "symmetric":
        square = random_matrix((40, 40), dtype=np.int32)
        matrix = (square + square.T).tocsr()
        path = folder / "s.mtx"
        nnz.write(matrix, path, structure="auto")
        assert "symmetric" in path.read_text().splitlines()[0]
    else:
        path = folder / "m.bsp.h5"
        nnz.write(matrix, path, order="row" if request.param.endswith("row") else "col")
    return nnz.open(path), matrix


def random_index(rng, length):
    kind = rng.integers(6)
    if kind == 0:
        return int(rng.integers(-length, length))
    if kind == 1:
        start, stop = (int(one) for one in rng.integers(-length - 3, length + 3, 2))
        step = int(rng.choice([-3, -2, -1, 1, 2, 5]))
        return slice(start, stop, step)
    if kind == 2:
        return rng.integers(-length, length, rng.integers(1, 12))
    if kind == 3:
        return rng.random(length) < 0.3
    if kind == 4:
        return rng.permutation(length)
    return slice(None)


@pytest.mark.parametrize("seed", range(60))
def test_random_indices(pair, seed):
    m, matrix = pair
    rng = np.random.default_rng(seed)
    row, col = (random_index(rng, length) for length in matrix.shape)
    found = m[row, col]
    dense = matrix.toarray()
    rows, cols = (np.atleast_1d(np.arange(n)[one]) for n, one in zip(matrix.shape, (row, col)))
    expected = dense[np.ix_(rows, cols)]
    if isinstance(row, int) and isinstance(col, int):
        assert found == expected[0, 0] and found.dtype == m.dtype
    else:
        assert found.shape == expected.shape
        np.testing.assert_array_equal(found.toarray(), expected)


def test_a_single_index_selects_rows(pair):
    m, matrix = pair
    # Text has 64-bit integers.
    matrix = matrix.astype(m.dtype)
    same(m[3:9].tocsr(), matrix[3:9])
    same(m[...].tocsr(), matrix)
    same(m[np.int64(-1)].tocsr(), matrix[[-1]])
    assert m[:0].shape == (0, matrix.shape[1])
    assert m[[], []].shape == (0, 0)


def test_names_select(store):
    path, matrix = store
    m = nnz.open(path)
    assert m["r3", "c4"] == matrix[3, 4]
    same(m["r3"], matrix[[3]])
    same(m[["r5", "r1", "r5"], np.array(["c2", "c0"])], matrix[[5, 1, 5]][:, [2, 0]])
    same(m[m.row_names < "r2", :], matrix[np.flatnonzero(m.row_names < "r2")])


def test_missing_positions_and_names_are_errors(store):
    path, _ = store
    m = nnz.open(path)
    for index in (40, -41, [0, 40], np.array([2**63], np.uint64)):
        with pytest.raises(IndexError, match="outside of 40 rows"):
            m[index]
    with pytest.raises(KeyError) as raised:
        m["r40"]
    assert str(raised.value) == f'{path}: no row is named "r40"'
    with pytest.raises(KeyError):
        # Digits are a name.
        m["3"]
    for index in (np.ones(39, bool), 1.5, [[1]], True, (0, 0, 0), [0.5], slice("r0", "r2")):
        with pytest.raises(IndexError):
            m[index]


def test_annotations_select_if_they_are_not_names():
    m = nnz.open(PBMC)
    rows = [int(np.flatnonzero(m.rows["name"] == name)[0]) for name in ("SOD1", "APP")]
    same(m[["SOD1", "APP"]], m.to_scipy()[rows])
    with pytest.raises(ValueError, match='"Gene Expression" matches 507 rows; select one of them by "ENSG00000279493"'):
        m["Gene Expression"]


def test_names_that_occur_twice_select_nothing(tmp_path):
    nnz.write(np.eye(3), tmp_path / "m.bpcells", row_names=["a", "b", "a"])
    m = nnz.open(tmp_path / "m.bpcells")
    assert m[["b"]].shape == (1, 3)
    with pytest.raises(ValueError, match='"a" is the name of row 0 and of row 2'):
        m["a"]
    with pytest.raises(ValueError, match="columns have no names"):
        m[:, "a"]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "uint32", "int64", "uint64"])
def test_positions_of_any_type_are_taken_on_long_axes(tmp_path, dtype):
    matrix = random_matrix((300, 70_000), 0.001)
    nnz.write(matrix, tmp_path / "m.bpcells")
    m = nnz.open(tmp_path / "m.bpcells")
    some = np.array([1, 100, 3], dtype)
    for rows, cols in ((some, slice(None)), (slice(None), some)):
        same(sparse.csr_array(m[rows, cols]), sparse.csr_array(matrix[rows, :][:, cols]))


def test_names_and_positions_are_not_mixed(store):
    path, _ = store
    m = nnz.open(path)
    for mixed in (["r1", 0], [0, "r1"], ("r1", 2, "r3")):
        with pytest.raises(IndexError, match="names"):
            m[[*mixed]]


def test_repeated_positions_give_sorted_indices(store):
    path, matrix = store
    m = nnz.open(path)
    dense = matrix.toarray()
    for key in (np.s_[[3, 1, 3]], np.s_[:, [3, 1, 3]], np.s_[[1, 1], [2, 0, 2]], np.s_[[3, 1]], np.s_[:, [3, 1]]):
        found = m[key]
        parts = key if isinstance(key, tuple) else (key, slice(None))
        np.testing.assert_array_equal(found.toarray(), dense[parts[0]][:, parts[1]])
        assert found.has_sorted_indices
        found.has_sorted_indices = False
        again = found.sorted_indices()
        np.testing.assert_array_equal(again.indices, found.indices)


def test_masked_arrays_are_no_index(store):
    m = nnz.open(store[0])
    masked = np.ma.masked_array([0, 1, 2], [False, True, False])
    for key in (masked, (slice(None), masked), np.ma.masked_array(np.ones(40, bool), [True] * 40)):
        with pytest.raises(nnz.PositionError, match="masked values"):
            m[key]
    assert m[np.ma.masked_array([0, 1])].shape == (2, 30)


COMMAND = "import sys; from nnz._command import main; sys.exit(main())"


@pytest.mark.parametrize(
    ("name", "kind", "says"),
    [
        ("nobody", nnz.UnknownNameError, 'no row is named "nobody"'),
        ("twice", nnz.ArgumentError, '"twice" is the name of row 1 and of row 2'),
        ("B", nnz.ArgumentError, '"B" matches 2 rows; select one of them by "twice", "T", or all by kind=B'),
    ],
)
def test_a_name_has_the_same_error_in_the_command_in_functions_and_in_an_index(tmp_path, name, kind, says):
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "m.h5ad"
    rows = pandas.DataFrame({"kind": ["A", "B", "C", "B"]}, index=["one", "twice", "twice", "T"])
    nnz.write(np.eye(4), path, rows=rows)
    m = nnz.open(f"{path}::X")
    errors = []
    for use in (
        lambda: m[name],
        lambda: m[[name]],
        lambda: m.lazy[name],
        lambda: m.select(rows=[name]),
        lambda: m.filter(rows=name),
        lambda: nnz.slice(f"{path}::X", tmp_path / "n.npz", rows=[name]),
        lambda: nnz.slice(f"{path}::X", tmp_path / "n.npz", rows=name),
        lambda: nnz.stats(f"{path}::X", rows=[name]),
        lambda: nnz.write(m, tmp_path / "n.npz", rows=[name]),
    ):
        with pytest.raises(nnz.ArgumentError) as raised:
            use()
        assert type(raised.value) is kind
        errors.append(str(raised.value))
    assert set(errors) == {f"{path}::X: {says}"}
    arguments = ["slice", f"{path}::X", tmp_path / "n.npz", "--rows", name]
    done = subprocess.run([sys.executable, "-c", COMMAND, *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode != 0 and done.stderr.splitlines()[0].startswith(f"nnz: {path}::X: {says}")


def test_names_of_digits_are_never_positions(tmp_path):
    nnz.write(np.diag([1, 2, 3]), tmp_path / "m.bpcells", row_names=["2", "0", "x"])
    m = nnz.open(tmp_path / "m.bpcells")
    assert m["2", 0] == 1 and m["0", 1] == 2 and m[["0", "2"]].toarray().tolist() == [[0, 2, 0], [1, 0, 0]]
    assert nnz.slice(tmp_path / "m.bpcells", tmp_path / "n.bpcells", rows=["0", "2"]).shape == (2, 3)
    assert nnz.open(tmp_path / "n.bpcells").row_names.tolist() == ["0", "2"]
    for use in (lambda: m["1"], lambda: nnz.slice(tmp_path / "m.bpcells", tmp_path / "o.bpcells", rows=["1"])):
        with pytest.raises(KeyError, match='no row is named "1"'):
            use()


def test_repeated_lookups_read_names_once(tmp_path):
    nnz.write(sparse.eye_array(200_000, format="csr"), tmp_path / "m.bpcells", row_names=[f"n{i}" for i in range(200_000)])
    m = nnz.open(tmp_path / "m.bpcells").lazy
    assert m["n199999"].shape == (1, 200_000)
    (tmp_path / "m.bpcells" / "row_names").write_text("")
    assert all(m[f"n{i}"].steps == ("1 of 200000 rows",) for i in range(0, 200_000, 1000))


def test_all_names_that_do_not_exist_are_listed():
    m = nnz.open(PBMC)
    with pytest.raises(KeyError, match='no row is named "ensg00000279493", nor "x"; did you mean "ENSG00000279493"'):
        m[["ensg00000279493", m.row_names[0], "x"]]
