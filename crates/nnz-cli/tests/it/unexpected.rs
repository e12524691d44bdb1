//! Notes on data that an analysis does not expect.

use std::fs;
use std::path::Path;

use nnz_testing::command::{run, testdata, text};

/// Six cells in two groups, and three genes with counts.
fn counts(folder: &Path) -> String {
    let at = |name: &str| text(&folder.join(name)).to_owned();
    let lines = "cell,g1,g2,g3\na,5,0,9\nb,7,1,3\nc,4,0,9\nd,0,8,3\ne,1,6,9\nf,0,9,2\n";
    fs::write(at("m.csv"), lines).unwrap();
    fs::write(at("groups.csv"), "cell,kind\na,x\nb,x\nc,x\nd,y\ne,y\nf,y\n").unwrap();
    let (table, groups, study) = (at("m.csv"), at("groups.csv"), at("raw.h5ad"));
    let convert = ["-q", "convert", &table, &study, "--cell-axis", "rows", "--type", "float32"];
    run(&[&convert[..], &["--row-annotations", &groups]].concat()).good();
    study
}

#[test]
fn values_that_are_scaled_but_not_logarithms_are_noted() {
    let folder = tempfile::tempdir().unwrap();
    let (raw, scaled) = (counts(folder.path()), text(&folder.path().join("n.h5ad")).to_owned());
    let noted = |arguments: &[&str], note: &str| {
        let done = run(&[arguments, &["--force"]].concat());
        assert_eq!(done.code, Some(0), "{done:?}");
        assert!(done.err.contains(note), "{}", done.err);
        assert_eq!(done.err.matches("note: values").count(), usize::from(!note.is_empty()));
    };
    let markers = ["--by", "kind", "--target-sum", "1e4"];
    let [csv, npz] = ["m.tsv", "p.npz"].map(|name| text(&folder.path().join(name)).to_owned());
    let components = ["--components", "2", "--target-sum", "1e4"];
    let note = "note: values are scaled, but are not logarithms, which log1p takes\n";
    noted(&[&["markers", &raw, &csv][..], &markers].concat(), note);
    noted(&[&["markers", &raw, &csv][..], &markers, &["--log1p"]].concat(), "");
    noted(&[&["pca", &raw, &npz][..], &components].concat(), note);
    // Normalized before.
    run(&["-q", "normalize", &raw, &scaled, "--target-sum", "1e4"]).good();
    let note = "are too large, not like logarithms of normalized counts\n";
    noted(&["markers", &scaled, &csv, "--by", "kind"], note);
    noted(&["pca", &scaled, &npz, "--components", "2"], note);
}

#[test]
fn logarithms_are_stated_and_not_taken_twice_without_a_note() {
    let folder = tempfile::tempdir().unwrap();
    let raw = counts(folder.path());
    let [logs, other] = ["l.h5ad", "l.zarr"].map(|name| text(&folder.path().join(name)).to_owned());
    for target in [&logs, &other] {
        let how = ["--target-sum", "1e4", "--log1p"];
        let done = run(&[&["normalize", &raw, target][..], &how].concat());
        assert!(done.code == Some(0) && !done.err.contains("note"), "{done:?}");
        assert!(run(&["info", target]).good().contains("uns/log1p"));
        let note = "note: values are not counts: uns/log1p states that they are logarithms\n";
        assert_eq!(run(&["stats", target, "--log1p"]).err, note);
        assert_eq!(run(&["stats", target]).err, "");
    }
    assert_eq!(run(&["stats", &raw, "--log1p"]).err, "");
    // Other values are no logarithms.
    run(&["-q", "normalize", &raw, &logs, "--force"]).good();
    assert!(!run(&["info", &logs]).good().contains("uns/log1p"));
}

#[test]
fn repeated_names_of_annotated_data_are_noted() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&folder.path().join(name)).to_owned();
    fs::write(at("m.csv"), "gene,a,b,a\ng1,5,0,9\ng1,7,1,3\n").unwrap();
    let (table, study) = (at("m.csv"), at("m.h5ad"));
    let convert = ["convert", &table, &study, "--cell-axis", "cols", "--force"];
    let done = run(&convert);
    assert_eq!(done.code, Some(0), "{done:?}");
    for note in [
        "note: 1 row has the name of an earlier row, such as \"g1\"; --make-unique makes names unique\n",
        "note: 1 column has the name of an earlier column, such as \"a\"; --make-unique makes names unique\n",
    ] {
        assert!(done.err.contains(note), "{}", done.err);
    }
    let done = run(&[&convert[..], &["--make-unique"]].concat());
    assert!(done.code == Some(0) && !done.err.contains("earlier"), "{done:?}");
    let done = run(&["convert", &table, &at("m.npz")]);
    assert!(done.code == Some(0) && !done.err.contains("earlier"), "{done:?}");
}

#[test]
fn known_variable_features_that_components_do_not_use_are_noted() {
    let folder = tempfile::tempdir().unwrap();
    let raw = counts(folder.path());
    let [logs, npz] = ["l.h5ad", "p.npz"].map(|name| text(&folder.path().join(name)).to_owned());
    let table = text(&folder.path().join("t.csv")).to_owned();
    fs::write(&table, "gene,highly_variable\ng1,True\ng2,False\ng3,True\n").unwrap();
    let how = ["--target-sum", "1e4", "--log1p", "--col-annotations", &table];
    run(&[&["-q", "normalize", &raw, &logs][..], &how].concat()).good();
    let components = ["pca", &logs, &npz, "--components", "2", "--force"];
    let done = run(&components);
    let note = "note: all features are used; --features highly_variable=True uses the 2 highly variable ones\n";
    assert!(done.code == Some(0) && done.err.contains(note), "{done:?}");
    let done = run(&[&components[..], &["--features", "highly_variable=True"]].concat());
    assert!(done.code == Some(0) && !done.err.contains("note"), "{done:?}");
}

/// Cells whose names are numbers.
fn numbered(folder: &Path) -> String {
    let table = text(&folder.join("n.csv")).to_owned();
    fs::write(&table, "gene,38,7,c\ng1,5,0,1\ng2,7,1,4\n").unwrap();
    table
}

#[test]
fn names_and_positions_are_not_mixed() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&folder.path().join(name)).to_owned();
    let (table, target) = (numbered(folder.path()), at("s.csv"));
    let slice = |list: &str| run(&["slice", &table, &target, "--cols", list, "--force"]);
    let done = slice("38,0");
    let what = "names and positions are mixed: \"38\" is the name of a column, and 0 is not; 0:1 selects the position";
    assert!(done.code == Some(1) && done.err.contains(what), "{done:?}");
    for list in ["38,7", "0", "38,1:2"] {
        let done = slice(list);
        assert!(done.code == Some(0) && !done.err.contains("positions"), "{done:?}");
    }
}

#[test]
fn lines_that_are_positions_are_noted() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&folder.path().join(name)).to_owned();
    let (table, target, list) = (numbered(folder.path()), at("s.csv"), at("list.txt"));
    let lines = format!("@{list}");
    fs::write(&list, "0\n2\n").unwrap();
    let note = format!(
        "note: 2 lines of {list} are read as positions, from 0; none is the name of a column\n"
    );
    for verb in ["slice", "filter"] {
        let done = run(&[verb, &table, &target, "--cols", &lines, "--force"]);
        assert!(done.code == Some(0) && done.err.contains(&note), "{done:?}");
    }
    fs::write(&list, "7\nc\n").unwrap();
    let done = run(&["slice", &table, &target, "--cols", &lines, "--force"]);
    assert!(done.code == Some(0) && !done.err.contains("positions"), "{done:?}");
}

/// Writes a directory of Cell Ranger with two genes and two cells.
fn directory(folder: &Path, name: &str, symbols: [&str; 2]) -> String {
    let path = folder.join(name);
    fs::create_dir(&path).unwrap();
    let matrix = "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 5\n2 2 3\n";
    fs::write(path.join("matrix.mtx"), matrix).unwrap();
    fs::write(path.join("genes.tsv"), format!("e1\t{}\ne2\t{}\n", symbols[0], symbols[1])).unwrap();
    fs::write(path.join("barcodes.tsv"), format!("{name}1\n{name}2\n")).unwrap();
    text(&path).to_owned()
}

#[test]
fn ids_and_symbols_are_not_joined() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&folder.path().join(name)).to_owned();
    let ids = directory(folder.path(), "a", ["S1", "S2"]);
    let (symbols, target) = (at("s.h5ad"), at("t.h5ad"));
    run(&["-q", "convert", &ids, &symbols]).good();
    for join in ["inner", "outer"] {
        for sources in [[&ids, &symbols], [&symbols, &ids]] {
            let concat = ["concat", sources[0], sources[1], &target, "--axis", "cells"];
            let refused = run(&[&concat[..], &["--join", join]].concat());
            assert_eq!(refused.code, Some(2), "{refused:?}");
            let refused = refused.err;
            let what = "is in all 2 sources: names of ";
            assert!(refused.contains(what) && refused.contains("to .h5ad first"), "{refused}");
        }
    }
    // Other features have nothing to do with each other.
    fs::write(at("p.csv"), "cell,p1,p2\na9,1,2\n").unwrap();
    run(&["-q", "convert", &at("p.csv"), &at("p.h5ad"), "--cell-axis", "rows"]).good();
    let concat = ["concat", &symbols, &at("p.h5ad"), &target, "--axis", "cells"];
    assert_eq!(run(&[&concat[..], &["--join", "outer"]].concat()).code, Some(0));
}

#[test]
fn symbols_that_differ_between_sources_are_those_of_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let one = directory(folder.path(), "a", ["S1", "S2"]);
    let other = directory(folder.path(), "b", ["S1", "new"]);
    let target = text(&folder.path().join("t.h5ad")).to_owned();
    let done = run(&["concat", &one, &other, &target, "--axis", "cells"]);
    let note = "1 of the rows has another name in other sources; the first one is kept\n";
    assert!(done.code == Some(0) && done.err.contains(note), "{done:?}");
    assert!(!done.err.contains("differs"), "{done:?}");
    assert_eq!(run(&["names", &target, "features"]).good(), "S1\nS2\n");
}

#[test]
fn the_flavor_of_variable_features_is_stated() {
    let folder = tempfile::tempdir().unwrap();
    let raw = counts(folder.path());
    let zarr = text(&folder.path().join("r.zarr")).to_owned();
    run(&["-q", "convert", &raw, &zarr]).good();
    for file in [&raw, &zarr] {
        let hvg = ["hvg", file, "--into", file, "--target-sum", "1e4", "--log1p", "--top", "2"];
        let done = run(&hvg);
        assert!(
            done.code == Some(0) && done.err.contains("var/highly_variable, uns/hvg"),
            "{done:?}"
        );
        assert_eq!(run(&[&hvg[..], &["--force"]].concat()).code, Some(0));
        run(&["validate", file]).good();
        assert!(run(&["info", file]).good().contains("uns/hvg"));
    }
}

/// Columns of the common table were not found.
#[test]
fn modalities_have_the_columns_of_the_common_table() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&folder.path().join(name)).to_owned();
    let file = text(&testdata().join("mudata/cells-0.3.h5mu")).to_owned();
    for (modality, expected) in [
        ("rna", "name\tsample\tn_obs_aggregated\ns0\ts0\t3\ns1\ts1\t3\n"),
        // Its cells are in another order, and one is in no other modality.
        ("mod/prot/X", "name\tsample\tn_obs_aggregated\ns0\ts0\t3\ns1\ts1\t2\n"),
    ] {
        let (source, target) = (format!("{file}::{modality}"), at("a.h5ad"));
        run(&["-q", "aggregate", &source, &target, "--by", "sample", "--force"]).good();
        assert_eq!(run(&["annotations", &target, "cells"]).good(), expected);
        let markers = ["markers", &source, &at("m.csv"), "--by", "sample", "--force", "--log1p"];
        assert_eq!(run(&markers).code, Some(0));
    }
    let source = format!("{file}::mod/rna");
    let refused = run(&["aggregate", &source, &at("b.h5ad"), "--by", "donor"]);
    assert!(refused.err.contains("no annotation \"donor\""), "{refused:?}");
}

#[test]
fn a_batch_of_one_cell_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let raw = counts(folder.path());
    let table = text(&folder.path().join("b.csv")).to_owned();
    fs::write(&table, "cell,run\na,x\nb,x\nc,x\nd,x\ne,x\nf,y\n").unwrap();
    let edit = ["-q", "edit", &raw, "--add-columns", &format!("cells={table}")];
    run(&edit).good();
    let done = run(&["-q", "hvg", &raw, "--log1p", "--batch", "run"]);
    assert!(done.err.contains("batch \"y\" of \"run\" has 1 cell"), "{done:?}");
}

#[test]
fn options_of_other_commands_are_not_values() {
    for arguments in [["hvg", "m.h5ad", "--flavor", "x"], ["hvg", "m.h5ad", "--by", "x"]] {
        let done = run(&arguments);
        assert!(done.code == Some(2) && !done.err.contains("-- --"), "{done:?}");
    }
    let done = run(&["normalize", "m.h5ad", "n.h5ad", "--target-sum", "-1"]);
    assert!(done.err.contains("negative numbers are not supported"), "{done:?}");
}
