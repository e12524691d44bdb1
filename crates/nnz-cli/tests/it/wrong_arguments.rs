//! Arguments that do not fit a file, or each other.

use std::fs;
use std::path::Path;

use nnz_testing::command::{run, testdata, text};

fn matrix(folder: &Path) -> String {
    let path = folder.join("m.mtx");
    let content = "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 5\n";
    fs::write(&path, content).unwrap();
    text(&path).to_owned()
}

#[test]
fn the_format_of_a_source_must_be_that_of_its_content() {
    let folder = tempfile::tempdir().unwrap();
    let source = matrix(folder.path());
    let path = folder.path().join("m.h5ad");
    let file = text(&path);
    run(&["-q", "convert", &source, file]).good();
    let expected = |format: &str| format!("{file}: is anndata, not {format}\n");
    for format in ["mtx", "10x", "bpcells", "binsparse", "scipy", "npy", "dgCMatrix", "daphne"] {
        for verb in ["info", "cat", "names"] {
            let words = [&[verb, file][..], if verb == "names" { &["rows"] } else { &[] }].concat();
            let message = run(&[&words[..], &["--from", format]].concat()).refused();
            assert_eq!(message, format!("nnz: {}", expected(format)), "{verb}");
        }
        let validated = run(&["validate", file, "--from", format]);
        assert_eq!((validated.code, validated.out), (Some(1), expected(format)));
    }
    run(&["info", file, "--from", "anndata"]).good();
    assert_eq!(run(&["validate", file, "--from", "anndata"]).good(), "");
    // Text is read by `nnz fragments import`.
    let listed = run(&["info", file, "--from", "fragment-text"]);
    assert!(listed.code == Some(2) && !listed.err.contains(", fragment-text"), "{listed:?}");
}

#[test]
fn extensions_of_other_data_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let source = matrix(folder.path());
    let at = |name: &str| text(&folder.path().join(name)).to_owned();
    fs::write(at("f.txt"), "chr1\t1\t5\ta\n").unwrap();
    run(&["-q", "fragments", "import", &at("f.txt"), &at("f.fragments")]).good();
    fs::write(at("t.csv"), "a,b\n1,2.5\n").unwrap();
    let refused = |words: &[&str], target: &str, says: &str| {
        let path = at(target);
        let done = run(&[words, &[&path]].concat());
        let message = format!("nnz: {path}: {says}");
        assert!(done.code == Some(2) && done.err.starts_with(&message), "{done:?}");
        assert!(!folder.path().join(target).exists(), "{target}");
    };
    for (target, format, kind) in
        [("q.fragments", "bpcells", "fragments"), ("q.bed.gz", "mtx", "fragments")]
    {
        let extension = target.split_once('.').unwrap().1.to_lowercase();
        let says = format!(".{extension} is an extension of {kind}, not of matrices\n");
        refused(&["convert", &source], target, &says);
        refused(&["convert", "--to", format, &source], target, &says);
    }
    for (target, format, own) in [("q.tsv", "mtx", "tsv"), ("q.CSV", "npy", "csv")] {
        let says = format!("the extension belongs to {own}, not to {format}\n");
        refused(&["convert", "--to", format, &source], target, &says);
    }
    for (target, format) in
        [("q.mtx", "mtx"), ("q.npy", "npy"), ("q.h5ad", "anndata"), ("q.csv", "csv")]
    {
        let says = format!("{format} stores matrices, not fragments; nnz fragments count ");
        refused(&["fragments", "import", &at("f.txt")], target, &says);
        refused(&["convert", &at("f.fragments")], target, &says);
    }
    let text = ".csv is the extension of text, not of daphne\n";
    refused(&["convert", "--to", "daphne", &at("t.csv")], "q.csv", text);
    let extension = "no file extension; --to selects the format: mtx, ";
    refused(&["convert", &source], "q", extension);
}

#[test]
fn a_memory_limit_without_a_unit_is_large() {
    let folder = tempfile::tempdir().unwrap();
    let source = matrix(folder.path());
    for size in ["0", "1", "5", "4000", "0K", "5B"] {
        let done = run(&["cat", &source, "--memory", size]);
        assert!(done.code == Some(2) && done.err.contains("such as 500M or 4G"), "{done:?}");
    }
    for size in ["1K", "5M", "5000000"] {
        run(&["cat", &source, "--memory", size]).good();
    }
}

#[test]
fn the_same_mistake_has_the_same_status() {
    let folder = tempfile::tempdir().unwrap();
    let source = matrix(folder.path());
    let at = |name: &str| text(&folder.path().join(name)).to_owned();
    run(&["-q", "convert", &source, &at("m.h5ad")]).good();
    for target in ["q.npz", "q.bsp.npz", "q.rds"] {
        let done = run(&["convert", &source, &at(target), "--compress", "zstd:2"]);
        let message = "nnz: --compress zstd:2 does not apply to ";
        assert!(done.code == Some(2) && done.err.starts_with(message), "{done:?}");
    }
    for version in ["2", "3", "9"] {
        for from in [&source, &at("m.h5ad")] {
            let done = run(&["convert", from, &at("q.h5ad"), "--format-version", version]);
            let message = "nnz: --format-version applies to Zarr stores (.zarr), not to HDF5";
            assert!(done.code == Some(2) && done.err.starts_with(message), "{done:?}");
        }
    }
    fs::write(at("f.txt"), "chr1\t1\t5\ta\n").unwrap();
    run(&["-q", "fragments", "import", &at("f.txt"), &at("f")]).good();
    for words in [
        &["slice", &at("m.h5ad"), &at("q.h5ad"), "--rows", "zz"][..],
        &["fragments", "select", &at("f"), &at("q"), "--cells", "zz"],
        &["fragments", "select", &at("f"), &at("q"), "--chromosomes", "zz"],
        &["fragments", "query", &at("f"), "zz"],
    ] {
        let done = run(words);
        assert!(done.code == Some(1) && done.err.contains("zz"), "{done:?}");
    }
}

#[test]
fn messages_on_fragments_name_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&folder.path().join(name)).to_owned();
    fs::write(at("f.txt"), "chr1\t1\t5\ta\n").unwrap();
    let (file, target) = (at("f"), at("q"));
    run(&["-q", "fragments", "import", &at("f.txt"), &file]).good();
    for (words, says) in [
        (&["fragments", "query", &file, "chr9"][..], "no chromosome is named \"chr9\""),
        (&["fragments", "select", &file, &target, "--cells", "z"], "no cell is named \"z\""),
        (&["fragments", "merge", &file, &file, &target], "several cells are named \"a\""),
        (&["annotations", &file, "cells"], "contains genomic fragments"),
        (&["stats", &file], "contains genomic fragments"),
    ] {
        let message = run(words).refused();
        assert!(message.starts_with(&format!("nnz: {file}: {says}")), "{message}");
    }
}

#[test]
fn empty_paths_and_unsupported_urls_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let source = matrix(folder.path());
    for words in [&["info", ""][..], &["convert", &source, ""], &["validate", ""]] {
        let done = run(words);
        assert!(done.code == Some(2) && done.err.contains("the path is empty"), "{done:?}");
    }
    let message = run(&["info", "ftp://host/x.mtx"]).refused();
    assert!(message.contains("URLs of this scheme are not supported; expected s3://"), "{message}");
}

#[test]
fn options_that_a_command_does_not_use_are_not_in_its_help() {
    for verb in ["formats", "completions", "man", "help"] {
        let help = run(&[verb, "--help"]).good();
        assert!(!help.contains("--temp-dir <") && !help.contains("--storage-option <"), "{verb}");
    }
    for verb in [&["info"][..], &["validate"], &["diff"], &["fragments", "query"]] {
        let help = run(&[verb, &["--help"]].concat()).good();
        assert!(help.contains("[default: $TMPDIR or /tmp]"), "{verb:?}");
        assert!(help.contains("--storage-option") && !help.contains("of DST"), "{verb:?}");
    }
    // They can still be given anywhere.
    let folder = tempfile::tempdir().unwrap();
    let (source, missing) = (matrix(folder.path()), folder.path().join("none"));
    for words in [
        &["--temp-dir", text(&missing), "info", &source],
        &["info", &source, "--temp-dir", text(&missing)],
    ] {
        assert!(run(words).refused().contains("none"), "{words:?}");
    }
    let count = run(&["fragments", "count", "--help"]).good();
    assert!(!count.contains("same as SRC") && !count.contains("--expand"), "{count}");
}

/// The tip for `--genes` was `--genome`.
#[test]
fn features_and_cells_have_the_names_of_genomics_and_anndata() {
    let scratch = tempfile::tempdir().unwrap();
    let source = testdata().join("anndata/valid/0.12.19/h5ad/full_csr.h5ad");
    let (source, target) = (text(&source), scratch.path().join("t.h5ad"));
    let target = text(&target);
    let shape = |arguments: &[&str]| {
        run(&[arguments, &["-q", "--force"]].concat()).good();
        let info: serde_json::Value =
            serde_json::from_str(&run(&["info", "--json", target]).good()).unwrap();
        (info["rows"].as_u64().unwrap(), info["cols"].as_u64().unwrap())
    };
    for features in ["--features", "--genes", "--var"] {
        assert_eq!(shape(&["slice", source, target, features, "0:3"]), (11, 3));
        assert_eq!(shape(&["sample", source, target, features, "2"]), (11, 2));
    }
    assert_eq!(shape(&["slice", source, target, "--obs", "0:4", "--genes", "0:3"]), (4, 3));
    assert_eq!(shape(&["filter", source, target, "--obs", "nnz>=0", "--genes", "nnz>=0"]), (11, 7));
    let names = run(&["names", source, "genes"]).good();
    assert_eq!(names, run(&["names", source, "features"]).good());
    assert_eq!(
        run(&["stats", source, "--by", "obs"]).code,
        run(&["stats", source, "--by", "cells"]).code
    );
    // Where nothing is selected, the tip is not about another option.
    for option in ["--genes", "--cells", "--obs", "--rows"] {
        let found = run(&["convert", source, target, option, "A"]);
        assert!(found.err.contains("nnz slice writes selected rows"), "{found:?}");
        assert!(found.code == Some(2) && !found.err.contains("similar"), "{found:?}");
    }
}
