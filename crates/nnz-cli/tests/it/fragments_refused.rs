//! Errors of fragments, and of data that looks like them.

use std::fs;
use std::path::Path;

use nnz_testing::command::{run, run_with_input, text};

/// Writes an R object in the form of `saveRDS(ascii = TRUE)`: one word per line.
fn write_r(directory: &Path, name: &str, words: &str) -> String {
    let path = directory.join(name);
    fs::write(&path, words.split_whitespace().map(|word| format!("{word}\n")).collect::<String>())
        .unwrap();
    text(&path).to_owned()
}

/// Fragments with the cell names `as.character(1:3e8)`: R stores the sequence, not the names.
const MANY_NAMES: &str = "A 3 262658 197888 5 UTF-8 531 8
    16 1 262153 21 unpacked-fragments-v2
    238 2 1 262153 14 compact_intseq 2 1 262153 4 base 2 13 1 13 254 14 3 10 0 1 254
    238 2 511 2 767 2 13 1 13 254 14 3 10 1 1 254
    238 2 511 2 767 2 13 1 13 254 14 3 10 2 1 254
    13 1 11 14 2 0 10
    238 2 1 262153 15 deferred_string 2 767 2 13 1 16 254
        2 238 2 511 2 767 2 13 1 13 254 14 3 300000000 1 1 254 13 1 0 254
    16 1 262153 4 chr1
    1026 1 262153 5 names 16 8 262153 7 version 262153 4 cell 262153 5 start 262153 3 end
        262153 7 end_max 262153 7 chr_ptr 262153 10 cell_names 262153 9 chr_names 254";

#[test]
fn deferred_names_respect_the_memory_limit() {
    let directory = tempfile::tempdir().unwrap();
    let store = write_r(directory.path(), "many.rds", MANY_NAMES);
    let output = run(&["info", "--memory", "10M", &store]).good();
    assert!(output.contains("cells       300000000"), "{output}");
    let target = directory.path().join("out");
    for words in [&["cat"][..], &["convert", "--quiet"]] {
        let mut words = [words, &["--memory", "10M", &store]].concat();
        words.extend((words[0] == "convert").then(|| text(&target)));
        let message = run(&words).refused();
        assert!(message.contains("cell_names: needs 300000000 bytes"), "{message}");
        assert!(message.contains("--memory"), "{message}");
    }
}

#[test]
fn chains_of_r_objects_list_all_sources() {
    let directory = tempfile::tempdir().unwrap();
    let words = "A 2 262658 131840 66329 1026 1 262153 14 fragments_list 19 2
        66329 1026 1 262153 3 dir 16 1 262153 5 a/one 1026 1 262153 5 class 528 1
            262153 2 FD 1026 1 262153 7 package 16 1 262153 10 .GlobalEnv 254 254
        66329 1026 767 16 1 262153 5 b/two 1026 1023 528 1
            262153 2 FD 1026 1279 16 1 262153 10 .GlobalEnv 254 254
        1026 1023 528 1 262153 14 MergeFragments 1026 1279 16 1 262153 10 .GlobalEnv 254 254";
    let message = run(&["info", &write_r(directory.path(), "chain.rds", words)]).refused();
    for stderr in ["MergeFragments", "a/one", "b/two", "write out the result"] {
        assert!(message.contains(stderr), "{message}");
    }
}

#[test]
fn other_r_objects_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let vector = "A 3 262658 197888 5 UTF-8 13 2 1 2";
    let message = run(&["info", &write_r(directory.path(), "other.rds", vector)]).refused();
    let expected = "is an integer vector, which is not read";
    assert!(message.contains(expected), "{message}");
    // A data frame of numbers is a matrix.
    let frame = "A 3 262658 197888 5 UTF-8 787 1 13 2 1 2
        1026 1 262153 5 names 16 1 262153 1 a 1026 1 262153 5 class 16 1 262153 10 data.frame
        1026 1 262153 9 row.names 13 2 NA -2 254";
    let info = run(&["info", &write_r(directory.path(), "frame.rds", frame)]).good();
    assert!(info.contains("data.frame") && info.contains("int32"), "{info}");
}

#[test]
fn names_on_one_axis_of_a_symmetric_matrix_are_those_of_both() {
    let directory = tempfile::tempdir().unwrap();
    let (names, none) = ("16 2 262153 1 x 262153 1 y", "254");
    for sides in [[names, none], [none, names]] {
        let words = format!(
            "A 3 262658 197888 5 UTF-8 66329 1026 1 262153 1 i 13 2 0 1
            1026 1 262153 1 p 13 3 0 1 2 1026 1 262153 3 Dim 13 2 2 2
            1026 1 262153 8 Dimnames 19 2 {} {} 1026 1 262153 1 x 14 2 1 2
            1026 1 262153 4 uplo 16 1 262153 1 U 1026 1 262153 7 factors 19 0
            1026 1 262153 5 class 528 1 262153 9 dsCMatrix 1026 1 262153 7 package
            16 1 262153 6 Matrix 254 254",
            sides[0], sides[1]
        );
        let matrix = write_r(directory.path(), "symmetric.rds", &words);
        for axis in ["rows", "cols"] {
            assert_eq!(run(&["names", &matrix, axis]).good(), "x\ny\n", "{axis} of {sides:?}");
        }
    }
}

const LINES: &str = "chr1\t10\t60\tA\nchr2\t5\t25\tA\n";

#[test]
fn text_is_converted_by_import_only() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&directory.path().join(name)).to_owned();
    fs::write(at("s.tsv"), LINES).unwrap();
    let message = run(&["fragments", "import", &at("s.tsv"), &at("x.tsv")]).refused();
    assert!(message.contains("text cannot be the target of an import"), "{message}");
    let message = run(&["convert", &at("s.tsv"), &at("z.bpcells")]).refused();
    assert!(message.contains("nnz fragments import"), "{message}");
}

/// Creates a store of two chromosomes and one cell.
fn store(directory: &Path) -> String {
    let target = text(&directory.join("store")).to_owned();
    run_with_input(&["fragments", "import", "--quiet", "-", &target], LINES.as_bytes()).good();
    target
}

#[test]
fn counting_needs_regions_and_sizes_of_tiles_only() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(directory.path());
    let at = |name: &str| text(&directory.path().join(name)).to_owned();
    let count = |more: &[&str]| {
        run(&[&["fragments", "count", "--quiet", &store, &at("out.bpcells")], more].concat())
    };
    let neither = count(&[]);
    assert_eq!(neither.code, Some(2));
    assert!(neither.err.contains("--peaks") && neither.err.contains("--tiles"), "{}", neither.err);
    fs::write(at("p.bed"), "chr1\t0\t100\n").unwrap();
    fs::write(at("sizes"), "chr1\t100\nchr2\n").unwrap();
    let both = count(&["--peaks", &at("p.bed"), "--chrom-sizes", &at("sizes")]);
    assert_eq!(both.code, Some(2), "{both:?}");
    let message = count(&["--tiles", "50", "--chrom-sizes", &at("sizes")]).refused();
    assert!(message.contains("sizes: found no size of chromosome \"chr2\""), "{message}");
    // The largest size is valid.
    fs::write(at("sizes"), "chr1\t4294967295\n").unwrap();
    count(&["--tiles", "4000000000", "--chrom-sizes", &at("sizes")]).good();
    let names = "chr1:0-4000000000\nchr1:4000000000-4294967295\n";
    assert_eq!(run(&["names", &at("out.bpcells"), "rows"]).good(), names);
}

#[test]
fn indexes_need_unique_names_of_chromosomes() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(directory.path());
    fs::write(Path::new(&store).join("chr_names"), "chr1\nchr1\n").unwrap();
    let target = directory.path().join("x.tsv.gz");
    let message = run(&["fragments", "export", &store, text(&target)]).refused();
    assert!(message.contains("\"chr1\"") && message.contains("chromosomes by name"), "{message}");
    assert!(!target.exists());
}

#[test]
fn text_needs_unique_names_of_chromosomes() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(directory.path());
    fs::write(Path::new(&store).join("chr_names"), "chr1\nchr1\n").unwrap();
    for name in ["x.tsv", "x.bed"] {
        let target = directory.path().join(name);
        let message = run(&["fragments", "export", &store, text(&target)]).refused();
        assert!(
            message.contains("\"chr1\"") && message.contains("chromosomes by name"),
            "{message}"
        );
        assert!(!target.exists());
    }
}

#[test]
fn blanks_before_sizes_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&directory.path().join(name)).to_owned();
    fs::write(at("sizes"), "chr1\t100\nchr2 12\n").unwrap();
    fs::write(at("s.tsv"), LINES).unwrap();
    let sizes = at("sizes");
    let words = ["fragments", "import", &at("s.tsv"), &at("to"), "--chrom-sizes", &sizes];
    let message = run(&words).refused();
    for part in ["sizes: line 2, column 5", "a blank", "a tab"] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn missing_cells_of_a_list_are_counted() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&directory.path().join(name)).to_owned();
    fs::write(at("s.tsv"), LINES).unwrap();
    for (listed, note) in [
        ("B\nC\n", Some("note: 2 of 2 listed cells were not found")),
        ("B\nA\nC\n", Some("note: 2 of 3 listed cells were not found")),
        ("A\n", None),
    ] {
        fs::write(at("cells"), listed).unwrap();
        let (from, to, cells) = (at("s.tsv"), at("to"), at("cells"));
        let done = run(&["fragments", "import", "--force", &from, &to, "--cells", &cells]);
        assert_eq!(done.code, Some(0), "{done:?}");
        match note {
            Some(note) => assert!(done.err.contains(note), "{done:?}"),
            None => assert!(!done.err.contains("listed"), "{done:?}"),
        }
    }
}

#[test]
fn names_with_tabs_are_not_printed() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(directory.path());
    fs::write(Path::new(&store).join("cell_names"), "a\tb\n").unwrap();
    for words in [&["cat", &store][..], &["names", &store, "cells"]] {
        let message = run(words).refused();
        assert!(message.contains("name \"a\\tb\""), "{message}");
    }
}

#[test]
fn zeros_after_gzipped_text_are_padding() {
    use std::io::Write as _;
    use std::process::{Command, Stdio};
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&directory.path().join(name)).to_owned();
    // Blocks of bgzip, and one member as in gzip.
    run(&["fragments", "export", "--quiet", &store(directory.path()), &at("b.tsv.gz")]).good();
    let mut gzip = Command::new("gzip")
        .arg("-c")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    gzip.stdin.take().unwrap().write_all(LINES.as_bytes()).unwrap();
    fs::write(at("g.tsv.gz"), gzip.wait_with_output().unwrap().stdout).unwrap();
    for name in ["b.tsv.gz", "g.tsv.gz"] {
        let bytes = fs::read(at(name)).unwrap();
        for (padding, good) in [(vec![0; 3], true), (vec![0; 700_000], true), (vec![0, 1], false)] {
            fs::write(at("padded.gz"), [&bytes[..], &padding].concat()).unwrap();
            let done =
                run(&["fragments", "import", "--quiet", "--force", &at("padded.gz"), &at("to")]);
            assert_eq!(done.code == Some(0), good, "{name}: {done:?}");
            if good {
                assert_eq!(run(&["cat", &at("to")]).good(), LINES);
            }
        }
    }
}
