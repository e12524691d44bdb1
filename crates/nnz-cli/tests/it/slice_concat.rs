//! Output and errors of `nnz slice` and `nnz concat`.

use std::fs;
use std::path::PathBuf;

use nnz_testing::command::{content, names_in, run, run_with_input, testdata, text};

/// A 10x folder with three genes and four cells.
fn folder(scratch: &tempfile::TempDir, name: &str, genes: &str, cells: &str) -> PathBuf {
    let folder = scratch.path().join(name);
    fs::create_dir(&folder).unwrap();
    let entries = "1 1 1\n3 1 2\n2 2 3\n1 4 4\n2 4 5\n3 4 6\n";
    let matrix = format!("%%MatrixMarket matrix coordinate integer general\n3 4 6\n{entries}");
    fs::write(folder.join("matrix.mtx"), matrix).unwrap();
    fs::write(folder.join("genes.tsv"), genes.replace(' ', "\n") + "\n").unwrap();
    fs::write(folder.join("barcodes.tsv"), cells.replace(' ', "\n") + "\n").unwrap();
    folder
}

const GENES: &str = "CD3E CD8A MS4A1";
const CELLS: &str = "AAA CCC GGG TTT";

#[test]
fn selections_are_written_in_the_order_of_the_list() {
    let scratch = tempfile::tempdir().unwrap();
    let source = folder(&scratch, "pbmc", GENES, CELLS);
    let store = scratch.path().join("pbmc.bpcells");
    run(&["-q", "convert", text(&source), text(&store)]).good();
    let list = scratch.path().join("cells.txt");
    fs::write(&list, "TTT\r\nAAA\n2").unwrap();
    let list = format!("@{}", text(&list));
    let target = scratch.path().join("t.bpcells");
    let target = text(&target);
    for source in [text(&source), text(&store)] {
        for (flags, entries, rows, cols) in [
            (
                &["--rows", "MS4A1,CD3E"][..],
                "0\t0\t2\n1\t0\t1\n0\t3\t6\n1\t3\t4\n",
                "MS4A1\nCD3E\n",
                "AAA\nCCC\nGGG\nTTT\n",
            ),
            (
                &["--cols", &list],
                "0\t0\t4\n1\t0\t5\n2\t0\t6\n0\t1\t1\n2\t1\t2\n",
                "CD3E\nCD8A\nMS4A1\n",
                "TTT\nAAA\nGGG\n",
            ),
            (
                &["--rows", "1:", "--cols", "3,:1"],
                "0\t0\t5\n1\t0\t6\n1\t1\t2\n",
                "CD8A\nMS4A1\n",
                "TTT\nAAA\n",
            ),
            (&["--rows", "1:1", "--allow-empty"], "", "", "AAA\nCCC\nGGG\nTTT\n"),
            (&["--cols", "0:0", "--rows", "2", "--allow-empty"], "", "MS4A1\n", ""),
        ] {
            let arguments = ["-q", "slice", source, target, "--force"];
            run(&[&arguments[..], flags].concat()).good();
            assert_eq!(run(&["cat", target]).good(), entries, "{flags:?}");
            assert_eq!(run(&["names", "-q", target, "rows"]).good(), rows, "{flags:?}");
            assert_eq!(run(&["names", "-q", target, "cols"]).good(), cols, "{flags:?}");
            assert_eq!(run(&["validate", target]).good(), "");
        }
    }
    // slice accepts the options of convert.
    let out = run(&["-q", "slice", text(&store), "-", "--cols", "TTT", "--order", "row"]).good();
    let banner = "%%MatrixMarket matrix coordinate integer general\n";
    assert_eq!(out, format!("{banner}3 1 3\n1 1 4\n2 1 5\n3 1 6\n"));
    let piped = format!("{banner}2 2 2\n2 2 9\n1 1 8\n");
    let out = run_with_input(&["-q", "slice", "-", "-", "--rows", "1,0"], piped.as_bytes()).good();
    assert_eq!(out, format!("{banner}2 2 2\n2 1 8\n1 2 9\n"));
    let message = run(&["slice", text(&store), target, "--rows", "0", "--force"]);
    assert!(message.err.contains("1 row, 4 columns, 2 entries"), "{}", message.err);
}

#[test]
fn errors_of_selections_have_a_reason() {
    let scratch = tempfile::tempdir().unwrap();
    let source = folder(&scratch, "pbmc", "7 1 X", "A B A D");
    let source = text(&source);
    let nameless = scratch.path().join("m.mtx");
    fs::write(&nameless, "%%MatrixMarket matrix coordinate integer general\n3 4 0\n").unwrap();
    let nameless = text(&nameless);
    let target = scratch.path().join("t.bpcells");
    let target = text(&target);
    for (source, flags, message) in [
        (
            source,
            ["--rows", "2:4"],
            "2:4 ends after the last row: the matrix has 3 rows, numbered from 0",
        ),
        (source, ["--rows", "3"], "row 3 is out of bounds: the matrix has 3 rows, numbered from 0"),
        (
            source,
            ["--cols", "9:"],
            "column 9 is out of bounds: the matrix has 4 columns, numbered from 0",
        ),
        (source, ["--rows", "Y"], "no row is named \"Y\""),
        (nameless, ["--rows", "Y"], "no row is named \"Y\": rows have no names"),
        (source, ["--cols", "A"], "\"A\" is the name of column 0 and of column 2"),
        (source, ["--rows", "7,0:1"], "row 0 is selected twice"),
        (source, ["--rows", "0:2,1"], "row 1 is selected twice"),
        (
            source,
            ["--cols", "99999999999999999999"],
            "column 99999999999999999999 is out of bounds",
        ),
    ] {
        let stderr = run(&["slice", source, target, flags[0], flags[1]]).refused();
        assert!(stderr.starts_with(&format!("nnz: {source}: {message}")), "{stderr}");
    }
    // A number that is also the name of another row.
    let numbered = folder(&scratch, "numbered", "2 1 X", CELLS);
    let numbered = text(&numbered);
    let stderr = run(&["slice", numbered, target, "--rows", "2"]).refused();
    let message = "2 is both a position and the name of row 0; use 2:3 or 0:1\n";
    assert_eq!(stderr, format!("nnz: {numbered}: {message}"));
    run(&["-q", "slice", numbered, target, "--rows", "1,2:3"]).good();
    assert_eq!(run(&["names", "-q", target, "rows"]).good(), "1\nX\n");
    let endless = run(&["slice", source, "-", "--rows", "@/dev/zero"]).refused();
    assert!(endless.contains("a line longer than 1 MiB"), "{endless}");
    let stderr = run(&["slice", source, "-", "--rows", "@no such list"]).refused();
    assert_eq!(stderr, "nnz: no such list: no such file or directory\n");
    for flags in
        [&[][..], &["--rows", "5:2"], &["--rows", ""], &["--cols", "1,,2"], &["--cols", "@"]]
    {
        let done = run(&[&["slice", source, target, "--force"], flags].concat());
        assert_eq!((done.code, &*done.out), (Some(2), ""), "{flags:?}");
    }
    assert_eq!(run(&["names", "-q", target, "rows"]).good(), "1\nX\n");
}

#[test]
fn values_that_do_not_fit_leave_no_files() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("m.mtx");
    fs::write(&path, "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 0.5\n")
        .unwrap();
    let target = scratch.path().join("t.bpcells");
    let to = ["slice", text(&path), text(&target), "--type", "uint"];
    let message = run(&[&to[..], &["--rows", "1,0"]].concat()).refused();
    let place = format!("nnz: the selection from {}: entry (row 0, column 1): ", text(&path));
    assert!(message.starts_with(&place), "{message}");
    assert_eq!(names_in(scratch.path()), ["m.mtx"]);
    run(&[&["-q"][..], &to, &["--rows", "0"]].concat()).good();
    assert_eq!(run(&["cat", text(&target)]).good(), "0\t0\t1\n");
}

#[test]
fn matrices_are_concatenated_with_their_names() {
    let scratch = tempfile::tempdir().unwrap();
    let a = folder(&scratch, "a", GENES, "A1 A2 A3 A4");
    let b = folder(&scratch, "b", GENES, "B1 B2 B3 B4");
    let other = folder(&scratch, "other", "CD3E CD8B MS4A1", "C1 C2 C3 C4");
    let [a, b, other] = [text(&a), text(&b), text(&other)];
    let target = scratch.path().join("t.bpcells");
    let target = text(&target);
    let together = "0\t0\t1\n2\t0\t2\n1\t1\t3\n0\t3\t4\n1\t3\t5\n2\t3\t6\n\
                    0\t4\t1\n2\t4\t2\n1\t5\t3\n0\t7\t4\n1\t7\t5\n2\t7\t6\n";
    let stores: Vec<_> = ["col", "row"]
        .map(|order| {
            [a, b].map(|from| {
                let to = format!("{from}.{order}.bpcells");
                run(&["-q", "convert", from, &to, "--order", order]).good();
                to
            })
        })
        .concat();
    for (a, b) in
        [(a, b), (&*stores[0], &*stores[1]), (&stores[2], &stores[3]), (&stores[0], &stores[3])]
    {
        let to = ["-q", "concat", a, b, target, "--axis", "cols", "--order", "col", "--force"];
        run(&to).good();
        assert_eq!(run(&["cat", target]).good(), together, "{a} and {b}");
        assert_eq!(run(&["names", "-q", target, "rows"]).good(), "CD3E\nCD8A\nMS4A1\n");
        let cells = "A1\nA2\nA3\nA4\nB1\nB2\nB3\nB4\n";
        assert_eq!(run(&["names", "-q", target, "cols"]).good(), cells);
        assert_eq!(run(&["validate", target]).good(), "");
    }
    let before = content(scratch.path().join("t.bpcells").as_path());

    // Differing names are an error by default.
    let differ = ["concat", a, other, target, "--axis", "cols", "--force"];
    let error = run(&differ).refused();
    let message = format!(
        "nnz: {other}: row 1 is named \"CD8B\", but \"CD8A\" in {a}; \
         --join inner or outer matches them by name\n"
    );
    assert_eq!(error, message);
    assert_eq!(content(scratch.path().join("t.bpcells").as_path()), before);
    run(&[&["-q"][..], &differ, &["--ignore-names"]].concat()).good();
    assert_eq!(run(&["names", "-q", target, "rows"]).good(), "CD3E\nCD8A\nMS4A1\n");

    // A matrix without names drops the names of all, with a note.
    let nameless = format!("{a}/matrix.mtx");
    let done = run(&["concat", a, &nameless, target, "--axis", "cols", "--force"]);
    let output = format!("the names of the columns of {a}, because {nameless} has none");
    assert!(done.err.contains(&output), "{}", done.err);
    assert_eq!(run(&["names", "-q", target, "cols"]).good(), "");
    assert_eq!(run(&["names", "-q", target, "rows"]).good(), "CD3E\nCD8A\nMS4A1\n");
    let strict = ["concat", a, &nameless, target, "--axis", "cols", "--force", "--strict"];
    assert!(run(&strict).refused().contains(&output));
}

#[test]
fn errors_of_concatenations_name_both_files() {
    let scratch = tempfile::tempdir().unwrap();
    let one = testdata().join("bpcells/matrix_dir/one_uint.packed.col");
    let basic = testdata().join("bpcells/matrix_dir/basic_uint.packed.col");
    let [one, basic] = [text(&one), text(&basic)];
    let target = scratch.path().join("t.bpcells");
    let message = run(&["concat", one, basic, text(&target), "--axis", "rows"]).refused();
    assert!(message.starts_with(&format!("nnz: {basic}: found ")), "{message}");
    assert!(message.contains(" columns ("), "{message}");
    assert!(message.contains(&format!("as in {one} (")), "{message}");
    for arguments in [
        &["concat", one, text(&target), "--axis", "diagonal"][..],
        &["concat", one, text(&target)],
        &["concat", one, "--axis", "rows"],
        &["concat", one, text(&target), "--axis", "rows"],
        &["concat", "-", "-", "-", "--axis", "rows"],
    ] {
        assert_eq!(run(arguments).code, Some(2), "{arguments:?}");
    }
    assert!(names_in(scratch.path()).is_empty());
}

/// The stored entries of the folders above, in storage order.
const ENTRIES: [[u64; 3]; 6] = [[0, 0, 1], [2, 0, 2], [1, 1, 3], [0, 3, 4], [1, 3, 5], [2, 3, 6]];

/// Formats entries, with or without names of genes and cells.
fn lines(rows: &[u64], cols: &[u64], named: bool) -> String {
    let label = |of: &str, at: u64| match named {
        true => of.split(' ').nth(usize::try_from(at).unwrap()).unwrap().to_owned(),
        false => at.to_string(),
    };
    let wanted = ENTRIES.iter().filter(|[row, col, _]| rows.contains(row) && cols.contains(col));
    wanted
        .map(|&[row, col, value]| {
            format!("{}\t{}\t{value}\n", label(GENES, row), label(CELLS, col))
        })
        .collect()
}

#[test]
fn cat_prints_selections_with_positions_in_the_file() {
    let scratch = tempfile::tempdir().unwrap();
    let source = folder(&scratch, "pbmc", GENES, CELLS);
    let list = scratch.path().join("cells.txt");
    fs::write(&list, "TTT\nAAA\n").unwrap();
    let list = format!("@{}", text(&list));
    let mut sources = vec![text(&source).to_owned()];
    for name in ["t.bpcells", "t.h5::g", "t.rds"] {
        let target = format!("{}/{name}", text(scratch.path()));
        run(&["-q", "convert", text(&source), &target, "--to", "bpcells"]).good();
        sources.push(target);
    }
    for source in &sources {
        for (flags, rows, cols) in [
            (&["--rows", "MS4A1,CD3E"][..], &[0, 2][..], &[0, 1, 2, 3][..]),
            (&["--rows", "2,0:1", "--cols", "GGG,TTT"], &[0, 2], &[2, 3]),
            (&["--cols", &list], &[0, 1, 2], &[0, 3]),
            (&["--cols", "3,1"], &[0, 1, 2], &[1, 3]),
            (&["--rows", "1:99", "--cols", "1:2,3:99"], &[1, 2], &[1, 3]),
            (&["--rows", "7:99", "--allow-empty"], &[], &[0, 1, 2, 3]),
            (&["--cols", "0:0", "--allow-empty"], &[0, 1, 2], &[]),
            (&["--cols", "TTT", "--duplicates", "sum"], &[0, 1, 2], &[3]),
            (&["--cols", "3,0", "--duplicates", "sum"], &[0, 1, 2], &[0, 3]),
            (&[], &[0, 1, 2], &[0, 1, 2, 3]),
        ] {
            for named in [false, true] {
                let names = if named { &["--names"][..] } else { &[] };
                let printed = run(&[&["cat", source], flags, names].concat()).good();
                assert_eq!(printed, lines(rows, cols, named), "{source} {flags:?}");
            }
        }
        for list in ["CD19", "CD3E,0", "3", "0:2,1:3"] {
            for verb in ["cat", "stats"] {
                let done = run(&[verb, source, "--rows", list]);
                assert_eq!((done.code, &*done.out), (Some(1), ""), "{verb} {list}: {done:?}");
                assert!(done.err.contains("row"), "{verb} {list}: {done:?}");
            }
        }
    }
    // Without names, positions are printed, also from a pipe.
    let mtx = fs::read(source.join("matrix.mtx")).unwrap();
    let printed = run_with_input(&["cat", "-", "--names", "--cols", "3,0"], &mtx).good();
    assert_eq!(printed, lines(&[0, 1, 2], &[0, 3], false));
    // Mirrored entries are selected as well.
    let symmetric = scratch.path().join("s.mtx");
    fs::write(
        &symmetric,
        "%%MatrixMarket matrix coordinate integer symmetric\n3 3 2\n3 1 7\n2 2 5\n",
    )
    .unwrap();
    let expanded = run(&["cat", text(&symmetric), "--expand", "--rows", "0,1"]).good();
    assert_eq!(expanded, "0\t2\t7\n1\t1\t5\n");
    assert_eq!(run(&["cat", text(&symmetric), "--rows", "0,1"]).good(), "1\t1\t5\n");
}

#[test]
fn stats_of_selections_have_positions_and_names_of_the_file() {
    let scratch = tempfile::tempdir().unwrap();
    let source = folder(&scratch, "pbmc", GENES, CELLS);
    let store = scratch.path().join("pbmc.bpcells");
    run(&["-q", "convert", text(&source), text(&store)]).good();
    let part = scratch.path().join("part.bpcells");
    let selected = ["--rows", "MS4A1,CD3E", "--cols", "TTT,0:2"];
    // The same in the order of the file.
    let sorted = ["--rows", "CD3E,MS4A1", "--cols", "0:2,TTT"];
    run(&[&["-q", "slice", text(&source), text(&part)], &sorted[..]].concat()).good();
    for source in [&source, &store] {
        let stats = |flags: &[&str]| {
            let found = run(&[&["stats", text(source)], &selected[..], flags].concat()).good();
            let expected = run(&[&["stats", text(&part)], flags].concat()).good();
            (found, expected)
        };
        let (found, expected) = stats(&[]);
        assert_eq!(found, expected);
        // 1, 2, 4 and 6 in six elements.
        assert!(found.contains("\n4\t13\t"), "{found}");
        for (axis, positions) in [("rows", ["0", "2"].as_slice()), ("cols", &["0", "1", "3"])] {
            let (found, expected) = stats(&["--axis", axis]);
            let rest = |text: &str| -> Vec<String> {
                text.lines()
                    .skip(1)
                    .map(|line| line.split_once('\t').unwrap().1.to_owned())
                    .collect()
            };
            assert_eq!(rest(&found), rest(&expected));
            let first: Vec<&str> =
                found.lines().skip(1).map(|line| line.split_once('\t').unwrap().0).collect();
            assert_eq!(first, positions);
        }
    }
}

#[test]
fn unselected_data_is_not_read() {
    let scratch = tempfile::tempdir().unwrap();
    let source = folder(&scratch, "pbmc", GENES, CELLS);
    let store = scratch.path().join("pbmc.bsp");
    run(&["-q", "convert", text(&source), text(&store), "--to", "CSC"]).good();
    let indices = store.join("indices_1.npy");
    let mut bytes = fs::read(&indices).unwrap();
    // The row of the last entry, in the last column.
    let width = (bytes.len() - 128) / 6;
    let last = bytes.len() - width;
    bytes[last] = 99;
    fs::write(&indices, bytes).unwrap();
    for verb in [&["cat", text(&store)][..], &["stats", text(&store), "--axis", "rows"]] {
        assert_eq!(run(verb).code, Some(1));
        assert_eq!(run(&[verb, &["--cols", "3,0"]].concat()).code, Some(1));
        run(&[verb, &["--cols", "1,0,2"]].concat()).good();
    }
}

#[test]
fn empty_lists_are_refused_by_default() {
    let scratch = tempfile::tempdir().unwrap();
    let source = folder(&scratch, "pbmc", GENES, CELLS);
    let list = scratch.path().join("none.txt");
    fs::write(&list, "").unwrap();
    let at = format!("@{}", text(&list));
    let target = scratch.path().join("t.mtx");
    for axis in ["--rows", "--cols"] {
        for verb in [
            &["slice", "-q", text(&source), text(&target), "--force"][..],
            &["cat", text(&source)],
            &["stats", text(&source)],
        ] {
            let message = run(&[verb, &[axis, &at]].concat()).refused();
            assert!(
                message.contains(text(&list)) && message.contains("--allow-empty"),
                "{message}"
            );
            assert!(!target.exists());
            run(&[verb, &[axis, &at, "--allow-empty"]].concat()).good();
            let _ = fs::remove_file(&target);
        }
    }
    let tsv = scratch.path().join("f.tsv");
    fs::write(&tsv, "chr1\t1\t5\tA\t1\n").unwrap();
    let [store, kept] = ["f", "kept"].map(|name| scratch.path().join(name));
    run(&["fragments", "import", "-q", text(&tsv), text(&store)]).good();
    let select = ["fragments", "select", "-q", text(&store), text(&kept), "--cells", &at];
    assert!(run(&select).refused().contains("--allow-empty"));
    run(&[&select[..], &["--allow-empty"]].concat()).good();
}

#[test]
fn names_of_files_give_a_hint() {
    let scratch = tempfile::tempdir().unwrap();
    folder(&scratch, "pbmc", GENES, CELLS);
    fs::write(scratch.path().join("genes.txt"), "CD3E\n").unwrap();
    let message = |arguments: &[&str]| {
        let mut command = nnz_testing::command::command();
        nnz_testing::command::finish(command.args(arguments).current_dir(scratch.path())).refused()
    };
    for verb in [&["cat", "pbmc"][..], &["stats", "pbmc"], &["slice", "pbmc", "t.mtx"]] {
        let asked = message(&[verb, &["--rows", "CD3E,genes.txt"]].concat());
        assert!(asked.ends_with("\"genes.txt\"; did you mean @genes.txt?\n"), "{asked}");
        let none = message(&[verb, &["--rows", "CD19"]].concat());
        assert!(!none.contains("did you mean"), "{none}");
    }
}

#[test]
fn rows_of_10x_folders_are_selected_by_any_annotation() {
    let scratch = tempfile::tempdir().unwrap();
    let source = folder(&scratch, "pbmc", "ENSG1 ENSG2 ENSG3", CELLS);
    let genes = |table: &str| fs::write(source.join("genes.tsv"), table).unwrap();
    genes("ENSG1\tCD3E\tGene\nENSG2\tPTPRC\tGene\nENSG3\tCD45\tAntibody\r\n");
    let selected = |list: &str| run(&["cat", text(&source), "--names", "--rows", list]);
    for list in ["CD3E,CD45", "ENSG3,CD3E", "Antibody,ENSG1", "0,CD45"] {
        let expected = "ENSG1\tAAA\t1\nENSG3\tAAA\t2\nENSG1\tTTT\t4\nENSG3\tTTT\t6\n";
        assert_eq!(selected(list).good(), expected, "{list}");
    }
    let target = scratch.path().join("t.bpcells");
    run(&["-q", "slice", text(&source), text(&target), "--rows", "CD45,CD3E"]).good();
    assert_eq!(run(&["names", "-q", text(&target), "rows"]).good(), "ENSG3\nENSG1\n");

    let shared = selected("Gene").refused();
    assert!(shared.contains("\"Gene\" matches 2 rows; select one of them by \"ENSG1\", \"ENSG2\""));
    assert!(selected("CD3E,ENSG1").refused().contains("row 0 is selected twice"));
    assert!(selected("CD19").refused().contains("no row is named \"CD19\""));
    // Ids take precedence over symbols, and so do positions.
    genes("ENSG1\tENSG2\nENSG2\tx\nENSG3\t1\n");
    assert_eq!(selected("ENSG2").good(), "ENSG2\tCCC\t3\nENSG2\tTTT\t5\n");
    assert_eq!(selected("1").good(), "ENSG2\tCCC\t3\nENSG2\tTTT\t5\n");

    // The example has two rows in this order.
    let example = testdata().join("../examples/pbmc_10x_v3_mtx");
    let ids = run(&["stats", text(&example), "--axis", "rows", "--rows", "SOD1,APP"]).good();
    let ids: Vec<&str> = ids.lines().skip(1).map(|line| line.split('\t').nth(1).unwrap()).collect();
    assert_eq!(ids, ["ENSG00000142192", "ENSG00000142168"]);
}

#[test]
fn rows_are_selected_by_conditions_and_cells_on_either_axis() {
    let scratch = tempfile::tempdir().unwrap();
    let source = folder(&scratch, "pbmc", "ENSG1 ENSG2 ENSG3", CELLS);
    let table =
        "ENSG1\tCD3E\tGene Expression\nENSG2\tPTPRC\tGene Expression\nENSG3\tCD45\tAntibody\n";
    fs::write(source.join("genes.tsv"), table).unwrap();
    let rows = |flags: &[&str]| {
        run(&[&["stats", text(&source), "--axis", "features", "--measures", "nnz"], flags].concat())
            .good()
            .lines()
            .skip(1)
            .map(|line| line.split('\t').nth(1).unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(rows(&["--rows", "feature_type=Gene Expression"]), ["ENSG1", "ENSG2"]);
    assert_eq!(rows(&["--features", "feature_type!=Gene Expression"]), ["ENSG3"]);
    assert_eq!(rows(&["--rows", "name=PTPRC,CD45", "--features", "1:"]), ["ENSG2", "ENSG3"]);
    assert_eq!(rows(&["--rows", "name=PTPRC,CD45", "--rows", "0:2"]), ["ENSG2"]);

    // Cells are columns here, and rows in AnnData.
    let target = scratch.path().join("t.h5ad");
    let cells = ["--cells", "TTT,AAA", "--features", "feature_type=Gene Expression"];
    run(&[&["-q", "slice", text(&source), text(&target)], &cells[..]].concat()).good();
    assert_eq!(run(&["names", "-q", text(&target), "rows"]).good(), "TTT\nAAA\n");
    assert_eq!(run(&["names", "-q", text(&target), "cells"]).good(), "TTT\nAAA\n");
    assert_eq!(run(&["names", "-q", text(&target), "features"]).good(), "CD3E\nPTPRC\n");
    let cat = run(&["cat", text(&target), "--names", "--cells", "AAA"]).good();
    assert_eq!(cat, "AAA\tCD3E\t1.0\n");

    let refused = |flags: &[&str]| run(&[&["cat", text(&source)], flags].concat()).refused();
    let values = "values are \"Gene Expression\", \"Antibody";
    assert!(refused(&["--rows", "feature_type=gene"]).contains(values));
    let columns = "annotations are \"name\", \"feature_type\"";
    assert!(refused(&["--rows", "type=gene"]).contains(columns));
    assert!(refused(&["--cols", "type=gene"]).contains("columns have no annotations"));
    let plain = scratch.path().join("m.mtx");
    run(&["-q", "convert", text(&source), text(&plain)]).good();
    let unstated = format!("nnz: {}: does not state which axis has cells; use", text(&plain));
    for flags in [
        &["cat", text(&plain), "--cells", "0"][..],
        &["names", text(&plain), "cells"],
        &["stats", text(&plain), "--axis", "cells"],
        &["concat", text(&plain), text(&plain), "x.mtx", "--axis", "cells"],
    ] {
        let done = run(flags);
        assert!(done.code == Some(1) && done.err.starts_with(&unstated), "{done:?}");
    }
    let done = run(&["slice", text(&plain), "x.mtx"]);
    assert!(done.code == Some(2) && done.err.contains("nothing is selected"), "{done:?}");
}

#[test]
fn messages_name_cells_and_features() {
    let scratch = tempfile::tempdir().unwrap();
    let source = folder(&scratch, "pbmc", GENES, CELLS);
    let target = scratch.path().join("t.bpcells");
    let slice = |flags: &[&str]| {
        run(&[&["-q", "slice", text(&source), text(&target), "--force"], flags].concat()).refused()
    };
    let cells = "0:100 ends after the last cell: the matrix has 4 cells, numbered from 0";
    assert!(slice(&["--cells", "0:100"]).contains(cells));
    assert!(slice(&["--cells", "GGGG"]).contains("no cell is named \"GGGG\""));
    let features = "feature 3 is out of bounds: the matrix has 3 features, numbered from 0";
    assert!(slice(&["--features", "3"]).contains(features));
    assert!(slice(&["--features", "1,1"]).contains("feature 1 is selected twice"));
    let columns = "0:100 ends after the last column: the matrix has 4 columns, numbered from 0";
    assert!(slice(&["--cols", "0:100"]).contains(columns));
}

/// Names are literal, even if they look like a range.
#[test]
fn names_take_precedence_over_ranges() {
    let scratch = tempfile::tempdir().unwrap();
    let source = folder(&scratch, "ranges", "X Y 0:2", "A :1 B 2:");
    let target = scratch.path().join("t.bpcells");
    let names = |axis: &str, list: &str| {
        let flag = format!("--{axis}");
        run(&["-q", "slice", text(&source), text(&target), &flag, list, "--force"]).good();
        run(&["names", "-q", text(&target), axis]).good()
    };
    assert_eq!(names("rows", "0:2"), "0:2\n");
    assert_eq!(names("rows", "0:1,0:2"), "X\n0:2\n");
    assert_eq!(names("rows", "0:3"), "X\nY\n0:2\n");
    assert_eq!(names("cols", "2:,:1"), "2:\n:1\n");
    assert_eq!(names("cols", "1:3"), ":1\nB\n");
}

/// Some editors write a byte order mark.
#[test]
fn lists_may_start_with_a_byte_order_mark() {
    let scratch = tempfile::tempdir().unwrap();
    let source = folder(&scratch, "pbmc", GENES, CELLS);
    let (list, target) = (scratch.path().join("list.txt"), scratch.path().join("t.bpcells"));
    fs::write(&list, "\u{feff}TTT\r\nAAA\r\n").unwrap();
    let list = format!("@{}", text(&list));
    run(&["-q", "slice", text(&source), text(&target), "--cells", &list]).good();
    assert_eq!(run(&["names", "-q", text(&target), "cols"]).good(), "TTT\nAAA\n");
}

/// Samples of Cell Ranger are merged, each with its name.
#[test]
fn samples_are_merged_with_their_names() {
    let scratch = tempfile::tempdir().unwrap();
    let example = testdata().join("tenx/mtx/dropletutils_v3");
    let mut sources = Vec::new();
    for sample in ["ctrl", "stim"] {
        let folder = scratch.path().join(sample).join("outs/filtered_feature_bc_matrix");
        fs::create_dir_all(&folder).unwrap();
        for file in fs::read_dir(&example).unwrap() {
            let file = file.unwrap();
            fs::copy(file.path(), folder.join(file.file_name())).unwrap();
        }
        sources.push(text(&folder).to_owned());
    }
    let target = scratch.path().join("merged.h5ad");
    let start =
        ["-q", "concat", &sources[0], &sources[1], text(&target), "--axis", "cells", "--force"];
    let labels = ["--label", "sample", "--index-unique", "-"];
    let names = |flags: &[&str]| {
        run(&[&start[..], &labels, flags].concat()).good();
        let names = run(&["names", text(&target), "cells"]).good();
        let column = run(&["annotations", text(&target), "cells"]).good();
        let last = |text: &str| text.lines().last().unwrap().to_owned();
        (names.lines().next().unwrap().to_owned(), last(&names), last(&column))
    };
    let (first, last, row) = names(&[]);
    assert!(first.ends_with("-ctrl") && last.ends_with("-stim"), "{first} {last}");
    assert!(row.ends_with("stim"), "{row}");
    let (first, last, row) = names(&["--keys", "a,b"]);
    assert!(
        first.ends_with("-a") && last.ends_with("-b") && row.ends_with('b'),
        "{first} {last} {row}"
    );
    for (flags, expected) in [
        (&["--label", "x", "--keys", "a"][..], "1 keys for 2 sources"),
        (&["--label", "x", "--keys", "a,a"], "the key \"a\" is given twice"),
        (&["--keys", "a,b"], "keys are written to a column or to names; --label names the column"),
        (&["--fill", "1"], "--fill applies only if"),
    ] {
        let refused = run(&[&start[..], flags].concat());
        assert!(refused.code != Some(0) && refused.err.contains(expected), "{refused:?}");
    }
    let same = ["concat", &sources[0], &sources[0], text(&target), "--axis", "cells", "--force"];
    let twice = run(&[&same[..], &labels].concat());
    assert!(twice.err.contains("two sources are named \"ctrl\"; --keys"), "{twice:?}");
}

/// 1,107 cells were called features without a word.
#[test]
fn guessed_axes_are_noted_and_can_be_stated() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    let source = at("m.mtx");
    fs::write(&source, "%%MatrixMarket matrix coordinate integer general\n3 2 2\n1 1 5\n3 2 7\n")
        .unwrap();
    let convert = |target: &str, flags: &[&str]| {
        let done = run(&[&["convert", &source, target, "--force"], flags].concat());
        assert_eq!(done.code, Some(0), "{done:?}");
        let info: serde_json::Value =
            serde_json::from_str(&run(&["info", "--json", target]).good()).unwrap();
        (done.err, info["rows"].as_u64().unwrap(), info["cols"].as_u64().unwrap())
    };
    let (noted, rows, cols) = convert(&at("m.bpcells"), &[]);
    let expected = "rows are taken for features, columns for cells; --cell-axis rows states that cells are the rows";
    assert!(noted.contains(expected) && (rows, cols) == (3, 2), "{noted}");
    let (noted, rows, cols) = convert(&at("m.bpcells"), &["--cell-axis", "rows"]);
    assert!(
        noted.contains("transposed: rows are now features") && (rows, cols) == (2, 3),
        "{noted}"
    );
    let (noted, rows, cols) = convert(&at("m.h5ad"), &["--cell-axis", "rows"]);
    assert!(!noted.contains("note:") && (rows, cols) == (3, 2), "{noted}");
    let (noted, rows, cols) = convert(&at("m.h5ad"), &["--cell-axis", "cols"]);
    assert!(noted.contains("transposed: rows are now cells") && (rows, cols) == (2, 3), "{noted}");
    // Formats that do not say either are not guessed about.
    assert!(!convert(&at("m.npz"), &[]).0.contains("note:"));
    // A matrix with names beside it.
    let folder = testdata().join("tenx/mtx/dropletutils_v3");
    let matrix = folder.join("matrix.mtx.gz");
    let done = run(&["convert", text(&matrix), &at("x.h5ad")]);
    assert!(
        done.err.contains(&format!("{} has them, and states its axes", text(&folder))),
        "{done:?}"
    );
}

/// Matrices of Parse and of many submissions to GEO have names in files of any name.
#[test]
fn names_of_a_bare_matrix_are_read_from_files() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    let (source, target) = (at("m.mtx"), at("m.h5ad"));
    fs::write(&source, "%%MatrixMarket matrix coordinate integer general\n3 2 2\n1 1 5\n3 2 7\n")
        .unwrap();
    fs::write(at("cells.csv"), "bc_wells,sample\n01_01,s1\n01_02,s1\n01_03,s2\n").unwrap();
    fs::write(at("genes.tsv"), "ENSG1\tG1\nENSG2\tG2\n").unwrap();
    let start = ["-q", "convert", &source, &target, "--force", "--cell-axis", "rows"];
    let files = ["--row-names-file", &at("cells.csv"), "--col-names-file", &at("genes.tsv")];
    run(&[&start[..], &files, &["--row-annotations", &at("cells.csv")]].concat()).good();
    assert_eq!(run(&["names", &target, "cells"]).good(), "01_01\n01_02\n01_03\n");
    assert_eq!(run(&["names", &target, "features"]).good(), "ENSG1\nENSG2\n");
    assert!(run(&["annotations", &target, "cells"]).good().contains("01_03\ts2\n"));
    let short = run(&[&start[..], &["--row-names-file", &at("genes.tsv")]].concat());
    assert!(short.err.contains("genes.tsv: 2 lines for 3 rows"), "{short:?}");
    let named = ["-q", "convert", &target, &at("n.h5ad"), "--row-names-file", &at("cells.csv")];
    assert!(run(&named).err.contains("the rows have names already"));
}

#[test]
fn names_that_do_not_exist_are_listed_with_names_like_the_first() {
    let scratch = tempfile::tempdir().unwrap();
    let source = testdata().join("../examples/pbmc_10x_v3_mtx");
    let target = scratch.path().join("x.bpcells");
    let refused = |verb: &str, axis: &str, names: &str| {
        run(&[verb, text(&source), text(&target), axis, names]).refused()
    };
    for (axis, names, expected) in [
        (
            "--cells",
            "AAACCCAAGGAGAGTA",
            "\"AAACCCAAGGAGAGTA\"; did you mean \"AAACCCAAGGAGAGTA-1\"?",
        ),
        ("--genes", "ch507-9b2.2", "\"ch507-9b2.2\"; did you mean \"CH507-9B2.2\"?"),
        ("--genes", "CH507-9B2.2,no,none", "\"no\", nor \"none\""),
        ("--genes", "no", "no feature is named \"no\""),
    ] {
        let found = refused("slice", axis, names);
        assert!(found.trim_end().ends_with(expected), "{found}");
    }
    // A shell writes to a file named =200 then.
    let found = refused("filter", "--cells", "nnz");
    assert!(found.contains("conditions are quoted: \"nnz>=200\""), "{found}");
}

/// They were empty, and selections did not know the names of files.
#[test]
fn names_of_a_file_are_kept_when_an_annotation_names_the_axis() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    let mtx = "%%MatrixMarket matrix coordinate integer general\n3 2 3\n1 1 1\n2 2 5\n3 1 2\n";
    fs::write(at("m.mtx"), mtx).unwrap();
    fs::write(at("genes.tsv"), "gene\tsymbol\nE1\tA\nE2\tB\nE3\tC\n").unwrap();
    fs::write(at("names.txt"), "E1\nE2\nE3\n").unwrap();
    fs::write(at("cells.txt"), "c1\nc2\n").unwrap();
    let files = ["--row-names-file", &at("names.txt"), "--col-names-file", &at("cells.txt")];
    let tables = ["--row-annotations", &at("genes.tsv")];
    let of = |verb: &str, target: &str, more: &[&str]| {
        let start = ["-q", verb, &at("m.mtx"), target];
        run(&[&start[..], &files, &tables, more].concat()).good()
    };
    let by_symbol = ["--cell-axis", "cols", "--row-names", "symbol"];
    of("convert", &at("a.h5ad"), &by_symbol);
    assert_eq!(run(&["names", &at("a.h5ad"), "features"]).good(), "A\nB\nC\n");
    let annotations = run(&["annotations", &at("a.h5ad"), "features"]).good();
    assert_eq!(annotations, "name\tid\nA\tE1\nB\tE2\nC\tE3\n");
    of("convert", &at("a.h5"), &[&["--to", "10x"], &by_symbol[..]].concat());
    assert_eq!(run(&["names", &at("a.h5"), "features"]).good(), "E1\nE2\nE3\n");
    of("slice", &at("some.bpcells"), &["--rows", "E3,E1"]);
    assert_eq!(run(&["names", &at("some.bpcells"), "rows"]).good(), "E3\nE1\n");
}

/// The names of the first matrix were advised, which gives counts to other genes.
#[test]
fn features_of_samples_are_matched_by_name() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    fs::write(at("a.csv"), "gene,x\ng1,1\ng2,2\ng3,3\n").unwrap();
    fs::write(at("b.csv"), "gene,y\ng3,30\ng1,10\ng2,20\n").unwrap();
    fs::write(at("c.csv"), "gene,z\ng4,400\ng2,200\n").unwrap();
    let (first, target) = (at("a.csv"), at("all.h5ad"));
    let joined = |other: &str, flags: &[&str]| {
        let all = ["concat", &first, &at(other), &target, "--axis", "cols", "--cell-axis", "cols"];
        let done = run(&[&all[..], &["--force"], flags].concat());
        assert_eq!(done.code, Some(0), "{done:?}");
        let names = run(&["names", &target, "features"]).good().replace('\n', " ");
        let cells = run(&["cat", &target, "--names"]).good();
        (done.err, names, cells)
    };
    let (noted, names, cells) = joined("b.csv", &[]);
    assert!(noted.contains("in different orders, and were matched by name"), "{noted}");
    assert_eq!(names, "g1 g2 g3 ");
    for line in ["y\tg1\t10\n", "y\tg2\t20\n", "y\tg3\t30\n", "x\tg3\t3\n"] {
        assert!(cells.contains(line), "{cells}");
    }
    let (_, names, cells) = joined("c.csv", &["--join", "inner"]);
    assert_eq!((&*names, &*cells), ("g2 ", "x\tg2\t2\nz\tg2\t200\n"));
    let (_, names, cells) = joined("c.csv", &["--join", "outer"]);
    assert_eq!(names, "g1 g2 g3 g4 ");
    assert_eq!(cells, "x\tg1\t1\nx\tg2\t2\nz\tg2\t200\nx\tg3\t3\nz\tg4\t400\n");
    // Annotations that one of them does not have are listed.
    let (annotated, table) = (at("a.h5ad"), at("t.csv"));
    fs::write(&table, "cell,donor\nx,d1\n").unwrap();
    let all = ["-q", "convert", &first, &annotated, "--cell-axis", "cols", "--col-annotations"];
    run(&[&all[..], &[&table]].concat()).good();
    run(&["-q", "convert", &at("b.csv"), &at("b.bpcells"), "--cell-axis", "cols"]).good();
    let sources = ["concat", &annotated, &at("b.bpcells"), &at("d.h5ad")];
    let refused =
        run(&[&sources[..], &["--axis", "cells", "--strict"]].concat()).refused_by("concat");
    assert!(refused.contains("column \"donor\" of the rows"), "{refused}");
    let refused =
        run(&["concat", &first, &at("c.csv"), &at("x.npz"), "--axis", "cols"]).refused_by("concat");
    assert!(refused.contains("--join inner or outer matches them by name"), "{refused}");
    // An AnnData file beside a 10x directory, whose axes are exchanged.
    let tenx = text(&testdata().join("tenx/mtx/dropletutils_v3")).to_owned();
    let study = at("study.h5ad");
    run(&["-q", "convert", &tenx, &study, "--row-names", "id"]).good();
    let both = ["-q", "concat", &tenx, &study, &at("both.h5ad"), "--axis", "cells"];
    run(&[&both[..], &["--label", "from", "--join", "outer", "--type", "float32"]].concat());
    let cells = run(&["names", &tenx, "cells"]).good().lines().count();
    let info: serde_json::Value =
        serde_json::from_str(&run(&["info", "--json", &at("both.h5ad")]).good()).unwrap();
    assert_eq!(info["rows"].as_u64(), Some(2 * cells as u64));
}

/// A file of 0 columns was written.
#[test]
fn whole_files_without_a_common_name_are_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    fs::write(at("a.csv"), "gene,x\ng1,1\ng2,2\ng3,3\n").unwrap();
    fs::write(at("b.csv"), "gene,y\ng3,30\ng1,10\n").unwrap();
    fs::write(at("ids.csv"), "gene,z\nE1,30\nE2,10\n").unwrap();
    let [first, second, ids] = ["a", "b", "ids"].map(|name| {
        let target = at(&format!("{name}.h5ad"));
        run(&["-q", "convert", &at(&format!("{name}.csv")), &target, "--cell-axis", "cols"]).good();
        target
    });
    for target in [at("o.h5ad"), at("o.bpcells")] {
        let join = |other: &str, how: &str| {
            run(&["concat", &first, other, &target, "--force", "--axis", "cells", "--join", how])
        };
        let refused = join(&ids, "inner");
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.err.contains("no name of columns is in all 2 sources"), "{refused:?}");
        for (other, how, note) in [
            (&second, "inner", "note: 2 columns are in all 2 sources"),
            (&second, "outer", "note: 3 columns are in any of 2 sources, and 2 in all"),
            (&ids, "outer", "note: 5 columns are in any of 2 sources, and 0 in all"),
        ] {
            let done = join(other, how);
            assert!(done.code == Some(0) && done.err.contains(note), "{done:?}");
        }
    }
    // Modalities have the same rules.
    for name in ["a", "ids"] {
        let [file, study] = ["h5ad", "h5mu"].map(|extension| at(&format!("{name}.{extension}")));
        run(&["-q", "convert", &file, &study, "--modality", "rna"]).good();
    }
    let (first, ids, target) = (at("a.h5mu"), at("ids.h5mu"), at("o.h5mu"));
    let join = ["concat", &first, &ids, &target, "--axis", "cells", "--join"];
    let refused = run(&[&join[..], &["inner"]].concat());
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.err.contains("no name of columns is in all 2 sources"), "{refused:?}");
    let done = run(&[&join[..], &["outer"]].concat());
    assert!(done.err.contains("mod/rna: 5 columns are in any of 2 sources"), "{done:?}");
}

/// The error advised --join, which was given.
#[test]
fn matrices_of_several_groups_are_matched_by_name() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    fs::write(at("a.csv"), "gene,x\ng1,1\ng2,2\n").unwrap();
    fs::write(at("b.csv"), "gene,y\ng3,30\ng1,10\n").unwrap();
    for name in ["a", "b"] {
        for group in ["one", "two"] {
            let target = format!("{}::{group}", at(&format!("{name}.h5")));
            let to = ["--to", "bpcells", "--cell-axis", "cols"];
            run(&[&["-q", "convert", &at(&format!("{name}.csv")), &target][..], &to].concat())
                .good();
        }
    }
    let target = at("ab.h5");
    let sources = ["concat", &at("a.h5"), &at("b.h5"), &target, "--to", "bpcells"];
    let how = ["--axis", "cols", "--join", "outer", "--index-unique", "-"];
    let done = run(&[&sources[..], &how].concat());
    assert!(done.err.contains("two: 3 rows are in any of 2 sources, and 1 in all"), "{done:?}");
    let found = run(&["cat", &format!("{target}::two"), "--names"]).good();
    assert_eq!(found, "g1\tx-a\t1\ng1\ty-b\t10\ng2\tx-a\t2\ng3\ty-b\t30\n");
}

/// The note named a matrix that did not open, because its features have no file of their own.
#[test]
fn samples_of_one_directory_share_features() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    let folder = testdata().join("tenx/mtx/dropletutils_v3");
    let copied = |file: &str, to: &str| {
        fs::copy(folder.join(file), at(to)).unwrap();
    };
    fs::create_dir(at("geo")).unwrap();
    for sample in ["A", "B"] {
        for file in ["matrix.mtx.gz", "barcodes.tsv.gz"] {
            copied(file, &format!("geo/GSM1_{sample}_{file}"));
        }
    }
    // The note names only a matrix that opens.
    let bare = at("geo/GSM1_A_matrix.mtx.gz");
    let noted = || run(&["convert", "--force", &bare, &at("bare.h5ad")]).err;
    assert!(!noted().contains("lie beside the file"), "{}", noted());
    let first = format!("{}::GSM1_A_matrix.mtx", at("geo"));
    let missing = run(&["convert", &first, &at("a.h5ad")]).refused();
    assert!(missing.contains("GSM1_A_features.tsv"), "{missing}");
    copied("features.tsv.gz", "geo/features.tsv.gz");
    assert!(noted().contains(&format!("{first} has them")), "{}", noted());
    run(&["-q", "convert", &first, &at("a.h5ad")]).good();
    run(&["-q", "convert", text(&folder), &at("expected.h5ad")]).good();
    for axis in ["cells", "features"] {
        let expected = run(&["annotations", &at("expected.h5ad"), axis]).good();
        assert_eq!(run(&["annotations", &at("a.h5ad"), axis]).good(), expected);
    }
    assert!(!run(&["info", &at("geo")]).good().contains("invalid"));
    let (second, target) = (first.replace("_A_", "_B_"), at("all.h5ad"));
    let all = ["-q", "concat", &first, &second, &target, "--axis", "cells", "--label", "sample"];
    run(&all).good();
    let last = run(&["annotations", &target, "cells"]).good();
    assert!(last.lines().last().unwrap().ends_with("\tGSM1_B"), "{last}");
    // Barcodes of one sample are not those of another.
    fs::create_dir(at("other")).unwrap();
    copied("matrix.mtx.gz", "other/GSM1_A_matrix.mtx.gz");
    copied("features.tsv.gz", "other/features.tsv.gz");
    fs::write(at("other/barcodes.tsv"), "AA\nCC\n").unwrap();
    let other = format!("{}::GSM1_A_matrix.mtx", at("other"));
    let refused = run(&["convert", &other, &at("b.h5ad")]).refused();
    assert!(refused.contains("found 2 names, expected 8"), "{refused}");
}

/// Submissions to GEO have the matrices of several samples in one directory.
#[test]
fn samples_of_one_directory_are_told_apart() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    let folder = testdata().join("tenx/mtx/dropletutils_v3");
    fs::create_dir(at("geo")).unwrap();
    for sample in ["GSM1_A", "GSM2_B"] {
        for file in ["matrix.mtx.gz", "barcodes.tsv.gz", "features.tsv.gz"] {
            fs::copy(folder.join(file), at(&format!("geo/{sample}_{file}"))).unwrap();
        }
    }
    let bare = at("geo/GSM1_A_matrix.mtx.gz");
    let noted = run(&["convert", &bare, &at("bare.h5ad")]).err;
    let beside = format!("{}::GSM1_A_matrix.mtx has them", at("geo"));
    assert!(noted.contains("does not state which axis") && noted.contains(&beside), "{noted}");
    let sources = ["A", "B"].map(|one| {
        let number = if one == "A" { 1 } else { 2 };
        format!("{}::GSM{number}_{one}_matrix.mtx", at("geo"))
    });
    let target = at("all.h5ad");
    let all = ["-q", "concat", &sources[0], &sources[1], &target, "--axis", "cells"];
    run(&[&all[..], &["--label", "sample", "--index-unique", "-"]].concat()).good();
    let last = run(&["annotations", &target, "cells"]).good();
    let last = last.lines().last().unwrap().to_owned();
    assert!(last.ends_with("-GSM2_B\tGSM2_B"), "{last}");
    let bare = at("geo/GSM2_B_matrix.mtx.gz");
    let all = ["concat", &bare, &bare, &at("y.h5ad"), "--axis", "cols", "--keys", "a,b"];
    let noted = run(&[&all[..], &["--index-unique", "-"]].concat()).err;
    assert!(noted.contains("GSM2_B_matrix.mtx has them"), "{noted}");
    fs::copy(&bare, at("alone.mtx.gz")).unwrap();
    let alone = at("alone.mtx.gz");
    let all = ["concat", &alone, &alone, &at("z.h5ad"), "--axis", "cols", "--keys", "a,b"];
    let noted = run(&[&all[..], &["--index-unique", "-"]].concat()).err;
    assert!(noted.contains("the columns have no names; --index-unique changes nothing"), "{noted}");
}

#[test]
fn names_are_selected_by_patterns_and_texts_by_all_their_words() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    fs::write(at("m.csv"), "gene,x,y\nMT-1,1,2\nMT-2,3,4\nCD3,5,6\n").unwrap();
    // Spreadsheets of some countries separate values by semicolons.
    fs::write(at("t.csv"), "cell;type\nx;CD4-positive, alpha-beta\ny;B\n").unwrap();
    let (source, study) = (at("m.csv"), at("m.h5ad"));
    let table = ["--cell-axis", "cols", "--col-annotations", &at("t.csv")];
    run(&[&["-q", "convert", &source, &study][..], &table].concat()).good();
    let sliced = |file: &str, flags: &[&str]| {
        let target = at("s.h5ad");
        let done = run(&[&["-q", "slice", file, &target, "--force"][..], flags].concat());
        assert_eq!(done.code, Some(0), "{done:?}");
        ["features", "cells"].map(|axis| run(&["names", &target, axis]).good().replace('\n', " "))
    };
    assert_eq!(sliced(&study, &["--features", "~^MT-"]), ["MT-1 MT-2 ", "x y "]);
    assert_eq!(sliced(&study, &["--features", "!~^MT-"]), ["CD3 ", "x y "]);
    for condition in
        ["type=CD4-positive, alpha-beta", "type == CD4-positive, alpha-beta", "type!=B"]
    {
        assert_eq!(sliced(&study, &["--cells", condition])[1], "x ", "{condition}");
    }
    let both = ["--cells", "type=B,CD4-positive, alpha-beta"];
    assert_eq!(sliced(&study, &both)[1], "x y ");
    // Conditions on columns of a table that is given.
    assert_eq!(sliced(&source, &[&table[..], &["--cols", "type=B"]].concat())[1], "y ");
    let refused =
        run(&["slice", &study, &at("z.h5ad"), "--features", "~^nothing"]).refused_by("slice");
    assert!(refused.contains("no column has a name that matches"), "{refused}");
    for (condition, advised) in [("nonzero>20", true), ("nothing>20", false)] {
        let refused =
            run(&["slice", &study, &at("z.h5ad"), "--cells", condition]).refused_by("slice");
        assert_eq!(refused.contains("; nnz filter selects by nonzero"), advised, "{refused}");
    }
    let refused = run(&["slice", &study, &at("z.h5ad"), "--cells", "CD3"]).refused_by("slice");
    assert!(refused.contains("no cell is named \"CD3\"; a column has this name"), "{refused}");
    fs::write(at("list.txt"), "CD3\n\nMT-1\n").unwrap();
    assert_eq!(sliced(&study, &["--features", &format!("@{}", at("list.txt"))])[0], "CD3 MT-1 ");
}

/// Those of the first source were taken for all: an antibody of another source was a gene.
#[test]
fn annotations_that_sources_do_not_share_are_dropped_with_their_name() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    for (sample, features) in [
        ("one", "e1\tA\tGene Expression\ne2\tB\tGene Expression\n"),
        ("two", "e1\tA\tGene Expression\ne2\tZ\tAntibody Capture\n"),
        ("more", "e1\tA\tGene Expression\ne3\tC\tGene Expression\n"),
    ] {
        fs::create_dir(at(sample)).unwrap();
        let mtx = "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 5\n2 2 6\n";
        for (name, content) in
            [("matrix.mtx", mtx), ("barcodes.tsv", "k1\nk2\n"), ("features.tsv", features)]
        {
            fs::write(at(&format!("{sample}/{name}")), content).unwrap();
        }
    }
    let concat = |sources: [&str; 2], more: &[&str]| {
        let [a, b] = sources.map(at);
        let start = ["concat", &a, &b, &at("o.h5ad"), "--force", "--axis", "cells"];
        run(&[&start[..], &["--index-unique", "-", "--row-names", "id"], more].concat())
    };
    let done = concat(["one", "two"], &[]);
    assert!(
        done.err.contains("column \"feature_type\" of the rows, which differs between"),
        "{done:?}"
    );
    assert!(done.err.contains("1 of the rows has another name in other sources"), "{done:?}");
    assert_ne!(concat(["two", "one"], &["--strict"]).code, Some(0));
    // Equal ones are kept, and those of features that only one source has.
    let done = concat(["one", "more"], &["--join", "outer"]);
    assert!(!done.err.contains("differs"), "{done:?}");
    let annotations = run(&["annotations", &at("o.h5ad"), "features"]).good();
    assert!(annotations.contains("e3\tC\tGene Expression\n"), "{annotations}");
}

/// Counts and logarithms were joined without a word.
#[test]
fn concatenated_counts_and_logarithms_are_noted() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| scratch.path().join(name).display().to_string();
    for (name, values) in [("counts", "1,2"), ("more", "3,0"), ("logs", "0.5,1.5")] {
        fs::write(at(&format!("{name}.csv")), format!("cell,g,h\n{name},{values}\n")).unwrap();
        let typed = ["--type", "float32", "--cell-axis", "rows"];
        for extension in ["h5ad", "bpcells"] {
            let to = at(&format!("{name}.{extension}"));
            let from = at(&format!("{name}.csv"));
            run(&[&["-q", "convert", &from, &to], &typed[..]].concat()).good();
        }
    }
    for (second, is_noted) in [("more", false), ("logs", true)] {
        for extension in ["bpcells", "h5ad"] {
            let [first, second, all] =
                ["counts", second, "all"].map(|name| at(&format!("{name}.{extension}")));
            let done = run(&["concat", &first, &second, &all, "--axis", "cells", "--force"]);
            assert_eq!(done.code, Some(0), "{done:?}");
            let noted =
                done.err.contains("counts.") && done.err.contains("look like counts, and those of");
            assert_eq!(noted, is_noted, "{second}: {}", done.err);
        }
    }
}
