"""scikit-learn, networkx, igraph and NetworKit read text of nnz, and nnz reads theirs."""

import gzip

import numpy as np
import pytest
import scipy.sparse as sp

datasets = pytest.importorskip("sklearn.datasets")
networkx = pytest.importorskip("networkx")
igraph = pytest.importorskip("igraph")


def random(seed, shape=(60, 40), density=0.1):
    rng = np.random.default_rng(seed)
    matrix = sp.random(*shape, density=density, random_state=rng, format="csr")
    matrix.data = rng.normal(size=matrix.nnz)
    return matrix


def same(ours, theirs):
    ours, theirs = sp.csr_matrix(ours), sp.csr_matrix(theirs)
    assert ours.shape == theirs.shape and ours.nnz == theirs.nnz
    np.testing.assert_array_equal(ours.toarray(), theirs.toarray())


@pytest.mark.parametrize("zero_based", [False, True])
@pytest.mark.parametrize("extension", ["svm", "svm.gz"])
def test_svmlight_of_scikit_learn_is_read(nnz, tmp_path, zero_based, extension):
    matrix, labels = random(1), np.random.default_rng(2).integers(0, 3, 60)
    path = tmp_path / f"a.{extension}"
    with (gzip.open if extension.endswith("gz") else open)(path, "wb") as file:
        datasets.dump_svmlight_file(matrix, labels, file, zero_based=zero_based, query_id=np.arange(60))
    base = "0" if zero_based else "1"
    ours = sp.load_npz(nnz.convert(path, tmp_path / "b.npz", "--base", base, "--shape", "x40"))
    theirs, their_labels = datasets.load_svmlight_file(str(path), n_features=40, zero_based=zero_based)
    same(ours, theirs)
    rows = nnz.ok("annotations", path, "rows", "--base", base).splitlines()
    assert rows[0].split("\t")[-2:] == ["label", "qid"]
    assert [int(row.split("\t")[-2]) for row in rows[1:]] == list(their_labels)
    assert [int(row.split("\t")[-1]) for row in rows[1:]] == list(range(60))


@pytest.mark.parametrize("extension", ["svm", "svm.gz"])
def test_scikit_learn_reads_our_svmlight(nnz, tmp_path, extension):
    matrix = random(3)
    matrix[7] = 0
    matrix.eliminate_zeros()
    sp.save_npz(tmp_path / "a.npz", matrix)
    path = nnz.convert(tmp_path / "a.npz", tmp_path / f"b.{extension}")
    theirs, labels = datasets.load_svmlight_file(str(path), n_features=40, zero_based=False)
    same(theirs, matrix)
    assert not labels.any()
    again = nnz.convert(path, tmp_path / f"c.{extension}")
    assert path.read_bytes() == again.read_bytes()


def test_labels_and_queries_are_written_as_scikit_learn_reads_them(nnz, tmp_path):
    text = "-1 qid:3 1:0.5 4:2\n2.5 qid:3\n1 qid:9 2:1e-300\n"
    (tmp_path / "a.svm").write_text(text)
    path = nnz.convert(tmp_path / "a.svm", tmp_path / "b.svm", "--to-base", "0")
    theirs, labels, queries = datasets.load_svmlight_file(str(path), query_id=True, zero_based=True)
    np.testing.assert_array_equal(labels, [-1, 2.5, 1])
    np.testing.assert_array_equal(queries, [3, 3, 9])
    np.testing.assert_array_equal(theirs.toarray(), [[0.5, 0, 0, 2], [0, 0, 0, 0], [0, 1e-300, 0, 0]])


def graph(seed, kind=None):
    return networkx.gnm_random_graph(50, 200, seed=seed, directed=kind is not networkx.Graph)


@pytest.mark.parametrize("write", [networkx.write_edgelist, networkx.write_weighted_edgelist])
def test_edge_lists_of_networkx_are_read(nnz, tmp_path, write):
    theirs, rng = graph(4), np.random.default_rng(5)
    for _, _, attributes in theirs.edges(data=True):
        attributes["weight"] = rng.normal()
    write(theirs, tmp_path / "a.txt")
    target = nnz.convert(tmp_path / "a.txt", tmp_path / "b.npz", "--from", "edges", "--shape", "50")
    same(sp.load_npz(target), networkx.to_scipy_sparse_array(theirs, range(50)))


def test_edges_without_a_direction_are_read(nnz, tmp_path):
    theirs = graph(6, networkx.Graph)
    networkx.write_edgelist(theirs, tmp_path / "a.el", data=False)
    options = ["--undirected", "--shape", "50", "--expand", "--type", "float64"]
    target = nnz.convert(tmp_path / "a.el", tmp_path / "b.npz", *options)
    same(sp.load_npz(target), networkx.to_scipy_sparse_array(theirs, range(50), dtype=float))


def test_networkx_and_igraph_read_our_edge_lists(nnz, tmp_path):
    matrix = random(7, (30, 30))
    sp.save_npz(tmp_path / "a.npz", matrix)
    path = nnz.convert(tmp_path / "a.npz", tmp_path / "b.wel")
    theirs = networkx.read_weighted_edgelist(path, create_using=networkx.DiGraph, nodetype=int)
    edges = {(int(i), int(j)): value for i, j, value in zip(*sp.find(matrix))}
    assert {(i, j): data["weight"] for i, j, data in theirs.edges(data=True)} == edges
    ones = matrix.copy()
    ones.data[:] = 1
    sp.save_npz(tmp_path / "ones.npz", ones)
    path = nnz.convert(tmp_path / "ones.npz", tmp_path / "b.el")
    theirs = igraph.Graph.Read_Edgelist(str(path), directed=True)
    assert set(theirs.get_edgelist()) == set(edges)
    theirs = networkx.read_edgelist(path, create_using=networkx.DiGraph, nodetype=int)
    assert set(theirs.edges()) == set(edges)
    assert "1" in nnz.refuses("convert", tmp_path / "a.npz", tmp_path / "c.el")


def test_names_of_igraph_are_read_and_written(nnz, tmp_path):
    theirs = igraph.Graph([(0, 1), (0, 3), (1, 2), (2, 0)], directed=True)
    theirs.vs["name"], theirs.es["weight"] = ["a", "b", "c", "d"], [1.0, 0.25, 2.5, 3.0]
    theirs.write_ncol(str(tmp_path / "a.ncol"))
    path = nnz.convert(tmp_path / "a.ncol", tmp_path / "b.ncol", "--node-names")
    again = igraph.Graph.Read_Ncol(str(path), directed=True)
    named = lambda graph: {
        (graph.vs[edge.source]["name"], graph.vs[edge.target]["name"]): edge["weight"] for edge in graph.es
    }
    assert named(again) == named(theirs)
    assert set(nnz.names(tmp_path / "a.ncol", "rows")) == set("abcd")


@pytest.mark.parametrize("weighted", [False, True])
def test_metis_graphs_of_networkit(nnz, tmp_path, weighted):
    networkit = pytest.importorskip("networkit")
    theirs, rng = networkit.Graph(60, weighted=weighted), np.random.default_rng(8)
    # The last vertices have no neighbours, nor do some before them.
    for edge in networkx.gnm_random_graph(50, 60, seed=9).edges():
        theirs.addEdge(*edge, int(rng.integers(1, 1000)) if weighted else 1)
    networkit.graphio.METISGraphWriter().write(theirs, str(tmp_path / "a.graph"))
    expected = networkit.algebraic.adjacencyMatrix(theirs)
    same(sp.load_npz(nnz.convert(tmp_path / "a.graph", tmp_path / "a.npz", "--type", "float64")), expected)
    ours = nnz.convert(tmp_path / "a.npz", tmp_path / "b.graph", "--type", "int64")
    again = networkit.graphio.METISGraphReader().read(str(ours))
    same(networkit.algebraic.adjacencyMatrix(again), expected)


@pytest.mark.parametrize("edge", [(0, 1, 0.5), (2, 2, 1)])
def test_metis_graphs_of_networkit_that_are_none(nnz, tmp_path, edge):
    """NetworKit also writes fractions and loops, which METIS does not have."""
    networkit = pytest.importorskip("networkit")
    theirs = networkit.Graph(3, weighted=True)
    theirs.addEdge(*edge)
    networkit.graphio.METISGraphWriter().write(theirs, str(tmp_path / "a.graph"))
    message = nnz.refuses("cat", tmp_path / "a.graph")
    assert "line " in message and ("an integer" in message or "other than the vertex itself" in message)
