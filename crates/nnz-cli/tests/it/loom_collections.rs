//! Loom files sliced, concatenated, split and compared with everything in them.

use std::path::{Path, PathBuf};

use nnz_testing::command::{Run, run, testdata, text};

fn golden(name: &str) -> PathBuf {
    testdata().join("loom").join(name)
}

/// Prints the entries of a member, whose rows and columns are selected.
fn entries(path: &Path, member: &str, selected: &[&str]) -> Vec<String> {
    let place = format!("{}::{member}", text(path));
    let out = run(&[&["cat", &place], selected].concat()).good();
    // The value follows the position, which differs in a slice.
    out.lines().map(|line| line.rsplit('\t').next().unwrap().to_owned()).collect()
}

fn diff(first: &Path, second: &Path, code: i32) -> String {
    let done = run(&["diff", text(first), text(second)]);
    assert_eq!(done.code, Some(code), "{done:?}");
    done.out
}

#[test]
fn a_slice_has_everything_that_belongs_to_its_cells_and_features() {
    let scratch = tempfile::tempdir().unwrap();
    let target = scratch.path().join("s.loom");
    for (name, cases) in [
        ("layers", &[("layers/unspliced", ["--rows", "2,4"], ["--cols", "1,8"])][..]),
        (
            "graphs",
            &[
                ("row_graphs/corr", ["--rows", "2,4"], ["--cols", "2,4"]),
                ("col_graphs/KNN", ["--rows", "1,8"], ["--cols", "1,8"]),
            ],
        ),
        (
            "attrs",
            &[
                ("row_attrs/PCA", ["--rows", "2,4"], ["--cols", "0:3"]),
                ("col_attrs/Embedding", ["--rows", "1,8"], ["--cols", "0:2"]),
            ],
        ),
    ] {
        let source = golden(&format!("{name}.loom"));
        let selected = ["--features", "2,4", "--cells", "1,8", "--strict", "--force"];
        run(&[&["-q", "slice", text(&source), text(&target)], &selected[..]].concat()).good();
        assert_eq!(run(&["validate", "--notes", text(&target)]).good(), "", "{name}");
        for (member, rows, cols) in cases {
            let expected = entries(&source, member, &[&rows[..], &cols[..]].concat());
            assert_eq!(entries(&target, member, &[]), expected, "{name} {member}");
        }
        assert_eq!(
            entries(&target, "matrix", &[]),
            entries(&source, "matrix", &["--rows", "2,4", "--cols", "1,8"])
        );
    }
    // Conditions, samples and slices to AnnData select the same cells.
    let source = golden("layers.loom");
    let anndata = scratch.path().join("s.h5ad");
    run(&["-q", "sample", text(&source), text(&anndata), "--cells", "3"]).good();
    run(&["-q", "sample", text(&source), text(&target), "--cells", "3", "--force"]).good();
    let cells = |path: &Path| run(&["names", text(path), "cells"]).good();
    assert_eq!(cells(&anndata), cells(&target));
    assert_eq!(cells(&target).lines().count(), 3);
    let condition = ["--cells", "sum>0", "--force"];
    run(&[&["-q", "filter", text(&source), text(&target)], &condition[..]].concat()).good();
    assert!(!entries(&target, "layers/unspliced", &[]).is_empty());
}

#[test]
fn parts_are_concatenated_to_the_whole() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| scratch.path().join(name);
    let (first, second, whole) = (at("1.loom"), at("2.loom"), at("w.loom"));
    let concat = |more: &[&str]| -> Run {
        let arguments =
            ["concat", "--force", text(&first), text(&second), text(&whole), "--axis", "cells"];
        run(&[&arguments[..], more].concat())
    };
    for (name, left_out, differences) in [
        ("layers", "", ""),
        (
            "attrs",
            "row_attrs/PCA (it belongs to the other axis)",
            "row_attrs/PCA\tonly in the first\n",
        ),
        (
            "graphs",
            "row_graphs/corr (graphs are not concatenated), col_graphs/KNN (graphs are not concatenated)",
            "col_graphs/KNN\tonly in the first\nrow_graphs/corr\tonly in the first\n",
        ),
    ] {
        let source = golden(&format!("{name}.loom"));
        for (cells, target) in [("0:4", &first), ("4:", &second)] {
            run(&["-q", "slice", "--force", text(&source), text(target), "--cells", cells]).good();
        }
        let done = concat(&[]);
        assert_eq!(done.code, Some(0), "{done:?}");
        assert_eq!(done.err.contains("dropped: "), !left_out.is_empty(), "{done:?}");
        assert!(done.err.contains(left_out), "{done:?}");
        assert_eq!(diff(&source, &whole, i32::from(!differences.is_empty())), differences);
    }
    let refused = concat(&["--strict"]).refused();
    assert!(refused.contains("cannot keep row_graphs/corr"), "{refused}");
    let refused = concat(&["--fill", "1"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.err.contains("--fill applies only if"), "{refused:?}");
    // Of a file without the layer, and to AnnData.
    run(&["-q", "slice", "--force", text(&golden("layers.loom")), text(&first), "--cells", "0:4"])
        .good();
    let anndata = at("w.h5ad");
    let arguments = ["concat", text(&first), text(&second), text(&anndata), "--axis", "cells"];
    let done = run(&arguments);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.err.contains("layers/spliced (not all files have it)"), "{done:?}");
    assert_eq!(run(&["names", text(&anndata), "rows"]).good().lines().count(), 9);
}

/// The error advised --join, which was given, and --label was refused.
#[test]
fn features_are_matched_by_name_in_all_layers() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    let source = text(&golden("layers.loom")).to_owned();
    let slice = |target: &str, cells: &str, features: &str| {
        let selected = ["--force", "--cells", cells, "--features", features];
        run(&[&["-q", "slice", &source, &at(target)], &selected[..]].concat()).good();
    };
    let concat = |target: &str, more: &[&str]| {
        let sources = ["concat", "--force", &at("1.loom"), &at("2.loom"), &at(target)];
        let done = run(&[&sources[..], &["--axis", "cells"], more].concat());
        assert_eq!(done.code, Some(0), "{done:?}");
        done.err
    };
    let [of_all, of_some, whole] =
        ["a.loom", "s.loom", "w.loom"].map(|name| scratch.path().join(name));
    slice("1.loom", "0:4", "0,1,2,3");
    slice("2.loom", "4:", "2,3,1,0");
    slice("a.loom", "0:", "0,1,2,3");
    let noted = concat("w.loom", &[]);
    assert!(noted.contains("in different orders, and were matched by name"), "{noted}");
    assert_eq!(diff(&of_all, &whole, 0), "");
    slice("2.loom", "4:", "2,1");
    slice("s.loom", "0:", "1,2");
    let noted = concat("w.loom", &["--join", "inner"]);
    assert!(noted.contains("note: 2 rows are in all 2 sources"), "{noted}");
    assert_eq!(diff(&of_some, &whole, 0), "");
    let noted = concat("w.loom", &["--join", "outer"]);
    assert!(noted.contains("4 rows are in any of 2 sources, and 2 in all"), "{noted}");
    let features = |file: &str| run(&["names", file, "features"]).good();
    assert_eq!(features(&at("w.loom")), features(&at("a.loom")));
    for member in ["matrix", "layers/unspliced"] {
        for (axis, selected) in [("--cols", "0:4"), ("--rows", "1,2")] {
            let found = entries(&whole, member, &[axis, selected]);
            assert_eq!(found, entries(&of_all, member, &[axis, selected]), "{member} {selected}");
        }
        let absent = entries(&whole, member, &["--rows", "0,3", "--cols", "4:"]);
        assert!(absent.iter().all(|value| value.parse() == Ok(0.0)), "{absent:?}");
    }
}

#[test]
fn cells_have_the_keys_of_their_files() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    let source = text(&golden("layers.loom")).to_owned();
    run(&["-q", "convert", &source, &at("1.loom")]).good();
    run(&["-q", "convert", &source, &at("2.loom")]).good();
    run(&["-q", "convert", &source, &at("1.h5ad")]).good();
    let labels = ["--axis", "cells", "--label", "from", "--index-unique", "-"];
    for (sources, target, last) in [
        (["1.loom", "2.loom"], "a.loom", "2"),
        (["1.loom", "2.loom"], "a.h5ad", "2"),
        (["1.h5ad", "1.h5ad"], "b.loom", "q"),
    ] {
        let [first, second] = sources.map(at);
        let keys: &[&str] = if last == "q" { &["--keys", "p,q"] } else { &[] };
        let target = at(target);
        let start = ["concat", &first, &second, &target];
        let done = run(&[&start[..], &labels, keys].concat());
        assert_eq!(done.code, Some(0), "{done:?}");
        assert!(run(&["info", &target]).good().contains("layers/unspliced"), "{target}");
        let table = run(&["annotations", &target, "cells"]).good();
        let column = table.lines().next().unwrap().split('\t').position(|name| name == "from");
        let line: Vec<&str> = table.lines().last().unwrap().split('\t').collect();
        assert!(line[0].ends_with(&format!("-{last}")), "{table}");
        assert_eq!(line[column.unwrap()], last, "{table}");
    }
    let (one, target) = (at("1.loom"), at("c.loom"));
    let refused = run(&[&["concat", &one, &one, &target][..], &labels].concat());
    assert!(refused.err.contains("--keys sets their names"), "{refused:?}");
}

#[test]
fn cells_are_split_by_a_column() {
    let scratch = tempfile::tempdir().unwrap();
    let (source, to) = (golden("loompy2_old_spec.loom"), scratch.path().join("d"));
    let by = ["--by", "ClusterID", "--extension", "loom"];
    let arguments = [&["-q", "split", text(&source), text(&to)], &by[..]].concat();
    run(&arguments).good();
    let mut cells = 0;
    for entry in std::fs::read_dir(&to).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(run(&["validate", text(&path)]).code, Some(0));
        assert!(run(&["info", text(&path)]).good().contains("layers/spliced"));
        cells += run(&["names", text(&path), "cells"]).good().lines().count();
    }
    assert_eq!(cells, 9);
}

#[test]
fn differences_of_all_members_are_found() {
    let scratch = tempfile::tempdir().unwrap();
    let other = scratch.path().join("other.loom");
    let reversed = ["--cells", "8,7,6,5,4,3,2,1,0"];
    for name in ["layers", "attrs", "graphs"] {
        let source = golden(&format!("{name}.loom"));
        assert_eq!(diff(&source, &source, 0), "");
        let arguments = [&["-q", "slice", "--force", text(&source), text(&other)], &reversed[..]];
        run(&arguments.concat()).good();
        let found = diff(&source, &other, 1);
        let member = match name {
            "layers" => "layers/unspliced\t",
            "attrs" => "col_attrs/Embedding\t",
            _ => "col_graphs/KNN\t",
        };
        assert!(found.contains(member), "{found}");
        assert!(found.contains("matrix\t"), "{found}");
        // Names say which cells are the same.
        let by_name = run(&["diff", "--by-name", text(&source), text(&other)]);
        assert_eq!((by_name.code, &*by_name.out), (Some(0), ""), "{by_name:?}");
    }
    let columns = golden("attrs.loom");
    run(&["-q", "convert", "--force", text(&columns), text(&other), "--drop", "row_attrs/Score"])
        .good();
    assert_eq!(diff(&columns, &other, 1), "row_attrs/Score\tonly in the first\n");
}
