//! Frames as text: types, numbers, labels, and errors.

use nnz_core::{ValueType, Values};
use nnz_daphne::csv::{CsvReader, ReadOptions};
use nnz_daphne::{FrameBatch, FrameReader as _};

/// Reads a text as a frame, or returns the error.
fn read(text: &str, types: Option<&[ValueType]>) -> Result<(Vec<String>, Vec<Values>), String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.csv");
    std::fs::write(&path, text).unwrap();
    let message =
        |error: nnz_core::Error| error.to_string().split_once("x.csv").unwrap().1.to_owned();
    let options = ReadOptions { types: types.map(<[ValueType]>::to_vec) };
    let mut reader = CsvReader::open(&path, &options).map_err(message)?;
    let labels = reader.columns().iter().map(|column| column.label.clone()).collect();
    let types: Vec<ValueType> = reader.columns().iter().map(|column| column.value_type).collect();
    let mut columns: Vec<Values> = types.into_iter().map(Values::new).collect();
    let mut batch = FrameBatch::default();
    while reader.next_batch(&mut batch).map_err(message)? {
        for (all, some) in columns.iter_mut().zip(&batch.columns) {
            all.extend_from(some, 0..some.len().unwrap());
        }
    }
    Ok((labels, columns))
}

#[test]
fn the_first_type_that_fits_is_inferred() {
    for (text, expected) in [
        ("a\n", Values::I64(vec![])),
        ("a\n1\n-9223372036854775808\n", Values::I64(vec![1, i64::MIN])),
        ("a\n1\n18446744073709551615\n", Values::U64(vec![1, u64::MAX])),
        ("a\n-1\n0.5\n", Values::F64(vec![-1.0, 0.5])),
        (
            "a\r\n1e3\r\ninf\r\n-inf\r\n",
            Values::F64(vec![1000.0, f64::INFINITY, f64::NEG_INFINITY]),
        ),
        // 2^64 - 2^11, the largest such float.
        ("a\n18446744073709549568\n.5", Values::F64(vec![18_446_744_073_709_549_568.0, 0.5])),
    ] {
        assert_eq!(read(text, None).unwrap().1, [expected], "{text:?}");
    }
    let Values::F64(negative) = &read("a\n-0\n3\n", None).unwrap().1[0] else { panic!() };
    assert_eq!(negative[0].to_bits(), (-0.0_f64).to_bits());
}

#[test]
fn values_without_a_type_are_errors_with_a_location() {
    for (text, expected) in [
        ("a,b\n1,2\n3,x\n", ": \"b\", line 3, column 3: found \"x\", expected a number"),
        ("a,b\n1,\n", ": \"b\", line 2, column 3: found \"\", expected a number"),
        (
            "a\n-1\n18446744073709551615\n",
            ": \"a\", line 3, column 1: found \"18446744073709551615\"",
        ),
        ("a\n0.5\n9007199254740993\n", ": \"a\", line 3, column 1: found \"9007199254740993\""),
        ("a\n1e999\n", ": \"a\", line 2, column 1: found \"1e999\", expected a number"),
        ("a\n 1\n", ": \"a\", line 2, column 1: found \" 1\", expected a number"),
        ("a,b\n1\n", ": line 2, column 1: found 1 field, expected 2, one for each label"),
        ("a\n1,2\n", ": line 2, column 1: found 2 fields, expected 1, one for each label"),
        ("", ": the file is empty; expected a header"),
    ] {
        let found = read(text, None).unwrap_err();
        assert!(found.starts_with(expected), "{text:?}: {found}");
    }
}

#[test]
fn errors_say_which_types_are_left() {
    for (text, expected) in [
        (
            "a\n9007199254740993\n1.5\n",
            "line 3, column 1: found \"1.5\", expected an integer, since float64 cannot hold \
             all integers of earlier lines",
        ),
        ("a\n1e400\n", "found \"1e400\", expected a number in the range of float64"),
        (
            "a\n18446744073709551616\n",
            "found \"18446744073709551616\", expected a 64-bit integer, or a float with a \
             decimal point or an exponent",
        ),
        ("a\n-1\n9223372036854775809\n", "expected an integer that int64 or float64 holds exactly"),
        ("a\n0.5\n9007199254740993\n", "expected an integer that float64 holds exactly"),
        ("a\n9007199254740993\nx\n", "found \"x\", expected a number"),
    ] {
        let found = read(text, None).unwrap_err();
        assert!(found.contains(expected), "{text:?}: {found}");
    }
}

#[test]
fn a_lone_cr_ends_a_record_and_a_byte_order_mark_is_skipped() {
    let (labels, columns) = read("\u{feff}a\r1\r2\n", None).unwrap();
    assert_eq!((labels, columns), (vec!["a".to_owned()], vec![Values::I64(vec![1, 2])]));
}

#[test]
fn values_must_fit_the_given_types() {
    use ValueType::{F32, F64, I8, U8, U64};
    assert_eq!(read("a\n255\n", Some(&[U8])).unwrap().1, [Values::U8(vec![255])]);
    assert_eq!(read("a\n16777217.0\n", Some(&[F32])).unwrap().1, [Values::F32(vec![16_777_216.0])]);
    assert_eq!(read("a\n1e-45\n", Some(&[F32])).unwrap().1, [Values::F32(vec![f32::from_bits(1)])]);
    for (text, value_type) in [
        ("256", U8),
        ("-1", U64),
        ("1.0", I8),
        ("16777217", F32),
        ("1e39", F32),
        ("9007199254740993", F64),
        ("99999999999999999999", F64),
        ("nan", U8),
    ] {
        let found = read(&format!("a\n{text}\n"), Some(&[value_type])).unwrap_err();
        let expected = format!("found {text:?}, expected a number that {value_type} holds exactly");
        assert!(found.ends_with(&expected), "{found}");
    }
    assert!(read("a\n1\n", Some(&[U8, U8])).unwrap_err().contains("found 1 labels, expected 2"));
}

#[test]
fn labels_may_be_any_text() {
    let text = "\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",é,\n1,2,3,4,5\n";
    let (labels, columns) = read(text, None).unwrap();
    assert_eq!(labels, ["a,b", "say \"x\"", "two\nlines", "é", ""]);
    assert_eq!(columns[4], Values::I64(vec![5]));
}

#[test]
fn violations_of_the_grammar_are_errors_with_a_location() {
    for (text, expected) in [
        ("a,b\n\"1\"x,2\n", ": line 2, column 4: found text after a closing quote"),
        ("a,b\n\"1\" ,2\n", ": line 2, column 4: found text after a closing quote"),
        ("a,\"b\n1,2\n3,4\n", ": line 1, column 3: found a quote that is never closed"),
        ("a\n\"1", ": line 2, column 1: found a quote that is never closed"),
        ("a\n1\"2\n", ": line 2, column 2: found a quote inside of a field"),
        ("a\n1\"\"\n", ": line 2, column 2: found a quote inside of a field"),
        ("a\n1\n\n2\n", ": line 3, column 1: found a blank line"),
        ("\na\n1\n", ": line 1, column 1: found a blank line"),
        ("a\r\n1\r\n\r\n\r\n\"2\"\r\n", ": line 3, column 1: found a blank line"),
    ] {
        let found = read(text, None).unwrap_err();
        assert!(found.starts_with(expected), "{text:?}: {found}");
    }
    for text in [
        "a,b\n\"1\",\"2\"\n",
        "\"a\",\"b\"\r\n1,\"2\"\r\n\r\n",
        "\u{feff}\"a\",b\n1,2",
        "a,b\r1,2\r",
    ] {
        let (labels, columns) = read(text, None).unwrap();
        assert_eq!(labels, ["a", "b"], "{text:?}");
        assert_eq!(columns, [Values::I64(vec![1]), Values::I64(vec![2])], "{text:?}");
    }
}

/// Quotes may be longer than what is read at once.
#[test]
fn quoted_fields_may_be_longer_than_the_buffer() {
    let long = "\"\"\n,\r\n".repeat(5000);
    let text = format!("\"{long}\",b\n1,2\n");
    let (labels, _) = read(&text, None).unwrap();
    assert_eq!(labels, [long.replace("\"\"", "\""), "b".to_owned()]);
    let broken = format!("{text}\"1\"\"2\"3,4\n");
    let found = read(&broken, None).unwrap_err();
    assert!(found.contains("text after a closing quote"), "{found}");
}
