//! Changes, omissions and refusals that commands did not report, or without advice.

use std::fs;
use std::path::PathBuf;

use nnz_testing::command::{run, testdata, text};

/// 11 cells and 7 features.
fn study() -> PathBuf {
    testdata().join("anndata/valid/0.12.19/h5ad/full_csr.h5ad")
}

fn mudata() -> PathBuf {
    testdata().join("mudata/cells-0.3.h5mu")
}

/// A file of the cells of the study in a folder, with a table as R writes it: texts, booleans and integers, some missing.
struct Annotated {
    folder: tempfile::TempDir,
    notes: String,
}

impl Annotated {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let names = run(&["names", text(&study()), "cells"]).good();
        let mut table = "\"\",\"type\",\"flag\",\"count\",\"plate\"\n".to_owned();
        for (number, name) in names.lines().enumerate() {
            let of_type = ["\"T\"", "NA", "\"NA\""][number % 3];
            let flag = if number == 4 { "NA" } else { "TRUE" };
            table += &format!("\"{name}\",{of_type},{flag},{number},{}\n", number % 2);
        }
        fs::write(folder.path().join("t.csv"), table).unwrap();
        let made = Self { folder, notes: String::new() };
        let bare = made.at("bare.h5ad");
        let matrix = format!("{}::X", text(&study()));
        run(&["-q", "convert", &matrix, &made.at("m.npz")]).good();
        run(&["-q", "convert", &matrix, &bare]).good();
        let done =
            run(&["convert", &bare, &made.at("a.h5ad"), "--row-annotations", &made.at("t.csv")]);
        assert_eq!(done.code, Some(0), "{done:?}");
        Self { notes: done.err, ..made }
    }

    fn at(&self, name: &str) -> String {
        text(&self.folder.path().join(name)).to_owned()
    }
}

/// `NA` without quotes became a category of its own.
#[test]
fn na_of_r_is_missing_in_text() {
    let study = Annotated::new();
    let note = "note: 4 texts of \"type\" in the table are NA, which is missing\n";
    assert!(study.notes.contains(note), "{}", study.notes);
    let table = run(&["annotations", &study.at("a.h5ad"), "cells"]).good();
    let header = table.lines().next().unwrap();
    let at = header.split('\t').position(|name| name == "type").unwrap();
    let types = table.lines().skip(1).map(|line| line.split('\t').nth(at).unwrap());
    assert_eq!(types.take(3).collect::<Vec<_>>(), ["T", "", "NA"]);
}

/// Missing texts became a group without a name, also with `--strict`.
#[test]
fn missing_texts_in_loom_are_counted() {
    let study = Annotated::new();
    let (source, target) = (study.at("a.h5ad"), study.at("a.loom"));
    let done = run(&["convert", &source, &target]);
    let lost = "4 missing values of col_attrs/type (written as empty text)";
    assert!(done.err.contains("dropped: ") && done.err.contains(lost), "{done:?}");
    let types = "col_attrs/type (categorical as string), col_attrs/flag (bool as float64)\n";
    assert!(done.err.contains(types), "{done:?}");
    let strict = ["convert", &source, &target, "--strict", "--force"];
    assert!(run(&strict).refused().contains(lost));
    // Empty text that is read is not missing.
    run(&["-q", "convert", &target, &study.at("b.h5ad"), "--strict"]).good();
    let done = run(&["convert", &study.at("b.h5ad"), &study.at("b.loom"), "--strict"]);
    assert!(done.code == Some(0) && !done.err.contains("as string"), "{done:?}");
}

/// The features of a modality that is left out stayed, and a reason was given that was not so.
#[test]
fn features_of_a_modality_that_is_left_out_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&folder.path().join(name)).to_owned();
    let (source, target) = (mudata(), at("x.h5mu"));
    let done = run(&["convert", text(&source), &target, "--drop", "mod/prot"]);
    assert!(done.code == Some(0) && !done.err.contains("missing"), "{done:?}");
    for (file, drop) in [(&*target, &[][..]), (text(&source), &["--drop", "mod/prot"])] {
        let names = run(&[&["names", file, "features"], drop].concat()).good();
        assert_eq!(
            names.lines().collect::<Vec<_>>(),
            ["gene0", "gene1", "gene2", "gene3", "gene4"]
        );
        // One of the 7 cells is only in the other modality.
        assert_eq!(run(&[&["names", file, "cells"], drop].concat()).good().lines().count(), 6);
        let sliced = at("s.h5mu");
        let slice = |name| run(&[&["slice", file, &sliced, "--features", name], drop].concat());
        assert!(slice("prot0").refused().contains("no feature is named \"prot0\""));
        assert_eq!(slice("gene1,gene4").code, Some(0));
        assert_eq!(run(&["names", &sliced, "features"]).good(), "gene1\ngene4\n");
        assert_eq!(run(&["names", &format!("{sliced}::mod/rna"), "cols"]).good(), "gene1\ngene4\n");
        run(&["validate", &sliced]).good();
        fs::remove_file(sliced).unwrap();
    }
    run(&["validate", &target]).good();
}

/// An integer that no cell has was ignored.
#[test]
fn integers_that_no_cell_has_are_noted() {
    let study = Annotated::new();
    for (number, verb) in ["filter", "slice"].into_iter().enumerate() {
        for (condition, noted) in [("count=1,70", true), ("count!=70", true), ("count=1,7", false)]
        {
            let target = study.at(&format!("{number}.h5ad"));
            let done = run(&[verb, &study.at("a.h5ad"), &target, "--force", "--cells", condition]);
            let has_note = done.err.contains("note: no cell has count 70\n");
            assert!(done.code == Some(0) && has_note == noted, "{done:?}");
        }
    }
}

/// Values could be written back to AnnData, but not to a modality.
#[test]
fn a_matrix_is_added_to_a_modality() {
    let folder = tempfile::tempdir().unwrap();
    let file = text(&folder.path().join("m.h5mu")).to_owned();
    fs::copy(mudata(), &file).unwrap();
    let source = format!("{file}::mod/rna");
    for (path, options) in [("mod/rna/layers/a", &[][..]), ("rna/layers/b", &["--to", "anndata"])] {
        let target = format!("{file}::{path}");
        run(&[&["-q", "normalize", &source, &target, "--log1p"], options].concat()).good();
    }
    run(&["diff", &format!("{source}/layers/a"), &format!("{source}/layers/b")]).good();
    run(&["validate", &file]).good();
    let other = format!("{file}::mod/prot/layers/a");
    let error = run(&["normalize", &source, &other, "--log1p"]).refused();
    assert!(error.contains("found 6 rows, expected 5, as in"), "{error}");
    let none = format!("{file}::mod/none/layers/a");
    assert!(run(&["normalize", &source, &none, "--log1p"]).refused().contains("mod/none/layers/a"));
}

/// Messages did not say what works.
#[test]
fn refused_arguments_have_advice() {
    let study = Annotated::new();
    let (file, table) = (study.at("a.h5ad"), study.at("t.csv"));
    let few = study.at("few.csv");
    let text = fs::read_to_string(&table).unwrap().replace("\"type\"", "\"new\"");
    fs::write(&few, text.lines().take(4).collect::<Vec<_>>().join("\n") + "\n\"x\",NA,NA,1,1\n")
        .unwrap();
    let out = study.at("o.h5ad");
    for (arguments, advice) in [
        (&["filter", &file, &out, "--features", "^MT-"][..], "; ~^MT- selects names by a pattern"),
        (&["slice", &file, &out, "--cells", "flag"], "; flag=True selects cells"),
        (&["slice", &file, &out, "--cells", "type"], "; type=VALUE selects cells"),
        (&["aggregate", &file, &out, "--by", "type,plate"], "; --by is given once for each"),
        (&["edit", &file, "--drop", "plate"], "; did you mean \"obs/plate\"?"),
        (
            &["edit", &file, "--add-columns", &format!("cells={few}")],
            "; obs has no row for \"x\" of the table; --row-annotations of a conversion also joins",
        ),
    ] {
        let error = run(arguments).refused();
        assert!(error.contains(advice), "{advice}: {error}");
    }
    for (arguments, advice) in [
        (
            &["filter", &file, &out, "--cells", "nnz>=60 and sum<500"][..],
            "; repeat the option for each condition",
        ),
        (
            &["convert", &study.at("m.npz"), &study.at("o.h5mu")],
            "; nnz concat makes one of anndata",
        ),
    ] {
        let done = run(arguments);
        assert!(done.code == Some(2) && done.err.contains(advice), "{advice}: {done:?}");
    }
}

/// A column that all files have was dropped in an outer join, although each feature has one value.
#[test]
fn columns_of_features_are_filled_from_any_file() {
    let study = Annotated::new();
    let names = run(&["names", &study.at("a.h5ad"), "features"]).good();
    let mut table = "name,kind,same\n".to_owned();
    for (number, name) in names.lines().enumerate() {
        table += &format!("{name},{},{number}\n", if number < 4 { "gene" } else { "protein" });
    }
    fs::write(study.at("v.csv"), &table).unwrap();
    let other = table.replace(",3\n", ",30\n");
    fs::write(study.at("w.csv"), other).unwrap();
    for (target, features, table) in [("1.h5ad", ":4", "v.csv"), ("2.h5ad", "2:", "w.csv")] {
        let slice = ["-q", "slice", &study.at("a.h5ad"), &study.at(target), "--features", features];
        run(&[&slice[..], &["--col-annotations", &study.at(table)]].concat()).good();
    }
    let (both, out) = ([study.at("1.h5ad"), study.at("2.h5ad")], study.at("both.h5ad"));
    let concat = ["concat", &both[0], &both[1], &out, "--axis", "cells", "--join", "outer"];
    let done = run(&[&concat[..], &["--index-unique", "-"]].concat());
    assert!(
        done.err.contains("dropped: column \"same\" of var (differs between files)"),
        "{done:?}"
    );
    let kinds = run(&["annotations", &out, "features"]).good();
    let lines: Vec<&str> = kinds.lines().skip(1).collect();
    assert_eq!(lines.len(), 7);
    assert_eq!(lines.iter().filter(|line| line.ends_with("\tgene")).count(), 4, "{kinds}");
    assert_eq!(lines.iter().filter(|line| line.ends_with("\tprotein")).count(), 3, "{kinds}");
}
