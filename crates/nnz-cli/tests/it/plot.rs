//! `nnz plot`: its numbers, its pictures, and what it refuses.

use std::fs;
use std::path::Path;

use nnz_testing::command::{command, finish, run, run_with_input, testdata, text};
use serde_json::{Value, json};

const REAL: &str = "%%MatrixMarket matrix coordinate real general\n";

struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> String {
        text(&self.0.path().join(name)).to_owned()
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }

    fn small(&self) -> String {
        let entries = "1 1 5\n1 2 nan\n3 4 -2.5\n3 1 0\n2 2 2\n";
        self.write("small.mtx", format!("{REAL}3 4 5\n{entries}"))
    }

    fn pbmc(&self) -> String {
        let (source, target) =
            (testdata().join("../examples/pbmc_10x_v3_mtx"), self.path("pbmc.bpcells"));
        run(&["-q", "convert", text(&source), &target]).good();
        target
    }

    fn fragments(&self) -> String {
        let list = "chr1\t100\t150\ta\nchr1\t120\t121\tb\nchr1\t200\t5000\ta\nchr2\t7\t57\tb\n";
        let (list, target) = (self.write("list.tsv", list), self.path("f.fragments"));
        run(&["-q", "fragments", "import", &list, &target]).good();
        target
    }
}

fn numbers(words: &[&str]) -> Value {
    let json = run(&[&["plot", "--json"], words].concat()).good();
    serde_json::from_str(&json).unwrap()
}

#[test]
fn numbers_of_a_small_matrix_are_exact() {
    let files = Files::new();
    let small = files.small();
    let found = numbers(&[&small]);
    let expected = json!({"schema": "nnz-plot/2", "kind": "spy", "rows": 3, "cols": 4, "entries": 5,
        "rows_per_bin": 1, "cols_per_bin": 1, "counts": [[1, 1, 0, 0], [0, 1, 0, 0], [1, 0, 0, 1]]});
    assert_eq!(found, expected);
    let found = numbers(&[&small, "--rows", "2:", "--cols", "0,3"]);
    assert_eq!((&found["counts"], &found["rows"]), (&json!([[1, 1]]), &json!(1)));
    let found = numbers(&[&small, "--kind", "rows"]);
    assert_eq!(found["ranks"], json!([[1, 2], [2, 2], [3, 1]]));
    assert_eq!((&found["min"], &found["quartiles"]), (&json!(1), &json!([1, 2, 2])));
    let found = numbers(&[&small, "--kind", "cols", "--measure", "sum"]);
    assert_eq!((&found["nan"], &found["ranks"]), (&json!(1), &json!([[1, 5], [2, 0], [3, -2.5]])));
    let found = numbers(&[&small, "--kind", "values"]);
    // In bins of 4 / 16, as 5 is below 8; zero is in the first one above it.
    let bin = |from: f64, to: f64| json!({"from": from, "to": to, "count": 1});
    let bins = found["bins"].as_array().unwrap();
    let ends = |bin: &Value| [&bin["from"], &bin["to"]].map(|end| end.as_f64().unwrap());
    let found_bins: Vec<Value> = bins.iter().map(|b| bin(ends(b)[0], ends(b)[1])).collect();
    let expected = [bin(-2.5, -2.75), bin(0.0, 0.25), bin(2.0, 2.25), bin(5.0, 5.25)];
    assert_eq!((&found["nan"], found_bins), (&json!(1), expected.to_vec()));
    assert!(bins.iter().all(|bin| bin["count"] == 1) && found["logarithmic"] == false);
    assert_eq!(found["integers"], json!([1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
    assert_eq!((&found["min"], &found["max"]), (&json!(-2.5), &json!(5.0)));
}

#[test]
fn a_matrix_is_read_from_standard_input() {
    let input = format!("{REAL}2 2 1\n2 1 7\n");
    let found = run_with_input(&["plot", "-", "--json"], input.as_bytes()).good();
    let found: Value = serde_json::from_str(&found).unwrap();
    assert_eq!(found["counts"], json!([[0, 0], [1, 0]]));
    for kind in ["rows", "cols", "values"] {
        run_with_input(&["plot", "-", "--kind", kind], input.as_bytes()).good();
    }
}

#[test]
fn symmetric_and_dense_matrices_have_all_their_elements() {
    let files = Files::new();
    let header = "%%MatrixMarket matrix coordinate integer symmetric\n";
    let half = files.write("half.mtx", format!("{header}2 2 2\n1 1 4\n2 1 5\n"));
    assert_eq!(numbers(&[&half])["counts"], json!([[1, 1], [1, 0]]));
    assert_eq!(numbers(&[&half, "--kind", "rows"])["ranks"], json!([[1, 2], [2, 1]]));
    let header = "%%MatrixMarket matrix array integer general\n";
    let dense = files.write("dense.mtx", format!("{header}2 2\n1\n0\n0\n3\n"));
    assert_eq!(numbers(&[&dense])["counts"], json!([[1, 0], [0, 1]]));
    assert_eq!(numbers(&[&dense, "--kind", "values"])["entries"], 2);
}

#[test]
fn bits_are_those_of_the_arrays() {
    let files = Files::new();
    let pbmc = files.pbmc();
    let found = numbers(&[&pbmc, "--kind", "bits"]);
    let info: Value = serde_json::from_str(&run(&["info", &pbmc, "--json"]).good()).unwrap();
    for (array, data) in [(0, "index_data"), (1, "val_data")] {
        let array = &found["arrays"][array];
        let arrays = info["arrays"].as_array().unwrap();
        let words = arrays.iter().find(|found| found["name"] == data).unwrap()["len"].as_f64();
        let chunks = (array["values"].as_f64().unwrap() / 128.0).ceil();
        let expected = words.unwrap() * 32.0 / (chunks * 128.0);
        assert!((array["mean"].as_f64().unwrap() - expected).abs() < 1e-9, "{array}");
        assert_eq!(array["bits"].as_array().unwrap().len(), 187);
    }
    let store = numbers(&[&files.fragments(), "--kind", "bits"]);
    let names: Vec<&str> =
        store["arrays"].as_array().unwrap().iter().map(|a| a["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["cell", "start", "end"]);
}

#[test]
fn lengths_of_fragments_are_counted() {
    let files = Files::new();
    let store = files.fragments();
    let found = numbers(&[&store]);
    assert_eq!((&found["kind"], &found["fragments"]), (&json!("fragments"), &json!(4)));
    let lengths = found["lengths"].as_array().unwrap();
    let some: Vec<usize> = (0..lengths.len()).filter(|at| lengths[*at] != 0).collect();
    assert_eq!((some, &lengths[50]), (vec![1, 50], &json!(2)));
    assert_eq!((&found["longer"], &found["longest"]), (&json!(1), &json!(4800)));
    let chromosome = &found["chromosomes"][0];
    assert_eq!((&chromosome["name"], &chromosome["fragments"]), (&json!("chr1"), &json!(3)));
    assert_eq!(chromosome["lengths_by_10"][0], 1);
}

#[test]
fn every_kind_is_drawn_for_every_shape() {
    let files = Files::new();
    let sources = [
        files.small(),
        files.write("zero.mtx", format!("{REAL}0 0 0\n")),
        files.write("none.mtx", format!("{REAL}5 3 0\n")),
        files.write("wide.mtx", format!("{REAL}1 100000000 1\n1 5 1\n")),
        files.write("inf.mtx", format!("{REAL}1 2 2\n1 1 inf\n1 2 -inf\n")),
        files.write(&format!("{}.mtx", "n".repeat(200)), format!("{REAL}1 1 1\n1 1 1\n")),
    ];
    for source in &sources {
        for kind in ["spy", "rows", "values"] {
            let shown = run(&["plot", source, "--kind", kind, "--size", "60x20"]).good();
            assert!(shown.lines().all(|line| line.chars().count() <= 62), "{shown}");
            assert!(!shown.contains('\u{1b}'), "{shown}");
            for (name, start) in [("o.svg", &b"<svg"[..]), ("o.png", b"\x89PNG")] {
                let out = files.path(name);
                run(&["plot", source, &out, "--kind", kind, "--force"]).good();
                assert!(fs::read(&out).unwrap().starts_with(start), "{source} {kind}");
            }
        }
    }
    // Numbers of 10^8 columns by row take memory for each.
    let refused = run(&["plot", &sources[3], "--kind", "cols", "--memory", "100M"]).refused();
    assert!(refused.contains("--memory raises the limit"), "{refused}");
}

#[test]
fn colours_are_drawn_where_they_are_asked_for() {
    let files = Files::new();
    let small = files.small();
    let drawn = |variables: &[(&str, &str)]| {
        let mut command = command();
        for name in ["COLUMNS", "LINES", "COLORTERM", "CLICOLOR"] {
            command.env_remove(name);
        }
        command.env("TERM", "xterm-256color").envs(variables.iter().copied());
        finish(command.args(["plot", &small])).good()
    };
    assert!(!drawn(&[]).contains('\u{1b}'));
    assert!(drawn(&[("CLICOLOR_FORCE", "1")]).contains("\u{1b}[38;5;"));
    let full = [("CLICOLOR_FORCE", "1"), ("COLORTERM", "truecolor")];
    assert!(drawn(&full).contains("\u{1b}[38;2;"));
    assert!(!drawn(&[&full[..], &[("NO_COLOR", "1")]].concat()).contains('\u{1b}'));
    let width = |text: &str| text.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(width(&drawn(&[("COLUMNS", "40")])) <= 42);
    // A title cannot affect a terminal.
    let mut hostile = command();
    hostile.env("CLICOLOR_FORCE", "1").args(["plot", &small, "--title", "x\u{1b}]0;owned\u{7}"]);
    assert!(finish(&mut hostile).good().starts_with("x\\u{1b}]0;owned\\u{7}\n"));
}

#[test]
fn the_measure_of_spy_is_the_number_of_entries() {
    let files = Files::new();
    let small = files.small();
    let plain = run(&["plot", &small]).good();
    assert_eq!(run(&["plot", &small, "--measure", "nnz"]).good(), plain);
    assert_eq!(run(&["plot", &small, "--kind", "spy", "--measure", "nnz"]).good(), plain);
}

/// A matrix whose rows have the given number of entries, with values 1, 2, ... in each row.
fn with_rows(files: &Files, name: &str, cols: usize, lengths: &[usize]) -> String {
    let entries = lengths
        .iter()
        .enumerate()
        .flat_map(|(row, len)| (1..=*len).map(move |col| format!("{} {col} {col}\n", row + 1)));
    let entries: Vec<String> = entries.collect();
    let size = format!("{} {cols} {}\n", lengths.len(), entries.len());
    let header = "%%MatrixMarket matrix coordinate integer general\n";
    files.write(name, format!("{header}{size}{}", entries.concat()))
}

#[test]
fn a_full_matrix_has_one_colour_whatever_its_size() {
    let files = Files::new();
    for [rows, cols] in [[211, 97], [100, 333], [7, 150]] {
        let header = "%%MatrixMarket matrix array integer general\n";
        let ones = "1\n".repeat(rows * cols);
        let full = files.write("full.mtx", format!("{header}{rows} {cols}\n{ones}"));
        let out = files.path("full.svg");
        run(&["plot", &full, &out, "--force", "--size", "480x360"]).good();
        let drawn = fs::read_to_string(&out).unwrap();
        let paths: Vec<&str> = drawn.lines().filter(|line| line.starts_with("<path")).collect();
        let classes: Vec<&str> = paths.iter().map(|path| path.split('"').nth(1).unwrap()).collect();
        assert!(classes.iter().all(|class| *class == classes[0]), "{rows} x {cols}: {classes:?}");
        let shown = run(&["plot", &full]).good();
        let shades: Vec<char> = shown
            .lines()
            .filter_map(|line| line.split_once(['\u{2502}', '\u{2524}']))
            .flat_map(|(_, row)| row.chars())
            .collect();
        assert!(!shades.is_empty() && shades.iter().all(|shade| *shade == shades[0]), "{shown}");
    }
}

#[test]
fn bins_are_not_repeated_in_lines_of_text() {
    let files = Files::new();
    let header = "%%MatrixMarket matrix coordinate pattern general\n";
    for size in [3, 11, 14, 15, 16, 17, 29, 31, 50, 99, 1000] {
        let diagonal: Vec<String> = (1..=size).map(|at| format!("{at} {at}\n")).collect();
        let text = format!("{header}{size} {size} {size}\n{}", diagonal.concat());
        let source = files.write("diagonal.mtx", text);
        for shape in ["80x24", "60x20", "120x40", "40x15"] {
            let shown = run(&["plot", &source, "--size", shape]).good();
            let lines: Vec<&str> = shown
                .lines()
                .filter_map(|line| line.split_once(['\u{2502}', '\u{2524}']).map(|pair| pair.1))
                .collect();
            assert!(lines.windows(2).all(|pair| pair[0] != pair[1]), "{size} in {shape}: {shown}");
            assert!(lines.iter().all(|line| !line.is_empty()), "{size} in {shape}: {shown}");
        }
    }
}

#[test]
fn numbers_of_a_picture_have_one_style() {
    let files = Files::new();
    let lengths: Vec<usize> = (0..60).map(|row| if row == 7 { 12_345 } else { 30 + row }).collect();
    let source = with_rows(&files, "long.mtx", 20_000, &lengths);
    for kind in ["spy", "rows", "values"] {
        let shown = run(&["plot", &source, "--kind", kind, "--size", "120x40"]).good();
        let words = shown.split(|c: char| c.is_whitespace() || c == '\u{2013}');
        for word in words.map(|word| word.trim_end_matches(',')) {
            let digits = word.chars().filter(char::is_ascii_digit).count();
            let is_number = word.chars().all(|c| c.is_ascii_digit() || ",.".contains(c));
            assert!(!is_number || digits < 4 || word.contains(','), "{kind}: {word} in {shown}");
            let short = word.strip_suffix('k').is_some_and(|start| start.parse::<f64>().is_ok());
            assert!(!short, "{kind}: {word} in {shown}");
        }
    }
    let shown = run(&["plot", &source, "--kind", "rows", "--size", "120x40"]).good();
    assert!(shown.contains("all from 30 to 12,345"), "{shown}");
}

#[test]
fn the_median_is_in_every_picture() {
    let files = Files::new();
    let pbmc = files.pbmc();
    for name in ["o.svg", "small.svg"] {
        let out = files.path(name);
        let size = if name == "o.svg" { "800x600" } else { "480x360" };
        run(&["plot", &pbmc, &out, "--kind", "cols", "--size", size]).good();
        let drawn = fs::read_to_string(&out).unwrap();
        let texts: Vec<&str> = drawn
            .lines()
            .filter(|line| line.starts_with("<text"))
            .map(|line| line.split('>').nth(1).unwrap().trim_end_matches("</text"))
            .collect();
        let texts = texts.join(" ");
        let median = "1,107 cells, entries per cell: median 19, half of them from 15 to 27, all from 3 to 67";
        assert!(texts.contains(median), "{texts}");
    }
}

#[test]
fn panels_of_a_terminal_are_aligned() {
    let files = Files::new();
    let shown = run(&["plot", &files.fragments(), "--size", "70x40"]).good();
    let corners: Vec<usize> =
        shown.lines().filter_map(|line| line.chars().position(|c| c == '\u{2514}')).collect();
    assert!(corners.len() == 2 && corners[0] == corners[1], "{shown}");
}

#[test]
fn infinite_numbers_are_null_as_in_stats() {
    let files = Files::new();
    let inf = files.write("inf.mtx", format!("{REAL}2 2 3\n1 1 inf\n1 2 1\n2 2 -inf\n"));
    let found = numbers(&[&inf, "--kind", "rows", "--measure", "sum"]);
    assert_eq!((&found["min"], &found["max"]), (&Value::Null, &Value::Null));
    assert_eq!((&found["quartiles"], &found["nan"]), (&json!([null, null, null]), &json!(0)));
    assert_eq!(found["ranks"], json!([[1, null], [2, null]]));
    assert_eq!((&found["negative_infinity"], &found["positive_infinity"]), (&json!(1), &json!(1)));
    let stats = run(&["stats", &inf, "--json", "--axis", "rows"]).good();
    let stats: Value = serde_json::from_str(&stats).unwrap();
    assert_eq!((&stats["rows"][0]["sum"], &stats["rows"][1]["sum"]), (&Value::Null, &Value::Null));
}

#[test]
fn wrong_options_are_refused() {
    let files = Files::new();
    let (small, pbmc, store) = (files.small(), files.pbmc(), files.fragments());
    let unpacked = files.path("unpacked.bpcells");
    run(&["-q", "convert", &pbmc, &unpacked, "--unpacked"]).good();
    let out = files.path("o.svg");
    let usage = |words: &[&str], says: &str| {
        let done = run(&[&["plot"], words].concat());
        assert!(done.code == Some(2) && done.err.contains(says), "{words:?}: {done:?}");
        assert!(!Path::new(&out).exists() && done.out.is_empty(), "{words:?}");
    };
    let size = "expected a size from 480x360 to 4000x4000";
    usage(&[&small, &files.path("o.pdf")], "unknown extension of a picture; expected .svg or .png");
    usage(&[&small, &files.path("o")], "unknown extension of a picture");
    usage(&[&small, "-"], "unknown extension of a picture");
    usage(&[&small, &out, "--json"], "cannot be used with");
    usage(&[&small, "--json", "--title", "x"], "cannot be used with");
    usage(&[&small, "--json", "--size", "800x600"], "--size applies to pictures, not to --json");
    usage(&[&small, "--force"], "required");
    usage(&[&small, &out, "--size", "479x360"], size);
    usage(&[&small, &out, "--size", "4001x400"], size);
    usage(&[&small, &out, "--size", "800"], "expected a width and a height, such as 800x600");
    usage(&[&small, "--size", "800x5"], "expected a size from 24x10 to 1000x1000");
    usage(&[&small, "--kind", "pie"], "invalid value 'pie'");
    usage(
        &[&small, "--measure", "sum"],
        "--measure applies to --kind rows, cols, cells and features",
    );
    usage(&[&small, "--kind", "values", "--measure", "nnz"], "--measure applies to");
    usage(&[&small, "--kind", "spy", "--measure", "sum"], "--kind spy draws nnz");
    usage(&[&small, "--kind", "bits", "--measure", "nnz"], "--measure applies to");
    usage(&[&store, "--measure", "nnz"], "--measure applies to");
    usage(&[&store, "--kind", "fragments", "--measure", "sum"], "--measure applies to");
    usage(&[&small, "--measure", "mean", "--kind", "rows"], "invalid value 'mean'");
    usage(
        &[&store, "--rows", "0:1", "--kind", "fragments"],
        "do not apply to --kind bits and fragments",
    );
    usage(&[&store, "--rows", "0:1"], "do not apply to --kind bits and fragments");
    usage(&[&small, "--kind", "bits", "--cells", "0"], "do not apply to --kind bits and fragments");
    usage(&[&small, &out, &out], "unexpected argument");
    usage(&[&small, &small], "unknown extension of a picture");
    usage(&[&small, "--rows", "5:3"], "5 is larger than 3");
    usage(&[&small, "--threads", "0"], "expected a number of at least 1");
    let refused = |words: &[&str], says: &str| {
        let message = run(&[&["plot"], words].concat()).refused();
        assert!(message.contains(says), "{words:?}: {message}");
        assert!(!Path::new(&out).exists(), "{words:?}");
    };
    refused(
        &[&small, &out, "--kind", "fragments"],
        "contains a matrix; --kind fragments requires genomic fragments",
    );
    refused(&[&small, &out, "--kind", "bits"], "not bit-packed; --kind bits requires");
    refused(&[&unpacked, &out, "--kind", "bits"], "not bit-packed; --kind bits requires");
    refused(&[&store, &out, "--kind", "spy"], "contains genomic fragments");
    refused(&[&files.path("missing.mtx"), &out], "no such file");
    let complex = "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 2\n";
    let complex = files.write("complex.mtx", complex);
    refused(
        &[&complex, &out, "--kind", "values"],
        "complex numbers cannot be plotted: they have no order",
    );
    run(&["plot", &complex]).good();
    let cells = run(&["plot", &small, "--kind", "cells"]);
    assert!(
        cells.err.contains("does not state which axis has cells; use rows or cols"),
        "{cells:?}"
    );
    // An existing file is kept, and nothing is read.
    fs::write(&out, "kept").unwrap();
    let message = run(&["plot", &files.path("missing.mtx"), &out]).refused();
    assert!(message.contains("--force replaces it"), "{message}");
    assert_eq!(fs::read_to_string(&out).unwrap(), "kept");
}

#[test]
fn info_has_the_entries_of_columns() {
    let files = Files::new();
    let pbmc = files.pbmc();
    let shown = run(&["info", &pbmc]).good();
    let line = shown.lines().find(|line| line.starts_with("nnz per col")).unwrap();
    assert!(line.ends_with(" min 3, median 19, max 67"), "{line}");
    let json: Value = serde_json::from_str(&run(&["info", &pbmc, "--json"]).good()).unwrap();
    let means = json["profile"]["means"].as_array().unwrap();
    assert!((1..=40).contains(&means.len()), "{means:?}");
    // Text has no pointers.
    let small = files.small();
    assert!(!run(&["info", &small]).good().contains("per col"));
}

#[test]
fn subnormal_values_are_drawn() {
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("s.csv");
    for line in ["a,5e-324", "a,1e-310", "a,5e-324,1", "a,-5e-324,1e300"] {
        let names =
            "g,c1,c2".split(',').take(line.split(',').count()).collect::<Vec<_>>().join(",");
        std::fs::write(&file, format!("{names}\n{line}\n")).unwrap();
        run(&["plot", text(&file), "--kind", "values"]).good();
    }
}
