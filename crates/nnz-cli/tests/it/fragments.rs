//! Fragments on the command line, compared with files of BPCells.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use nnz_testing::command::{content, names_in, program, run, run_with_input, testdata, text};

fn golden() -> PathBuf {
    testdata().join("bpcells")
}

/// All stores, as arguments, with their cases.
fn stores() -> Vec<(String, String)> {
    let case = |name: &str| name.split('.').next().unwrap().to_owned();
    let mut stores = Vec::new();
    for folder in ["fragments_dir", "fragments_rds"] {
        for name in names_in(&golden().join(folder)) {
            let path = golden().join(folder).join(&name);
            stores.push((text(&path).to_owned(), case(&name)));
        }
    }
    for name in names_in(&golden().join("fragments_h5")) {
        let path = golden().join("fragments_h5").join(&name);
        for group in ["packed", "unpacked"] {
            stores.push((format!("{}::{group}", text(&path)), case(&name)));
        }
    }
    assert!(stores.len() > 60, "{}", stores.len());
    stores
}

/// Returns the expected output of `cat` for a case.
fn expected(case: &str) -> Option<String> {
    let listed = fs::read_to_string(golden().join(format!("expected/frag_{case}.tsv"))).ok()?;
    let lines = listed.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let fields: Vec<_> = line.split('\t').collect();
        format!("{}\t{}\t{}\t{}\n", fields[0], fields[1], fields[2], fields[4])
    });
    Some(lines.collect())
}

/// Returns the names in a line of the description of a case.
fn names(case: &str, key: &str) -> Option<String> {
    let meta = fs::read_to_string(golden().join(format!("expected/frag_{case}.meta.txt"))).ok()?;
    let line = meta.lines().find_map(|line| line.strip_prefix(key))?.trim().to_owned();
    let names = line.split(',').filter(|name| !name.is_empty());
    Some(names.map(|name| format!("{name}\n")).collect())
}

#[test]
fn all_stores_have_the_expected_fragments() {
    let mut compared = 0;
    for (store, case) in stores() {
        let Some(expected) = expected(&case) else { continue };
        assert!(run(&["cat", &store]).good() == expected, "{store}");
        assert_eq!(run(&["names", &store, "cells"]).good(), names(&case, "cell_names").unwrap());
        let chromosomes = names(&case, "chr_names").unwrap();
        assert_eq!(run(&["names", &store, "chromosomes"]).good(), chromosomes);
        // Stores that BPCells creates from data frames have an `end_max` that is too low.
        if !store.contains("from_dataframe") {
            assert_eq!(run(&["validate", &store]).good(), "", "{store}");
        }
        let info = run(&["info", &store, "--json"]).good();
        let info: serde_json::Value = serde_json::from_str(&info).unwrap();
        assert_eq!(info["kind"], "fragments");
        assert_eq!(info["fragments"], expected.lines().count());
        assert_eq!(info["cells"], names(&case, "cell_names").unwrap().lines().count());
        compared += 1;
    }
    assert!(compared > 55, "{compared}");
}

#[test]
fn packed_stores_are_byte_identical() {
    let directory = tempfile::tempdir().unwrap();
    let folder = golden().join("fragments_dir");
    let mut compared = 0;
    for name in names_in(&folder).iter().filter(|name| name.ends_with(".unpacked")) {
        let (from, packed) = (folder.join(name), name.replace(".unpacked", ".packed"));
        let version = if name.contains(".v1.") { "1" } else { "2" };
        for (from, to, more) in [
            (&from, folder.join(&packed), None),
            (&folder.join(&packed), from.clone(), Some("--unpacked")),
        ] {
            let target = directory.path().join("out");
            let mut arguments = vec!["convert", "--quiet", "--force", text(from), text(&target)];
            arguments.extend(["--format-version", version]);
            arguments.extend(more);
            run(&arguments).good();
            assert!(content(&target) == content(&to), "{name}");
            compared += 1;
        }
    }
    assert!(compared >= 26, "{compared}");
}

#[test]
fn all_containers_have_the_same_fragments() {
    let directory = tempfile::tempdir().unwrap();
    let first = golden().join("fragments_dir/basic.packed");
    let mut from = text(&first).to_owned();
    let forms: [(&str, &[&str]); 8] = [
        ("a.h5", &["--compress", "gzip:4"]),
        ("b.rds", &[]),
        ("c.rds", &["--unpacked"]),
        ("d.h5::some/group", &["--unpacked", "--format-version", "1"]),
        ("e", &["--format-version", "1"]),
        ("e.rds", &["--format-version", "1"]),
        ("unpacked.rds", &["--unpacked", "--format-version", "1"]),
        ("f", &[]),
    ];
    for (to, more) in forms {
        let to = format!("{}/{to}", text(directory.path()));
        let mut arguments = vec!["convert", "--quiet", &from, &to];
        arguments.extend(more);
        run(&arguments).good();
        assert_eq!(run(&["diff", text(&first), &to]).good(), "");
        assert_eq!(run(&["validate", &to]).good(), "");
        from = to;
    }
    assert!(content(&directory.path().join("f")) == content(&first));
}

#[test]
fn imported_texts_match_the_stores_of_bpcells() {
    let directory = tempfile::tempdir().unwrap();
    let folder = golden().join("interop/fragments_tsv");
    for name in names_in(&folder) {
        let case = name.trim_start_matches("frag_").split('.').next().unwrap().to_owned();
        let golden = content(&golden().join(format!("fragments_dir/{case}.packed")));
        for more in [&["--threads", "1"][..], &["--threads", "2"], &["--sort", "--memory", "100k"]]
        {
            let target = directory.path().join("out");
            let source = folder.join(&name);
            let mut arguments = vec!["fragments", "import", "--quiet", "--force"];
            arguments.extend([text(&source), text(&target)]);
            arguments.extend(more);
            run(&arguments).good();
            assert!(content(&target) == golden, "{name} {more:?}");
        }
        // There and back.
        let store = directory.path().join("out");
        for ending in ["tsv", "bed", "tsv.gz", "bed.gz"] {
            let to = directory.path().join(format!("{name}.{ending}"));
            run(&["fragments", "export", "--quiet", text(&store), text(&to)]).good();
            let indexed = to.with_extension("gz.tbi").exists();
            assert_eq!(indexed, ending.ends_with("gz"));
            let back = directory.path().join("back");
            run(&["fragments", "import", "--quiet", "--force", text(&to), text(&back)]).good();
            assert!(content(&back) == golden, "{name} {ending}");
        }
    }
}

const LINES: &str = "# made by hand\nchr1\t10\t60\tA\t1\r\nchr1\t30\t90\tB\t2\nchr2\t5\t25\tA\t1\n";

fn import(directory: &Path, name: &str, lines: &str, more: &[&str]) -> nnz_testing::command::Run {
    let target = directory.join(name);
    let mut arguments = vec!["fragments", "import", "--quiet", "-", text(&target)];
    arguments.extend(more);
    run_with_input(&arguments, lines.as_bytes())
}

#[test]
fn imports_respect_lists_of_cells_and_chromosomes() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let store = |name: &str| text(&path.join(name)).to_owned();
    fs::write(path.join("cells"), "B\nC\n").unwrap();
    fs::write(path.join("sizes"), "chr2\t100\nchr1\t95\nchr3\t7\n").unwrap();
    let (cells, sizes) = (store("cells"), store("sizes"));
    import(path, "a", LINES, &["--cells", &cells, "--end-inclusive"]).good();
    assert_eq!(run(&["cat", &store("a")]).good(), "chr1\t30\t91\tB\n");
    import(path, "b", LINES, &["--chrom-sizes", &sizes]).good();
    assert_eq!(run(&["names", &store("b"), "chromosomes"]).good(), "chr2\nchr1\nchr3\n");
    import(path, "c", LINES, &["--chrom-sizes", &sizes, "--sort"]).good();
    let lines = "chr2\t5\t25\tA\nchr1\t10\t60\tA\nchr1\t30\t90\tB\n";
    assert_eq!(run(&["cat", &store("c")]).good(), lines);

    // Unsorted text is refused with its line and a hint, and leaves no files.
    let unsorted = "chr1\t30\t90\tB\nchr1\t10\t60\tA\n";
    let message = import(path, "d", unsorted, &[]).refused();
    assert!(message.contains("line 2") && message.contains("--sort"), "{message}");
    assert!(!path.join("d").exists());
    import(path, "d", unsorted, &["--sort"]).good();
    assert_eq!(run(&["cat", &store("d")]).good(), "chr1\t10\t60\tA\nchr1\t30\t90\tB\n");
    // Existing targets are not replaced.
    let message = import(path, "d", unsorted, &["--sort"]).refused();
    assert!(message.contains("--force"), "{message}");
    import(path, "empty", "", &[]).good();
    assert_eq!(run(&["cat", &store("empty")]).good(), "");
    assert_eq!(run(&["validate", &store("empty")]).good(), "");
}

#[test]
fn regions_are_queried_by_name_and_bases() {
    let directory = tempfile::tempdir().unwrap();
    import(directory.path(), "s", LINES, &[]).good();
    let store = text(&directory.path().join("s")).to_owned();
    let query = |regions: &[&str]| {
        let mut arguments = vec!["fragments", "query", &store];
        arguments.extend(regions);
        run(&arguments)
    };
    assert_eq!(query(&["chr2"]).good(), "chr2\t5\t25\tA\n");
    assert_eq!(query(&["chr1:60-61", "chr2:0-5"]).good(), "chr1\t30\t90\tB\n");
    assert_eq!(query(&["chr1:59-"]).good().lines().count(), 2);
    assert_eq!(query(&["chr1:1,000-2,000"]).good(), "");
    // A name that does not exist is an error of the file, as in `slice`; a region of another form is not.
    for (region, code, named) in [
        ("chr9", 1, ": no chromosome is named \"chr9\""),
        ("chr9:1-2", 1, ": no chromosome is named \"chr9\""),
        ("chr1:5-5", 2, "5-5"),
        ("chr1:9-5", 2, "9-5"),
        ("chr1:x-5", 2, "x-5"),
        ("chr1:", 2, "\"\""),
    ] {
        let refused = query(&[region]);
        assert_eq!((refused.code, &*refused.out), (Some(code), ""), "{region}");
        assert!(refused.err.contains(named), "{refused:?}");
    }
}

#[test]
fn merging_raises_the_limit_of_open_files() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let names: Vec<_> = (0..12).map(|store| format!("s{store}")).collect();
    for name in &names {
        import(path, name, "chr1\t10\t20\tA\n", &[]).good();
    }
    let merge = format!(
        "ulimit -Sn 40; exec {} fragments merge --quiet {} all --prefix {}",
        program("nnz").display(),
        names.join(" "),
        names.join(","),
    );
    let merged = Command::new("sh").args(["-c", &merge]).current_dir(path).output().unwrap();
    assert!(merged.status.success(), "{merged:?}");
    let all = run(&["cat", text(&path.join("all"))]).good();
    assert_eq!(all.lines().count(), 12);
}

#[test]
fn merge_select_and_count() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let at = |name: &str| text(&path.join(name)).to_owned();
    import(path, "a", LINES, &[]).good();
    import(path, "b", "chr2\t1\t3\tA\nchr1\t10\t20\tC\n", &[]).good();
    let merge = |more: &[&str]| {
        let (a, b, to) = (at("a"), at("b"), at("m"));
        let mut arguments = vec!["fragments", "merge", "--quiet", &a, &b, &to];
        arguments.extend(more);
        run(&arguments)
    };
    let refused = merge(&[]);
    let expected = format!(
        "nnz: {}: the cell name \"A\" is also in {}; --prefix makes the names distinct\n",
        at("b"),
        at("a")
    );
    assert_eq!((refused.code, refused.err), (Some(1), expected));
    assert!(!path.join("m").exists());
    merge(&["--prefix", "x_,y_"]).good();
    let all = "chr1\t10\t60\tx_A\nchr1\t10\t20\ty_C\nchr1\t30\t90\tx_B\n\
               chr2\t1\t3\ty_A\nchr2\t5\t25\tx_A\n";
    assert_eq!(run(&["cat", &at("m")]).good(), all);

    let select = |to: &str, more: &[&str]| {
        let (from, to) = (at("m"), at(to));
        let mut arguments = vec!["fragments", "select", "--quiet", &from, &to];
        arguments.extend(more);
        run(&arguments)
    };
    select("s", &["--cells", "y_A,x_A", "--chromosomes", "chr2,chr1", "--max-length", "20"]).good();
    assert_eq!(run(&["cat", &at("s")]).good(), "chr2\t1\t3\ty_A\nchr2\t5\t25\tx_A\n");
    assert_eq!(run(&["names", &at("s"), "cells"]).good(), "y_A\nx_A\n");
    assert_eq!(run(&["names", &at("s"), "chromosomes"]).good(), "chr2\nchr1\n");
    for list in ["z", "x_A,x_A"] {
        let refused = select("t", &["--cells", list]);
        assert!(refused.code == Some(1) && !path.join("t").exists(), "{refused:?}");
    }

    fs::write(
        path.join("p.bed"),
        "track x\nchr2\t2\t6\tname\nnone\t1\t2\nchr1\t19\t90\nchr1\t0\t30\n",
    )
    .unwrap();
    let count = |to: &str, more: &[&str]| {
        let (from, to) = (at("m"), at(to));
        let mut arguments = vec!["fragments", "count", &from, &to];
        arguments.extend(more);
        run(&arguments)
    };
    let peaks = at("p.bed");
    let counted = count("c.bpcells", &["--peaks", &peaks]);
    assert_eq!(counted.code, Some(0), "{counted:?}");
    assert!(counted.err.contains("none"), "{counted:?}");
    // Cells: x_A, x_B, y_A, y_C.
    let elements = "0\t0\t1\n0\t2\t1\n2\t0\t1\n2\t1\t2\n2\t3\t1\n3\t0\t1\n3\t3\t2\n";
    assert_eq!(run(&["cat", &at("c.bpcells")]).good(), elements);
    let names = "chr2:2-6\nnone:1-2\nchr1:19-90\nchr1:0-30\n";
    assert_eq!(run(&["names", &at("c.bpcells"), "rows"]).good(), names);
    assert_eq!(run(&["names", &at("c.bpcells"), "cols"]).good(), "x_A\nx_B\ny_A\ny_C\n");
    // The same in column order, as text, with any number of threads.
    count("c.mtx", &["--peaks", &peaks, "--order", "col", "--threads", "3", "--quiet"]).good();
    assert_eq!(run(&["diff", &at("c.mtx"), &at("c.bpcells")]).good(), "");
    count("o.bpcells", &["--peaks", &peaks, "--mode", "overlaps", "--quiet"]).good();
    let elements = "0\t0\t1\n0\t2\t1\n2\t0\t1\n2\t1\t1\n2\t3\t1\n3\t0\t1\n3\t3\t1\n";
    assert_eq!(run(&["cat", &at("o.bpcells")]).good(), elements);
    count("t.bpcells", &["--tiles", "50", "--quiet"]).good();
    let names = "chr1:0-50\nchr1:50-90\nchr2:0-25\n";
    assert_eq!(run(&["names", &at("t.bpcells"), "rows"]).good(), names);
    // Tiles of some chromosomes omit the others, with a note.
    fs::write(path.join("one.sizes"), "chr1\t90\n").unwrap();
    let sizes = at("one.sizes");
    let done = count("s.bpcells", &["--tiles", "50", "--chrom-sizes", &sizes]);
    assert!(done.err.contains("fragments on \"chr2\" are not in any tile"), "{done:?}");
    fs::write(path.join("none.bed"), "").unwrap();
    count("n.bpcells", &["--peaks", &at("none.bed"), "--quiet"]).good();
    assert_eq!(run(&["cat", &at("n.bpcells")]).good(), "");

    for (line, stderr) in [
        ("chr1\t5\t5", "line 2"),
        ("chr1\t9\t5", "line 2"),
        ("chr1\t9", "line 2"),
        ("chr1\tx\t5", "\"x\""),
        ("\t1\t5", "line 2"),
        ("chr1\t1\t4294967296", "4294967296"),
    ] {
        fs::write(path.join("bad.bed"), format!("chr1\t1\t2\n{line}\n")).unwrap();
        let message = count("bad.bpcells", &["--peaks", &at("bad.bed")]).refused();
        assert!(message.contains(stderr), "{message}");
        assert!(!path.join("bad.bpcells").exists());
    }
}

#[test]
fn differences_are_printed() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&directory.path().join(name)).to_owned();
    import(directory.path(), "a", LINES, &[]).good();
    import(directory.path(), "b", &LINES.replace("\t90\t", "\t91\t"), &[]).good();
    let differ = run(&["diff", &at("a"), &at("b")]);
    assert_eq!((differ.code, &*differ.out), (Some(1), "chr1\t1\t30-90 B\t30-91 B\n"));
    // A matrix is not a store, and text is not one yet.
    let matrix = golden().join("matrix_dir/basic_uint.packed.col");
    run(&["fragments", "query", text(&matrix), "chr1"]).refused();
    fs::write(directory.path().join("t.tsv"), LINES).unwrap();
    let message = run(&["fragments", "query", &at("t.tsv"), "chr1"]).refused();
    assert!(message.contains("import"), "{message}");
    run(&["stats", &at("a")]).refused();
}

#[test]
fn extensions_of_matrices_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("counts.mtx");
    let store = golden().join("fragments_dir/basic.packed");
    for words in [&["convert"][..], &["fragments", "select"]] {
        let run = run(&[words, &[text(&store), text(&to)]].concat());
        assert_eq!(run.code, Some(2), "{}", run.err);
        assert!(run.err.contains("nnz fragments count"), "{}", run.err);
        assert!(!to.exists());
    }
}

#[test]
fn names_shared_by_chromosomes_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    import(directory.path(), "s", LINES, &[]).good();
    let path = directory.path().join("s");
    fs::write(path.join("chr_names"), "chr1\nchr1\n").unwrap();
    let store = text(&path);
    let refused = run(&["fragments", "query", store, "chr1"]);
    assert_eq!((refused.code, &*refused.out), (Some(2), ""), "{}", refused.err);
    assert!(refused.err.contains("the name \"chr1\" is not unique"), "{}", refused.err);
    let noted = run(&["validate", "--notes", store]).good().to_owned();
    assert!(noted.contains("several chromosomes are named \"chr1\""), "{noted}");
}
