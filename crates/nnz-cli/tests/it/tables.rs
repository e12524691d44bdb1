//! Dense tables as text.

use std::fs;
use std::path::Path;

use nnz_testing::command::{run, run_with_input, testdata, text};

fn table(name: &str) -> String {
    text(&testdata().join("tables").join(name)).to_owned()
}

#[test]
fn tables_are_converted_with_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&folder.path().join(name)).to_owned();
    let source = table("pandas_comma.csv");
    run(&["-q", "convert", &source, &at("t.bpcells"), "--type", "uint32"]).good();
    run(&["-q", "convert", &at("t.bpcells"), &at("t.csv"), "--type", "int64"]).good();
    assert_eq!(fs::read(&source).unwrap(), fs::read(at("t.csv")).unwrap());
    assert_eq!(run(&["names", &source, "cols"]).good(), "c0_1\nc1_1\nc2_1\nc3_1\nc4_1\n");
    let cat = run(&["cat", &source, "--names", "--rows", "GENE1"]).good();
    assert!(cat.contains("GENE1\tc2_1\t2\n"), "{cat}");
    assert_eq!(run(&["validate", &source]).good(), "");
    run(&["diff", &source, &table("pandas_quoted_all.csv")]).good();
    for target in ["t.tsv", "t.txt.gz", "t.csv.gz", "t.gct", "u.gct.gz"] {
        run(&["-q", "convert", &source, &at(target)]).good();
        assert_eq!(run(&["diff", &source, &at(target)]).good(), "", "{target}");
    }
    assert!(fs::read(at("t.csv.gz")).unwrap().starts_with(b"\x1f\x8b"));
}

#[test]
fn options_of_reading_apply_to_all_verbs() {
    let source = table("r_doubles.txt");
    for verb in [&["validate"][..], &["cat"], &["info"], &["stats"]] {
        let refused = run(&[verb, &[&source]].concat());
        assert!(refused.code == Some(1), "{refused:?}");
        let found = [&refused.out, &refused.err].map(|text| text.contains("\"NA\""));
        assert!(found.contains(&true), "{refused:?}");
        run(&[verb, &[&source, "--na", "NA"]].concat()).good();
    }
    let cat = run(&["cat", &source, "--na", "NA", "--rows", "0", "--cols", "1"]).good();
    assert_eq!(cat, "0\t1\tnan\n");
    let special = table("pandas_special.csv");
    let names = run(&["names", &special, "rows", "--na", ""]).good();
    assert!(names.starts_with("GENE0\n"), "{names}");
    let comma = run(&["cat", &table("decimal_comma.csv"), "--decimal", ",", "--rows", "1"]).good();
    assert!(comma.starts_with("1\t0\t-0.312\n"), "{comma}");
    let ids = table("two_id_columns.tsv");
    let message = run(&["info", &ids]).refused();
    assert!(message.contains("--id-columns"), "{message}");
    let annotations = run(&["annotations", &ids, "rows", "--id-columns", "2"]).good();
    assert!(annotations.contains("E0\tGENE0\n"), "{annotations}");
    // They apply to tables only.
    let folder = tempfile::tempdir().unwrap();
    let npz = text(&folder.path().join("t.npz")).to_owned();
    run(&["-q", "convert", &table("pandas_comma.csv"), &npz]).good();
    assert_eq!(run(&["info", &npz, "--na", "NA"]).code, Some(2));
}

#[test]
fn the_format_is_given_where_no_name_states_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("counts");
    fs::copy(Path::new(&table("pandas_counts.csv.gz")), &path).unwrap();
    let expected = run(&["cat", &table("pandas_comma.csv")]).good();
    assert_eq!(run(&["cat", text(&path), "--from", "csv"]).good(), expected);
    let bytes = fs::read(&path).unwrap();
    assert_eq!(run_with_input(&["cat", "-", "--from", "tsv"], &bytes).good(), expected);
    let gct = folder.path().join("x");
    fs::copy(Path::new(&table("gct_1_2.gct")), &gct).unwrap();
    assert_eq!(run(&["cat", text(&gct)]).good(), expected);
    // The error comes from the given format.
    let wrong = run(&["info", &table("corner_text.tsv"), "--from", "csv", "--separator", "|"]);
    assert!(wrong.refused().contains("corner_text.tsv: line 1"), "");
    let printed = run(&["convert", "-q", &table("pandas_tab.tsv"), "-", "--to", "tsv"]).good();
    assert_eq!(printed.as_bytes(), fs::read(table("pandas_tab.tsv")).unwrap());
}

#[test]
fn frames_are_converted_to_daphne_as_before() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&folder.path().join(name)).to_owned();
    fs::write(at("people.csv"), "id,age\n1,0.5\n2,1.5\n").unwrap();
    run(&["-q", "convert", &at("people.csv"), &at("people.dbdf")]).good();
    run(&["-q", "convert", &at("people.dbdf"), &at("back.csv")]).good();
    assert_eq!(fs::read_to_string(at("back.csv")).unwrap(), "id,age\n1,0.5\n2,1.5\n");
    // The text alone does not decide whether the first column has names.
    let message = run(&["convert", &at("people.csv"), &at("m.npz")]).refused();
    assert!(message.contains("line 2, column 1") && message.contains("--id-columns"), "{message}");
    run(&["-q", "convert", &at("people.csv"), &at("m.npz"), "--id-columns", "0"]).good();
    assert!(run(&["info", &at("m.npz")]).good().contains("2"));
    // With options of tables it is a matrix.
    run(&["-q", "convert", &at("people.csv"), &at("m.dbdf"), "--id-columns", "1"]).good();
    assert_eq!(run(&["cat", &at("m.dbdf")]).good(), "0\t0\t0.5\n1\t0\t1.5\n");
}

#[test]
fn tables_that_make_no_sense_are_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&folder.path().join(name)).to_owned();
    let banner = "%%MatrixMarket matrix coordinate integer general\n";
    fs::write(at("m.mtx"), format!("{banner}4000000000 4000000000 1\n1 1 5\n")).unwrap();
    let message = run(&["convert", &at("m.mtx"), &at("m.csv")]).refused();
    assert!(message.contains("the target needs 2^64 bytes or more"), "{message}");
    fs::write(at("e.mtx"), format!("{banner}2 0 0\n")).unwrap();
    let message = run(&["convert", &at("e.mtx"), &at("e.csv")]).refused();
    assert!(message.contains("without columns"), "{message}");
    assert!(!Path::new(&at("m.csv")).exists() && !Path::new(&at("e.csv")).exists());
}

#[test]
fn names_of_peaks_become_bed_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&folder.path().join(name)).to_owned();
    let rows = "chr1:100-200,1,0\nHLA-A:5-90,0,2\nchr2-7-9,3,0\n";
    fs::write(at("p.csv"), format!(",AAAC-1,AAAG-1\n{rows}")).unwrap();
    run(&["-q", "annotations", &at("p.csv"), "rows", &at("p.bed")]).good();
    assert_eq!(
        fs::read_to_string(at("p.bed")).unwrap(),
        "chr1\t100\t200\nHLA-A\t5\t90\nchr2\t7\t9\n"
    );
    let message = run(&["annotations", &at("p.csv"), "cols", &at("q.bed")]).refused();
    assert!(message.contains("\"AAAC-1\", expected a region"), "{message}");
    assert!(!Path::new(&at("q.bed")).exists());
    // Counts of these regions have names of the same form.
    fs::write(at("f.tsv"), "chr1\t120\t130\tAAAC-1\nchr2\t1\t8\tAAAG-1\n").unwrap();
    run(&["-q", "fragments", "import", &at("f.tsv"), &at("f.fragments")]).good();
    fs::write(at("r.bed"), "chr1\t100\t200\nchr2\t7\t9\n").unwrap();
    let peaks = at("r.bed");
    run(&["-q", "fragments", "count", &at("f.fragments"), &at("c.h5ad"), "--peaks", &peaks]).good();
    run(&["-q", "annotations", &at("c.h5ad"), "features", &at("back.bed")]).good();
    assert_eq!(fs::read(at("back.bed")).unwrap(), fs::read(peaks).unwrap());
}

/// Cell Ranger ATAC writes a row for fragments without a barcode.
#[test]
fn cells_of_10x_become_annotations() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&folder.path().join(name)).to_owned();
    fs::write(at("p.csv"), ",AAAC-1,AAAG-1\nchr1:1-2,1,0\n").unwrap();
    let cells = "barcode,total,cell_id,is__cell_barcode\nNO_BARCODE,9,None,0\n\
                 AAAC-1,7,_cell_0,1\nAAAG-1,5,None,0\nTTTT-1,1,None,0\n";
    fs::write(at("singlecell.csv"), cells).unwrap();
    let labels = ["--col-annotations", &at("singlecell.csv")];
    run(&[&["-q", "convert", &at("p.csv"), &at("p.h5ad")], &labels[..]].concat()).good();
    let found = run(&["annotations", &at("p.h5ad"), "cols"]).good();
    let expected =
        "name\ttotal\tcell_id\tis__cell_barcode\nAAAC-1\t7\t_cell_0\t1\nAAAG-1\t5\tNone\t0\n";
    assert_eq!(found, expected);
}

/// Without the first line, which starts with #, its fields look like fragments.
#[test]
fn gct_is_not_taken_for_fragments() {
    let scratch = tempfile::tempdir().unwrap();
    let lines = "#1.3\n1\t2\t1\t1\nid\td\ta\tb\nx\tna\tu\tv\ng\tq\t1\t2\n";
    for name in ["g.gct", "g.txt"] {
        let path = scratch.path().join(name);
        fs::write(&path, lines).unwrap();
        assert_eq!(run(&["cat", text(&path)]).good(), "0\t0\t1\n0\t1\t2\n");
    }
    let gzipped = scratch.path().join("t.gct.gz");
    run(&["-q", "convert", text(&scratch.path().join("g.gct")), text(&gzipped)]).good();
    assert_eq!(run(&["cat", text(&gzipped)]).good(), "0\t0\t1\n0\t1\t2\n");
}
