//! SVMlight, edge lists, tables, fragments and other text.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use nnz_testing::command::{run, text};

use super::report;

const MARK: &str = "\u{feff}";

fn file(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    fs::write(&path, content).unwrap();
    text(&path).to_owned()
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// Returns the lines of a table of annotations.
fn annotations(path: &str, options: &[&str]) -> Vec<String> {
    let table = run(&[&["-q", "annotations", path, "rows"][..], options].concat()).good();
    table.lines().map(str::to_owned).collect()
}

#[test]
fn weights_of_rows_in_svmlight_are_no_entries() {
    let source = report("svm-instance-weights/weights.svm");
    // As XGBoost 3.2 reads them.
    assert_eq!(
        run(&["-q", "cat", &source, "--base", "0"]).good(),
        "0\t2\t1\n0\t3\t2\n1\t2\t1\n1\t4\t5\n"
    );
    assert_eq!(annotations(&source, &[]), ["label\tweight", "1\t0.5", "0\t0.25"]);
    let info = run(&["info", &source]);
    assert!(format!("{}{}", info.out, info.err).contains("LABEL:WEIGHT"), "{info:?}");
    let folder = tempfile::tempdir().unwrap();
    let target = |name: &str| text(&folder.path().join(name)).to_owned();
    let (written, h5ad, again) = (target("w.svm"), target("w.h5ad"), target("again.svm"));
    run(&["-q", "convert", &source, &written]).good();
    run(&["-q", "convert", &source, &h5ad]).good();
    run(&["-q", "convert", &h5ad, &again]).good();
    for path in [&written, &again] {
        assert_eq!(fs::read_to_string(path).unwrap(), fs::read_to_string(&source).unwrap());
    }
    let no = run(&["-q", "cat", &source, "--label-weights", "no"]).good();
    assert_eq!(no.lines().count(), 6);
    let some = file(folder.path(), "some.svm", "1:0.5 2:1\n0 2:1\n");
    let message = run(&["-q", "cat", &some]).refused();
    assert!(
        message.contains("line 2, column 1") && message.contains("--label-weights"),
        "{message}"
    );
    assert_eq!(annotations(&some, &["--label-weights", "yes"]), ["label\tweight", "1\t0.5", "0\t"]);
    // Rows without labels are written with a blank before their entries, which is read again.
    let bare = file(folder.path(), "bare.svm", " 1:0.5 2:1\n3 1:2\n");
    let copy = target("copy.svm");
    run(&["-q", "convert", &bare, &copy]).good();
    assert_eq!(fs::read_to_string(copy).unwrap(), " 1:0.5 2:1.0\n3 1:2.0\n");
}

#[test]
fn tables_with_names_of_rows_and_no_header_are_asked_about() {
    let folder = tempfile::tempdir().unwrap();
    let spots = "ACG-1,0,0,0,2594,2611\nATA-1,0,0,1,2594,2611\n";
    let missing = "ACG-1,,0,NA\nATA-1,1,0,1\n";
    for (path, rows) in [
        (report("csv-rows-named-no-header/table.csv"), 2),
        (report("corpora/table_names_without_header.tsv"), 2),
        // Its header is a comment.
        (report("corpora/adata-comments.tsv"), 3),
        (file(folder.path(), "tissue_positions_list.csv", spots), 2),
        (file(folder.path(), "quoted.csv", "\"a\",1,2\n\"b\",3,4\n"), 2),
        (file(folder.path(), "one.csv", "a,1\nb,2\n"), 2),
        (file(folder.path(), "blanks.txt", "a 1 2\nb 3 4\n"), 2),
    ] {
        let message = run(&["-q", "info", &path]).refused();
        assert!(message.contains("--header yes or no"), "{path}: {message}");
        let names = run(&["-q", "names", &path, "rows", "--header", "no"]).good();
        assert_eq!(names.lines().count(), rows, "{path}");
        let headed = run(&["-q", "names", &path, "rows", "--header", "yes"]).good();
        assert_eq!(headed.lines().count(), rows - 1, "{path}");
    }
    let missing = file(folder.path(), "missing.csv", missing);
    let given = ["--na", "NA", "--header", "no"];
    assert!(run(&["-q", "info", &missing, "--na", "NA"]).refused().contains("--header"));
    assert!(
        run(&[&["-q", "info", &missing][..], &given].concat()).refused().contains("empty field")
    );
    let two = file(folder.path(), "two.csv", "E1,G1,0,3\nE2,G2,1,0\n");
    assert!(run(&["-q", "info", &two, "--id-columns", "2"]).refused().contains("--header"));
    // An empty corner, a missing one, and names that are words decide.
    for (name, content) in [
        ("corner.csv", ",0,1\na,1,2\nb,3,4\n"),
        ("r.txt", "0 1\na 1 2\nb 3 4\n"),
        ("words.csv", "id,0,x\na,1,2\nb,3,4\n"),
    ] {
        let names = run(&["-q", "names", &file(folder.path(), name, content), "rows"]).good();
        assert_eq!(names, "a\nb\n", "{name}");
    }
}

#[test]
fn integers_of_more_than_64_bits_are_not_rounded() {
    let folder = tempfile::tempdir().unwrap();
    let wide = "123456789012345678901";
    for (name, content) in [
        ("value.svm", format!("1 1:{wide} 2:1\n")),
        ("label.svm", format!("{wide} 1:1\n")),
        ("weight.svm", format!("1 1:1\n1:{wide} 1:1\n")),
        ("first.wel", format!("0 1 {wide}\n")),
        ("later.wel", format!("0 1 0.5\n1 2 -{wide}\n")),
        ("named.wel", format!("a b {wide}\nc d 5\n")),
        ("dictionary.edges", format!("0 1 {{'weight': {wide}}}\n")),
        ("table.csv", format!(",a\nr,{wide}\n")),
        ("plus.csv", format!(",a\nr,+{wide}\n")),
        ("graph.metis", format!("2 1 1\n2 {wide}\n1 {wide}\n")),
        (
            "matrix.mtx",
            format!("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 {wide}\n"),
        ),
        ("fragments.tsv", format!("chr1\t0\t{wide}\tA\n")),
    ] {
        let source = file(folder.path(), name, content);
        let message = match name {
            "fragments.tsv" => {
                let target = text(&folder.path().join("f.fragments")).to_owned();
                run(&["fragments", "import", &source, &target]).refused()
            }
            "graph.metis" => run(&["-q", "cat", &source, "--from", "metis"]).refused(),
            _ => run(&["-q", "cat", &source]).refused(),
        };
        assert!(message.contains(wide), "{name}: {message}");
    }
    // A weight that no type holds does not make the first edge a header.
    let source = file(folder.path(), "large.wel", "a b 1e400\nc d 5\n");
    assert!(run(&["-q", "cat", &source]).refused().contains("line 1, column 5"));
}

#[test]
fn numbers_of_annotation_tables_are_not_rounded() {
    let folder = tempfile::tempdir().unwrap();
    let matrix = file(folder.path(), "m.csv", ",a\nr,1\ns,2\n");
    let table = file(folder.path(), "t.csv", "id,v,w\nr,+9007199254740993,1e400\ns,1,2\n");
    let target = text(&folder.path().join("o.h5ad")).to_owned();
    run(&["-q", "convert", &matrix, &target, "--row-annotations", &table]).good();
    let rows = annotations(&target, &[]);
    assert_eq!(rows[1..], ["r\t9007199254740993\t1e400", "s\t1\t2"]);
    let selected = |condition: &str| run(&["-q", "slice", &target, "-", "--rows", condition]);
    let picked = selected("v>=9007199254740993").good();
    assert!(picked.contains("\n1 1 1\n"), "{picked}");
    let message = selected("v<1e400").refused();
    assert!(message.contains("has numbers, not \"1e400\""), "{message}");
}

#[test]
fn annotation_tables_without_a_header_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let matrix = file(folder.path(), "m.csv", ",a\nr,1\ns,2\n");
    let target = text(&folder.path().join("o.h5ad")).to_owned();
    for (content, code) in
        [("r,5,x\ns,6,y\n", 1), ("id,5,x\nr,5,x\ns,6,y\n", 0), ("r,v\nr,5\ns,6\n", 0)]
    {
        let table = file(folder.path(), "t.csv", content);
        let given = ["-q", "convert", &matrix, &target, "--row-annotations", &table, "--force"];
        let run = run(&given);
        assert_eq!(run.code, Some(code), "{content}: {run:?}");
        let says = "line 1, column 1: found \"r\", one of the names, expected a header";
        assert_eq!(run.err.contains(says), code == 1, "{run:?}");
    }
}

#[test]
fn byte_order_marks_are_no_part_of_names() {
    let first = |folder: &str, axis: &str| {
        run(&["-q", "names", folder, axis]).good().lines().next().unwrap().to_owned()
    };
    assert_eq!(first(&report("byte-order-mark/d"), "features"), "ENSG1");
    let matrix = "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 5\n";
    let features = "F1\tG1\nF2\tG2\n";
    for (names, compressed) in [
        (["matrix.mtx", "genes.tsv", "barcodes.tsv"], false),
        (["matrix.mtx", "features.tsv", "barcodes.tsv"], false),
        (["matrix.mtx.gz", "features.tsv.gz", "barcodes.tsv.gz"], true),
        (["matrix.mtx", "peaks.bed", "barcodes.tsv"], false),
        (["s.mtx", "s.genes.txt", "s.barcodes.txt"], false),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let features = if names[1] == "peaks.bed" { "c\t1\t2\nc\t3\t4\n" } else { features };
        for (name, content) in names.into_iter().zip([matrix, features, "C1\nC2\n"]) {
            let marked = format!("{MARK}{content}").into_bytes();
            file(folder.path(), name, if compressed { gzip(&marked) } else { marked });
        }
        let folder = text(folder.path());
        let feature = if names[1] == "peaks.bed" { "c:1-2" } else { "F1" };
        assert_eq!(first(folder, "features"), feature, "{names:?}");
        assert_eq!(first(folder, "cells"), "C1", "{names:?}");
        assert_eq!(run(&["-q", "cat", folder]).good(), "0\t0\t5\n", "{names:?}");
    }
}

#[test]
fn byte_order_marks_are_skipped_in_every_text() {
    let folder = tempfile::tempdir().unwrap();
    let utf16 = |content: &str| {
        let units = MARK.encode_utf16().chain(content.encode_utf16());
        units.flat_map(u16::to_le_bytes).collect::<Vec<u8>>()
    };
    for (name, content) in [
        ("m.mtx", "%%MatrixMarket matrix coordinate integer general\n1 2 1\n1 2 5\n"),
        ("m.svm", "1 2:5\n"),
        ("m.wel", "0 1 5\n"),
        ("m.csv", ",a,b\nr,0,5\n"),
        ("m.gct", "#1.2\n1\t2\nName\tDescription\ta\tb\nr\tna\t0\t5\n"),
        ("out.konect", "% asym weighted\n% 1 2 2\n1 2 5\n"),
        ("m.graph", "2 1 1\n2 5\n1 5\n"),
    ] {
        let plain = run(&["-q", "cat", &file(folder.path(), name, content)]).good();
        assert!(plain.contains("0\t1\t5\n"), "{name}: {plain}");
        let marked = format!("{MARK}{content}");
        assert_eq!(
            run(&["-q", "cat", &file(folder.path(), name, &marked)]).good(),
            plain,
            "{name}"
        );
        let gzipped = file(folder.path(), &format!("{name}.gz"), gzip(marked.as_bytes()));
        let gzipped = match name {
            "out.konect" => run(&["-q", "cat", &gzipped, "--from", "edges"]),
            _ => run(&["-q", "cat", &gzipped]),
        };
        assert_eq!(gzipped.good(), plain, "{name}.gz");
        if name != "out.konect" {
            let from = match name.split_once('.').unwrap().1 {
                "mtx" => "mtx",
                "svm" => "svmlight",
                "wel" => "edges",
                "graph" => "metis",
                other => other,
            };
            let wide = file(folder.path(), &format!("16{name}"), utf16(content));
            let message = run(&["-q", "cat", &wide, "--from", from]).refused();
            assert!(message.contains("UTF-16 text"), "{name}: {message}");
        }
    }
    let matrix = file(folder.path(), "names.csv", ",a,b\nr,1,2\ns,3,4\n");
    let lists = [("list.txt", "r\n"), ("table.csv", "id,x\nr,1\ns,2\n")];
    for (name, content) in lists {
        let path = file(folder.path(), name, utf16(content));
        let target = text(&folder.path().join("o.h5ad")).to_owned();
        let list = format!("@{path}");
        let given = match name {
            "list.txt" => ["slice", &matrix, &target, "--rows", &list],
            _ => ["convert", &matrix, &target, "--row-annotations", &path],
        };
        assert!(run(&given).refused().contains("UTF-16 text"), "{name}");
    }
}

#[test]
fn tables_with_a_column_called_like_the_start_of_an_r_object_are_tables() {
    assert_eq!(
        run(&["-q", "cat", &report("csv-header-A/A.csv"), "--id-columns", "0"])
            .good()
            .lines()
            .count(),
        2
    );
    let folder = tempfile::tempdir().unwrap();
    for content in [
        "A\n1\n2\n",
        "A\n2\n3\n4\n",
        "A\n3\n300\n131840\n",
        "X\n2\n1\n",
        "B\n2\n1\n",
        "RDX2\n1\n2\n",
    ] {
        for name in ["t.csv", "t.tsv"] {
            let path = file(folder.path(), name, content);
            let cat = run(&["-q", "cat", &path, "--id-columns", "0"]).good();
            assert_eq!(cat.lines().count(), content.lines().count() - 1, "{content:?}");
        }
    }
}

#[test]
fn counts_in_headers_of_edge_lists_are_compared() {
    let snap = report("konect-counts-ignored/snap.txt");
    let konect = report("konect-counts-ignored/truncated.out");
    let folder = tempfile::tempdir().unwrap();
    let beyond = file(folder.path(), "out.b", "% asym unweighted\n% 2 2 2\n1 2\n2 3\n");
    let rows = file(folder.path(), "out.r", "% bip unweighted\n% 2 1 3\n1 2\n2 3\n");
    let cols = file(folder.path(), "out.c", "% bip unweighted\n% 2 2 2\n1 2\n2 3\n");
    for (path, found) in [
        (&snap, "line 1, column 1: found 2 edges, expected 5"),
        (&konect, "line 2, column 1: found 2 edges, expected 5"),
        (&beyond, "found 3 nodes, expected 2"),
        (&rows, "found 2 rows, expected 1"),
        (&cols, "found 3 columns, expected 2"),
    ] {
        assert_eq!(run(&["validate", path, "--from", "edges"]).code, Some(1));
        let message = run(&["-q", "cat", path, "--from", "edges"]).refused();
        assert!(message.contains(found), "{path}: {message}");
        assert!(message.contains("--ignore-counts"), "{path}: {message}");
        run(&["-q", "cat", path, "--from", "edges", "--ignore-counts"]).good();
    }
    // SNAP lists edges without a direction once or twice, and counts them once or twice; its ids have gaps. KONECT's
    // sizes may be larger than the ids.
    for content in [
        "# Nodes: 3 Edges: 2\n0 1\n7 9\n",
        "# Undirected graph: a\n# Nodes: 3 Edges: 3\n0 1\n1 0\n1 2\n2 1\n2 2\n",
        "# Undirected graph: a\n# Nodes: 3 Edges: 5\n0 1\n1 2\n2 2\n",
        "% sym unweighted\n% 2 9 9\n1 2\n2 3\n",
        "% bip positive\n% 2 3 4\n1 2 5\n2 3 7\n",
        "# Nodes: many Edges: 5\n0 1\n",
    ] {
        let path = file(folder.path(), "sound.txt", content);
        run(&["-q", "cat", &path, "--from", "edges"]).good();
    }
}

#[test]
fn peaks_that_end_before_their_start_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let matrix = "%%MatrixMarket matrix coordinate integer general\n2 1 1\n1 1 5\n";
    file(folder.path(), "matrix.mtx", matrix);
    file(folder.path(), "barcodes.tsv", "C1\n");
    let peaks = file(folder.path(), "peaks.bed", "chr1\t5\t9\nchr1\t20\t10\n");
    let message = run(&["-q", "names", text(folder.path()), "features"]).refused();
    assert!(message.contains("line 2, column 1: found a region from 20 to 10"), "{message}");
    assert_eq!(run(&["validate", text(folder.path())]).code, Some(1));
    let fragments = file(folder.path(), "f.bed", "chr1\t20\t10\tA\n");
    let target = text(&folder.path().join("f.fragments")).to_owned();
    assert!(run(&["fragments", "import", &fragments, &target]).refused().contains("20 or more"));
    let sound = file(folder.path(), "s.bed", "chr1\t2\t10\tA\n");
    run(&["-q", "fragments", "import", &sound, &target]).good();
    let counts = text(&folder.path().join("c.h5ad")).to_owned();
    let message = run(&["fragments", "count", &target, &counts, "--peaks", &peaks]).refused();
    assert!(message.contains("an end after the start"), "{message}");
}

#[test]
fn messages_name_what_is_no_text() {
    let folder = tempfile::tempdir().unwrap();
    let target = text(&folder.path().join("x.fragments")).to_owned();
    let import = |path: &str| run(&["fragments", "import", path, &target]).refused();
    let message = import(&report("messages/pe.bed"));
    assert!(message.contains("line 1, column 26") && message.contains("BEDPE"), "{message}");
    let hdf5 = report("snapatac2-feature-slice/s.h5ad");
    assert!(import(&hdf5).contains("found an HDF5 file"), "{}", import(&hdf5));
    let message = run(&["-q", "cat", &hdf5, "--from", "svmlight"]).refused();
    assert!(message.contains("is anndata, not svmlight"), "{message}");
    let message = run(&["-q", "annotations", &hdf5, "rows", "--from", "csv"]).refused();
    assert!(message.contains("is anndata, not csv"), "{message}");

    let pointer = fs::read(report("edges-lfs-pointer/pointer.el")).unwrap();
    for name in ["p.el", "p.h5ad", "p.mat", "p.npz", "p.csv", "p.rds", "p.mtx", "p.svm", "p.npy"] {
        let path = file(folder.path(), name, &pointer);
        let message = run(&["-q", "info", &path]).refused();
        assert!(message.contains("a Git LFS pointer"), "{name}: {message}");
    }
    assert!(import(&file(folder.path(), "p.tsv", &pointer)).contains("a Git LFS pointer"));
    let matrix = file(folder.path(), "m.csv", ",a\nr,1\n");
    let table = file(folder.path(), "t.csv", &pointer);
    let joined = text(&folder.path().join("o.h5ad")).to_owned();
    let message = run(&["-q", "convert", &matrix, &joined, "--row-annotations", &table]).refused();
    assert!(message.contains("a Git LFS pointer"), "{message}");
}

#[test]
fn blanks_are_not_called_the_end_of_the_line() {
    for (name, found) in [
        ("space_before_colon.svm", "line 1, column 4: found a blank, expected a colon"),
        ("no_values.svm", "line 1, column 6: found a blank, expected a colon"),
        ("leading_space.mtx", "line 1, column 1: found a blank, expected %%MatrixMarket"),
    ] {
        let path = report(&format!("message-end-of-line/{name}"));
        let message = match name {
            "leading_space.mtx" => run(&["-q", "cat", &path, "--from", "mtx"]).refused(),
            _ => run(&["-q", "cat", &path]).refused(),
        };
        assert!(message.contains(found), "{name}: {message}");
    }
}

#[test]
fn names_in_quotes_and_empty_first_names_are_noted() {
    for (name, note) in [
        ("quo", "features.tsv: names are in quotes"),
        ("quo2", "barcodes.tsv: names are in quotes"),
        ("emp", "genes.tsv: the first name is empty"),
    ] {
        let info = run(&["info", &report(&format!("quoted-names/{name}"))]);
        assert!(format!("{}{}", info.out, info.err).contains(note), "{info:?}");
    }
}
