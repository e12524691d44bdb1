//! The rules of reading, one by one, on literal text.

use std::io::Write;

use nnz_core::{At, Batch, Bint8, Majors, MatrixSource, Minors, Order, Projection, Scalar, Values};
use nnz_matrix_market::{looks_like, open};

use crate::common::{entries, error_of, open_text, read_text};

const REAL: &str = "%%MatrixMarket matrix coordinate real general\n";
const INTEGER: &str = "%%MatrixMarket matrix coordinate integer general\n";

/// Reads the one value of a 1 x 1 matrix.
fn value(banner: &str, text: &str) -> Scalar {
    read_text(format!("{banner}1 1 1\n1 1 {text}\n")).unwrap()[0].2
}

#[test]
fn lines_may_end_in_crlf_or_be_blank() {
    let text = "%%MatrixMarket matrix coordinate integer general\r\n\
                \r\n%\r\n % a comment\r\n\t\r\n\
                 3\t2   2 \r\n\
                \n1 1 5\r\n   \n\
                %a comment among entries\n\t3  2\t-2 \t\r\n\n  2 2";
    // The last line starts a third entry that has no value.
    assert_eq!(
        error_of(text),
        "text.mtx: line 13, column 3: found \"2\", expected the end of the file after 2 entries"
    );
    let text = text.strip_suffix("  2 2").unwrap();
    let read = [(0, 0, Scalar::I64(5)), (2, 1, Scalar::I64(-2))];
    assert_eq!(read_text(text).unwrap(), read);
    assert_eq!(read_text(text.trim_end()).unwrap(), read);
}

#[test]
fn integers_are_64_bits_wide_and_exact() {
    for text in ["9223372036854775807", "-9223372036854775808", "0", "-0", "007", "+5", "12345678"]
    {
        let expected = text.parse().unwrap();
        assert_eq!(value(INTEGER, text), Scalar::I64(expected));
    }
    for text in
        ["9223372036854775808", "-9223372036854775809", "1.0", "1e3", "0x10", "-", "+-1", "1_0"]
    {
        assert_eq!(
            error_of(format!("{INTEGER}1 1 1\n1 1 {text}\n")),
            format!("text.mtx: line 3, column 5: found \"{text}\", expected a 64-bit integer")
        );
    }
}

#[test]
fn unsigned_integers_of_scipy_are_read_as_uint64() {
    let banner = "%%MatrixMarket matrix coordinate unsigned-integer general\n";
    assert_eq!(value(banner, "18446744073709551615"), Scalar::U64(u64::MAX));
    assert!(read_text(format!("{banner}1 1 1\n1 1 -1\n")).is_err());
    assert!(read_text(format!("{banner}1 1 1\n1 1 18446744073709551616\n")).is_err());
}

#[test]
fn reals_are_read_as_the_nearest_float64() {
    for (text, expected) in [
        ("1", 1.0),
        ("-0", -0.0),
        ("-7", -7.0),
        ("9999999", 9_999_999.0),
        ("12345678", 12_345_678.0),
        ("+5", 5.0),
        (".1", 0.1),
        ("1.", 1.0),
        ("-.5e1", -5.0),
        ("1E5", 1e5),
        ("1e+05", 1e5),
        ("1d5", 1e5),
        ("-1.5D-300", -1.5e-300),
        ("5e-324", 5e-324),
        ("1e-400", 0.0),
        ("1.7976931348623157e+308", f64::MAX),
        ("0.1000000000000000055511151231257827021181583404541015625", 0.1),
        ("inf", f64::INFINITY),
        ("-INF", f64::NEG_INFINITY),
        ("+Infinity", f64::INFINITY),
        ("NaN", f64::NAN),
        ("-nan", -f64::NAN),
    ] {
        let Scalar::F64(read) = value(REAL, text) else { unreachable!() };
        assert_eq!(read.to_bits(), expected.to_bits(), "{text}");
    }
    for text in [
        "abc", ".", "-", "+", "e5", "1e", "1d", "1e5d", "1d5d", "0x1p3", "infinit", "nan(1)",
        "1,5", "1_000", "--1", "1f",
    ] {
        assert_eq!(
            error_of(format!("{REAL}1 1 1\n1 1 {text}\n")),
            format!("text.mtx: line 3, column 5: found \"{text}\", expected a number")
        );
    }
    // A finite number must not become infinite.
    assert_eq!(
        error_of(format!("{REAL}1 1 1\n1 1 -1e400\n")),
        "text.mtx: line 3, column 5: found \"-1e400\", expected a number in the range of float64"
    );
}

#[test]
fn a_pattern_reads_as_one_shared_boolean() {
    let source = open_text("%%MatrixMarket matrix coordinate pattern general\n2 3 2\n1 3\n2 1\n");
    let source = source.unwrap();
    assert!(source.header().iso);
    let one = Scalar::Bint8(Bint8(1));
    assert_eq!(entries(&source).unwrap(), [(0, 2, one), (1, 0, one)]);
}

#[test]
fn errors_have_line_column_found_and_expected() {
    let complex = "%%MatrixMarket matrix coordinate complex hermitian\n";
    let cases = [
        (
            format!("{REAL}3 2 1\n 4 1 1\n"),
            "line 3, column 2: found \"4\", expected a row from 1 to 3",
        ),
        (
            format!("{REAL}3 2 1\n1 \t0 1\n"),
            "line 3, column 4: found \"0\", expected a column from 1 to 2",
        ),
        (
            format!("{REAL}0 2 1\n1 1 1\n"),
            "line 3, column 1: found \"1\", expected no entry, since there are no rows",
        ),
        (
            format!("{REAL}3 2 1\n1\n"),
            "line 3, column 2: found the end of the line, expected a column from 1 to 2",
        ),
        (
            format!("{REAL}3 2 1\n1 1\n"),
            "line 3, column 4: found the end of the line, expected a number",
        ),
        (
            format!("{REAL}3 2 1\n1 1 1 7\n"),
            "line 3, column 7: found \"7\", expected the end of the line",
        ),
        (
            format!("{REAL}3 2 1\n1 1 1\r7\n"),
            "line 3, column 6: found a lone carriage return, expected the end of the line",
        ),
        (
            format!("{REAL}3 2 2\n1 1 1\n\n"),
            "line 5, column 1: found the end of the file after 1 entry, expected 2",
        ),
        (format!("{REAL}3 2 1 4\n"), "line 2, column 7: found \"4\", expected the end of the line"),
        (
            format!("{REAL}3 2\n"),
            "line 2, column 4: found the end of the line, expected the number of entries, less than 2^63",
        ),
        (
            format!("{REAL}9223372036854775808 2 0\n"),
            "line 2, column 1: found \"9223372036854775808\", expected the number of rows, less than 2^63",
        ),
        (
            format!("{complex}2 3 0\n"),
            "line 2, column 3: found \"3\", expected 2 columns, since a symmetric matrix is square",
        ),
        (
            format!("{complex}2 2 1\n2 2 1 0.5\n"),
            "line 3, column 7: found \"0.5\", expected an imaginary part of 0, since the diagonal of a hermitian matrix is real",
        ),
        (
            format!("{complex}2 2 1\n2 1 1 x\u{1b}\n"),
            "line 3, column 7: found \"x\\u{1b}\", expected the imaginary part, a number",
        ),
        (
            "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 2 0\n".to_owned(),
            "line 3, column 1: found \"2\", expected a position off the diagonal, which is zero in a skew-symmetric matrix",
        ),
        (
            "%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n5 5\n1 1e-9\n".to_owned(),
            "line 5, column 3: found \"1e-9\", expected an imaginary part of 0, since the diagonal of a hermitian matrix is real",
        ),
        (
            "%%MatrixMarket matrix array real general\n9223372036854775807 3\n".to_owned(),
            "line 2, column 1: found \"9223372036854775807\", expected a shape of fewer than 2^64 elements",
        ),
        (
            format!("{REAL}1 1 1\n1 1 {}\n", "z".repeat(100)),
            "line 3, column 5: found \"zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz...\", expected a number",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(error_of(text), format!("text.mtx: {expected}"));
    }
}

#[test]
fn only_comments_may_have_any_length() {
    let long = "c".repeat(2_000_000);
    let text = format!("{REAL}%{long}\n%{long}\n2 2 2\n1 1 1\n  %{long}\n2 2 2\n");
    assert_eq!(read_text(text).unwrap().len(), 2);

    let blanks = " ".repeat(65_536 - "1 1 1\n".len());
    assert!(read_text(format!("{REAL}2 2 1\n1 1 1{blanks}\n")).is_ok());
    for text in [
        format!("{REAL}2 2 1\n1 1 1{blanks} \n"),
        format!("{REAL}2 2 1\n1 1 1{}\n", " ".repeat(600_000)),
        format!("{REAL}2 2 1\n{}\n", "1".repeat(2_000_000)),
    ] {
        let message = error_of(text);
        assert!(message.starts_with("text.mtx: line 3, column "), "{message}");
    }
}

#[test]
fn a_large_number_of_entries_allocates_no_memory() {
    let text =
        format!("{REAL}9000000000000000000 9000000000000000000 4611686018427387904\n1 1 1\n");
    let source = open_text(text).unwrap();
    assert_eq!(source.header().nnz, Some(1 << 62));
    assert!(entries(&source).is_err());
}

#[test]
fn order_is_guessed_from_the_first_entries() {
    let guess = |entries: &str| {
        let source = open_text(format!("{REAL}9 9 4\n{entries}")).unwrap();
        let header = source.header().clone();
        (header.order, header.sorted_majors)
    };
    assert_eq!(guess("9 1 0\n5 1 0\n1 2 0\n3 2 0\n"), (Order::Col, true));
    assert_eq!(guess("1 9 0\n1 5 0\n2 1 0\n2 1 0\n"), (Order::Row, true));
    assert_eq!(guess("2 2 0\n1 1 0\n3 3 0\n1 1 0\n"), (Order::Col, false));
    assert_eq!(guess("1 1 0\n2 2 0\n3 3 0\n3 4 0\n"), (Order::Col, true));
    // All entries are in one row, and no more follow.
    assert_eq!(guess("1 1 0\n1 2 0\n1 3 0\n1 4 0\n"), (Order::Col, true));

    // If more follow, the order with fewer runs is more likely.
    let guess = |rows: usize, cols: usize, entry: fn(usize) -> [usize; 2]| {
        let lines = (1..=20_000).map(entry).map(|[row, col]| format!("{row} {col} 0\n"));
        let text = format!("{REAL}{rows} {cols} 20000\n{}", lines.collect::<String>());
        open_text(text).unwrap().header().order
    };
    assert_eq!(guess(9, 20_000, |n| [n / 15_000 + 1, n]), Order::Row);
    assert_eq!(guess(20_000, 9, |n| [n, n / 15_000 + 1]), Order::Col);
    assert_eq!(guess(20_000, 20_000, |n| [n, n]), Order::Col);
    assert_eq!(guess(1, 20_000, |n| [1, n]), Order::Col);
}

#[test]
fn consecutive_entries_of_a_major_share_a_run() {
    let text = format!("{INTEGER}9 5000000000 4\n2 1 10\n1 1 20\n1 4000000000 30\n3 1 40\n");
    let source = open_text(text).unwrap();
    let mut batch = Batch::new(Order::Row, Values::Iso(Scalar::U8(0)));
    let mut reader = source.batches(0..5_000_000_000, Projection::ALL).unwrap();
    assert!(reader.next_batch(&mut batch).unwrap());
    assert_eq!(
        batch,
        Batch {
            order: Order::Col,
            majors: Majors::Listed(vec![0, 3_999_999_999, 0]),
            offsets: vec![0, 2, 3, 4],
            minors: Minors::U32(vec![1, 0, 0, 2]),
            values: Values::I64(vec![10, 20, 30, 40]),
        }
    );
}

#[test]
fn long_axes_have_64_bit_minors() {
    let source = open_text(format!("{INTEGER}4294967297 1 1\n4294967297 1 1\n")).unwrap();
    assert_eq!(entries(&source).unwrap(), [(1 << 32, 0, Scalar::I64(1))]);
}

#[test]
fn arrays_are_read_as_spans_by_column() {
    let read = |banner: &str, sizes: &str, values: &str| {
        let text = format!("%%MatrixMarket matrix array {banner}\n{sizes}\n{values}\n");
        let source = open_text(text).unwrap();
        let mut batch = Batch::new(Order::Row, Values::Iso(Scalar::U8(0)));
        let mut reader = source.batches(0..source.header().shape.cols, Projection::ALL).unwrap();
        assert!(reader.next_batch(&mut batch).unwrap());
        assert_eq!(batch.majors, Majors::Consecutive(0));
        (batch.offsets, batch.minors)
    };
    let spans = |starts: &[u64]| Minors::Spans(starts.to_vec());
    let general = read("real general", "2 3", "1\n2\n3\n4\n5\n6");
    assert_eq!(general, (vec![0, 2, 4, 6], spans(&[0, 0, 0])));
    let symmetric = read("integer symmetric", "3 3", "1\n2\n3\n4\n5\n6");
    assert_eq!(symmetric, (vec![0, 3, 5, 6], spans(&[0, 1, 2])));
    // The last column of a skew-symmetric array has no element.
    let skew = read("integer skew-symmetric", "3 3", "1\n2\n3");
    assert_eq!(skew, (vec![0, 2, 3, 3], spans(&[1, 2, 3])));
}

#[test]
fn elements_of_an_array_can_be_located() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.mtx");
    let at = |line| vec![At::Line { line, column: 1 }];
    std::fs::write(
        &path,
        "%%MatrixMarket matrix array integer skew-symmetric\n4 4\n\n1\n2\n3\n4\n5\n6\n",
    )
    .unwrap();
    let source = open(&path).unwrap();
    assert_eq!(source.locate(1, 0).unwrap(), at(4));
    assert_eq!(source.locate(2, 1).unwrap(), at(7));
    assert_eq!(source.locate(3, 2).unwrap(), at(9));
    assert_eq!(source.locate(2, 3).unwrap(), at(9));
    assert_eq!(source.locate(2, 2).unwrap(), []);
    assert_eq!(source.locate(4, 0).unwrap(), []);
}

#[test]
fn gzip_is_detected_by_its_bytes_and_may_have_several_members() {
    let gzip = |text: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let (one, two) = (gzip(&format!("{REAL}2 2 2\n1 1 ")), gzip("1\n2 2 2\n"));
    let text = [one, two, gzip("")].concat();
    assert_eq!(read_text(&text).unwrap().len(), 2);

    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("no-gz-in-the-name.mtx");
    std::fs::write(&path, &text).unwrap();
    let about = open(&path).unwrap().about().unwrap();
    assert_eq!(about.container, "gzip file");
    assert_eq!(about.bytes, Some(text.len() as u64));
    assert_eq!(about.dialect.as_deref(), Some("coordinate real general"));

    // Truncated anywhere but between members, or with anything after the last one.
    for cut in 2..text.len() {
        let _ = read_text(&text[..cut]);
    }
    assert_eq!(
        error_of(&text[..text.len() - 1]),
        "text.mtx: found truncated compressed data, expected a complete gzip file"
    );
    // A few bytes or many, of which none, the first or both look like the start of a member.
    let none = "text.mtx: found trailing bytes that are not a gzip member, \
                expected a complete gzip file";
    let many = [b'-'; 99];
    // Zeros at the end are padding, as on tapes.
    assert_eq!(read_text([&text[..], &[0; 1000]].concat()).unwrap().len(), 2);
    for garbage in [&b"\0x"[..], b"garbage", &many] {
        assert_eq!(error_of([&text[..], garbage].concat()), none);
    }
    for garbage in [&b"\x1f"[..], b"\x1f garbage that is long", b"\x1f\x8b", b"\x1f\x8b\xff"] {
        let message = error_of([&text[..], garbage].concat());
        assert!(message.ends_with(" gzip file"), "{message}");
    }
    // Damaged files were said to be incomplete.
    let mut damaged = text.clone();
    damaged[30] ^= 0x55;
    let message = error_of(damaged);
    assert!(message.ends_with("expected a valid gzip file"), "{message}");
}

#[test]
fn a_file_can_be_read_again_and_a_stream_cannot() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.mtx");
    let text = format!("{REAL}2 2 1\n1 1 1\n");
    std::fs::write(&path, &text).unwrap();
    let file = open(&path).unwrap();
    assert!(file.rereadable() && !file.random_access());
    assert_eq!(entries(&file).unwrap(), entries(&file).unwrap());
    assert!(file.batches(0..1, Projection::ALL).is_err());

    let stream = open_text(text).unwrap();
    assert!(!stream.rereadable());
    assert!(entries(&stream).is_ok());
    assert_eq!(
        entries(&stream).unwrap_err().to_string(),
        "text.mtx: a stream can be read only once"
    );
    assert_eq!(stream.about().unwrap().container, "stream");

    // A file that changes is not mistaken for the one that was opened.
    std::fs::write(&path, format!("{REAL}3 2 1\n1 1 1\n")).unwrap();
    assert!(entries(&file).is_err());
}

#[test]
fn errors_of_missing_files_and_directories_have_a_path() {
    let dir = tempfile::tempdir().unwrap();
    assert!(open(dir.path()).unwrap_err().to_string().contains("directory"));
    let missing = open(&dir.path().join("missing.mtx")).unwrap_err().to_string();
    assert!(missing.ends_with("missing.mtx: no such file or directory"), "{missing}");
}

#[test]
fn looks_like_checks_the_first_word() {
    assert!(looks_like(b"%%MatrixMarket matrix"));
    assert!(looks_like(b"%%MATRIXMARKET"));
    assert!(!looks_like(b"%%MatrixMarke"));
    assert!(!looks_like(b"%MatrixMarket matrix"));
}

#[test]
fn a_replaced_file_is_read_as_it_was_opened() {
    let directory = tempfile::tempdir().unwrap();
    let [path, other] = ["m.mtx", "other.mtx"].map(|name| directory.path().join(name));
    let text = |size: i64| format!("{INTEGER}{size} 9 1\n1 2 {size}\n");
    std::fs::write(&path, text(5)).unwrap();
    std::fs::write(&other, text(7)).unwrap();
    let source = open(&path).unwrap();
    std::fs::rename(&other, &path).unwrap();
    for _ in 0..2 {
        assert_eq!(entries(&source).unwrap(), [(0, 1, Scalar::I64(5))]);
    }
}
