//! Elements, members and attributes that were lost without a message, and files that anndata does not open.

use std::fs;
use std::path::Path;

use nnz_testing::command::{run, text};

use super::report;

fn foreign(name: &str) -> String {
    report(&format!("foreign-members/{name}.h5ad"))
}

fn refused_by_anndata(name: &str) -> String {
    report(&format!("refused-by-anndata/{name}.h5ad"))
}

fn tenx(name: &str) -> String {
    report(&format!("tenx-members/{name}.h5"))
}

/// Removes the metadata of a directory of a store.
fn strip(directory: &Path) {
    for name in [".zgroup", ".zarray", ".zattrs", "zarr.json"] {
        let _ = fs::remove_file(directory.join(name));
    }
}

#[test]
fn elements_of_zarr_without_their_metadata_are_errors() {
    let scratch = tempfile::tempdir().unwrap();
    let target = scratch.path().join("o.h5ad");
    let source = refused_by_anndata("sound");
    for version in ["2", "3"] {
        for (element, droppable) in
            [("X", false), ("layers/raw", true), ("layers", true), ("uns/x", true), ("uns", true)]
        {
            let store = scratch.path().join(format!("{version}{element}.zarr").replace('/', "_"));
            let make = ["convert", "-q", "--format-version", version, &source];
            run(&[&make[..], &[text(&store)]].concat()).good();
            // Arrays of one value have a chunk, too.
            strip(&store.join(element));
            let convert = ["convert", "-q", text(&store), text(&target)];
            for command in [&convert[..], &[&convert[..], &["--strict"]].concat()] {
                let refused = run(command).refused();
                assert!(refused.contains("a directory without metadata"), "{element}: {refused}");
                assert!(!target.exists());
            }
            let checked = run(&["validate", text(&store)]);
            assert_eq!(checked.code, Some(1), "{element}: {checked:?}");
            assert!(checked.out.contains("a directory without metadata"), "{checked:?}");
            let slice = ["slice", text(&store), text(&target), "--cells", "a"];
            run(&slice).refused();
            if droppable {
                run(&[&convert[..], &["--strict", "--drop", element]].concat()).good();
                fs::remove_file(&target).unwrap();
            }
        }
    }
    // Other directories in a store are no elements.
    let store = scratch.path().join("m.zarr");
    run(&["convert", "-q", &source, text(&store)]).good();
    for name in ["notes", ".git", "layers/empty"] {
        fs::create_dir(store.join(name)).unwrap();
    }
    fs::write(store.join("notes/a.txt"), "a").unwrap();
    run(&["convert", "-q", "--strict", text(&store), text(&target)]).good();
}

#[test]
fn members_and_attributes_of_tenx_files_are_listed() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    let source = tenx("members");
    let all = [
        "metadata",
        "droplet_latents",
        "note",
        "features/cmp (elements of type compound of a, b)",
        "the attribute \"unit\" of matrix",
        "the attribute \"scale\" of data",
        "the attribute \"source\" of features/id",
        "the attribute \"release\" of features",
        "the attribute \"pair\" of the file",
    ];
    for target in ["o.h5ad", "o.h5", "o.mtx", "o"] {
        let to = at(target);
        let mut command = vec!["convert", &source, &to];
        if !target.contains('.') || target.ends_with(".h5") {
            command.extend(["--to", "10x"]);
        }
        let refused = run(&[&command[..], &["--strict"]].concat()).refused();
        let listed = run(&command).err;
        for shown in [&refused, &listed] {
            assert!(all.iter().all(|name| shown.contains(name)), "{target}: {shown}");
            // 10x files keep the attributes of the root.
            let kept = !shown.contains("the attribute \"library_ids\" of the file");
            assert_eq!(kept, target == "o.h5", "{target}: {shown}");
            assert!(!shown.contains("chemistry_description") && !shown.contains("filetype"));
        }
    }
    let notes = run(&["validate", "--notes", &source]).good();
    let info = run(&["info", &source]).good();
    for shown in [notes, info] {
        assert!(all.iter().all(|name| shown.contains(name)), "{shown}");
    }
    // One matrix that was selected is not the file.
    let selected = format!("{source}::matrix");
    let listed = run(&["convert", "--force", &selected, &at("o.h5ad")]).err;
    assert!(!listed.contains("droplet_latents") && listed.contains("features/cmp"), "{listed}");
    let drop = ["--drop", "metadata", "--drop", "features/cmp"];
    let listed = run(&[&["convert", "--force", &source, &at("o.h5ad")], &drop[..]].concat()).err;
    assert!(!listed.contains("metadata") && !listed.contains("features/cmp"), "{listed}");
    let refused = run(&["convert", "--force", &source, &at("o.h5ad"), "--drop", "none"]);
    assert!(refused.code == Some(2) && refused.err.contains("no such element"), "{refused:?}");
}

#[test]
fn damaged_columns_of_tenx_files_are_errors_unless_they_are_left_out() {
    let scratch = tempfile::tempdir().unwrap();
    let to = text(&scratch.path().join("o.h5ad")).to_owned();
    for (name, column) in
        [("short_feature_column", "features/w"), ("short_cells", "filtered_barcodes")]
    {
        let source = tenx(name);
        let refused = run(&["convert", &source, &to]).refused();
        assert!(refused.contains(&format!("--drop {column} leaves it out")), "{refused}");
        let checked = run(&["validate", &source]);
        assert!(
            checked.code == Some(1) && checked.out.contains("an array of shape"),
            "{checked:?}"
        );
        run(&["convert", "-q", "--drop", column, &source, &to]).good();
        fs::remove_file(&to).unwrap();
        let info = run(&["info", &source]).good();
        assert!(info.contains(&format!("damaged: {column} (found")), "{info}");
        // Entries and names can still be read.
        assert_eq!(run(&["cat", &source]).good().lines().count(), 3);
        assert_eq!(run(&["names", "-q", &source, "cells"]).good(), "AAAC-1\nAAAG-1\n");
    }
}

#[test]
fn factors_and_logical_vectors_of_tenx_files_are_columns() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    let source = tenx("factors");
    run(&["-q", "convert", &source, &at("o.h5ad")]).good();
    run(&["-q", "convert", &source, &at("o.h5"), "--to", "10x"]).good();
    for path in [source, at("o.h5ad"), at("o.h5")] {
        let table = run(&["annotations", "-q", &path, "features"]).good();
        let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split('\t').collect()).collect();
        let column = |name: &str| {
            let at = rows[0].iter().position(|column| column.starts_with(name)).unwrap();
            rows[1..].iter().map(|row| row[at]).collect::<Vec<_>>()
        };
        assert_eq!(column("phase"), ["early", "late", ""], "{path}");
        assert_eq!(column("feature_type"), ["Gene Expression"; 3], "{path}");
        if !path.ends_with("o.h5") {
            let cells = run(&["annotations", "-q", &path, "cells"]).good();
            assert!(cells.ends_with("AAAC-1\ttrue\nAAAG-1\t\n"), "{cells}");
        }
    }
}

#[test]
fn attributes_are_listed_when_one_matrix_is_converted() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    let source = foreign("attributes");
    let of_x = ["X, attribute", "X/data, attribute", "obs, attribute", "obs/num, attribute"];
    let convert = |from: &str, to: &str, verb: &str| {
        let (from, to) = (format!("{source}{from}"), at(to));
        let refused = run(&[verb, "--strict", "--force", &from, &to]).refused();
        let listed = run(&[verb, "--force", &from, &to]).err;
        assert!(refused.contains("\"note\"") && listed.contains("\"note\""), "{refused}");
        listed
    };
    for verb in ["convert", "transpose"] {
        let listed = convert("::X", "o.h5ad", verb);
        assert!(of_x.iter().all(|name| listed.contains(name)), "{listed}");
        assert!(listed.contains("obs/cat/codes, attribute"), "{listed}");
        assert!(!listed.contains("layers/raw") && !listed.contains("\"project\""), "{listed}");
    }
    let listed = convert("::layers/raw", "o.h5ad", "convert");
    assert!(listed.contains("layers/raw, attribute") && !listed.contains("X, "), "{listed}");
    for to in ["o.mtx", "o.loom"] {
        let listed = convert("", to, "convert");
        assert!(of_x.iter().all(|name| listed.contains(name)), "{to}: {listed}");
        assert!(listed.contains("/, attribute \"project\""), "{to}: {listed}");
    }
    run(&["-q", "convert", "--strict", "--force", &source, &at("o.h5ad")]).good();
    assert_eq!(run(&["diff", "--stored", &source, &at("o.h5ad")]).good(), "");
}

#[test]
fn members_of_matrices_and_columns_that_anndata_does_not_define_are_listed() {
    let scratch = tempfile::tempdir().unwrap();
    let to = text(&scratch.path().join("o.h5ad")).to_owned();
    let source = foreign("members");
    let names = ["X/extra", "obs/cat/more", "layers/raw/inner"];
    let convert: &[&str] = &["convert", &source, &to];
    let slice: &[&str] = &["slice", &source, &to, "--cells", "a,b,c"];
    for command in [convert, slice] {
        let refused = run(&[command, &["--strict"]].concat()).refused();
        let listed = run(command).err;
        for shown in [&refused, &listed] {
            assert!(names.iter().all(|name| shown.contains(name)), "{shown}");
        }
        let different = run(&["diff", "--stored", &source, &to]);
        assert_eq!(different.code, Some(1), "{different:?}");
        assert!(names.iter().all(|name| different.out.contains(name)), "{different:?}");
        assert_eq!(run(&["diff", &source, &to]).good(), "");
        fs::remove_file(&to).unwrap();
    }
    assert_eq!(run(&["diff", "--stored", &source, &source]).good(), "");
}

#[test]
fn columns_that_are_listed_twice_are_one_column() {
    let scratch = tempfile::tempdir().unwrap();
    let to = text(&scratch.path().join("o.h5ad")).to_owned();
    let source = refused_by_anndata("twice");
    assert_eq!(run(&["validate", &source]).good(), "");
    let one = format!("{source}::X");
    for command in [
        &["convert", &source, &to][..],
        &["convert", &one, &to],
        &["slice", &source, &to, "--cells", "a,b,c"],
    ] {
        run(&[&["-q"], command, &["--strict"]].concat()).good();
        let table = run(&["annotations", "-q", &to, "cells"]).good();
        assert_eq!(table.lines().next().unwrap(), "name\tnum\tcat", "{command:?}");
        fs::remove_file(&to).unwrap();
    }
}

/// Each has one fault, with which anndata 0.12 does not open the file.
#[test]
fn validate_finds_what_anndata_does_not_open() {
    let scratch = tempfile::tempdir().unwrap();
    let to = text(&scratch.path().join("o.h5ad")).to_owned();
    assert_eq!(run(&["validate", "--notes", &refused_by_anndata("sound")]).good(), "");
    for (name, found, drop) in [
        ("repeated_categories", "found the category \"x\" again", Some("obs/cat")),
        ("missing_category", "found NaN, expected a category", Some("obs/cat")),
        ("no_categories", "categories: found an array of", Some("obs/cat")),
        ("nullable_floats", "found elements of type float64, expected integers", Some("obs/num")),
        ("missing_column", "zz is missing", Some("obsm/df/zz")),
        ("other_names", "found the name \"zz\", expected \"b\"", None),
        ("unknown_encoding", "encoding-type \"foo\" is not known", None),
        ("unknown_column", "encoding-type \"foo\" is not known", None),
        ("no_order", "column-order is missing", None),
        ("single_order", "column-order: found a single value", None),
    ] {
        let source = refused_by_anndata(name);
        let checked = run(&["validate", &source]);
        assert_eq!(checked.code, Some(1), "{name}: {checked:?}");
        assert!(checked.out.contains(found), "{name}: {checked:?}");
        let Some(drop) = drop else { continue };
        for command in [&["convert", &source, &to][..], &["slice", &source, &to, "--cells", "a,b"]]
        {
            let refused = run(command).refused();
            assert!(refused.contains(&format!("--drop {drop} leaves it out")), "{refused}");
            run(&[command, &["-q", "--drop", drop]].concat()).good();
            assert_eq!(run(&["validate", &to]).good(), "", "{name}");
            fs::remove_file(&to).unwrap();
        }
    }
}

#[test]
fn diff_names_the_column_to_leave_out_and_checks_shapes_first() {
    let source = refused_by_anndata("missing_column");
    let refused = run(&["diff", &source, &source]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.err.contains("--drop obsm/df/zz leaves it out"), "{refused:?}");
    // 2^32 rows, which take any time to compare.
    let source = refused_by_anndata("large_layer");
    let refused = run(&["diff", &source, &source]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.err.contains("--drop layers/raw leaves it out"), "{refused:?}");
    assert_eq!(run(&["diff", "--drop", "layers/raw", &source, &source]).good(), "");
}

/// Dates are integers with a unit in HDF5, and dates again in Zarr: also missing ones and categories.
#[test]
fn dates_are_dates_again_in_zarr() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    let source = report("columns-lost-silently/dates2.zarr.zip");
    run(&["-q", "convert", "--strict", &source, &at("whole.h5ad")]).good();
    // A mask instead of NaT.
    let one = format!("{source}::X");
    run(&["-q", "convert", "--strict", &one, &at("nullable.h5ad")]).good();
    let dtype = |store: &str, column: &str| {
        let path = scratch.path().join(store).join(column).join(".zarray");
        let text = fs::read_to_string(&path).unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        json["dtype"].as_str().unwrap().to_owned()
    };
    let (whole, nullable) = (at("whole.h5ad"), at("nullable.h5ad"));
    let cells = ["--cells", "0:2"];
    for (store, command) in [
        ("a.zarr", vec!["convert", &whole]),
        ("b.zarr", [&["slice", &whole], &cells[..]].concat()),
        ("c.zarr", vec!["convert", &nullable]),
        ("d.zarr", [&["slice", &nullable], &cells[..]].concat()),
    ] {
        let to = at(store);
        let (verb, rest) = (&command[..2], &command[2..]);
        run(&[&["-q"], verb, &[&*to, "--strict"], rest].concat()).good();
        assert_eq!(dtype(store, "obs/day"), "<M8[s]", "{store}");
        assert_eq!(dtype(store, "obs/span"), "<m8[ms]", "{store}");
        let attributes = fs::read_to_string(scratch.path().join(store).join("obs/day/.zattrs"));
        assert!(!attributes.unwrap().contains("time-type"), "{store}");
        let days = run(&["annotations", "-q", &to, "cells"]).good();
        let is_day = |line: &&str| line.split('\t').any(|field| field == "1577836800");
        assert_eq!(days.lines().filter(is_day).count(), 1, "{days}");
    }
    assert!(dtype("a.zarr", "obs/batch/categories").starts_with("<M8["));
    assert_eq!(run(&["diff", "--stored", &source, &at("a.zarr")]).good(), "");
}
