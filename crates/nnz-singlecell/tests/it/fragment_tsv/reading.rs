//! Reading literal text, and the errors of invalid text.

use nnz_singlecell::fragment_tsv::{Chromosomes, LONGEST_LINE, Options, read_cells};

use super::common::{bgzf, gzip, list, message, read, read_text, source};

#[test]
fn comments_blank_lines_and_any_line_ends_are_read() {
    let text = "# id=1\n#\r\n\nchr1\t0\t5\tA-1\t3\r\n#chr1\t1\n\r\nchr1\t5\t5\tB-1\t\r\nchr 2\t007\t4294967295\tA-1\tx y";
    for text in [text.as_bytes().to_vec(), gzip(text.as_bytes()), bgzf(text.as_bytes(), 7)] {
        let whole = read_text(text).unwrap();
        let line = |chromosome: &str, start, end, cell: &str| {
            (chromosome.to_owned(), start, end, cell.to_owned())
        };
        let expected = [
            line("chr1", 0, 5, "A-1"),
            line("chr1", 5, 5, "B-1"),
            line("chr 2", 7, u32::MAX, "A-1"),
        ];
        assert_eq!(whole.lines(), expected);
    }
}

#[test]
fn texts_without_fragments_have_none() {
    for text in ["", "\n", "#", "# only\n# comments\n", "\r\n\r\n"] {
        for text in [text.as_bytes().to_vec(), gzip(text.as_bytes()), bgzf(text.as_bytes(), 3)] {
            assert_eq!(read_text(text).unwrap().lines(), []);
        }
    }
}

#[test]
fn errors_have_line_and_column() {
    for (text, place, what) in [
        ("chr1\tx\t5\tA\n", "1, column 6", "found \"x\", expected the start of the fragment"),
        ("chr1\t1\t\tA\n", "1, column 8", "found an empty field, expected the end of the fragment"),
        ("#\nchr1\t1\t1.5\tA\n", "2, column 8", "found \"1.5\""),
        ("chr1\t-1\t5\tA\n", "1, column 6", "found \"-1\", expected the start of the fragment"),
        ("chr1\t1\t4294967296\tA\n", "1, column 8", "found \"4294967296\""),
        ("chr1\t99999999999999999999\t1\tA\n", "1, column 6", "an integer from 0 to 4294967295"),
        ("chr1\t1\t5\n", "1, column 9", "found the end of the line, expected a tab"),
        ("chr1\t1\t5\t\n", "1, column 10", "found the end of the line, expected a barcode"),
        ("chr1\t1\t5\t\t1\n", "1, column 10", "found an empty field, expected a barcode"),
        ("chr1 1 5 A\n", "1, column 11", "found the end of the line, expected a tab"),
        ("\t1\t5\tA\n", "1, column 1", "found an empty field, expected a chromosome"),
        ("chr\0\t1\t5\tA\n", "1, column 4", "found the control character 0x00"),
        ("chr1\t1\t5\tA\0\n", "1, column 11", "found the control character 0x00"),
        ("chr1\t1\t5\tA\rB\n", "1, column 11", "found a lone carriage return"),
        ("chr1\t1\t5\tA\t1\0\n", "1, column 13", "found the control character 0x00"),
        ("c\0h\0r\x001\0", "1, column 1", "found UTF-16 text, expected UTF-8"),
        (
            "chrX\t306934\t306985\tchrX\t306903\t306954\tMM_424.AAAG\t60\t-\t+\n",
            "1, column 20",
            "found the second region of a pair (BEDPE), expected the barcode of a fragment",
        ),
        ("chr1\t1\t5\tchr2\t7\t9\tn\t1\t+\t-\n", "1, column 10", "(BEDPE)"),
        ("chr1\t1\t5\t.\t-1\t-1\n", "1, column 10", "(BEDPE)"),
        (
            "chr1\t9\t8\tA\n",
            "1, column 8",
            "found 8, expected an end of 9 or more, the start of the fragment",
        ),
        ("chr1\t1\t5\tA\nchr1\t1\t5\tA\t1\n", "2, column 1", "found 5 columns, expected 4"),
        ("chr1\t1\t5\tA\t1\n\nchr1\t1\t5\tA\n", "3, column 1", "found 4 columns, expected 5"),
        ("chr1\t5\t9\tA\nchr1\t4\t9\tA\n", "2, column 6", "found start 4 after 5"),
        ("chr1\t5\t9\tA\nchr1\t4\t9\tA\n", "2, column 6", "`sort` reads unsorted"),
        ("1\t5\t9\tA\n2\t5\t9\tA\n\n1\t6\t9\tA\n", "4, column 1", "found \"1\" again"),
        ("1\t5\t9\tA\n2\t5\t9\tA\n\n1\t6\t9\tA\n", "4, column 1", "`sort` reads unsorted"),
    ] {
        for bytes in
            [text.as_bytes().to_vec(), bgzf(text.as_bytes(), 5), bgzf(text.as_bytes(), 999)]
        {
            let error = message(bytes, Options::default());
            assert!(error.starts_with(&format!("text.tsv: line {place}: ")), "{text:?}: {error}");
            assert!(error.contains(what), "{text:?}: {error}");
        }
    }
}

#[test]
fn other_files_are_named() {
    for (bytes, found) in [
        (&b"\x89HDF\r\n\x1a\n\0\0"[..], "an HDF5 file"),
        (b"BAM\x01\n", "a BAM file"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\n", "a Git LFS pointer"),
    ] {
        let error = message(bytes, Options::default());
        assert!(
            error.starts_with(&format!("text.tsv: line 1, column 1: found {found}")),
            "{error}"
        );
    }
}

#[test]
fn byte_order_marks_are_skipped() {
    let text = "\u{feff}chr1\t1\t5\tA\nchr1\t2\t5\tB\n";
    for bytes in [text.as_bytes().to_vec(), bgzf(text.as_bytes(), 5), bgzf(text.as_bytes(), 999)] {
        let whole = read(&source(bytes), Options::default()).unwrap();
        assert_eq!((whole.chromosomes.clone(), whole.lines().len()), (list(&["chr1"]), 2));
    }
}

#[test]
fn unsorted_text_is_read_if_allowed() {
    let options = || Options { unsorted: true, ..Options::default() };
    let text = "2\t5\t9\tB\n1\t5\t9\tA\n1\t4\t9\tB\n2\t6\t9\tC\n";
    let whole = read(&source(text), options()).unwrap();
    assert_eq!(whole.batches.len(), 3);
    assert_eq!(whole.lines().len(), 4);
    assert_eq!(whole.chromosomes, list(&["2", "1"]));
    assert_eq!(whole.cells, list(&["B", "A", "C"]));
}

#[test]
fn inclusive_ends_have_their_own_limits() {
    let options = || Options { end_inclusive: true, ..Options::default() };
    let whole = read(&source("1\t5\t4\tA\n1\t5\t4294967294\tA\n"), options()).unwrap();
    let ends: Vec<_> = whole.batches.iter().flat_map(|batch| batch.ends.clone()).collect();
    assert_eq!(ends, [5, u32::MAX]);
    let error = message("1\t5\t4294967295\tA\n", options());
    assert!(error.ends_with("found 4294967295, expected an end of at most 4294967294"), "{error}");
    assert!(message("1\t5\t3\tA\n", options()).contains("found 3, expected"));
}

#[test]
fn only_selected_cells_are_kept_but_all_chromosomes() {
    let text = "1\t5\t9\tX\n1\t6\t9\tB\n1\t7\t9\tX\n2\t1\t2\tX\n3\t1\t2\tA\n3\t1\t4\tB\n";
    for text in [text.as_bytes().to_vec(), bgzf(text.as_bytes(), 4)] {
        let cells = Some(list(&["A", "B", "C", "A"]));
        let options = Options { cells, ..Options::default() };
        let whole = read(&source(text), options).unwrap();
        let lines = whole.lines();
        let lines: Vec<_> = lines.iter().map(|(a, b, _, d)| (&a[..], *b, &d[..])).collect();
        assert_eq!(lines, [("1", 6, "B"), ("3", 1, "A"), ("3", 1, "B")]);
        assert_eq!(whole.cells, list(&["B", "A"]));
        assert_eq!(whole.chromosomes, list(&["1", "2", "3"]));
        assert_eq!(whole.unselected, 3);
    }
    // The order is still checked.
    let options = Options { cells: Some(list(&["A"])), ..Options::default() };
    assert!(message("1\t5\t9\tX\n1\t4\t9\tX\n", options).contains("line 2"));
}

#[test]
fn chromosomes_and_sizes_are_read_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sizes");
    let sized = |text: &str| {
        std::fs::write(&path, text).unwrap();
        Chromosomes::read(&path)
    };
    let read = |sizes: &str, text: &str, end_inclusive| {
        let chromosomes = Some(sized(sizes).unwrap());
        let options = Options { chromosomes, end_inclusive, ..Options::default() };
        super::common::read(&source(text), options).map_err(|error| error.to_string())
    };
    let sizes = "# genome\nchr2\t100\r\nchr1\t50\t7\n\nchrM\n";
    let whole = read(sizes, "chr1\t1\t50\tA\nchrM\t9\t4294967295\tA\n", false).unwrap();
    assert_eq!(whole.chromosomes, list(&["chr2", "chr1", "chrM"]));
    let numbers: Vec<_> = whole.batches.iter().map(|batch| batch.chromosome).collect();
    assert_eq!(numbers, [1, 2]);

    let error = read(sizes, "chr1\t1\t51\tA\n", false).unwrap_err();
    assert_eq!(
        error,
        "text.tsv: line 1, column 8: found 51, expected at most 50, the end of the chromosome"
    );
    let error = read(sizes, "chr1\t1\t50\tA\n", true).unwrap_err();
    assert!(error.contains("found 50, expected at most 49"), "{error}");
    let error = read(sizes, "chr1\t1\t2\tA\nchr3\t1\t2\tA\n", false).unwrap_err();
    assert!(
        error.contains("line 2, column 1: found \"chr3\", expected a chromosome of the list"),
        "{error}"
    );

    let error = sized("chr1\t5\nchr1\t6\n").unwrap_err().to_string();
    assert!(error.ends_with("line 2, column 1: found \"chr1\", expected unique names"), "{error}");
    let error = sized("chr1\t+5\n").unwrap_err().to_string();
    assert!(error.contains("line 1, column 6: found \"+5\", expected bases"), "{error}");
    // A byte order mark is not part of the first name.
    assert!(sized("\u{feff}chr1\t5\n").is_ok());
    assert!(sized("chr1\t5\n\u{feff}chr1\t5\n").is_ok());
    assert!(Chromosomes::named(&list(&["1", "1"])).is_err());
}

#[test]
fn selected_cells_are_read_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("barcodes.tsv.gz");
    std::fs::write(&path, gzip(b"A-1\n\n#x\nB-1\tmore\r\nC-1")).unwrap();
    assert_eq!(read_cells(&path).unwrap(), list(&["A-1", "B-1", "C-1"]));
}

#[test]
fn only_comments_may_be_longer_than_the_limit() {
    let name = |len: usize| "A".repeat(len);
    let line = |len: usize| format!("1\t1\t2\t{}\n", name(len - 7));
    let long = format!("#{}\n", name(3 * LONGEST_LINE));
    for size in [1000, 65_280] {
        let both = |text: &str| [text.as_bytes().to_vec(), bgzf(text.as_bytes(), size)];
        for text in both(&format!("{}{long}{}{long}", line(LONGEST_LINE), line(LONGEST_LINE))) {
            assert_eq!(read_text(text).unwrap().lines().len(), 2);
        }
        for len in [LONGEST_LINE + 1, LONGEST_LINE + 2, 4 * LONGEST_LINE] {
            for text in both(&format!("\n{}{}", line(len), line(9))) {
                let error = message(text, Options::default());
                let expected = "text.tsv: line 2, column 65537: found a longer line, expected at \
                                most 65536 bytes";
                assert_eq!(error, expected, "{len} in {size}");
            }
        }
    }
}

#[test]
fn a_stream_can_be_read_only_once() {
    let source = source("1\t1\t2\tA\n");
    assert!(!source.rereadable());
    assert_eq!(source.about().container, "stream");
    read(&source, Options::default()).unwrap();
    let error = read(&source, Options::default()).unwrap_err().to_string();
    assert_eq!(error, "text.tsv: a stream can be read only once");
}
