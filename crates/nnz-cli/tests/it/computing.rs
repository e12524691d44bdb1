//! `nnz normalize`, `nnz aggregate`, `nnz pca` and `nnz markers`.

use std::fs;
use std::path::PathBuf;

use nnz_testing::command::{names_in, run, text};

/// Three genes and four cells, of which the second has no counts.
fn counts(scratch: &tempfile::TempDir) -> PathBuf {
    let folder = scratch.path().join("pbmc");
    fs::create_dir(&folder).unwrap();
    let matrix = "%%MatrixMarket matrix coordinate integer general\n3 4 5\n1 1 1\n3 1 3\n1 3 4\n2 4 5\n3 4 5\n";
    fs::write(folder.join("matrix.mtx"), matrix).unwrap();
    fs::write(folder.join("genes.tsv"), "g1\tCD3E\ng2\tCD8A\ng3\tMS4A1\n").unwrap();
    fs::write(folder.join("barcodes.tsv"), "AAA\nCCC\nGGG\nTTT\n").unwrap();
    folder
}

#[test]
fn cells_have_the_same_sum_after_normalization() {
    let scratch = tempfile::tempdir().unwrap();
    let source = counts(&scratch);
    let target = scratch.path().join("n.bpcells");
    let (source, target) = (text(&source), text(&target));
    run(&["-q", "normalize", source, target, "--target-sum", "8"]).good();
    assert_eq!(
        run(&["cat", target]).good(),
        "0\t0\t2.0\n2\t0\t6.0\n0\t2\t8.0\n1\t3\t4.0\n2\t3\t4.0\n"
    );
    // The median of 4, 4 and 10.
    run(&["-q", "normalize", source, target, "--force"]).good();
    assert_eq!(run(&["cat", target, "--cols", "3"]).good(), "1\t3\t2.0\n2\t3\t2.0\n");
    run(&["-q", "normalize", source, target, "--force", "--axis", "rows", "--target-sum", "5"])
        .good();
    assert_eq!(run(&["cat", target, "--rows", "0"]).good(), "0\t0\t1.0\n0\t2\t4.0\n");
    run(&["-q", "normalize", source, target, "--force", "--target-sum", "1", "--log1p"]).good();
    assert_eq!(run(&["cat", target, "--cols", "2"]).good(), "0\t2\t0.6931471805599453\n");
    // Cells are rows in AnnData.
    let h5ad = scratch.path().join("n.h5ad");
    run(&["-q", "normalize", source, text(&h5ad), "--target-sum", "8"]).good();
    assert_eq!(run(&["cat", text(&h5ad), "--rows", "2"]).good(), "2\t0\t8.0\n");
    assert_eq!(run(&["names", text(&h5ad), "cols"]).good(), "CD3E\nCD8A\nMS4A1\n");
}

#[test]
fn duplicate_entries_are_summed_before_the_logarithm() {
    let scratch = tempfile::tempdir().unwrap();
    let source = scratch.path().join("m.mtx");
    let header = "%%MatrixMarket matrix coordinate integer general\n1 2 3\n";
    fs::write(&source, format!("{header}1 1 1\n1 2 3\n1 1 2\n")).unwrap();
    let target = scratch.path().join("m.npz");
    let arguments = ["-q", "normalize", text(&source), text(&target), "--target-sum", "6"];
    let more = ["--log1p", "--duplicates", "sum"];
    run(&[&arguments[..], &more].concat()).good();
    let log = "1.3862943611198906";
    assert_eq!(run(&["cat", text(&target)]).good(), format!("0\t0\t{log}\n0\t1\t{log}\n"));
}

/// Variances and counts of elements with several entries were those of the entries.
#[test]
fn variances_and_counts_of_duplicate_entries_are_those_of_elements() {
    let scratch = tempfile::tempdir().unwrap();
    let [source, table, target] =
        ["m.mtx", "t.csv", "out.csv"].map(|name| scratch.path().join(name));
    let header = "%%MatrixMarket matrix coordinate real general\n4 2 4\n";
    fs::write(&source, format!("{header}1 1 1\n3 2 4\n1 1 2\n2 2 3\n")).unwrap();
    fs::write(&table, "name,g\nw,a\nx,a\ny,b\nz,b\n").unwrap();
    let (source, table, target) = (text(&source), text(&table), text(&target));
    let arguments = ["-q", "aggregate", source, target, "--by", "g", "--force", "--axis", "rows"];
    let names = ["--row-names-file", table, "--row-annotations", table];
    for (function, expected) in [("variance", "4.5"), ("count-nonzero", "1")] {
        let arguments = [&arguments[..], &names, &["--function", function]].concat();
        let message = run(&arguments).refused();
        assert!(message.contains("duplicate entry"), "{message}");
        run(&[&arguments[..], &["--duplicates", "sum"]].concat()).good();
        let found = fs::read_to_string(target).unwrap();
        assert!(
            found.lines().nth(1).unwrap().split(',').any(|number| number == expected),
            "{found}"
        );
    }
}

#[test]
fn one_file_is_not_both_tables_of_qc() {
    let scratch = tempfile::tempdir().unwrap();
    let source = counts(&scratch);
    let directory = scratch.path().file_name().unwrap().to_str().unwrap();
    let other = scratch.path().join("..").join(directory).join("qc.csv");
    let target = scratch.path().join("qc.csv");
    let arguments = ["qc", text(&source), text(&target), "--features-table", text(&other)];
    let done = run(&arguments);
    assert!(done.code == Some(2) && done.err.contains("is the table of cells"), "{done:?}");
    assert!(!target.exists());
}

#[test]
fn cells_of_a_group_are_added_up() {
    let scratch = tempfile::tempdir().unwrap();
    let source = counts(&scratch);
    let table = scratch.path().join("t.csv");
    fs::write(&table, "cell,kind,rank\nTTT,b,10\nAAA,a,9\nGGG,b,9\n").unwrap();
    let target = scratch.path().join("sums.bpcells");
    let (source, table, target) = (text(&source), text(&table), text(&target));
    let arguments = ["aggregate", source, target, "--force", "--col-annotations", table, "--by"];
    for (more, names, entries) in [
        (&["kind"][..], "a\nb\n", "0\t0\t1\n2\t0\t3\n0\t1\t4\n1\t1\t5\n2\t1\t5\n"),
        (&["rank"], "9\n10\n", "0\t0\t5\n2\t0\t3\n1\t1\t5\n2\t1\t5\n"),
        (
            &["kind", "--function", "mean"],
            "a\nb\n",
            "0\t0\t1.0\n2\t0\t3.0\n0\t1\t2.0\n1\t1\t2.5\n2\t1\t2.5\n",
        ),
        (
            &["kind", "--function", "count-nonzero"],
            "a\nb\n",
            "0\t0\t1\n2\t0\t1\n0\t1\t1\n1\t1\t1\n2\t1\t1\n",
        ),
    ] {
        let done = run(&[&arguments[..], more].concat());
        assert_eq!(done.code, Some(0), "{done:?}");
        assert!(done.err.contains("1 columns have no value"), "{done:?}");
        assert_eq!(run(&["cat", target]).good(), entries, "{more:?}");
        assert_eq!(run(&["names", target, "cols"]).good(), names, "{more:?}");
        assert_eq!(run(&["names", target, "rows"]).good(), "g1\ng2\ng3\n");
    }
    // Combinations that occur, with their values and numbers of cells.
    let bulk = scratch.path().join("bulk.h5ad");
    let arguments_of_two = ["-q", "aggregate", source, text(&bulk), "--col-annotations", table];
    run(&[&arguments_of_two[..], &["--by", "kind", "--by", "rank"]].concat()).good();
    assert_eq!(
        run(&["annotations", text(&bulk), "cells"]).good(),
        "name\tkind\trank\tn_obs_aggregated\na_9\ta\t9\t1\nb_9\tb\t9\t1\nb_10\tb\t10\t1\n"
    );
    let found = run(&[&arguments[..], &["age"]].concat()).refused();
    assert!(found.contains("no annotation \"age\"; annotations are \"kind\", \"rank\""), "{found}");
    let found = run(&["aggregate", source, target, "--force", "--by", "kind"]).refused();
    assert!(found.contains("no annotations; --col-annotations adds"), "{found}");
}

#[test]
fn components_are_written_to_npz_and_anndata() {
    let scratch = tempfile::tempdir().unwrap();
    let source = counts(&scratch);
    let (npz, h5ad) = (scratch.path().join("p.npz"), scratch.path().join("p.h5ad"));
    let arguments = ["pca", text(&source), "--components", "2", "--log1p"];
    for target in [&npz, &h5ad] {
        let done = run(&[&arguments[..], &[text(target)]].concat());
        assert_eq!(done.code, Some(0), "{done:?}");
        assert!(done.err.contains("2 components with "), "{done:?}");
    }
    let scores = format!("{}::obsm/X_pca", text(&h5ad));
    let info = run(&["info", &scores]).good();
    assert!(info.contains("rows        4 (cells)"), "{info}");
    assert_eq!(run(&["names", &scores, "rows"]).good(), "AAA\nCCC\nGGG\nTTT\n");
    assert_eq!(run(&["validate", text(&h5ad)]).good(), "");
    // An existing file is not replaced, and nothing is left behind.
    run(&[&arguments[..], &[text(&npz)]].concat()).refused();
    run(&["-q", "pca", text(&source), text(&npz), "--components", "2", "--force"]).good();
    let target = scratch.path().join("p.mtx");
    let found = run(&[&arguments[..], &[text(&target)]].concat()).err;
    assert!(found.contains("written to .h5ad, .zarr, .npz"), "{found}");
    let found = run(&["pca", text(&source), text(&npz), "--force", "--components", "4"]).err;
    assert!(found.contains("from 1 to 3"), "{found}");
    assert_eq!(names_in(scratch.path()), ["p.h5ad", "p.npz", "pbmc"]);
}

/// The expected numbers are scanpy's, with `tie_correct=True`.
#[test]
fn markers_are_written_as_a_table() {
    let scratch = tempfile::tempdir().unwrap();
    let source = counts(&scratch);
    let table = scratch.path().join("t.csv");
    fs::write(&table, "cell,kind,one,rest\nAAA,a,x,\nCCC,a,y,z\nGGG,b,y,z\nTTT,b,y,z\n").unwrap();
    let target = scratch.path().join("m.csv");
    let (source, table, target) = (text(&source), text(&table), text(&target));
    let arguments = ["markers", source, "--col-annotations", table, "--by"];
    let done = run(&[&arguments[..], &["kind", target]].concat());
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.err.contains("4 cells in 2 groups, 3 features"), "{done:?}");
    assert!(done.err.contains("note: values look like counts"), "{done:?}");
    assert!(
        done.err.contains("note: entries were sorted by feature first, which took"),
        "{done:?}"
    );
    let written = fs::read_to_string(target).unwrap();
    let lines: Vec<&str> = written.lines().collect();
    let header = "group,names,scores,logfoldchanges,pvals,pvals_adj,pct_nz_group,pct_nz_reference";
    assert_eq!(lines[0], header);
    let names: Vec<&str> = lines[1..].iter().map(|line| &line[..4]).collect();
    assert_eq!(names, ["a,g1", "a,g3", "a,g2", "b,g2", "b,g1", "b,g3"]);
    let numbers = lines[1].split(',').skip(2).map(|number| number.parse::<f64>().unwrap());
    let expected =
        [-0.408_248_29, -3.299_932_2, 0.683_091_398_309_608_7, 0.683_091_398_309_608_7, 0.5, 0.5];
    for (found, expected) in numbers.zip(expected) {
        assert!((found - expected).abs() < 1e-7, "{written}");
    }
    // Fields of standard output are separated by tabs.
    let best =
        ["-q", "markers", source, "-", "--col-annotations", table, "--by", "kind", "--top", "1"];
    let printed = run(&[&best[..], &["--test", "t-test"]].concat()).good();
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.len(), 3, "{printed}");
    assert!(lines[1].starts_with("a\tg3\t-0.342997"), "{printed}");
    assert!(lines[2].starts_with("b\tg2\t1.0\t33.38052"), "{printed}");
    let uncorrected = run(&[&best[..], &["--no-tie-correction", "--log1p"]].concat()).good();
    assert!(uncorrected.contains("\tg2\t0.7745966"), "{uncorrected}");
    // Features are rows, and groups of them are compared by cells. They need no sorting.
    let by_feature = ["markers", source, target, "--force", "--axis", "rows", "--by", "class"];
    let classes = scratch.path().join("c.csv");
    fs::write(&classes, "gene,class\ng1,p\ng2,p\n").unwrap();
    let done = run(&[&by_feature[..], &["--row-annotations", text(&classes)]].concat());
    assert!(done.code == Some(0) && !done.err.contains("sorted"), "{done:?}");
    assert!(done.err.contains("1 cell without a value of \"class\" is among"), "{done:?}");
    let compressed = scratch.path().join("m.tsv.gz");
    run(&[&arguments[..], &["kind", text(&compressed), "-q"]].concat()).good();
    assert!(fs::read(&compressed).unwrap().starts_with(&[0x1f, 0x8b]));
}

#[test]
fn groups_that_cannot_be_compared_are_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let source = counts(&scratch);
    let table = scratch.path().join("t.csv");
    fs::write(&table, "cell,one,all\nAAA,x,z\nCCC,y,z\nGGG,y,z\nTTT,y,z\n").unwrap();
    let target = scratch.path().join("m.csv");
    let (source, table, target) = (text(&source), text(&table), text(&target));
    for (by, message) in [
        ("one", "group \"x\" of \"one\" has 1 cell: expected at least 2"),
        ("all", "group \"z\" of \"all\" has all cells"),
        ("age", "no annotation \"age\"; annotations are \"one\", \"all\""),
    ] {
        let arguments = ["markers", source, target, "--col-annotations", table, "--by", by];
        let found = run(&arguments).refused();
        assert!(found.contains(message), "{found}");
    }
    let found = run(&["markers", source, "m.h5ad", "--by", "one"]).err;
    assert!(found.contains("m.h5ad: expected .csv, .tsv or .txt, also with .gz"), "{found}");
    let nan = scratch.path().join("nan.mtx");
    let header = "%%MatrixMarket matrix coordinate real general\n4 1 2\n";
    fs::write(&nan, format!("{header}1 1 2.5\n3 1 nan\n")).unwrap();
    let labels = scratch.path().join("names.csv");
    fs::write(&labels, "cell,kind\nA,x\nB,x\nC,y\nD,y\n").unwrap();
    let names = scratch.path().join("names.txt");
    fs::write(&names, "A\nB\nC\nD\n").unwrap();
    let arguments = ["markers", text(&nan), target, "--by", "kind"];
    let options = ["--row-names-file", text(&names), "--row-annotations", text(&labels)];
    let found = run(&[&arguments[..], &options].concat()).refused();
    assert!(found.contains("nan.mtx: entry (row 2, column 0): a value of NaN"), "{found}");
    assert_eq!(names_in(scratch.path()), ["names.csv", "names.txt", "nan.mtx", "pbmc", "t.csv"]);
}

#[test]
fn results_without_the_entries_do_not_replace_their_source() {
    let scratch = tempfile::tempdir().unwrap();
    let source = counts(&scratch);
    let study = scratch.path().join("study.h5ad");
    run(&["-q", "convert", text(&source), text(&study)]).good();
    let before = fs::read(&study).unwrap();
    let link = scratch.path().join("link.h5ad");
    std::os::unix::fs::symlink(&study, &link).unwrap();
    for target in [&study, &link] {
        for arguments in [&["pca", "--components", "2"][..], &["aggregate", "--by", "name"]] {
            let both = [text(&study), text(target), "--force"];
            let done = run(&[arguments, &both].concat());
            assert!(done.err.contains("the target is the source"), "{done:?}");
        }
    }
    assert_eq!(fs::read(&study).unwrap(), before);
}

#[test]
fn a_layer_of_the_same_file_drops_nothing() {
    let scratch = tempfile::tempdir().unwrap();
    let source = counts(&scratch);
    let study = scratch.path().join("study.h5ad");
    run(&["-q", "convert", text(&source), text(&study)]).good();
    for layer in ["one", "two"] {
        let target = format!("{}::layers/{layer}", text(&study));
        let done = run(&["normalize", text(&study), &target, "--to", "anndata", "--strict"]);
        assert_eq!(done.code, Some(0), "{done:?}");
        assert!(!done.err.contains("dropped"), "{done:?}");
    }
}

#[test]
fn logarithms_are_taken_without_scaling() {
    let scratch = tempfile::tempdir().unwrap();
    let source = counts(&scratch);
    let target = scratch.path().join("n.npz");
    let arguments =
        ["-q", "normalize", text(&source), text(&target), "--log1p", "--target-sum", "none"];
    run(&arguments).good();
    assert_eq!(
        run(&["cat", text(&target), "--cols", "0", "--rows", "0"]).good(),
        "0\t0\t0.6931471805599453\n"
    );
}

#[test]
fn groups_without_values_and_tables_without_names_are_errors() {
    let scratch = tempfile::tempdir().unwrap();
    let source = counts(&scratch);
    let table = scratch.path().join("t.csv");
    fs::write(&table, "cell,kind\nAAA,\n").unwrap();
    let target = scratch.path().join("sums.bpcells");
    let arguments = [
        "aggregate",
        text(&source),
        text(&target),
        "--by",
        "kind",
        "--col-annotations",
        text(&table),
    ];
    let found = run(&arguments).err;
    assert!(found.contains("none of the columns has a value of \"kind\""), "{found}");
    let nameless = scratch.path().join("m.npz");
    run(&["-q", "convert", text(&source), text(&nameless)]).good();
    let found = run(&["aggregate", text(&nameless), text(&target), "--by", "kind"]).err;
    assert!(found.contains("no annotations") && !found.contains("--row-annotations"), "{found}");
}

#[test]
fn options_that_do_not_apply_to_components_are_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let source = counts(&scratch);
    let target = scratch.path().join("p.npz");
    let arguments = ["pca", text(&source), text(&target), "--components"];
    let found = run(&[&arguments[..], &["2", "--compress", "gzip:3"]].concat()).err;
    assert!(found.contains("--compress does not apply"), "{found}");
    let found = run(&[&arguments[..], &["9"]].concat()).err;
    assert!(found.contains("from 1 to 3; --components sets the number"), "{found}");
    assert!(!target.exists());
}

/// A sparse embedding makes `sc.pl.pca` fail.
#[test]
fn a_dense_embedding_stays_dense_in_another_file() {
    let scratch = tempfile::tempdir().unwrap();
    let source = counts(&scratch);
    let at = |name: &str| scratch.path().join(name).display().to_string();
    let components = at("p.h5ad");
    run(&["-q", "pca", text(&source), &components, "--components", "2", "--log1p"]).good();
    let embedding = format!("{components}::obsm/X_pca");
    let elements = run(&["cat", &embedding]).good();
    for study in ["c.h5ad", "c.zarr"] {
        run(&["-q", "convert", text(&source), &at(study), "--to", "anndata"]).good();
        let added = format!("{}::obsm/X_pca", at(study));
        run(&["-q", "convert", &embedding, &added]).good();
        assert!(run(&["info", &added]).good().contains("dense"), "{study}");
        assert_eq!(run(&["cat", &added]).good(), elements);
        assert_eq!(run(&["validate", &at(study)]).good(), "");
        // A sparse one stays sparse.
        let (sparse, other) = (at("e.npz"), format!("{}::obsm/X_other", at(study)));
        run(&["-q", "convert", &embedding, &sparse, "--force"]).good();
        run(&["-q", "convert", &sparse, &other, "--to", "anndata"]).good();
        assert!(run(&["info", &other]).good().contains("sparse"), "{study}");
    }
}

#[test]
fn components_are_added_to_a_study() {
    let scratch = tempfile::tempdir().unwrap();
    let source = counts(&scratch);
    let at = |name: &str| scratch.path().join(name).display().to_string();
    let how = ["--components", "2", "--log1p"];
    for study in ["c.h5ad", "c.zarr"] {
        let (study, components) = (at(study), at("p.h5ad"));
        run(&["-q", "convert", text(&source), &study, "--to", "anndata"]).good();
        let matrix = run(&["cat", &format!("{study}::X"), "--names"]).good();
        run(&[&["-q", "pca", &study, &components, "--force"][..], &how].concat()).good();
        let done = run(&[&["pca", &study, "--into", &study][..], &how].concat());
        assert!(done.code == Some(0) && done.err.contains("2 components with"), "{done:?}");
        for array in ["obsm/X_pca", "varm/PCs"] {
            let [ours, theirs] = [&study, &components].map(|path| format!("{path}::{array}"));
            assert_eq!(run(&["diff", &ours, &theirs]).good(), "");
        }
        assert!(run(&["info", &study]).good().contains("uns/pca"));
        assert_eq!(run(&["cat", &format!("{study}::X"), "--names"]).good(), matrix);
        assert_eq!(run(&["validate", &study]).good(), "");
        // They are only replaced if that is wanted, and only by those of the same cells.
        let again = run(&[&["pca", &study, "--into", &study][..], &how].concat()).refused();
        assert!(again.contains("obsm/X_pca: already exists; --force replaces it"), "{again}");
        run(&[&["-q", "pca", &study, "--into", &study, "--force"][..], &how].concat()).good();
        let (part, other) = (at("part.bpcells"), at("other.bpcells"));
        run(&["-q", "slice", &study, &part, "--cells", ":3", "--force"]).good();
        let into = ["--into", &*study, "--force", "--components", "1"];
        let found = run(&[&["pca", &part][..], &into].concat()).refused();
        assert!(found.contains("the source has 3 cells, and the file 4"), "{found}");
        run(&["-q", "slice", &study, &other, "--cells", "TTT,AAA,CCC,GGG", "--force"]).good();
        let found = run(&[&["pca", &other][..], &into].concat()).refused();
        assert!(found.contains("cell 0 of the source is \"TTT\""), "{found}");
        assert_eq!(
            run(&["diff", &format!("{study}::obsm/X_pca"), &format!("{components}::obsm/X_pca")])
                .good(),
            ""
        );
    }
}

/// As `add_to` of the Python package, and scanpy.
#[test]
fn loadings_of_features_that_were_left_out_are_zero() {
    let scratch = tempfile::tempdir().unwrap();
    let source = counts(&scratch);
    let at = |name: &str| scratch.path().join(name).display().to_string();
    let (study, genes) = (at("study.h5ad"), at("genes.h5ad"));
    run(&["-q", "convert", text(&source), &study]).good();
    run(&["-q", "slice", &study, &genes, "--features", "MS4A1,CD3E"]).good();
    run(&["-q", "pca", &genes, "--into", &study, "--components", "1"]).good();
    let loadings = run(&["cat", &format!("{study}::varm/PCs"), "--names"]).good();
    let of = |gene: &str| {
        let line = loadings.lines().find(|line| line.starts_with(gene));
        line.and_then(|line| line.rsplit('\t').next())
            .map_or(0.0, |value| value.parse::<f64>().unwrap())
    };
    assert!(of("CD8A") == 0.0 && of("MS4A1") != 0.0 && of("CD3E") != 0.0, "{loadings}");
    let other = at("other.h5ad");
    run(&["-q", "slice", &study, &other, "--features", "CD8A"]).good();
    let found = run(&["pca", &genes, "--into", &other, "--components", "1", "--force"]).refused();
    assert!(found.contains("does not have the feature \"MS4A1\""), "{found}");
}

#[test]
fn a_matrix_is_written_with_all_elements_if_that_is_wanted() {
    let scratch = tempfile::tempdir().unwrap();
    let source = counts(&scratch);
    let at = |name: &str| scratch.path().join(name).display().to_string();
    for name in ["d.h5ad", "d.zarr"] {
        let (dense, sparse) = (at(name), at(&format!("s{name}")));
        run(&["-q", "convert", text(&source), &dense, "--to", "anndata", "--dense"]).good();
        run(&["-q", "convert", text(&source), &sparse, "--to", "anndata"]).good();
        assert!(run(&["info", &dense]).good().contains("dense matrix"), "{name}");
        assert_eq!(run(&["diff", &format!("{dense}::X"), &format!("{sparse}::X")]).good(), "");
        let layer = format!("{sparse}::layers/dense");
        run(&["-q", "convert", &format!("{sparse}::X"), &layer, "--to", "anndata", "--dense"])
            .good();
        assert!(run(&["info", &layer]).good().contains("dense matrix"), "{name}");
        assert_eq!(run(&["validate", &sparse]).good(), "");
    }
    let found = run(&["convert", &at("sd.h5ad"), &at("x.h5ad"), "--dense"]).err;
    assert!(found.contains("--dense applies to one matrix, such as PATH::X"), "{found}");
}

#[test]
fn components_are_those_of_selected_features() {
    let scratch = tempfile::tempdir().unwrap();
    let source = counts(&scratch);
    let at = |name: &str| scratch.path().join(name).display().to_string();
    let (study, ours, part) = (at("study.h5ad"), at("ours.npz"), at("part.bpcells"));
    run(&["-q", "convert", text(&source), &study]).good();
    // Sums of cells are those of all genes.
    let how = ["--target-sum", "10", "--log1p"];
    run(&[&["-q", "normalize", &study, &at("n.bpcells")][..], &how].concat()).good();
    run(&["-q", "slice", &at("n.bpcells"), &part, "--features", "CD3E,MS4A1"]).good();
    let features = ["--features", "CD3E,MS4A1", "--components", "1"];
    run(&[&["-q", "pca", &study, &ours][..], &how, &features].concat()).good();
    run(&["-q", "pca", &part, &at("theirs.npz"), "--components", "1"]).good();
    assert_eq!(fs::read(&ours).unwrap(), fs::read(at("theirs.npz")).unwrap());
    // A column of annotations is no name.
    let wrong = ["pca", &study, &ours, "--force", "--components", "1", "--features", "gene_ids"];
    let found = run(&wrong).refused();
    assert!(found.contains("; gene_ids=VALUE selects columns by this annotation"), "{found}");
}

#[test]
fn statistics_of_normalized_values_are_those_of_a_normalized_file() {
    let scratch = tempfile::tempdir().unwrap();
    let source = counts(&scratch);
    let normalized = scratch.path().join("n.bpcells");
    let how = ["--target-sum", "10", "--log1p"];
    run(&[&["-q", "normalize", text(&source), text(&normalized)][..], &how].concat()).good();
    for axis in ["features", "cells"] {
        let of = |path: &std::path::Path| {
            ["stats".to_owned(), text(path).to_owned(), "--axis".to_owned(), axis.to_owned()]
        };
        let ours = [&of(&source)[..], &how.map(str::to_owned)].concat();
        assert_eq!(run(&ours).good(), run(&of(&normalized)).good());
    }
}

#[test]
fn quality_metrics_are_written_and_added_to_a_study() {
    let scratch = tempfile::tempdir().unwrap();
    let source = counts(&scratch);
    let at = |name: &str| scratch.path().join(name).display().to_string();
    let (cells, features, study) = (at("cells.csv"), at("genes.csv"), at("study.h5ad"));
    let sets = ["--set", "cd=^CD", "--percent-top", "1"];
    let tables = [&cells, "--features-table", &features];
    let done = run(&[&["qc", text(&source)][..], &tables, &sets].concat());
    assert!(done.code == Some(0) && done.err.contains("rows matched \"^CD\""), "{done:?}");
    let rows = fs::read_to_string(&cells).unwrap();
    let header = "name,n_genes_by_counts,log1p_n_genes_by_counts,total_counts,log1p_total_counts,\
                  pct_counts_in_top_1_genes,total_counts_cd,log1p_total_counts_cd,pct_counts_cd";
    assert_eq!(rows.lines().next(), Some(header));
    let of = |row: usize, column: usize| -> f64 {
        rows.lines().nth(row).unwrap().split(',').nth(column).unwrap().parse().unwrap()
    };
    assert_eq!([of(1, 1), of(1, 3), of(1, 5), of(1, 6), of(1, 8)], [2.0, 4.0, 75.0, 1.0, 25.0]);
    assert!(of(2, 5).is_nan() && of(2, 1) == 0.0);
    let genes = fs::read_to_string(&features).unwrap();
    assert!(
        genes.starts_with("name,cd,n_cells_by_counts,mean_counts,log1p_mean_counts,pct_dropout")
    );
    assert!(genes.contains("\ng1,true,2,"), "{genes}");
    // The same tables compressed, and with tabs on standard output.
    let packed = at("genes.csv.gz");
    let printed = [&["-q", "qc", text(&source), "-"][..], &["--features-table", &packed], &sets];
    assert_eq!(run(&printed.concat()).good().replace('\t', ","), rows);
    let mut unpacked = String::new();
    let mut file = flate2::read::GzDecoder::new(fs::File::open(&packed).unwrap());
    std::io::Read::read_to_string(&mut file, &mut unpacked).unwrap();
    assert_eq!(unpacked, genes);
    let twice = [&["qc", text(&source), &cells, "--force"][..], &["--features-table", &cells]];
    let twice = run(&twice.concat());
    assert!(twice.code == Some(2) && twice.err.contains("is the table of cells"), "{twice:?}");
    // Existing files are not replaced.
    let again = run(&[&["-q", "qc", text(&source)][..], &tables, &sets].concat()).refused();
    assert!(again.contains("already exists"), "{again}");
    // The same columns in a file.
    run(&["-q", "convert", text(&source), &study]).good();
    run(&[&["-q", "qc", &study, "--into", &study][..], &sets].concat()).good();
    let added = run(&["annotations", &study, "cells"]).good();
    assert_eq!(added.replace('\t', ","), rows);
    assert!(run(&["annotations", &study, "features"]).good().contains("n_cells_by_counts"));
    let again = run(&[&["qc", &study, "--into", &study][..], &sets].concat()).refused();
    assert!(again.contains("total_counts") || again.contains("n_genes_by_counts"), "{again}");
    // A column of booleans is a set.
    let by_column = run(&["-q", "qc", &study, "--qc-vars", "cd", "--percent-top", "1"]).good();
    assert_eq!(by_column.replace('\t', ","), rows);
    assert!(run(&["qc", &study, "--set", "^MT-"]).err.contains("expected NAME=REGEX"));
    assert!(run(&["qc", &study, "--percent-top", "9"]).err.contains("from 1 to 3"));
}

#[test]
fn highly_variable_features_are_written_and_select_components() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| scratch.path().join(name).display().to_string();
    let (study, genes) = (at("study.h5ad"), at("genes.tsv"));
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/pbmc_10x_v3_mtx");
    run(&["-q", "convert", source, &study]).good();
    let how = ["--target-sum", "1e4", "--log1p"];
    let top = ["--top", "50"];
    run(&[&["hvg", &study, &genes][..], &how, &top].concat()).good();
    let table = fs::read_to_string(&genes).unwrap();
    assert!(table.starts_with("name\tmeans\tdispersions\tdispersions_norm\thighly_variable\n"));
    assert_eq!(table.lines().filter(|line| line.ends_with("\ttrue")).count(), 50);
    run(&[&["-q", "hvg", &study, "--into", &study][..], &how, &top].concat()).good();
    let chosen = ["--features", "highly_variable=True", "--components", "5"];
    let done = run(&[&["pca", &study, "--into", &study][..], &how, &chosen].concat());
    assert!(done.code == Some(0) && done.err.contains("50 features"), "{done:?}");
    assert!(run(&["info", &study]).good().contains("varm/PCs"));
    // Batches need labels of all cells.
    let found = run(&["-q", "hvg", &study, "--batch", "sample"]).refused();
    assert!(found.contains("no annotation"), "{found}");
    let found = run(&["hvg", &study, "--top", "5", "--min-mean", "1"]);
    assert_eq!(found.code, Some(2), "{found:?}");
    // One was chosen.
    let found = run(&["hvg", &study, "--top", "0"]);
    assert!(found.err.contains("expected a number of at least 1"), "{found:?}");
    assert_eq!(found.code, Some(2), "{found:?}");
}

/// Features of 10x are named by their symbols in AnnData, whichever command writes it.
#[test]
fn results_of_a_10x_matrix_have_the_names_of_its_conversion() {
    let scratch = tempfile::tempdir().unwrap();
    let source = counts(&scratch);
    let at = |name: &str| scratch.path().join(name).display().to_string();
    let (study, components, kinds) = (at("study.h5ad"), at("p.h5ad"), at("kinds.csv"));
    run(&["-q", "convert", text(&source), &study]).good();
    let names = run(&["names", &study, "features"]).good();
    run(&["-q", "pca", text(&source), "--into", &study, "--components", "2"]).good();
    run(&["-q", "pca", text(&source), &components, "--components", "2"]).good();
    fs::write(&kinds, "cell,kind\nAAA,x\nCCC,x\nGGG,y\nTTT,y\n").unwrap();
    let sums = at("sums.h5ad");
    let by = ["--by", "kind", "--col-annotations", &kinds];
    run(&[&["-q", "aggregate", text(&source), &sums][..], &by].concat()).good();
    for path in [&components, &sums] {
        assert_eq!(run(&["names", path, "features"]).good(), names, "{path}");
        assert!(run(&["annotations", path, "features"]).good().starts_with("name\tgene_ids"));
    }
    // Sums stay integers.
    assert!(run(&["info", &sums]).good().contains("uint32"));
    let loadings = |path: &str| run(&["cat", &format!("{path}::varm/PCs")]).good();
    assert_eq!(loadings(&study), loadings(&components));
}

/// Genes were normalized, also where the axis of the cells was stated.
#[test]
fn tables_are_computed_along_the_axis_that_is_stated() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| scratch.path().join(name).display().to_string();
    let table = at("genes.csv");
    fs::write(&table, "gene,a,b\ng1,1,2\ng2,3,2\ng3,0,4\n").unwrap();
    let sums = |file: &str, axis: &str| {
        let printed = run(&["stats", file, "--axis", axis, "--measures", "sums"]).good();
        let of = |line: &str| line.split('\t').nth(3).unwrap().parse::<f64>().unwrap();
        printed.lines().skip(1).map(of).collect::<Vec<f64>>()
    };
    for flags in [["--cell-axis", "cols"], ["--axis", "cols"]] {
        for target in [at("n.h5ad"), at("n.bpcells")] {
            let all = ["normalize", &table, &target, "--force", "--target-sum", "8"];
            let done = run(&[&all[..], &flags].concat());
            assert!(done.code == Some(0) && !done.err.contains("does not state"), "{done:?}");
            assert_eq!(sums(&target, "cells"), [8.0, 8.0], "{target}");
            assert_eq!(run(&["names", &target, "cells"]).good(), "a\nb\n");
        }
    }
    // Without a statement, rows are cells in what is computed and in what is written.
    let target = at("n.bpcells");
    let done = run(&["normalize", &table, &target, "--force", "--target-sum", "8"]);
    let expected =
        "rows are taken for cells, columns for features; --axis cols states that columns are cells";
    assert!(done.err.contains(expected), "{done:?}");
    assert_eq!(sums(&target, "cells"), [8.0; 3]);
    assert_eq!(run(&["names", &target, "cells"]).good(), "g1\ng2\ng3\n");
    for (verb, flags) in [
        (&["qc", &table][..], &["--percent-top", "1"][..]),
        (&["hvg", &table], &["--log1p"]),
        (&["pca", &table, &at("p.npz")], &["--components", "1"]),
        (&["aggregate", &table, &at("a.npz"), "--by", "x"], &["--row-annotations", &at("x.csv")]),
    ] {
        fs::write(at("x.csv"), "name,x\ng1,1\ng2,1\ng3,2\n").unwrap();
        let done = run(&[verb, flags].concat());
        assert!(done.code == Some(0) && done.err.contains(expected), "{done:?}");
    }
    // What is missing on the axis that is assumed may be on the other one.
    let refused = run(&["aggregate", &table, &at("b.npz"), "--by", "kind"]).refused_by("aggregate");
    assert!(refused.ends_with("--axis cols states that columns are cells\n"), "{refused}");
    let by_column = at("by.csv");
    fs::write(&by_column, "cell,x\na,1\nb,1\n").unwrap();
    let target = at("sums.h5ad");
    let all = ["-q", "aggregate", &table, &target, "--by", "x", "--axis", "cols"];
    run(&[&all[..], &["--col-annotations", &by_column]].concat()).good();
    assert_eq!(run(&["names", &target, "features"]).good(), "g1\ng2\ng3\n");
    // Scaled values of genes.
    let scaled = ["stats", &table, "--axis", "cols", "--measures", "sums", "--target-sum", "8"];
    let printed = run(&[&scaled[..], &["--cell-axis", "cols"]].concat()).good();
    assert_eq!(printed.lines().nth(1).unwrap().split('\t').nth(3), Some("8.0"), "{printed}");
    let noted = run(&scaled).err;
    assert!(noted.contains("--cell-axis cols states that columns are cells"), "{noted}");
    // What a file states is not overridden without a word.
    let noted = run(&["qc", &target, &at("q.csv"), "--axis", "cols", "--percent-top", "1"]).err;
    assert!(noted.contains("the source states that rows are cells"), "{noted}");
    let components = at("p.h5ad");
    run(&["-q", "pca", &table, &components, "--components", "1", "--axis", "cols"]).good();
    assert_eq!(run(&["names", &components, "cells"]).good(), "a\nb\n");
}

/// They were taken for counts without a word, or became NaN.
#[test]
fn values_that_are_no_counts_or_logarithms_are_noted() {
    let scratch = tempfile::tempdir().unwrap();
    let source = counts(&scratch);
    let at = |name: &str| scratch.path().join(name).display().to_string();
    let (logs, scaled) = (at("logs.h5ad"), at("scaled.csv"));
    run(&["-q", "normalize", text(&source), &logs, "--target-sum", "8", "--log1p"]).good();
    fs::write(&scaled, "cell,a,b\nx,-1.5,2\ny,0.5,-0.25\n").unwrap();
    let said = |arguments: &[&str]| run(arguments).err;
    for verb in [&["hvg", &logs][..], &["pca", &logs, &at("p.npz"), "--components", "1"]] {
        assert!(!said(verb).contains("note: values"), "{verb:?}");
        let twice = said(&[verb, &["--log1p", "--force"]].concat());
        let what = "values are not counts: uns/log1p states that they are logarithms";
        assert!(twice.contains(what), "{twice}");
    }
    for verb in
        [&["hvg", text(&source)][..], &["pca", text(&source), &at("q.npz"), "--components", "1"]]
    {
        assert!(said(verb).contains("values look like counts"), "{verb:?}");
    }
    let refused = run(&["normalize", &scaled, &at("n.csv"), "--log1p"]).refused_by("normalize");
    assert!(refused.contains("a value of -1.5: log1p is not defined below -1"), "{refused}");
    let noted = said(&["normalize", &scaled, &at("n.csv"), "--target-sum", "1"]);
    assert!(noted.contains("values are not counts: some are negative"), "{noted}");
    // Sums of logarithms, by which cells would be kept.
    for (condition, is_noted) in [("sum>=0", true), ("nnz>=0", false)] {
        let noted = said(&["filter", &logs, &at("f.h5ad"), "--force", "--cells", condition]);
        assert_eq!(noted.contains("states that they are logarithms; sums are of these"), is_noted);
    }
    let four = "cell,a,b\nx,-1.5,2\ny,0.5,-0.25\nz,1,1\nv,-1,0\n";
    fs::write(&scaled, four).unwrap();
    fs::write(at("kinds.csv"), "cell,kind\nx,1\ny,2\nz,1\nv,2\n").unwrap();
    let by = ["--by", "kind", "--row-annotations", &at("kinds.csv"), "--axis", "rows"];
    let noted = said(&[&["markers", &scaled, &at("m.csv")][..], &by].concat());
    assert!(noted.contains("values are negative, not like logarithms"), "{noted}");
}

/// Antibodies were scaled, ranked and reduced with genes without a word.
#[test]
fn features_of_several_types_are_noted() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| scratch.path().join(name).display().to_string();
    fs::write(at("m.csv"), "cell,g1,g2,a1\na,4,0,90\nb,0,4,80\nc,2,2,7\nd,1,2,7\n").unwrap();
    let types = "name,feature_type\ng1,Gene Expression\ng2,Gene Expression\na1,Antibody Capture\n";
    fs::write(at("types.csv"), types).unwrap();
    fs::write(at("groups.csv"), "cell,group\na,x\nb,x\nc,y\nd,y\n").unwrap();
    let tables = [
        "--col-annotations",
        &at("types.csv"),
        "--row-annotations",
        &at("groups.csv"),
        "--cell-axis",
        "rows",
    ];
    let source = at("m.h5ad");
    run(&[&["-q", "convert", &at("m.csv"), &source], &tables[..]].concat()).good();
    let what = "features of several types are taken together (2 \"Gene Expression\", 1 \"Antibody Capture\"); a slice with the features \"feature_type=Gene Expression\"";
    for verb in [
        &["qc", &source, &at("qc.csv")][..],
        &["normalize", &source, &at("n.h5ad"), "--target-sum", "1"],
        &["hvg", &source, &at("v.csv"), "--log1p"],
        &["pca", &source, &at("p.npz"), "--components", "1", "--log1p"],
        &["markers", &source, &at("k.csv"), "--by", "group", "--log1p"],
    ] {
        let done = run(verb);
        assert!(done.code == Some(0) && done.err.contains(what), "{verb:?}: {done:?}");
    }
    let genes = at("genes.h5ad");
    run(&["-q", "slice", &source, &genes, "--features", "feature_type=Gene Expression"]).good();
    assert!(!run(&["qc", &genes, &at("g.csv")]).err.contains("several types"));
}

#[test]
fn residuals_ranks_and_quantiles_are_written() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| scratch.path().join(name).display().to_string();
    let (table, kinds) = (at("m.csv"), at("kinds.csv"));
    fs::write(&table, "cell,g1,g2\na,4,0\nb,0,4\nc,2,2\n").unwrap();
    fs::write(&kinds, "cell,kind,n\na,x,1\nb,x,2\nc,y,3\n").unwrap();
    let printed = |arguments: &[&str]| {
        let target = at("out.h5ad");
        let all = ["-q", "normalize", &table, &target, "--force", "--axis", "rows"];
        run(&[&all[..], arguments].concat()).good();
        run(&["cat", &target]).good()
    };
    // Of 12 counts, 2 are expected in each element, and sqrt(3) is the limit.
    let found = printed(&["--pearson-residuals", "--theta", "inf", "--clip", "1.25"]);
    assert_eq!(found, "0\t0\t1.25\n0\t1\t-1.25\n1\t0\t-1.25\n1\t1\t1.25\n2\t0\t0.0\n2\t1\t0.0\n");
    assert!(run(&["info", &at("out.h5ad")]).good().contains("dense"));
    // Cells are not scaled, unless a sum is given.
    let found = printed(&["--regress-out", "kind", "--row-annotations", &kinds]);
    let values: Vec<f64> =
        found.lines().map(|line| line.rsplit('\t').next().unwrap().parse().unwrap()).collect();
    let expected = [2.0, -2.0, -2.0, 2.0, 0.0, 0.0];
    assert!(values.iter().zip(expected).all(|(found, one)| (found - one).abs() < 1e-9), "{found}");
    // The ranks of 4, 0 and 2 are 3, 1 and 2.
    let found = printed(&["--ranks", "cols"]);
    assert_eq!(found, "0\t0\t2.0\n2\t0\t1.0\n1\t1\t2.0\n2\t1\t1.0\n");
    let quantiles = run(&["stats", &table, "--axis", "cols", "--quantiles", "0.5,1"]).good();
    assert!(quantiles.starts_with("col\tname\tnnz\tsum\tmean\tvariance\tmin\tmax\tq0.5\tq1\n"));
    assert!(quantiles.lines().nth(1).unwrap().ends_with("\t2.0\t4.0"), "{quantiles}");
    let json = ["stats", &table, "--axis", "rows", "--quantiles", "0.25", "--json"];
    let found: serde_json::Value = serde_json::from_str(&run(&json).good()).unwrap();
    assert_eq!(found["rows"][0]["quantiles"][0], 1.0);
    for (flags, says) in [
        (&["--pearson-residuals", "--log1p"][..], "cannot be used with"),
        (&["--theta", "3"], "--pearson-residuals"),
        (&["--regress-out", "nothing"], "no annotation"),
    ] {
        let refused =
            run(&[&["normalize", &table, &at("x.h5ad"), "--axis", "rows"][..], flags].concat());
        assert!(refused.code != Some(0) && refused.err.contains(says), "{refused:?}");
    }
    let wrong = run(&["stats", &table, "--axis", "rows", "--quantiles", "1.5"]);
    assert!(wrong.err.contains("a quantile of 1.5: expected 0 to 1"), "{wrong:?}");
    // Components of what is left.
    let (study, target) = (at("study.h5ad"), at("p.npz"));
    run(&["-q", "convert", &table, &study, "--row-annotations", &kinds, "--cell-axis", "rows"])
        .good();
    let all = ["pca", &study, &target, "--components", "1", "--regress-out", "kind,n"];
    let done = run(&all);
    assert!(done.code == Some(0) && done.err.contains("1 component"), "{done:?}");
}
