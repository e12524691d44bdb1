//! Whole AnnData files.

use std::path::{Path, PathBuf};

use nnz_testing::command::{run, testdata, text};

fn study() -> PathBuf {
    testdata().join("anndata/valid/0.12.19/h5ad/full_csr.h5ad")
}

/// Lists the matrices and columns of a file.
fn members(path: &Path) -> Vec<String> {
    let info = run(&["info", "--json", text(path)]).good();
    let info: serde_json::Value = serde_json::from_str(&info).unwrap();
    let members = info["members"].as_array().unwrap();
    members.iter().map(|member| member["path"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn whole_files_round_trip_through_stores() {
    let scratch = tempfile::tempdir().unwrap();
    let (store, back) = (scratch.path().join("s.zarr"), scratch.path().join("b.h5ad"));
    run(&["-q", "convert", text(&study()), text(&store)]).good();
    run(&["-q", "convert", text(&store), text(&back), "--compress", "gzip:1"]).good();
    for copy in [&store, &back] {
        assert_eq!(members(copy), members(&study()));
        run(&["validate", text(copy)]).good();
        for member in members(&study()) {
            if ["obs/", "var/", "uns/"].iter().any(|table| member.starts_with(table)) {
                continue;
            }
            let [a, b] = [&study(), copy].map(|path| format!("{}::{member}", text(path)));
            run(&["diff", "--stored", &a, &b]).good();
        }
    }
}

#[test]
fn selected_matrices_are_written_with_their_annotations_only() {
    let scratch = tempfile::tempdir().unwrap();
    let target = scratch.path().join("x.h5ad");
    let x = format!("{}::X", text(&study()));
    for verb in [&["convert"][..], &["slice", "--rows", "1:3"]] {
        let arguments = [verb, &["-q", "--force", "--strict", &x, text(&target)]].concat();
        run(&arguments).good();
        assert!(!members(&target).iter().any(|name| name.contains("layers")));
    }
}

#[test]
fn targets_with_one_matrix_list_what_is_dropped() {
    let scratch = tempfile::tempdir().unwrap();
    let target = scratch.path().join("x.npz");
    let source = study();
    let run_it = |flags: &[&str]| {
        let arguments = [&["convert", text(&source), text(&target)], flags].concat();
        run(&arguments)
    };
    let done = run_it(&[]);
    assert_eq!(done.code, Some(0), "{done:?}");
    for name in ["layers/counts", "obsm/X_pca", "obsp/distances", "varm/PCs", "raw", "uns/pca"] {
        assert!(done.err.contains(name), "{name}: {}", done.err);
    }
    let refused = run_it(&["--force", "--strict"]).refused();
    assert!(refused.contains("layers/counts"), "{refused}");
}

#[test]
fn options_of_single_matrices_are_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let target = scratch.path().join("x.h5ad");
    let source = study();
    for flags in [&["--order", "col"], &["--type", "double"], &["--cell-axis", "cols"]] {
        let arguments = [&["convert", text(&source), text(&target)][..], flags].concat();
        let refused = run(&arguments).refused();
        assert!(refused.contains("select a matrix, as in FILE.h5ad::X"), "{refused}");
        assert!(!target.exists());
    }
    let [source, target] = [text(&source), text(&target)];
    let options = ["concat", source, source, target, "--axis", "cols", "--fill", "1"];
    let done = run(&options);
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(done.err.contains("--fill"), "{}", done.err);
}

#[test]
fn files_are_replaced_only_with_force() {
    let scratch = tempfile::tempdir().unwrap();
    let target = scratch.path().join("x.h5ad");
    run(&["-q", "convert", text(&study()), text(&target)]).good();
    let before = std::fs::read(&target).unwrap();
    run(&["convert", text(&study()), text(&target)]).refused();
    // A missing cell is an error before anything is replaced.
    run(&["slice", "--force", "--rows", "99", text(&study()), text(&target)]).refused();
    assert_eq!(std::fs::read(&target).unwrap(), before);
    run(&["-q", "slice", "--force", "--rows", "0", text(&target), text(&target)]).good();
    assert_eq!(run(&["names", text(&target), "rows"]).good().lines().count(), 1);
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 1);
}

#[test]
fn broken_files_are_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = testdata().join("anndata/malformed");
    let mut refused = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "h5ad") {
            continue;
        }
        let target = scratch.path().join("x.h5ad");
        let done = run(&["-q", "convert", text(&path), text(&target), "--force"]);
        let valid = run(&["validate", text(&path)]);
        match done.code {
            Some(0) => run(&["validate", text(&target)]).good(),
            Some(1) => {
                assert_ne!(valid.code, Some(0), "{}: {}", path.display(), done.err);
                refused += 1;
                continue;
            }
            _ => panic!("{}: {done:?}", path.display()),
        };
        std::fs::remove_file(&target).unwrap();
    }
    assert!(refused > 20, "{refused}");
}

/// The summary of a slice with a dense X once had the entries of the whole file.
#[test]
fn summaries_of_dense_slices_have_their_own_entries() {
    let scratch = tempfile::tempdir().unwrap();
    let dense = testdata().join("anndata/valid/0.12.19/h5ad/full_dense.h5ad");
    let target = scratch.path().join("x.h5ad");
    let done = run(&["slice", text(&dense), text(&target), "--rows", "1:3", "--cols", "0:4"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.err.contains("2 rows, 4 columns, 8 entries"), "{done:?}");
}

/// With --force, a part once replaced the source of the split.
#[test]
fn parts_of_a_split_do_not_replace_the_source() {
    let scratch = tempfile::tempdir().unwrap();
    let source = scratch.path().join("T.h5ad");
    std::fs::copy(study(), &source).unwrap();
    let store = scratch.path().join("NK.zarr");
    run(&["-q", "convert", text(&study()), text(&store)]).good();
    let before = [nnz_testing::command::content(&source), nnz_testing::command::content(&store)];
    for (from, extension) in [(&source, "h5ad"), (&store, "zarr")] {
        let by = ["--by", "cell_type", "--extension", extension, "--force"];
        let done = run(&[&["split", text(from), text(scratch.path())], &by[..]].concat());
        assert_eq!(done.code, Some(2), "{done:?}");
        assert!(done.err.contains("would replace the source"), "{done:?}");
    }
    assert_eq!(
        [nnz_testing::command::content(&source), nnz_testing::command::content(&store)],
        before
    );
    assert_eq!(nnz_testing::command::names_in(scratch.path()).len(), 2);
}

/// Columns of a table were unknown to the selection and the groups of a whole file.
#[test]
fn files_are_split_and_sliced_by_columns_of_tables() {
    let scratch = tempfile::tempdir().unwrap();
    let [table, parts, some] =
        ["t.csv", "parts", "some.h5ad"].map(|name| scratch.path().join(name));
    let study = study();
    let names = run(&["names", text(&study), "cells"]).good();
    let mut lines = String::from("name,half\n");
    for (name, half) in names.lines().zip("aaaabbbbbbb".chars()) {
        lines.push_str(&format!("{name},{half}\n"));
    }
    std::fs::write(&table, lines).unwrap();
    let with_table = ["--row-annotations", text(&table)];
    let split = ["-q", "split", text(&study), text(&parts), "--by", "batch", "--by", "half"];
    run(&[&split, &with_table[..]].concat()).good();
    assert_eq!(nnz_testing::command::names_in(&parts).len(), 4);
    for part in nnz_testing::command::names_in(&parts) {
        let half = part.trim_end_matches(".h5ad").rsplit('_').next().unwrap().to_owned();
        let found = run(&["annotations", text(&parts.join(&part)), "cells"]).good();
        assert!(found.lines().next().unwrap().ends_with("\thalf"), "{found}");
        assert!(found.lines().skip(1).all(|line| line.ends_with(&format!("\t{half}"))), "{found}");
    }
    let slice = ["-q", "slice", text(&study), text(&some), "--cells", "half=a"];
    run(&[&slice, &with_table[..]].concat()).good();
    let kept = run(&["names", text(&some), "cells"]).good();
    assert_eq!(kept.lines().collect::<Vec<_>>(), names.lines().take(4).collect::<Vec<_>>());
}

/// A few cells once took a megabyte for each array of unknown length.
#[test]
fn small_parts_take_little_space() {
    let scratch = tempfile::tempdir().unwrap();
    for target in ["x.h5ad", "x.zarr"] {
        let target = scratch.path().join(target);
        run(&["-q", "slice", text(&study()), text(&target), "--rows", "1:3"]).good();
        let bytes: usize =
            nnz_testing::command::content(&target).iter().map(|(_, bytes)| bytes.len()).sum();
        assert!(bytes < 200_000, "{bytes}");
    }
}

fn without_x(name: &str) -> PathBuf {
    testdata().join("anndata/valid/0.12.19/h5ad").join(name)
}

/// Files without X once had no cells, names and annotations.
#[test]
fn files_without_x_have_names_annotations_and_cells() {
    let scratch = tempfile::tempdir().unwrap();
    for name in ["x_none.h5ad", "x_none_layers.h5ad"] {
        let source = without_x(name);
        let target = scratch.path().join("x.h5ad");
        let info = run(&["info", text(&source)]).good();
        assert!(info.contains("shape") && info.contains(" x "), "{info}");
        let cells = run(&["names", text(&source), "cells"]).good();
        assert!(cells.lines().count() > 3, "{cells}");
        let table = run(&["annotations", text(&source), "rows"]).good();
        assert_eq!(table.lines().count(), cells.lines().count() + 1);
        run(&["-q", "slice", "--force", text(&source), text(&target), "--cells", "2,0"]).good();
        let found = run(&["names", text(&target), "cells"]).good();
        let all: Vec<&str> = cells.lines().collect();
        assert_eq!(found.lines().collect::<Vec<_>>(), [all[2], all[0]]);
        let both = scratch.path().join("both.h5ad");
        let (target, both) = (text(&target), text(&both));
        run(&["-q", "concat", "--force", target, target, both, "--axis", "cells"]).good();
        assert_eq!(run(&["names", both, "rows"]).good().lines().count(), 4);
    }
}

#[test]
fn info_of_files_without_matrices_has_the_lengths_of_tables() {
    let scratch = tempfile::tempdir().unwrap();
    let target = scratch.path().join("x.h5ad");
    // Converting Matrix Market leaves tables without columns.
    let mtx = scratch.path().join("m.mtx");
    std::fs::write(&mtx, "%%MatrixMarket matrix coordinate integer general\n2 3 1\n1 1 1\n")
        .unwrap();
    run(&["-q", "convert", text(&mtx), text(&target)]).good();
    let file = without_x("x_none.h5ad");
    let info = run(&["info", "--json", text(&file)]).good();
    let info: serde_json::Value = serde_json::from_str(&info).unwrap();
    assert_eq!(info["kind"], "file");
    assert!(info["rows"].as_u64() > Some(0) && info["cols"].as_u64() > Some(0), "{info}");
    // A matrix has its own shape.
    let info = run(&["info", "--json", text(&target)]).good();
    assert!(info.contains("\"rows\": 2") || info.contains("\"rows\":2"), "{info}");
}

/// A failed split once left an empty directory.
#[test]
fn failed_splits_remove_the_directory_they_created() {
    let scratch = tempfile::tempdir().unwrap();
    // More than the limit of a file, so that the first one fails.
    let folder = scratch.path().join("new/inner");
    let mut shell = std::process::Command::new("sh");
    shell.arg("-c").arg("ulimit -f 4 && exec \"$@\"").arg("sh");
    shell.arg(nnz_testing::command::program("nnz")).args(["split", text(&study()), text(&folder)]);
    shell.args(["--by", "cell_type"]);
    let done = nnz_testing::command::finish(&mut shell);
    assert_eq!(done.code, Some(1), "{done:?}");
    assert_eq!(nnz_testing::command::names_in(scratch.path()), [""; 0]);
    // An existing directory is kept.
    std::fs::create_dir_all(&folder).unwrap();
    assert_eq!(nnz_testing::command::finish(&mut shell).code, Some(1));
    assert!(folder.is_dir());
}

#[test]
fn all_elements_of_files_are_compared() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    let study = study();
    let (store, slice) = (at("s.zarr"), at("slice.h5ad"));
    run(&["-q", "convert", text(&study), &store]).good();
    assert_eq!(run(&["diff", text(&study), &store]).good(), "");
    run(&["diff", "--stored", text(&study), &store]).good();
    // The matrix itself is equal.
    let x = at("x.h5ad");
    run(&["-q", "convert", &format!("{}::X", text(&study)), &x]).good();
    run(&["diff", &format!("{}::X", text(&study)), &format!("{x}::X")]).good();
    let done = run(&["diff", text(&study), &x]);
    assert_eq!(done.code, Some(1), "{done:?}");
    for line in ["layers/counts\tonly in the first", "obsm/X_pca\tonly in the first"] {
        assert!(done.out.contains(line), "{}", done.out);
    }
    assert!(done.out.contains("uns/") && !done.out.contains("obs/"), "{}", done.out);
    // Another order of rows differs in names, columns and matrices.
    run(&["-q", "slice", text(&study), &slice, "--rows", "1,0,2:"]).good();
    let done = run(&["diff", text(&study), &slice, "--max-diffs", "2"]);
    assert_eq!(done.code, Some(1), "{done:?}");
    for start in ["obs\t0\t", "X\t", "obs/", "layers/", "obsm/", "obsp/", "raw/X\t"] {
        assert!(done.out.lines().any(|line| line.starts_with(start)), "{start}: {}", done.out);
    }
    assert!(!done.out.contains("\nvar"), "{}", done.out);
    assert_eq!(done.out.lines().filter(|line| line.starts_with("X\t")).count(), 2);
    let json = run(&["diff", "--json", text(&study), &slice]);
    let json: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!((&json["schema"], &json["equal"]), (&"nnz-diff/1".into(), &false.into()));
    assert_eq!(json["differences"][0]["element"], "obs");
}

/// Equal content in another version is equal.
#[test]
fn files_equal_their_copies() {
    let scratch = tempfile::tempdir().unwrap();
    for version in ["0.5.10", "0.6.22", "0.7.8", "0.12.19"] {
        let folder = testdata().join(format!("anndata/valid/{version}/h5ad"));
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            // Filters that are not supported.
            if text(&path).contains("blosc2") {
                continue;
            }
            for target in ["x.h5ad", "x.zarr"] {
                let target = scratch.path().join(target);
                run(&["-q", "convert", "--force", "--no-sync", text(&path), text(&target)]).good();
                assert_eq!(run(&["diff", text(&path), text(&target)]).good(), "");
            }
        }
    }
}
