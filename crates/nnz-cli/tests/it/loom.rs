//! Loom files: whole ones, single matrices, names.

use std::path::{Path, PathBuf};

use nnz_testing::command::{run, testdata, text};

fn golden(name: &str) -> PathBuf {
    testdata().join("loom").join(name)
}

fn info(path: &str) -> serde_json::Value {
    serde_json::from_str(&run(&["info", "--json", path]).good()).unwrap()
}

/// Lists the matrices of a file.
fn matrices(path: &Path) -> Vec<String> {
    let info = info(text(path));
    let members = info["members"].as_array().unwrap().iter();
    let wide = members.filter(|member| member["shape"].as_array().unwrap().len() == 2);
    wide.map(|member| member["path"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn whole_files_go_to_anndata_and_back() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| scratch.path().join(name);
    for name in ["attrs", "layers", "graphs", "loompy2_old_spec", "anndata", "one_cell"] {
        let source = golden(&format!("{name}.loom"));
        let (anndata, back, copy) = (at("a.h5ad"), at("b.loom"), at("c.loom"));
        for (from, to) in [(&source, &anndata), (&anndata, &back), (&source, &copy)] {
            run(&["-q", "convert", "--strict", "--force", text(from), text(to)]).good();
            assert_eq!(run(&["validate", "--notes", text(to)]).good(), "");
        }
        for written in [&back, &copy] {
            assert_eq!(matrices(written), matrices(&source), "{name}");
            for item in matrices(&source) {
                let [a, b] = [&source, written].map(|path| format!("{}::{item}", text(path)));
                run(&["diff", &a, &b]).good();
            }
        }
        assert_eq!(run(&["diff", text(&source), text(&back)]).good(), "");
    }
}

#[test]
fn a_copy_is_the_same_for_any_number_of_threads() {
    let scratch = tempfile::tempdir().unwrap();
    let [one, four] = ["1.loom", "4.loom"].map(|name| scratch.path().join(name));
    for (to, threads) in [(&one, "1"), (&four, "4")] {
        let source = golden("layers.loom");
        run(&["-q", "convert", text(&source), text(to), "--threads", threads]).good();
    }
    assert!(std::fs::read(one).unwrap() == std::fs::read(four).unwrap());
}

#[test]
fn a_target_with_one_matrix_lists_what_is_dropped() {
    let scratch = tempfile::tempdir().unwrap();
    let target = scratch.path().join("m.mtx");
    for (name, dropped) in [
        ("layers", "layers/ambiguous, layers/spliced, layers/unspliced"),
        ("graphs", "row_graphs/corr, col_graphs/KNN"),
        ("attrs", "row_attrs/PCA, col_attrs/Embedding"),
        ("loompy2_old_spec", "the attribute \"title\""),
    ] {
        let source = golden(&format!("{name}.loom"));
        let done = run(&["convert", "--force", text(&source), text(&target)]);
        assert!(done.err.contains(dropped), "{name}: {done:?}");
        run(&["convert", "--force", "--strict", text(&source), text(&target)]).refused();
    }
    let spliced = format!("{}::layers/spliced", text(&golden("layers.loom")));
    let sliced = scratch.path().join("s.loom");
    run(&["-q", "slice", "--strict", &spliced, text(&sliced), "--cells", "c3,c1"]).good();
    assert_eq!(run(&["names", text(&sliced), "cells"]).good(), "c3\nc1\n");
    assert_eq!(matrices(&sliced), ["matrix"]);
}

/// The option was ignored for a whole file, and later only the main matrix was written.
#[test]
fn whole_files_are_reordered() {
    let scratch = tempfile::tempdir().unwrap();
    let target = scratch.path().join("r.loom");
    let order = scratch.path().join("order.txt");
    std::fs::write(&order, (0..9).rev().map(|at| format!("c{at}\n")).collect::<String>()).unwrap();
    let reorder = format!("--reorder=cells=@{}", text(&order));
    let done = run(&["convert", text(&golden("layers.loom")), text(&target), &reorder]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(!done.err.contains("dropped"), "{done:?}");
    assert!(run(&["names", text(&target), "cells"]).good().starts_with("c8\nc7\n"));
    assert_eq!(matrices(&target), matrices(&golden("layers.loom")));
    let layer = |path: &Path, cell: &str| {
        let member = format!("{}::layers/unspliced", text(path));
        run(&["cat", &member, "--cols", cell])
            .good()
            .lines()
            .map(|line| {
                let fields: Vec<_> = line.split('\t').collect();
                format!("{} {}", fields[0], fields[2])
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(layer(&target, "0"), layer(&golden("layers.loom"), "8"));
}

#[test]
fn names_are_chosen() {
    let source = golden("attrs.loom");
    let names = |path: &Path| run(&["names", text(path), "rows"]).good();
    assert!(names(&source).starts_with("g0\ng1\n"));
    let scratch = tempfile::tempdir().unwrap();
    for extension in ["loom", "h5ad"] {
        let target = scratch.path().join(format!("m.{extension}"));
        let options = ["--row-names", "Accession", "--strict"];
        run(&[&["-q", "convert", text(&source), text(&target)], &options[..]].concat()).good();
        let axis = if extension == "loom" { "rows" } else { "cols" };
        let found = run(&["names", text(&target), axis]).good();
        assert!(found.starts_with("ENSG0\nENSG1\n"), "{found}");
    }
    // An annotation has the name of the attribute of names: it is kept, and the names are written as by anndata.
    let again = scratch.path().join("again.h5ad");
    let (third, fourth) = (scratch.path().join("3.loom"), scratch.path().join("4.loom"));
    let table = scratch.path().join("t.csv");
    std::fs::write(&table, "name,Gene\ng0,x\ng1,y\n").unwrap();
    let rows = format!("--row-annotations={}", text(&table));
    run(&["-q", "convert", text(&source), text(&third), &rows]).good();
    run(&["-q", "convert", text(&third), text(&again)]).good();
    run(&["-q", "convert", text(&again), text(&fourth)]).good();
    assert_eq!(names(&third), names(&source));
    assert_eq!(names(&fourth), names(&source));
    let annotations = |path: &Path| run(&["annotations", text(path), "rows"]).good();
    assert_eq!(annotations(&third), annotations(&fourth));
    assert!(annotations(&third).contains("Gene"), "{}", annotations(&third));
}

#[test]
fn cells_are_columns() {
    let scratch = tempfile::tempdir().unwrap();
    let target = scratch.path().join("m.loom");
    let study = testdata().join("anndata/valid/0.12.19/h5ad/full_csr.h5ad");
    let done = run(&["convert", text(&study), text(&target)]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.err.contains("raw") && done.err.contains("transposed"), "{done:?}");
    let found = info(text(&target));
    assert_eq!((&found["rows"], &found["cols"]), (&7.into(), &11.into()));
    for (a, b) in [("cells", "cells"), ("features", "features")] {
        let names = |path: &Path, axis| run(&["names", text(path), axis]).good();
        assert_eq!(names(&study, a), names(&target, b));
    }
    run(&["validate", text(&target)]).good();
}

#[test]
fn targets_are_refused_with_a_reason() {
    let scratch = tempfile::tempdir().unwrap();
    let source = golden("attrs.loom");
    let target = scratch.path().join("m.loom");
    let group = format!("{}::layers/x", text(&target));
    let refused = |arguments: &[&str]| {
        let done = run(&[&["convert"], arguments].concat());
        assert!(matches!(done.code, Some(1 | 2)), "{done:?}");
        done.err
    };
    let message = refused(&[text(&source), &group]);
    assert!(message.contains("have no groups"), "{message}");
    let message = refused(&["--to", "loom", text(&source), "-"]);
    assert!(message.contains("standard output"), "{message}");
    let message = refused(&[text(&source), text(&target), "--type", "complex[float64]"]);
    assert!(message.contains("complex"), "{message}");
    // 10^18 elements.
    let huge = scratch.path().join("huge.mtx");
    let header = "%%MatrixMarket matrix coordinate integer general\n";
    std::fs::write(&huge, format!("{header}1000000000 1000000000 1\n1 1 1\n")).unwrap();
    let message = refused(&[text(&huge), text(&target)]);
    assert!(message.contains("no space left"), "{message}");
    // With the format, any HDF5 file.
    let hdf5 = scratch.path().join("m.h5");
    run(&["-q", "convert", "--to", "loom", text(&source), text(&hdf5)]).good();
    assert_eq!(info(text(&hdf5))["format"], "Loom");
}
