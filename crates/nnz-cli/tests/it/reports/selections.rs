//! Selections and computations.

use std::fs;
use std::path::Path;

use nnz_testing::command::{Run, run, testdata, text};

/// Writes a file and returns its path.
fn file(scratch: &Path, name: &str, content: &str) -> String {
    let path = scratch.join(name);
    fs::write(&path, content).unwrap();
    text(&path).to_owned()
}

/// Makes an AnnData file of three rows and columns, with annotations of the rows, and returns its path.
fn annotated(scratch: &Path) -> String {
    let source = file(scratch, "m.csv", ",a,b,c\np,1,2,0\nq,0,3,0\nr,4,0,0\n");
    let table = file(scratch, "of_rows.csv", "id,kind,n\np,x,1\nq,y,2\nr,y,3\n");
    let target = text(&scratch.join("m.h5ad")).to_owned();
    run(&["-q", "convert", &source, &target, "--row-annotations", &table]).good();
    target
}

fn run_all(words: &[&[&str]]) -> Run {
    run(&words.concat())
}

#[test]
fn selections_that_select_nothing_are_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let source = annotated(scratch.path());
    let target = text(&scratch.path().join("t.h5ad")).to_owned();
    let single = text(&scratch.path().join("t.mtx")).to_owned();
    let bpcells = text(&scratch.path().join("m.bpcells")).to_owned();
    run(&["-q", "convert", &source, &bpcells]).good();
    let together = "name them in one option, separated by commas";
    let selections: [(&[&str], &[&str]); 8] = [
        (&["--rows", "1:1"], &["\"1:1\" selects no row"]),
        (&["--rows", "0:0"], &["\"0:0\" selects no row"]),
        (&["--rows", "n>=4"], &["\"n>=4\" selects no row"]),
        (&["--rows", "p", "--rows", "q"], &["\"p\" and \"q\" select no row in common", together]),
        (&["--cells", "p", "--cells", "q"], &["select no cell in common", together]),
        (&["--features", "a", "--cols", "b"], &["\"b\" and \"a\" select no", together]),
        (&["--rows", "kind=x", "--rows", "n>=2"], &["\"kind=x\" and \"n>=2\" select no row"]),
        (&["--rows", "0:2", "--cols", "2:2"], &["\"2:2\" selects no column"]),
    ];
    for (selection, expected) in selections {
        for verb in [
            &["slice", &source, &target][..],
            &["slice", &source, &single],
            &["filter", &source, &target],
            &["cat", &source],
            &["stats", &source],
            &["plot", &source],
            &["plot", &source, "--kind", "rows"],
            &["slice", &bpcells, &single],
            &["cat", &bpcells],
        ] {
            // In BPCells, cells are columns and have no annotations.
            let is_range = |word: &&str| word.starts_with("--") || word.contains(':');
            if verb.contains(&&*bpcells) && !selection.iter().all(is_range) {
                continue;
            }
            let done = run_all(&[verb, selection]);
            assert_eq!((done.code, &*done.out), (Some(1), ""), "{verb:?} {selection:?}: {done:?}");
            assert!(done.err.contains("--allow-empty accepts it"), "{verb:?}: {}", done.err);
            let is_filter = verb[0] == "filter";
            for part in expected.iter().filter(|part| !is_filter || part.contains("no ")) {
                assert!(done.err.contains(part), "{verb:?} {selection:?}: {}", done.err);
            }
            assert!(!Path::new(&target).exists() && !Path::new(&single).exists());
            let done = run_all(&[&["-q"], verb, selection, &["--allow-empty"]]);
            assert_eq!((done.code, &*done.err), (Some(0), ""), "{verb:?} {selection:?}");
            for made in [&target, &single] {
                let _ = fs::remove_file(made);
            }
        }
    }
    // Ranges that extend past the end are clipped, and may have nothing left.
    for verb in ["cat", "stats"] {
        run(&[verb, &source, "--rows", "2:9"]).good();
        let says = run(&[verb, &source, "--rows", "7:9"]).err;
        assert!(says.contains("\"7:9\" selects no row"), "{says}");
    }
}

#[test]
fn conditions_that_keep_nothing_are_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let source = annotated(scratch.path());
    let target = text(&scratch.path().join("t.h5ad")).to_owned();
    let conditions: [(&[&str], &str); 4] = [
        (&["--cells", "nnz>=4"], "\"nnz>=4\" selects no cell"),
        (
            &["--rows", "nnz>=2", "--rows", "n>=2"],
            "\"nnz>=2\" and \"n>=2\" select no row in common",
        ),
        (&["--cols", "a", "--cols", "sum<1"], "\"a\" and \"sum<1\" select no column in common"),
        (&["--cols", "a", "--cols", "b"], "common: name them in one option, separated by commas"),
    ];
    for (condition, expected) in conditions {
        let says = run_all(&[&["filter", &source, &target], condition]).refused();
        assert!(says.contains(expected) && says.contains("--allow-empty"), "{says}");
        assert!(!Path::new(&target).exists());
        // A dry run reports the numbers that would be kept.
        let done = run_all(&[&["filter", &source, "--dry-run"], condition]);
        assert_eq!(done.code, Some(0));
        assert!(done.out.contains("0 of 3 ") && done.err.contains(expected), "{done:?}");
        run_all(&[&["-q", "filter", &source, &target, "--force", "--allow-empty"], condition])
            .good();
        assert!(run(&["info", &target]).good().contains("rows"));
        fs::remove_file(&target).unwrap();
    }
}

#[test]
fn samples_of_nothing_are_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let source = annotated(scratch.path());
    let target = text(&scratch.path().join("t.h5ad")).to_owned();
    for axis in ["--rows", "--cols", "--cells", "--features"] {
        let says = run(&["sample", &source, &target, axis, "0"]).refused();
        assert!(
            says.contains("a sample of 0 selects no ") && says.contains("--allow-empty"),
            "{says}"
        );
        run(&["-q", "sample", &source, &target, axis, "0", "--allow-empty", "--force"]).good();
        fs::remove_file(&target).unwrap();
    }
}

#[test]
fn matrices_without_rows_are_no_selections_of_nothing() {
    let scratch = tempfile::tempdir().unwrap();
    let source = annotated(scratch.path());
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    let empty = at("empty.h5ad");
    run(&["-q", "slice", &source, &empty, "--rows", "0:0", "--allow-empty"]).good();
    run(&["-q", "slice", &empty, &at("a.h5ad"), "--cols", "a,b"]).good();
    run(&["-q", "sample", &empty, &at("b.h5ad"), "--cols", "2"]).good();
    run(&["-q", "filter", &empty, &at("c.h5ad"), "--cols", "a,c"]).good();
    run(&["-q", "slice", &empty, &at("d.h5ad"), "--rows", ":"]).good();
    for verb in ["cat", "stats", "plot", "head"] {
        assert_eq!(run(&[verb, &empty]).code, Some(0), "{verb}");
    }
    run(&["cat", &empty, "--cols", "a"]).good();
}

#[test]
fn ranges_of_frames_that_select_nothing_are_refused() {
    let frame = testdata().join("daphne/frame_10types.dbdf");
    let frame = text(&frame);
    run(&["cat", frame, "--rows", "1:9"]).good();
    for (range, expected) in
        [("--rows=1:1", "\"1:1\" selects no row"), ("--cols=10:12", "no column")]
    {
        let says = run(&["cat", frame, range]).err;
        assert!(says.contains(expected) && says.contains("--allow-empty"), "{says}");
        run(&["cat", frame, range, "--allow-empty"]).good();
    }
}

#[test]
fn one_source_is_not_concatenated_into_the_next() {
    let scratch = tempfile::tempdir().unwrap();
    let first = annotated(scratch.path());
    let second = text(&scratch.path().join("second.h5ad")).to_owned();
    fs::copy(&first, &second).unwrap();
    let before = fs::read(&second).unwrap();
    for force in [&[][..], &["--force"]] {
        let says = run_all(&[&["concat", &first, &second, "--axis", "rows"], force]);
        assert_eq!(says.code, Some(2));
        assert!(says.err.contains("the target is missing after") && !says.err.contains("replaces"));
        assert_eq!(fs::read(&second).unwrap(), before);
    }
    let tsv = file(scratch.path(), "f.tsv", "chr1\t1\t5\tA\t1\n");
    let [one, other] = ["one", "other"].map(|name| text(&scratch.path().join(name)).to_owned());
    for store in [&one, &other] {
        run(&["-q", "fragments", "import", &tsv, store]).good();
    }
    let says = run(&["fragments", "merge", &one, &other, "--force"]);
    assert_eq!(says.code, Some(2));
    assert!(says.err.contains("the target is missing after"), "{}", says.err);
}

#[test]
fn pointers_of_matrices_without_entries_are_checked() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    let source = file(scratch.path(), "zero.csv", ",a,b\np,0,0\nq,0,0\nr,0,0\ns,0,0\n");
    let [good, bad] = ["good.bpcells", "bad.bpcells"].map(at);
    for store in [&good, &bad] {
        run(&["-q", "convert", &source, store, "--order", "row"]).good();
    }
    // "UINT64v1", and the pointers of four rows: the third one is 1.
    let path = Path::new(&bad).join("idxptr");
    let mut bytes = fs::read(&path).unwrap();
    assert_eq!(bytes.len(), 8 + 5 * 8);
    bytes[8 + 2 * 8] = 1;
    fs::write(&path, bytes).unwrap();
    let [mtx, h5ad] = ["t.mtx", "t.h5ad"].map(at);
    for arguments in [
        &["validate", &bad][..],
        &["diff", &good, &bad],
        &["diff", &bad, &good],
        &["diff", &good, &bad, "--by-name"],
        &["diff", &bad, &good, "--by-name"],
        &["cat", &bad],
        &["cat", &bad, "--rows", "0:3"],
        &["head", &bad],
        &["stats", &bad],
        &["stats", &bad, "--rows", "1:4"],
        &["stats", &bad, "--cols", "a"],
        &["convert", &bad, &mtx],
        &["transpose", &bad, &h5ad],
        &["slice", &bad, &mtx, "--rows", "1:4"],
        &["slice", &bad, &mtx, "--rows", "2"],
        &["slice", &bad, &mtx, "--rows", "s,r,q"],
        &["slice", &bad, &mtx, "--cols", "b,a"],
        &["slice", &bad, &h5ad, "--cols", "a"],
        &["sample", &bad, &mtx, "--cols", "1"],
        &["filter", &bad, &mtx, "--cols", "a"],
        &["concat", &good, &bad, &mtx, "--axis", "cols"],
        &["concat", &bad, &good, &mtx, "--axis", "rows", "--ignore-names"],
    ] {
        let done = run(arguments);
        assert_ne!(done.code, Some(0), "{arguments:?}: {done:?}");
        let said = format!("{}{}", done.out, done.err);
        assert!(said.contains("idxptr"), "{arguments:?}: {said}");
    }
}

#[test]
fn samples_of_both_axes_are_independent() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    // A square matrix whose elements are different.
    let side = 8;
    let line = |row: usize| {
        let line: Vec<String> = (0..side).map(|col| (row * side + col + 1).to_string()).collect();
        line.join(",")
    };
    let lines: Vec<String> = (0..side).map(line).collect();
    let source = file(scratch.path(), "square.csv", &(lines.join("\n") + "\n"));
    let matrix = at("square.h5ad");
    run(&["-q", "convert", &source, &matrix, "--header", "no"]).good();
    let sampled = |options: &[&str]| -> Vec<(usize, usize)> {
        let target = at("t.mtx");
        run_all(&[&["-q", "sample", &matrix, &target, "--force"], options]).good();
        let printed = run(&["cat", &target]).good();
        let values = printed.lines().map(|line| line.rsplit('\t').next().unwrap());
        let value = |text: &str| text.trim_end_matches(".0").parse::<usize>().unwrap() - 1;
        values.map(|text| (value(text) / side, value(text) % side)).collect()
    };
    let rows_of = |found: &[(usize, usize)]| {
        let mut rows: Vec<usize> = found.iter().map(|(row, _)| *row).collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    };
    let cols_of = |found: &[(usize, usize)]| {
        rows_of(&found.iter().map(|(row, col)| (*col, *row)).collect::<Vec<_>>())
    };
    let mut same = 0;
    for seed in 0..12 {
        let seed = seed.to_string();
        let both = sampled(&["--rows", "3", "--cols", "3", "--seed", &seed]);
        same += usize::from(rows_of(&both) == cols_of(&both));
        assert_eq!(both, sampled(&["--rows", "3", "--cols", "3", "--seed", &seed]));
        // Rows, or cells, are the same as in a sample of this axis only.
        assert_eq!(rows_of(&both), rows_of(&sampled(&["--rows", "3", "--seed", &seed])));
        let kinds = sampled(&["--cells", "3", "--features", "3", "--seed", &seed]);
        assert_eq!(rows_of(&kinds), rows_of(&sampled(&["--cells", "3", "--seed", &seed])));
    }
    // One of 56 samples has the same rows as columns.
    assert!(same <= 2, "{same}");
}

#[test]
fn lossy_does_not_round_integers() {
    let scratch = tempfile::tempdir().unwrap();
    let banner = "%%MatrixMarket matrix coordinate";
    let source = |name: &str, field: &str, value: &str| {
        file(scratch.path(), name, &format!("{banner} {field} general\n1 1 1\n1 1 {value}\n"))
    };
    let target = text(&scratch.path().join("t.npz")).to_owned();
    for (name, value, to) in [
        ("a.mtx", "9007199254740993", "float64"),
        ("b.mtx", "16777217", "float32"),
        ("c.mtx", "-9007199254740993", "complex[float64]"),
    ] {
        let source = source(name, "integer", value);
        let says = run(&["convert", &source, &target, "--type", to, "--lossy"]).refused();
        assert!(says.contains(value), "{says}");
        assert!(!Path::new(&target).exists());
    }
    let source = source("d.mtx", "real", "0.1");
    run(&["-q", "convert", &source, &target, "--type", "float32", "--lossy"]).good();
    assert!(run(&["cat", &target]).good().ends_with("\t0.1\n"));
}

#[test]
fn joined_columns_do_not_replace_columns() {
    let scratch = tempfile::tempdir().unwrap();
    let source = annotated(scratch.path());
    let target = text(&scratch.path().join("t.h5ad")).to_owned();
    let table = file(scratch.path(), "t.csv", "id,other,kind\np,1,z\n");
    for verb in [&["convert"][..], &["slice", "--rows", "0:2"], &["aggregate", "--by", "kind"]] {
        for single in [source.clone(), format!("{source}::X")] {
            let options = [&single, &target, "--row-annotations", &table];
            let says = run_all(&[&verb[..1], &options, &verb[1..]]).refused();
            let expected = "already have an annotation \"kind\"; rename or remove this column";
            assert!(says.contains(expected) && says.contains(&table), "{says}");
            assert!(!Path::new(&target).exists());
        }
    }
    let table = file(scratch.path(), "t.csv", "id,other\np,1\n");
    run(&["-q", "convert", &source, &target, "--row-annotations", &table]).good();
    let found = run(&["annotations", &target, "rows"]).good();
    assert_eq!(found.lines().next(), Some("name\tkind\tn\tother"));
}

#[test]
fn an_order_that_changed_nothing_is_undone() {
    let scratch = tempfile::tempdir().unwrap();
    let source = file(scratch.path(), "m.csv", ",a,b\nr,1,1\ns,1,0\n");
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    for extension in ["h5ad", "bpcells"] {
        let [first, ordered, back] =
            ["first", "ordered", "back"].map(|name| at(&format!("{name}.{extension}")));
        run(&["-q", "convert", &source, &first]).good();
        for (there, undone) in [
            (&["cols=frequency"][..], &["cols=original"][..]),
            (&["rows=r,s", "cols=frequency"], &["rows=original", "cols=original"]),
        ] {
            let reorder = |orders: &[&str]| {
                orders.iter().map(|one| format!("--reorder={one}")).collect::<Vec<_>>()
            };
            let run_with = |from: &str, to: &str, orders: &[&str]| {
                let orders = reorder(orders);
                let orders: Vec<&str> = orders.iter().map(String::as_str).collect();
                run_all(&[&["-q", "convert", "--force", from, to], &orders]).good();
            };
            run_with(&first, &ordered, there);
            run_with(&ordered, &back, undone);
            assert_eq!(run(&["diff", &first, &back]).good(), "");
        }
    }
}

#[test]
fn tables_of_statistics_have_a_line_for_each_name() {
    let scratch = tempfile::tempdir().unwrap();
    let source = file(scratch.path(), "m.csv", ",a,\"t\tab\"\nr,1,1\n\"new\nline\",1,0\n");
    let target = text(&scratch.path().join("m.h5ad")).to_owned();
    run(&["-q", "convert", &source, &target]).good();
    for (axis, shown, name) in
        [("rows", "rows", "\"new\\nline\""), ("cols", "columns", "\"t\\tab\"")]
    {
        let done = run(&["stats", &target, "--axis", axis]);
        assert_eq!(done.code, Some(1), "{done:?}");
        assert!(done.err.contains(name) && done.err.contains("--csv quotes it"), "{}", done.err);
        assert!(done.err.contains(&format!("names of {shown}, element 1")), "{}", done.err);
        assert_eq!(run(&["stats", &target, "--axis", axis, "--csv"]).code, Some(0));
        assert!(run(&["stats", &target, "--axis", axis, "--json"]).good().contains(name));
    }
}
