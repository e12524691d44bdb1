//! Names and attributes of axes.

use std::fs;

use nnz_testing::command::{names_in, run, text};

use super::report;

/// Returns whether a file has a text, as names of HDF5 attributes are stored.
fn has(path: &str, wanted: &str) -> bool {
    fs::read(path).unwrap().windows(wanted.len()).any(|bytes| bytes == wanted.as_bytes())
}

/// `SnapATAC2` keeps the intervals of features as attributes of their index: features that were selected got the
/// intervals of others.
#[test]
fn attributes_of_an_index_are_kept_only_with_the_whole_index_in_its_order() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    let source = report("snapatac2-feature-slice/s.h5ad");
    let names = run(&["names", &source, "features"]).good();
    let mut lines: Vec<&str> = names.lines().collect();
    lines.reverse();
    fs::write(at("reversed.txt"), lines.join("\n")).unwrap();
    let reversed = format!("@{}", at("reversed.txt"));
    for (number, arguments) in [
        ["slice", "--features", "10:20"],
        ["slice", "--features", &reversed],
        ["filter", "--features", "nnz>=12"],
        ["sample", "--features", "20"],
        ["convert", "--reorder", "features=frequency"],
    ]
    .into_iter()
    .enumerate()
    {
        let [verb, option, value] = arguments;
        let target = at(&format!("{number}.h5ad"));
        let done = run(&[verb, &source, &target, option, value]);
        assert_eq!(done.code, Some(0), "{done:?}");
        for attribute in ["index_type", "intervals", "names"] {
            let shown = format!("var/index, attribute \"{attribute}\" (");
            assert!(done.err.contains(&shown), "{verb}: {}", done.err);
        }
        assert!(!done.err.contains("obs/index"), "{}", done.err);
        assert!(!has(&target, "intervals"), "{verb}");
        let done = run(&[verb, &source, &at("strict.h5ad"), option, value, "--strict"]);
        assert_eq!(done.code, Some(1), "{done:?}");
    }
    // The features are complete.
    let cells = at("cells.h5ad");
    let done = run(&["slice", &source, &cells, "--cells", "3,1"]);
    assert!(done.err.contains("obs/index, attribute \"index_type\""), "{}", done.err);
    assert!(!done.err.contains("var/index") && has(&cells, "intervals"), "{}", done.err);
    let whole = at("whole.h5ad");
    run(&["-q", "convert", &source, &whole, "--strict"]).good();
    assert!(has(&whole, "intervals"));
    run(&["diff", "--stored", &source, &whole]).good();
    run(&["-q", "slice", &source, &at("all.h5ad"), "--features", "0:150", "--strict"]).good();
    // Names that are replaced, and files that are joined.
    let joined = run(&["concat", &source, &source, &at("joined.h5ad"), "--axis", "rows"]);
    assert!(joined.err.contains("var/index, attribute \"intervals\""), "{}", joined.err);
    assert!(!has(&at("joined.h5ad"), "intervals"));
}

/// anndata writes the names under the name of the index, which were ordinary annotations.
#[test]
fn names_of_loom_files_are_found_under_the_name_of_an_index() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    let source = report("loom-names-under-index-name/named.loom");
    assert_eq!(run(&["names", &source, "cells"]).good(), "A\nB\nC\nD\n");
    assert_eq!(run(&["names", &source, "features"]).good(), "E1\nE2\nE3\n");
    let done = run(&["convert", &source, &at("o.h5ad")]);
    assert_eq!(done.code, Some(0), "{done:?}");
    for expected in [
        "note: the columns are named by the attribute \"barcode\"; --col-names selects another one\n",
        "note: the rows are named by the attribute \"target_name\"; --row-names selects another one\n",
    ] {
        assert!(done.err.contains(expected), "{}", done.err);
    }
    assert_eq!(run(&["names", &at("o.h5ad"), "cells"]).good(), "A\nB\nC\nD\n");
    assert_eq!(
        run(&["annotations", &at("o.h5ad"), "cells"]).good().lines().next(),
        Some("name\tg")
    );
    // The option may still select the same attribute, or another one.
    let named = ["--row-names", "target_name", "--col-names", "barcode"];
    for target in ["p.h5ad", "p.loom"] {
        let done = run(&[&["convert", &source, &at(target)][..], &named].concat());
        assert_eq!(done.code, Some(0), "{done:?}");
        assert!(!done.err.contains("are named by"), "{}", done.err);
        assert_eq!(run(&["names", &at(target), "features"]).good(), "E1\nE2\nE3\n");
    }
    run(&["-q", "convert", &source, &at("q.h5ad"), "--row-names", "sym"]).good();
    assert_eq!(run(&["names", &at("q.h5ad"), "features"]).good(), "X\nY\nZ\n");
    // 10x needs names.
    run(&["-q", "convert", &source, &at("folder"), "--to", "10x"]).good();
}

/// Numbers and booleans of features, and arrays of cells, were left out without a word. Values as
/// `scanpy.read_10x_h5` returns them.
#[test]
fn numbers_and_booleans_of_tenx_files_are_annotations() {
    let source = report("columns-lost-silently/probe.h5");
    let table = run(&["annotations", &source, "features"]).good();
    let mut lines = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let rows: Vec<Vec<&str>> = lines.collect();
    for (name, expected) in [
        ("filtered_probes", ["true", "false", "true"]),
        ("n", ["1", "2", "3"]),
        ("f", ["0.5", "1.0", "2.0"]),
        ("probe_region", ["spliced", "unspliced", "spliced"]),
        ("gene_name", ["a", "b", "c"]),
    ] {
        let at = header.iter().position(|column| *column == name).unwrap();
        assert_eq!(rows.iter().map(|row| row[at]).collect::<Vec<_>>(), expected, "{name}");
    }
    assert_eq!(
        run(&["annotations", &source, "cells"]).good(),
        "name\tfiltered_barcodes\tlatent_cell_probability\nAAAC-1\ttrue\t0.1\nAAAG-1\tfalse\t0.9\n"
    );
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    run(&["-q", "convert", &source, &at("o.h5ad"), "--strict"]).good();
    let selected = ["slice", "-q", &source, &at("s.h5ad"), "--features", "filtered_probes=true"];
    run(&selected).good();
    assert_eq!(run(&["names", &at("s.h5ad"), "features"]).good(), "G1\nG3\n");
}

/// A matrix without genes was not found, and one value for the genome of all features hid everything.
#[test]
fn tenx_files_without_genes_or_with_one_genome_are_read() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    let entries = |path: &str| run(&["cat", path]).good();
    let source = report("corpora/tenx_v2_without_genes.h5");
    assert_eq!(entries(&source), entries(&format!("{source}::mm10")));
    assert_eq!(entries(&source).lines().count(), 2);
    assert_eq!(run(&["names", &source, "cells"]).good(), "a\nb\n");
    assert!(run(&["names", &source, "features"]).err.contains("have no names"));
    let source = report("corpora/tenx_v3_scalar_genome.h5");
    assert_eq!(run(&["names", &source, "features"]).good(), "g1\ng2\n");
    assert_eq!(entries(&source).lines().count(), 2);
    let done = run(&["convert", &source, &at("o.h5ad")]);
    assert!(done.err.contains("dropped: features/genome (one value"), "{}", done.err);
    let done = run(&["convert", &source, &at("strict.h5ad"), "--strict"]);
    assert!(done.refused().contains("features/genome"));
}

/// A value with a slash, or an empty one, was an error.
#[test]
fn values_that_are_not_names_of_files_can_be_split() {
    let scratch = tempfile::tempdir().unwrap();
    let parts = scratch.path().join("parts");
    let source = report("split-by-slash/ct.h5ad");
    let done = run(&["split", &source, text(&parts), "--by", "cell_type"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(
        done.err.contains("note: rows with the value \"NK/T\" are in \"NK_T.h5ad\"\n"),
        "{}",
        done.err
    );
    assert_eq!(done.err.matches("note:").count(), 1, "{}", done.err);
    assert_eq!(names_in(&parts), ["B cell.h5ad", "CD14+ Mono.h5ad", "NK_T.h5ad"]);
    let cells = run(&["names", text(&parts.join("NK_T.h5ad")), "cells"]).good();
    assert_eq!(cells, "a\nc\n");
    // Any characters, empty values and long ones.
    let long = "x".repeat(300);
    let values = ["", ".", "..", "a\\b", "a/b", "a_b", ".hidden", "CON", &long, "a\u{7}b"];
    let mtx = scratch.path().join("m.mtx");
    let header = "%%MatrixMarket matrix coordinate integer general";
    fs::write(&mtx, format!("{header}\n{} 1 1\n1 1 1\n", values.len())).unwrap();
    let table = scratch.path().join("t.csv");
    let rows: String =
        values.iter().enumerate().map(|(row, value)| format!("{row},\"{value}\"\n")).collect();
    fs::write(&table, "name,v\n".to_owned() + &rows).unwrap();
    let [named, labelled] = ["n.h5ad", "l.h5ad"].map(|name| scratch.path().join(name));
    run(&["-q", "convert", text(&mtx), text(&named)]).good();
    let annotated = ["--row-annotations", text(&table)];
    run(&[&["-q", "convert", text(&named), text(&labelled)][..], &annotated].concat()).good();
    let any = scratch.path().join("any");
    let done = run(&["split", text(&labelled), text(&any), "--by", "v"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let files = names_in(&any);
    let missing = usize::from(done.err.contains("1 row without a value"));
    assert_eq!(files.len(), values.len() - missing, "{files:?}");
    let safe = |name: &String| {
        name.len() <= 255 && !name.starts_with('.') && !name.contains(['\\', '\u{7}'])
    };
    assert!(files.iter().all(safe), "{files:?}");
    let mut rows: Vec<String> = Vec::new();
    for file in &files {
        rows.push(run(&["names", text(&any.join(file)), "rows"]).good().trim_end().to_owned());
    }
    rows.sort();
    rows.dedup();
    assert_eq!(rows.len(), files.len());
}

/// Writes an AnnData file with a column `k` of `values` values.
#[cfg(unix)]
fn with_values(directory: &std::path::Path, rows: usize, values: usize) -> String {
    let at = |name: &str| text(&directory.join(name)).to_owned();
    let each = 100;
    let mut matrix = "%%MatrixMarket matrix coordinate integer general\n".to_owned();
    matrix += &format!("{rows} 300 {}\n", rows * each);
    let mut table = "name,k\n".to_owned();
    for row in 0..rows {
        for entry in 0..each {
            matrix += &format!("{} {} {}\n", row + 1, entry * 3 + 1, entry + 1);
        }
        table += &format!("{row},v{}\n", row % values);
    }
    fs::write(at("m.mtx"), matrix).unwrap();
    fs::write(at("t.csv"), table).unwrap();
    run(&["-q", "convert", &at("m.mtx"), &at("n.h5ad")]).good();
    run(&["-q", "convert", &at("n.h5ad"), &at("k.h5ad"), "--row-annotations", &at("t.csv")]).good();
    at("k.h5ad")
}

/// Signals were noticed after seconds in which more files were written, and all of them were left.
#[cfg(unix)]
#[test]
fn interrupted_splits_end_at_once_and_leave_nothing() {
    use std::time::{Duration, Instant};

    let scratch = tempfile::tempdir().unwrap();
    let source = with_values(scratch.path(), 800, 400);
    for (name, signal) in [("new/inner", "INT"), ("there", "TERM"), ("there", "HUP")] {
        let folder = scratch.path().join(name);
        let is_new = name.starts_with("new");
        if !is_new {
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("v0.h5ad"), "old").unwrap();
        }
        let mut command = nnz_testing::command::command();
        command.args(["split", &source, text(&folder), "--by", "k", "-q", "--force"]);
        let mut child = command.spawn().unwrap();
        // Some parts are complete.
        let hidden = || {
            let parent = if is_new { scratch.path() } else { &folder };
            let found = names_in(parent).into_iter().find(|name| name.starts_with('.'));
            let outputs = found.map(|name| parent.join(name).join("outputs"));
            outputs.map_or(0, |outputs| fs::read_dir(outputs).map_or(0, Iterator::count))
        };
        let started = Instant::now();
        while hidden() < 5 {
            assert!(started.elapsed() < Duration::from_secs(60));
            assert_eq!(child.try_wait().unwrap(), None, "it is over before the signal");
        }
        let pid = child.id().to_string();
        let kill = ["-s", signal, &pid];
        assert!(std::process::Command::new("kill").args(kill).status().unwrap().success());
        let sent = Instant::now();
        assert_ne!(child.wait().unwrap().code(), Some(0));
        // On a busy machine; it was two seconds at least.
        assert!(sent.elapsed() < Duration::from_millis(1900), "{:?}", sent.elapsed());
        match is_new {
            true => assert!(!scratch.path().join("new").exists()),
            false => {
                assert_eq!(names_in(&folder), ["v0.h5ad"]);
                assert_eq!(fs::read(folder.join("v0.h5ad")).unwrap(), b"old");
            }
        }
        assert!(names_in(scratch.path()).iter().all(|name| !name.starts_with('.')));
    }
}
