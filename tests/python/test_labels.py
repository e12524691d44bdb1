"""Changing names and annotations while writing, compared with anndata and pandas."""

import warnings
from pathlib import Path

import pytest

np = pytest.importorskip("numpy")
pd = pytest.importorskip("pandas")
anndata = pytest.importorskip("anndata", exc_type=ImportError)

from anndata_same import read

ROOT = Path(__file__).resolve().parents[2]
TENX = ROOT / "testdata/tenx/h5"
FULL = ROOT / "testdata/anndata/valid/0.12.19/h5ad/full_csr.h5ad"


def of_10x(nnz, source, target):
    """Convert with the ids as names."""
    return read(nnz.convert(source, target, "--row-names", "id"))


@pytest.mark.parametrize("source", ["cr3_gex", "names_duplicated"])
def test_symbols_become_unique_names(nnz, tmp_path, source):
    plain = of_10x(nnz, TENX / f"{source}.h5", tmp_path / "plain.h5ad")
    expected = plain.copy()
    expected.var_names = pd.Index(expected.var["gene_symbols"].astype(object))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected.var_names_make_unique()
    if not plain.var["gene_symbols"].is_unique:
        message = nnz.refuses(
            "convert", TENX / f"{source}.h5", tmp_path / "x.h5ad", "--row-names", "name"
        )
        assert "rows 0 and 1 have" in message
        assert not (tmp_path / "x.h5ad").exists()
    found = read(nnz.convert(TENX / f"{source}.h5", tmp_path / "a.h5ad"))
    assert found.var_names.tolist() == expected.var_names.tolist()
    assert found.var["gene_ids"].tolist() == plain.var_names.tolist()
    assert "name" not in found.var and "gene_symbols" not in found.var
    given = nnz.convert(TENX / f"{source}.h5", tmp_path / "b.h5ad", "--row-names", "name", "--make-unique")
    assert read(given).var.equals(found.var)
    # Ids and symbols are exchanged again.
    nnz.convert(tmp_path / "a.h5ad", tmp_path / "back.h5", "--to", "10x")
    again = of_10x(nnz, tmp_path / "back.h5", tmp_path / "back.h5ad")
    assert again.var_names.tolist() == plain.var_names.tolist()
    assert again.var["gene_symbols"].tolist() == expected.var_names.tolist()
    assert again.var["feature_types"].tolist() == plain.var["feature_types"].tolist()


def test_columns_of_scanpy_become_those_of_10x(nnz, tmp_path):
    plain = of_10x(nnz, TENX / "cr3_feature_barcode.h5", tmp_path / "plain.h5ad")
    scanpy = plain.copy()
    scanpy.var = pd.DataFrame(
        {
            "gene_ids": plain.var_names.to_numpy(),
            "feature_types": plain.var["feature_types"].to_numpy(),
            "genome": plain.var["genome"].to_numpy(),
        },
        index=pd.Index(plain.var["gene_symbols"].to_numpy()),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scanpy.var_names_make_unique()
        scanpy.write_h5ad(tmp_path / "scanpy.h5ad")
    for target, options in [("a.h5", ["--to", "10x"]), ("folder", ["--to", "10x"])]:
        written = nnz.convert(tmp_path / "scanpy.h5ad", tmp_path / target, *options)
        found = of_10x(nnz, written, tmp_path / f"{target}.h5ad")
        assert found.var_names.tolist() == plain.var_names.tolist()
        assert found.var["gene_symbols"].tolist() == scanpy.var_names.tolist()
        assert found.var["feature_types"].tolist() == plain.var["feature_types"].tolist()


def table_of(names):
    rng = np.random.default_rng(1)
    names = [name for at, name in enumerate(names) if at % 3]
    return pd.DataFrame(
        {
            "t_sample": rng.choice(["a", "b, c", 'd "e"'], len(names)),
            "t_n": rng.integers(-5, 5, len(names)),
            "t_x": rng.normal(size=len(names)),
            "t_flag": rng.random(len(names)) > 0.5,
            "t_note": [f"note {name}" for name in names],
        },
        index=pd.Index(names, name="barcode"),
    )


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz"])
@pytest.mark.parametrize("place", ["", "::X"])
def test_tables_are_matched_by_name(nnz, tmp_path, ending, place):
    source = read(FULL)
    table = table_of(source.obs_names)
    table.sample(frac=1, random_state=2).to_csv(
        tmp_path / f"t.{ending}", sep="\t" if ending == "tsv" else ","
    )
    options = ["--row-annotations", tmp_path / f"t.{ending}"]
    done = nnz.run("convert", f"{FULL}{place}", tmp_path / "a.h5ad", *options)
    assert done.returncode == 0, done.stderr.decode()
    missing = len(source) - len(table)
    assert f"note: {missing} rows are not in the table" in done.stderr.decode()
    found = read(tmp_path / "a.h5ad")
    pd.testing.assert_frame_equal(found.var, source.var)
    expected = table.reindex(source.obs_names)
    for column in source.obs.columns:
        pd.testing.assert_series_equal(found.obs[column], source.obs[column])
    for column in table.columns:
        ours, theirs = found.obs[column], expected[column]
        assert ours.isna().tolist() == theirs.isna().tolist()
        there = theirs.notna()
        assert ours[there].tolist() == theirs[there].tolist(), column
    if not place:
        assert (found.X != source.X).nnz == 0
        assert set(found.layers) == set(source.layers)


def test_tables_are_added_to_slices(nnz, tmp_path):
    source = read(FULL)
    table_of(source.obs_names).to_csv(tmp_path / "t.csv")
    picked = [name for at, name in enumerate(source.obs_names) if at % 3][::-1][:3]
    nnz.ok(
        "slice", FULL, tmp_path / "a.h5ad", "--rows", ",".join(picked),
        "--row-annotations", tmp_path / "t.csv",
    )
    found = read(tmp_path / "a.h5ad")
    assert found.obs_names.tolist() == picked
    assert found.obs["t_n"].tolist() == table_of(source.obs_names).loc[picked, "t_n"].tolist()


def test_printed_annotations_can_be_added_again(nnz, tmp_path):
    nnz.ok("annotations", FULL, "rows", tmp_path / "t.csv")
    added = ["--row-annotations", tmp_path / "t.csv"]
    assert 'already have an annotation "n_counts"' in nnz.refuses("convert", FULL, tmp_path / "a.h5ad", *added)
    columns = (tmp_path / "t.csv").read_text().splitlines()[0].split(",")[1:]
    left_out = [word for column in columns for word in ("--drop", f"obs/{column}")]
    nnz.ok("convert", FULL, tmp_path / "a.h5ad", *left_out, *added)
    assert nnz.ok("annotations", tmp_path / "a.h5ad", "rows") == nnz.ok("annotations", FULL, "rows")


def test_tables_in_obsm_get_the_names_of_cells(nnz, tmp_path):
    """anndata refuses a table in obsm whose index is not that of obs."""
    source = read(FULL)
    source.obs["code"] = [f"c{at}" for at in range(len(source))]
    source.obsm["frame"] = pd.DataFrame({"a": np.arange(len(source))}, index=source.obs_names)
    source.write_h5ad(tmp_path / "s.h5ad")
    found = read(nnz.convert(tmp_path / "s.h5ad", tmp_path / "a.h5ad", "--row-names", "code"))
    assert found.obs_names.tolist() == source.obs["code"].tolist()
    assert found.obsm["frame"]["a"].tolist() == list(range(len(source)))
    assert found.obs["id"].tolist() == source.obs_names.tolist()


def test_errors_in_whole_files_name_the_axis(nnz, tmp_path):
    source = read(FULL)
    source.var["twice"] = "x"
    source.write_h5ad(tmp_path / "s.h5ad")
    message = nnz.refuses("convert", tmp_path / "s.h5ad", tmp_path / "a.h5ad", "--col-names", "twice")
    assert "cannot name the columns" in message and "columns 0 and 1 have" in message


def test_empty_lines_are_not_looked_up_in_annotations(nnz, tmp_path):
    """They once selected the row whose annotation was empty."""
    source = read(FULL)
    source.obs["blank"] = [f"x{at}" if at else "" for at in range(len(source))]
    source.write_h5ad(tmp_path / "s.h5ad")
    (tmp_path / "list.txt").write_text(f"{source.obs_names[1]}\n\n")
    for place in ["", "::X"]:
        rows = ["--rows", f"@{tmp_path}/list.txt", "--force"]
        nnz.ok("slice", f"{tmp_path}/s.h5ad{place}", tmp_path / "a.h5ad", *rows)
        assert read(tmp_path / "a.h5ad").obs_names.tolist() == [source.obs_names[1]]


def test_cells_without_a_value_are_in_no_part(nnz, tmp_path):
    source = read(FULL)
    source.obs["f"] = [1.0 if at % 2 else np.nan for at in range(len(source))]
    source.write_h5ad(tmp_path / "s.h5ad")
    nnz.ok("split", tmp_path / "s.h5ad", tmp_path / "parts", "--by", "f")
    assert [path.name for path in (tmp_path / "parts").iterdir()] == ["1.0.h5ad"]
    message = nnz.refuses("convert", tmp_path / "s.h5ad", tmp_path / "a.h5ad", "--row-names", "f")
    assert "row 0 has no value" in message


def test_invalid_tables_are_refused(nnz, tmp_path):
    target = tmp_path / "x.h5ad"
    (tmp_path / "other.csv").write_text("id,n\nnobody,1\n")
    (tmp_path / "twice.csv").write_text("id,n\na,1\na,2\n")
    (tmp_path / "ragged.csv").write_text("id,n\na,1\nb\n")
    (tmp_path / "open.csv").write_text('id,n\na,"1\nb,2\n')
    first = read(FULL).obs_names[0]
    (tmp_path / "index.csv").write_text(f"id,_index\n{first},1\n")
    for options, says in [
        (["--row-names", "nope"], 'the rows have no annotation "nope"; columns are'),
        (["--row-annotations", tmp_path / "other.csv"], "no name in the table matches the rows"),
        (["--row-annotations", tmp_path / "twice.csv"], 'has "a" in rows 0 and 1'),
        (["--row-annotations", tmp_path / "ragged.csv"], "line 3, column 1: found 1 values, expected 2"),
        (["--row-annotations", tmp_path / "no.csv"], "no such file"),
        (["--row-annotations", tmp_path / "open.csv"], "quotes opened in line 2 are not closed"),
        (["--strict", "--row-annotations", tmp_path / "index.csv"], "_index"),
    ]:
        for place in ["", "::X"]:
            assert says in nnz.refuses("convert", f"{FULL}{place}", target, *options), options
            assert not target.exists()
    matrix = tmp_path / "m.mtx"
    matrix.write_text("%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 1.5\n2 3 -2\n")
    options = ["--row-annotations", tmp_path / "other.csv"]
    assert "the rows have no names" in nnz.refuses("convert", matrix, target, *options)
