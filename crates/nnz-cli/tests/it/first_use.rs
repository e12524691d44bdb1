//! Common first attempts of users: options that do not apply, wrong locations and extensions, and messages about them.

use std::fs;
use std::path::{Path, PathBuf};

use nnz_testing::command::{run, testdata, text};

fn study() -> PathBuf {
    testdata().join("anndata/valid/0.12.19/h5ad/full_csr.h5ad")
}

/// Expects an error of the command, in the arguments or the file.
#[track_caller]
fn fails(arguments: &[&str]) -> String {
    let done = run(arguments);
    assert!(matches!(done.code, Some(1 | 2)) && done.err.starts_with("nnz: "), "{done:?}");
    done.err
}

fn matrix_market(path: &Path, kind: &str, lines: &str) {
    fs::write(path, format!("%%MatrixMarket matrix coordinate {kind} general\n{lines}")).unwrap();
}

/// They were ignored: `--block 10x10` wrote the same file as without.
#[test]
fn options_of_other_formats_are_errors_for_whole_files() {
    let scratch = tempfile::tempdir().unwrap();
    let (source, target) = (study(), scratch.path().join("x.h5ad"));
    let (source, target) = (text(&source), text(&target));
    for option in [
        &["--block", "10x10"][..],
        &["--unpacked"],
        &["--genome", "g"],
        &["--levels", "CSR"],
        &["--minimize"],
    ] {
        for verb in [
            &["convert", source, target][..],
            &["slice", source, target, "--rows", "0"],
            &["concat", source, source, target, "--axis", "rows"],
            &["split", source, target, "--by", "x"],
            &["repair", source, target],
        ] {
            let refused = fails(&[verb, option].concat());
            let expected = format!("nnz: {} does not apply to anndata", option[0]);
            assert!(refused.contains(&expected), "{refused}");
            assert!(!Path::new(target).exists());
        }
    }
}

/// The default applied only to formats that do not allow duplicates, and so did an explicit `--duplicates refuse`.
#[test]
fn duplicates_are_an_error_on_request_in_any_format() {
    let scratch = tempfile::tempdir().unwrap();
    let (twice, npz) = (scratch.path().join("d.mtx"), scratch.path().join("d.npz"));
    matrix_market(&twice, "integer", "2 2 3\n1 1 5\n1 1 6\n2 1 7\n");
    run(&["-q", "convert", text(&twice), text(&npz), "--duplicates", "keep"]).good();
    assert_eq!(run(&["cat", text(&npz)]).good(), "0\t0\t5\n0\t0\t6\n1\t0\t7\n");
    for how in ["error", "refuse"] {
        let refused = run(&["cat", text(&npz), "--duplicates", how]).refused();
        assert!(refused.contains("duplicate entry (row 0, column 0)"), "{refused}");
    }
    assert_eq!(run(&["cat", text(&npz), "--duplicates", "sum"]).good(), "0\t0\t11\n1\t0\t7\n");
    let refused = run(&["cat", text(&twice)]).refused();
    assert!(refused.contains("duplicate entry (the first is at line 3"), "{refused}");
    // Without duplicates, in any order.
    let plain = scratch.path().join("p.npz");
    matrix_market(&twice, "integer", "2 2 2\n2 1 7\n1 1 5\n");
    run(&["-q", "convert", text(&twice), text(&plain)]).good();
    assert_eq!(run(&["cat", text(&plain), "--duplicates", "error"]).good(), "0\t0\t5\n1\t0\t7\n");
}

/// An incomplete copy of a Zarr store is valid, and all its values are the fill value.
#[test]
fn missing_chunks_of_zarr_are_noted() {
    let scratch = tempfile::tempdir().unwrap();
    let store = scratch.path().join("s.zarr");
    for version in ["2", "3"] {
        run(&[
            "-q",
            "convert",
            text(&study()),
            text(&store),
            "--force",
            "--format-version",
            version,
        ])
        .good();
        let before = run(&["validate", "--notes", text(&store)]).good();
        assert!(!before.contains("missing"), "{before}");
        let chunk = if version == "2" { "X/data/0" } else { "X/data/c" };
        let chunk = store.join(chunk);
        if chunk.is_dir() { fs::remove_dir_all(chunk) } else { fs::remove_file(chunk) }.unwrap();
        for place in [text(&store).to_owned(), format!("{}::X", text(&store))] {
            let notes = run(&["validate", "--notes", &place]).good();
            let expected = "data: 1 chunk is missing and reads as the fill value\n";
            assert_eq!(notes.matches(expected).count(), 1, "{notes}");
            assert_eq!(run(&["validate", &place]).good(), "");
        }
    }
}

/// An npz file was written under the name of an AnnData file.
#[test]
fn extensions_of_other_formats_are_errors() {
    let scratch = tempfile::tempdir().unwrap();
    let source = scratch.path().join("m.mtx");
    matrix_market(&source, "integer", "2 2 1\n1 1 5\n");
    for (name, format, extension) in [
        ("w.h5ad", "scipy", "anndata"),
        ("w.h5ad", "mtx", "anndata"),
        ("w.zarr", "npy", "Zarr"),
        ("w.npz", "daphne", "npz"),
        ("w.h5ad", "dgCMatrix", "anndata"),
        ("w.mtx", "scipy", "mtx"),
        ("w.dbdf", "mtx", "daphne"),
    ] {
        let target = scratch.path().join(name);
        let refused = fails(&["convert", text(&source), text(&target), "--to", format]);
        let expected = format!("the extension belongs to {extension}, not to {format}");
        assert!(refused.contains(&expected), "{refused}");
        assert!(!target.exists());
    }
    for (name, format) in
        [("a.npz", "CSR"), ("b.rds", "dgCMatrix"), ("c.txt", "mtx"), ("d", "scipy")]
    {
        let target = scratch.path().join(name);
        run(&["-q", "convert", text(&source), text(&target), "--to", format]).good();
    }
}

/// The suggestion was float64, which does not hold large integers.
#[test]
fn integers_that_do_not_fit_get_an_integer_type_as_a_suggestion() {
    let scratch = tempfile::tempdir().unwrap();
    let (source, target) = (scratch.path().join("m.mtx"), scratch.path().join("t.npz"));
    for (value, wanted, suggested) in
        [("-1", "uint32", "int32"), ("300", "int8", "int16"), ("5000000000", "uint32", "uint64")]
    {
        matrix_market(&source, "integer", &format!("1 1 1\n1 1 {value}\n"));
        let refused = run(&["convert", text(&source), text(&target), "--type", wanted]).refused();
        let expected =
            format!("{value} cannot be stored exactly as {wanted}; {suggested} can store it\n");
        assert!(refused.ends_with(&expected), "{refused}");
    }
    matrix_market(&source, "complex", "1 1 1\n1 1 1 -2\n");
    let refused = run(&["convert", text(&source), text(&target), "--type", "float64"]).refused();
    assert!(refused.contains("1-2i cannot be stored exactly as float64"), "{refused}");
}

#[test]
fn split_lists_columns_and_names_the_format() {
    let scratch = tempfile::tempdir().unwrap();
    let (matrix, bare) = (scratch.path().join("m.mtx"), scratch.path().join("m.h5ad"));
    let (source, to) = (study(), scratch.path().join("d"));
    matrix_market(&matrix, "integer", "2 2 1\n1 1 5\n");
    run(&["-q", "convert", text(&matrix), text(&bare)]).good();
    let split = |from: &Path, more: &[&str]| {
        let message = fails(&[&["split", text(from), text(&to), "--by", "foo"][..], more].concat());
        assert!(!to.exists());
        message
    };
    assert!(split(&bare, &[]).contains("the rows have no annotations"));
    let refused = split(&source, &[]);
    assert!(
        refused.contains("the rows have no annotation \"foo\"; annotations are \""),
        "{refused}"
    );
    assert!(
        split(&source, &["--to", "mtx"])
            .contains("split writes files of the format loom or mudata or anndata, not mtx")
    );
    assert!(
        split(&matrix, &[])
            .contains("only files of the format loom or mudata or anndata can be split")
    );
    let help = run(&["split", "--help"]).good();
    for option in
        ["--block", "--genome", "--levels", "--order", "--to", "--sparse-format", "--duplicates"]
    {
        assert!(!help.contains(&format!("{option} ")), "{option}: {help}");
    }
    for option in ["--by", "--compress", "--force", "--format-version", "--row-names", "--threads"]
    {
        assert!(help.contains(option), "{option}: {help}");
    }
}

/// They were listed as not supported, but the file has them.
#[test]
fn annotations_of_a_layer_that_is_added_are_not_dropped() {
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("s.h5ad");
    fs::copy(study(), &file).unwrap();
    let [x, layer] = ["X", "layers/added"].map(|item| format!("{}::{item}", text(&file)));
    let done = run(&["convert", &x, &layer]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(!done.err.contains("annotations"), "{done:?}");
}

#[test]
fn locations_without_a_matrix_say_what_there_is() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| scratch.path().join(name);
    let info = |place: &str| run(&["info", place]).refused();
    let (store, file, source) = (at("s.zarr"), at("s.h5ad"), at("m.mtx"));
    run(&["-q", "convert", text(&study()), text(&store)]).good();
    fs::copy(study(), &file).unwrap();
    for path in [&store, &file] {
        let table = info(&format!("{}::obs", text(path)));
        assert!(table.contains("::obs: a table, not a matrix; the file has X, "), "{table}");
        let absent = info(&format!("{}::nope", text(path)));
        assert!(absent.contains("::nope: no such group; the file has X, "), "{absent}");
    }
    let group = info(text(&store.join("X")));
    assert!(group.contains(&format!("it is a group: use {}::X", text(&store))), "{group}");
    // A neighbouring .npy file made it a store without a version.
    matrix_market(&source, "integer", "2 2 1\n1 1 5\n");
    fs::create_dir(at("d")).unwrap();
    run(&["-q", "convert", text(&source), text(&at("d/a.npy"))]).good();
    let one = info(text(&at("d")));
    assert!(
        one.ends_with(&format!("a directory; did you mean {}?\n", text(&at("d/a.npy")))),
        "{one}"
    );
    fs::copy(&source, at("d/m.mtx")).unwrap();
    let several = info(text(&at("d")));
    assert!(several.contains("contains several matrices; select one:\n"), "{several}");
    fs::create_dir(at("e")).unwrap();
    fs::write(at("e/readme"), "").unwrap();
    assert!(
        info(text(&at("e")))
            .contains("not recognized: no AnnData or Zarr (zarr.json, .zgroup), BPCells")
    );
    for name in ["empty.h5ad", "empty.npz", "empty"] {
        fs::write(at(name), "").unwrap();
        let empty = info(text(&at(name)));
        assert!(empty.contains("an empty file") || empty.contains("the file is empty"), "{empty}");
    }
}

/// The first of two files with the same name was read.
#[test]
#[cfg(unix)]
fn a_name_that_an_archive_has_twice_is_refused() {
    let scratch = tempfile::tempdir().unwrap();
    for (folder, name) in [("a", "bar.mtx"), ("b", "bar.mtx"), ("a", "a.mtx"), ("b", "b.mtx")] {
        fs::create_dir_all(scratch.path().join(folder)).unwrap();
        matrix_market(&scratch.path().join(folder).join(name), "integer", "1 1 1\n1 1 5\n");
    }
    let mut tar = std::process::Command::new("tar");
    tar.args(["-czf", "m.tar.gz", "a", "b"]).current_dir(scratch.path());
    assert!(tar.status().unwrap().success());
    let archive = scratch.path().join("m.tar.gz");
    let archive = text(&archive);
    let twice = run(&["cat", &format!("{archive}::bar.mtx")]);
    assert!(twice.code == Some(1), "{twice:?}");
    assert!(twice.err.contains("several files with this name; select one:\n"), "{twice:?}");
    assert!(twice.err.contains("::b/bar.mtx") && !twice.err.contains("::a/a.mtx"), "{twice:?}");
    let both = run(&["cat", archive]);
    assert!(both.err.contains("contains several matrices; select one:\n"), "{both:?}");
    assert_eq!(run(&["cat", &format!("{archive}::b/bar.mtx")]).good(), "0\t0\t5\n");
    assert_eq!(run(&["cat", &format!("{archive}::b.mtx")]).good(), "0\t0\t5\n");
}

/// The tips were `--format`, an alias of the target, and to write `-- -5`.
#[test]
fn wrong_arguments_have_no_wrong_tips() {
    let scratch = tempfile::tempdir().unwrap();
    let (source, target) = (study(), scratch.path().join("t.h5ad"));
    let (source, target) = (text(&source), text(&target));
    for (arguments, code, expected) in [
        (&["convert", source, target, "--from", "mtx"][..], 1, "is anndata, not mtx"),
        (&["slice", source, target, "--rows", "-5"], 1, "no row -5: positions are counted from 0"),
        (&["slice", source, target, "--rows", "-5:-1"], 2, "positions are counted from 0"),
        (&["convert", source, target, "--memory", "-1"], 2, "expected a size such as 500M"),
        (&["convert", source, target, "--threads", "-1"], 2, "expected a number of at least 1"),
        (&["slice", source, target, "--rows", "1,,2"], 2, "empty item in list"),
        (&["slice", source, target, "--rows", "0:5000"], 1, "0:5000 ends after the last row"),
    ] {
        let done = run(arguments);
        assert_eq!(done.code, Some(code), "{done:?}");
        assert!(done.err.starts_with("nnz: ") && done.err.contains(expected), "{}", done.err);
        assert!(!done.err.contains("--format'") && !done.err.contains("-- -"), "{}", done.err);
    }
}

#[test]
fn rows_without_names_are_noted() {
    let scratch = tempfile::tempdir().unwrap();
    let (source, target) = (scratch.path().join("m.mtx"), scratch.path().join("t.csv"));
    matrix_market(&source, "integer", "2 2 1\n1 1 5\n");
    for (verb, what) in [("names", "no names"), ("annotations", "no names and no annotations")] {
        let done = run(&[verb, text(&source), "rows"]);
        let note = format!("note: the rows have {what}\n");
        assert_eq!((done.code, &*done.out, &*done.err), (Some(0), "", &*note));
        assert_eq!(run(&["-q", verb, text(&source), "rows"]).good(), "");
    }
    run(&["annotations", text(&source), "rows", text(&target)]).refused();
    assert!(!target.exists());
}

#[test]
fn repeated_names_of_concatenated_cells_are_noted() {
    let scratch = tempfile::tempdir().unwrap();
    let (source, target) = (study(), scratch.path().join("t.h5ad"));
    let (source, target) = (text(&source), text(&target));
    let concat = ["concat", source, source, target, "--axis", "rows", "--force"];
    let done = run(&concat);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.err.contains("; --index-unique makes names unique\n"), "{}", done.err);
    let done = run(&[&concat[..], &["--index-unique", "-"]].concat());
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(!done.err.contains("--index-unique"), "{}", done.err);
}

/// Numbers of clusters had to be made categories in Python.
#[test]
fn columns_of_numbers_are_added_as_categories() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    fs::write(at("m.csv"), "cell,g\na,1\nb,2\nc,3\n").unwrap();
    fs::write(at("t.csv"), "cell,leiden,n\nc,10,1\na,2,2\nb,2,3\n").unwrap();
    let study = at("m.h5ad");
    run(&["-q", "convert", &at("m.csv"), &study, "--cell-axis", "rows"]).good();
    let table = format!("cells={}", at("t.csv"));
    let edit = ["-q", "edit", &study, "--add-columns", &table, "--categories"];
    let refused = run(&[&edit[..], &["louvain"]].concat());
    assert!(refused.code == Some(2) && refused.err.contains("no added file has"), "{refused:?}");
    run(&[&edit[..], &["leiden"]].concat()).good();
    assert_eq!(
        run(&["annotations", &study, "cells"]).good(),
        "name\tleiden\tn\na\t2\t2\nb\t2\t3\nc\t10\t1\n"
    );
    // The categories are in the order of numbers.
    let parts = at("parts");
    run(&["-q", "split", &study, &parts, "--by", "leiden"]).good();
    let mut names: Vec<String> = fs::read_dir(&parts)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["10.h5ad", "2.h5ad"]);
}

/// Columns that are chosen as names of genes left those of `raw`, which scanpy uses, as they were.
#[test]
fn genes_of_raw_get_the_names_of_the_same_column() {
    let source = testdata().join("anndata/valid/0.12.19/h5ad/full_csr.h5ad");
    let scratch = tempfile::tempdir().unwrap();
    let target = text(&scratch.path().join("t.h5ad")).to_owned();
    let raw = |file: &str| run(&["names", &format!("{file}::raw/X"), "features"]).good();
    let all = ["convert", text(&source), &target, "--force", "--make-unique", "--col-names"];
    let done = run(&[&all[..], &["gene_name"]].concat());
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(raw(&target).starts_with("R0\n"), "{}", raw(&target));
    let done = run(&[&all[..], &["highly_variable"]].concat());
    let kept = "raw/var has no column \"highly_variable\", and keeps its names";
    assert!(done.code == Some(0) && done.err.contains(kept), "{done:?}");
    assert_eq!(raw(&target), raw(text(&source)));
}
