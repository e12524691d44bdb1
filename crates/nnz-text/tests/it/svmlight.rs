//! SVMlight files.

use nnz_core::{At, Axis, ColumnValues, MatrixSource, Scalar, ValueType, Values};
use nnz_storage::TaskContext;
use nnz_text::Base;
use nnz_text::svmlight::{ReadOptions, SvmlightSource, from_bytes, from_opened};
use serde_json::Value;

use crate::common::{assert_expected, entries, manifest, opened, testdata, written};

fn read(text: &str, options: &ReadOptions) -> Result<SvmlightSource, nnz_core::Error> {
    let (_directory, path) = written(text.as_bytes());
    from_opened(&opened(&path), options)
}

/// Reads everything and returns the error.
fn refused(text: &str, options: &ReadOptions) -> nnz_core::Error {
    let read = read(text, options).and_then(|source| entries(&source));
    read.expect_err(text)
}

fn column(source: &SvmlightSource, name: &str) -> Option<nnz_core::Column> {
    let table = source.annotations(Axis::Rows).unwrap()?;
    let index = table.columns().iter().position(|column| column.name == name)?;
    let column = table.read_column(index, 1 << 20).unwrap();
    assert_eq!(column.column_type(), table.columns()[index].column_type);
    assert_eq!(column.len(), source.header().shape.rows);
    Some(column)
}

fn numbers(column: &nnz_core::Column) -> Vec<f64> {
    let ColumnValues::Numbers(values) = &column.values else { panic!("strings") };
    (0..values.len().unwrap()).map(|at| crate::common::float(values.get(at).unwrap())).collect()
}

#[test]
fn files_of_other_programs_are_read_as_expected() {
    let mut count = 0;
    for case in manifest("svmlight").iter().filter(|case| !case["expected"].is_null()) {
        let name = case["path"].as_str().unwrap();
        let expected = &case["expected"];
        let [kept, source] = [1 << 20, 0].map(|keep| {
            let options = ReadOptions::default().keep(keep);
            let source = from_opened(&opened(&testdata("svmlight").join(name)), &options);
            source.unwrap_or_else(|error| panic!("{name}: {error}"))
        });
        assert_expected(&kept, expected, name);
        assert_expected(&source, expected, name);
        if let Some(labels) = expected["labels"].as_array().filter(|labels| !labels.is_empty()) {
            let found = column(&source, "label").unwrap();
            match labels.iter().all(Value::is_number) {
                true => {
                    let wanted: Vec<f64> = labels.iter().map(|one| one.as_f64().unwrap()).collect();
                    assert_eq!(numbers(&found), wanted, "{name}");
                }
                // Lists of labels, of which each has at most one here.
                false => {
                    let missing = found.missing.clone().unwrap_or_default();
                    let numbers = numbers(&found);
                    for (at, wanted) in labels.iter().enumerate() {
                        let wanted = wanted.as_array().unwrap();
                        assert_eq!(missing[at], wanted.is_empty(), "{name}");
                        let label = wanted.first().map(|label| label.as_f64().unwrap());
                        assert!(label.is_none_or(|label| label == numbers[at]), "{name}");
                    }
                }
            }
        }
        let queries = expected["qid"].as_array().cloned().unwrap_or_default();
        let found = column(&source, "qid").map(|column| numbers(&column)).unwrap_or_default();
        let wanted: Vec<f64> = queries.iter().map(|one| one.as_f64().unwrap()).collect();
        assert_eq!(found, wanted, "{name}");
        count += 1;
    }
    assert_eq!(count, 15);
}

#[test]
fn a_byte_order_mark_is_skipped() {
    for keep in [0, 1000] {
        let options = ReadOptions::default().keep(keep);
        let source =
            from_bytes(b"\xef\xbb\xbf1 1:2\n", "test", &options, &TaskContext::default()).unwrap();
        assert_eq!(entries(&source).unwrap(), [(0, 0, Scalar::I64(2))]);
    }
}

#[test]
fn kept_entries_are_those_of_the_text() {
    let mut random = nnz_testing::random::Random::new(31);
    for values in ["integers", "large", "floats"] {
        let (mut text, mut expected) = (String::new(), Vec::new());
        // A row of several blocks among short ones, some of them without entries.
        for row in 0..3000 {
            let count = if row == 1500 { 60_000 } else { random.below(6) };
            text.push_str("-1");
            for col in 0..count {
                let value = random.below(2000) as i64 - 1000;
                let value = match values {
                    "integers" => value.to_string(),
                    // Floats do not hold it.
                    "large" if row == 2999 => "9007199254740993".to_owned(),
                    "large" => value.to_string(),
                    _ => format!("{:?}", value as f64 / 7.0),
                };
                text.push_str(&format!(" {}:{value}", col + 1));
                expected.push((row, col as u64, value));
            }
            text.push('\n');
        }
        let text: &'static [u8] = text.leak().as_bytes();
        for keep in [0, 5000, 64 << 20] {
            let source = from_bytes(
                text,
                "test",
                &ReadOptions::default().keep(keep),
                &TaskContext::default(),
            )
            .unwrap();
            let found = entries(&source).unwrap();
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!((found.0, found.1), (expected.0, expected.1));
                let same = match &found.2 {
                    Scalar::I64(value) => value.to_string() == expected.2,
                    Scalar::F64(value) => format!("{value:?}") == expected.2,
                    other => panic!("{other:?}"),
                };
                assert!(same, "{found:?} {expected:?}");
            }
        }
    }
}

#[test]
fn broken_files_are_errors_with_line_and_column() {
    let mut count = 0;
    for case in manifest("svmlight").iter().filter(|case| case["verdict"] == "must_reject") {
        let name = case["path"].as_str().unwrap();
        let options = match name {
            "bad_zero_in_one_based.svm" => ReadOptions::default().base(Some(Base::One)),
            _ => ReadOptions::default(),
        };
        let path = testdata("svmlight").join(name);
        let read = from_opened(&opened(&path), &options).and_then(|source| entries(&source));
        let error = read.expect_err(name);
        assert_eq!(error.place().path.as_deref(), Some(path.as_path()));
        assert!(matches!(error.place().at, Some(At::Line { line: 1, column: 1.. })), "{error}");
        count += 1;
    }
    assert_eq!(count, 8);
}

#[test]
fn errors_name_what_was_found_and_expected() {
    let options = ReadOptions::default();
    for (text, line, column, found, expected) in [
        ("1 1:2\n1 x:2\n", 2, 3, "\"x:2\"", "an index"),
        ("1 1:2 3\n", 1, 8, "the end of the line", "a colon"),
        ("1 1:2 3:y\n", 1, 9, "\"y\"", "a number"),
        ("1 1:2,3\n", 1, 5, "\"2,3\"", "a number"),
        ("1 1:1e999\n", 1, 5, "\"1e999\"", "in the range of float64"),
        ("1 1:9007199254740993 2:0.5\n", 1, 5, "9007199254740993", "float64 holds exactly"),
        ("1 1:-1\n1 1:18446744073709551615\n", 2, 5, "18446744073709551615", "exactly"),
        ("1,a 1:1\n", 1, 3, "\"a\"", "a label"),
        ("1 qid:x 1:1\n", 1, 7, "\"x\"", "the number of a query"),
        ("1 1:1 qid:2\n", 1, 7, "\"qid:2\"", "an index"),
        ("1 9223372036854775808:1\n", 1, 3, "\"9223372036854775808:1\"", "2^63 - 1"),
    ] {
        let error = refused(text, &options);
        assert_eq!(error.place().at, Some(At::Line { line, column }), "{text}: {error}");
        let message = error.to_string();
        assert!(message.contains(found) && message.contains(expected), "{text}: {message}");
    }
    let error = refused("1 3:1\n1 5:1\n", &options.size("x4".parse().unwrap()));
    assert_eq!(error.place().at, Some(At::Line { line: 2, column: 3 }), "{error}");
    assert!(error.to_string().contains("an index from 1 to 4"), "{error}");
    let error = refused("1 0:1\n", &options.base(Some(Base::One)));
    assert!(error.to_string().contains("an index of at least 1"), "{error}");
    for text in ["", "x", "5x5x5", "-1", "x1e3"] {
        assert!(text.parse::<nnz_text::Size>().is_err(), "{text}");
    }
    let error = refused("1 3:1\n1 5:1\n", &options.size("3x9".parse().unwrap()));
    assert!(error.to_string().contains("2 rows"), "{error}");
}

#[test]
fn the_base_is_given_stated_or_found() {
    let cols = |text: &str, base| {
        let source = read(text, &ReadOptions::default().base(base)).unwrap();
        (source.header().shape.cols, source.notes().len())
    };
    assert_eq!(cols("1 1:1 3:1\n", None), (3, 1));
    assert_eq!(cols("1 1:1 3:1\n", Some(Base::Zero)), (4, 0));
    assert_eq!(cols("1 1:1 3:1\n", Some(Base::One)), (3, 0));
    assert_eq!(cols("1 1:1 3:1\n0 0:1\n", None), (4, 0));
    assert_eq!(cols("# Column indices are zero-based\n1 1:1 3:1\n", None), (4, 0));
    assert_eq!(cols("# Column indices are one-based\r\n1 1:1 3:1\n", None), (3, 0));
    assert_eq!(cols("", None), (0, 0));
}

#[test]
fn integers_stay_integers() {
    let values = |text: &str| {
        let source = read(text, &ReadOptions::default()).unwrap();
        let read: Vec<Scalar> = entries(&source).unwrap().iter().map(|entry| entry.2).collect();
        assert!(read.iter().all(|value| value.value_type() == source.header().value_type));
        read
    };
    assert_eq!(
        values("1 1:9007199254740993 2:-5\n"),
        [Scalar::I64(9_007_199_254_740_993), Scalar::I64(-5)]
    );
    assert_eq!(values("1 1:18446744073709551615 2:0\n"), [Scalar::U64(u64::MAX), Scalar::U64(0)]);
    assert_eq!(values("1 1:2 2:0.5\n"), [Scalar::F64(2.0), Scalar::F64(0.5)]);
    let zeros = values("1 1:-0 2:0\n");
    assert!(matches!(zeros[0], Scalar::F64(zero) if zero.is_sign_negative()), "{zeros:?}");
}

#[test]
fn labels_have_the_type_that_holds_all() {
    let labels = |text: &str| {
        let source = read(text, &ReadOptions::default()).unwrap();
        column(&source, "label")
    };
    let integers = labels("+1 1:1\n-1 1:1\n").unwrap();
    assert_eq!(integers.values, ColumnValues::Numbers(Values::from(vec![1_i64, -1])));
    assert_eq!(integers.missing, None);
    let floats = labels("1 1:1\n2.5 1:1\n").unwrap();
    assert_eq!(floats.values, ColumnValues::Numbers(Values::from(vec![1.0, 2.5])));
    // Floats would round them, so they are kept as they are written.
    let large = labels("9007199254740993 1:1\n0.5 1:1\n").unwrap();
    let ColumnValues::Strings(list) = &large.values else { panic!("numbers") };
    assert_eq!(list.iter().collect::<Vec<_>>(), [&b"9007199254740993"[..], b"0.5"]);
    let missing = labels("1 1:1\n 1:1\n").unwrap();
    assert_eq!(missing.missing, Some(vec![false, true]));
    let several = labels("1,3 1:1\n 1:1\n2 1:1\n").unwrap();
    let ColumnValues::Strings(list) = &several.values else { panic!("numbers") };
    assert_eq!(list.iter().collect::<Vec<_>>(), [&b"1,3"[..], b"", b"2"]);
    assert_eq!(labels(" 2:1\n"), None);
    let source = read("1 qid:7 1:1\n1 1:1\n1 qid:-3\n", &ReadOptions::default()).unwrap();
    let queries = column(&source, "qid").unwrap();
    assert_eq!(queries.missing, Some(vec![false, true, false]));
    assert_eq!(numbers(&queries)[2], -3.0);
}

#[test]
fn weights_of_rows_are_read() {
    let read_as = |text: &str, weights| read(text, &ReadOptions::default().label_weights(weights));
    // XGBoost reads labels 1 and 0, weights 0.5 and 0.25.
    let text = "1:0.5 2:1 3:2\n0:0.25 qid:3 2:1 4:5 # 9:9\n";
    for (weights, notes) in [(None, 2), (Some(true), 1)] {
        let source = read_as(text, weights).unwrap();
        assert_eq!(numbers(&column(&source, "label").unwrap()), [1.0, 0.0]);
        assert_eq!(numbers(&column(&source, "weight").unwrap()), [0.5, 0.25]);
        assert_eq!(entries(&source).unwrap().len(), 4);
        assert_eq!(source.notes().len(), notes);
    }
    // As libsvm reads it, two rows without labels.
    let plain = read_as("1:0.5 2:1 3:2\n0:0.25 2:1 4:5\n", Some(false)).unwrap();
    assert_eq!(entries(&plain).unwrap().len(), 6);
    assert!(column(&plain, "label").is_none() && column(&plain, "weight").is_none());
    let signed = read_as("-1:1e-3 2:1\n+0.5:2\n", None).unwrap();
    assert_eq!(numbers(&column(&signed, "label").unwrap()), [-1.0, 0.5]);
    assert_eq!(numbers(&column(&signed, "weight").unwrap()), [0.001, 2.0]);
    let whole = read_as("1:3\n0:4\n", None).unwrap();
    let weights = column(&whole, "weight").unwrap();
    assert_eq!(weights.values, ColumnValues::Numbers(Values::from(vec![3_i64, 4])));
    // As they are written, since floats would round one of them.
    let large = read_as("1:9007199254740993\n1:0.5\n", None).unwrap();
    let ColumnValues::Strings(list) = &column(&large, "weight").unwrap().values else { panic!() };
    assert_eq!(list.iter().collect::<Vec<_>>(), [&b"9007199254740993"[..], b"0.5"]);
    // A blank before the first entry, as scikit-learn and nnz write rows without labels.
    let bare = read_as(" 1:0.5 2:1\n 1:2\n", None).unwrap();
    assert_eq!((entries(&bare).unwrap().len(), column(&bare, "label")), (3, None));
}

#[test]
fn weights_of_some_rows_are_ambiguous() {
    for (text, line, expected) in [
        ("1:0.5 2:1\n1 2:1\n", 2, "a label with a weight, as in the first row"),
        ("1:0.5 2:1\nqid:3 2:1\n", 2, "a label with a weight, as in the first row"),
        ("# c\n\n1 2:1\n1:0.5 2:1\n", 4, "a label, as in the first row"),
        (" 3:1 2:1\n1:0.5 2:1\n", 2, "a label, as in the first row"),
    ] {
        let error = refused(text, &ReadOptions::default());
        assert_eq!(error.place().at, Some(At::Line { line, column: 1 }), "{text}: {error}");
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(error.hint().map(|hint| hint.item), Some("label_weights"));
        for given in [true, false] {
            let options = ReadOptions::default().label_weights(Some(given));
            entries(&read(text, &options).unwrap()).unwrap();
        }
    }
    let some = read("1:0.5 2:1\n1 2:1\n", &ReadOptions::default().label_weights(Some(true)));
    assert_eq!(column(&some.unwrap(), "weight").unwrap().missing, Some(vec![false, true]));
}

#[test]
fn integers_of_more_than_64_bits_are_refused() {
    let options = ReadOptions::default();
    for (text, column) in [
        ("1 1:18446744073709551617 2:1\n", 5),
        ("1 1:0.5 2:-9223372036854775809\n", 11),
        ("123456789012345678901 1:1\n", 1),
        ("1,123456789012345678901 1:1\n", 3),
    ] {
        let error = refused(text, &options);
        assert_eq!(error.place().at, Some(At::Line { line: 1, column }), "{text}: {error}");
        assert!(error.to_string().contains("expected a 64-bit integer, or a float"), "{error}");
    }
    let error = refused("1:123456789012345678901\n", &options.label_weights(Some(true)));
    assert!(error.to_string().contains("64-bit"), "{error}");
    // A decimal point or an exponent makes it a float, the nearest one.
    let source = read("1 1:18446744073709551617.0 2:1e20\n", &options).unwrap();
    let found = entries(&source).unwrap();
    assert_eq!(found[0].2, Scalar::F64(18_446_744_073_709_551_616.0));
}

#[test]
fn blanks_are_found_in_messages() {
    for (text, column, expected) in [
        ("1 1 :2\n", 4, "found a blank, expected a colon"),
        ("1 101 102\n", 6, "found a blank, expected a colon"),
        ("1 1:\n", 5, "found the end of the line, expected a number"),
    ] {
        let error = refused(text, &ReadOptions::default());
        assert_eq!(error.place().at, Some(At::Line { line: 1, column }), "{text}: {error}");
        assert!(error.to_string().contains(expected), "{text}: {error}");
    }
    // As in LIBSVM, blanks may be before a number.
    let source = read("1 1: 2\n", &ReadOptions::default()).unwrap();
    assert_eq!(entries(&source).unwrap()[0].2, Scalar::I64(2));
}

#[test]
fn duplicates_are_located() {
    let source = read("1 2:1\n1 4:1 2:5 4:7\n", &ReadOptions::default()).unwrap();
    assert_eq!(source.header().sorted_indices, Some(false));
    let at = |column| At::Line { line: 2, column };
    assert_eq!(source.locate(1, 3).unwrap(), [at(3), at(11)]);
    assert_eq!(source.locate(1, 1).unwrap(), [at(7)]);
    assert_eq!(source.locate(0, 3).unwrap(), []);
}

/// Writes rows of which some are longer than a block.
fn long_text(seed: u64) -> (String, Vec<(u64, u64, Scalar)>) {
    let mut random = nnz_testing::random::Random::new(seed);
    let (mut text, mut expected, mut row) = (String::from("# a comment\n"), Vec::new(), 0);
    for kind in 0..12 {
        let len = if kind % 4 == 2 { 60_000 } else { random.below(900) };
        text += &format!("{}", random.below(5));
        let mut col = 0;
        for _ in 0..len {
            col += 1 + random.below(3) as u64;
            let value = random.below(2000) as i64 - 1000;
            text += &format!("{}{}:{value}", if random.below(9) == 0 { "\t" } else { " " }, col);
            expected.push((row, col - 1, Scalar::I64(value)));
        }
        if kind % 3 == 0 {
            text += &format!(" # {}", "comment ".repeat(random.below(90_000)));
        }
        text += if kind % 5 == 0 { "\r\n\n" } else { "\n" };
        row += 1;
    }
    (text, expected)
}

#[test]
fn rows_and_comments_longer_than_a_block_are_read() {
    for seed in [3, 4] {
        let (text, expected) = long_text(seed);
        assert!(text.len() > 1 << 20);
        let source = read(&text, &ReadOptions::default().base(Some(Base::One))).unwrap();
        assert_eq!(source.header().shape.rows, 12);
        assert_eq!(source.header().value_type, ValueType::I64);
        assert!(entries(&source).unwrap() == expected);
        assert_eq!(numbers(&column(&source, "label").unwrap()).len(), 12);
        // Positions in a line that began in an earlier block.
        let broken = text.replacen(" 59999:", " x:", 1);
        if broken != text {
            let at = broken.find(" x:").unwrap() + 1;
            let before = &broken[..at];
            let line = before.matches('\n').count() as u64 + 1;
            let column = (at - before.rfind('\n').unwrap()) as u64;
            let error = refused(&broken, &ReadOptions::default());
            assert_eq!(error.place().at, Some(At::Line { line, column }));
        }
    }
    let blank = format!("1 1:1\n{}2 5:1\n", " ".repeat(700_000));
    let source = read(&blank, &ReadOptions::default()).unwrap();
    assert_eq!(source.header().shape.rows, 2);
    assert_eq!(entries(&source).unwrap().len(), 2);
    let word = format!("1 1:{}\n", "1".repeat(700_000));
    assert!(refused(&word, &ReadOptions::default()).to_string().contains("a longer word"));
}

#[test]
fn damaged_files_are_read_or_refused() {
    use nnz_testing::mutations::{mutate, rounds};
    let mut random = nnz_testing::random::Random::new(11);
    for case in manifest("svmlight") {
        let bytes =
            std::fs::read(testdata("svmlight").join(case["path"].as_str().unwrap())).unwrap();
        for _ in 0..rounds() {
            let mut bytes = bytes.clone();
            mutate(&mut bytes, &mut random);
            let (_directory, path) = written(&bytes);
            if let Ok(source) = from_opened(&opened(&path), &ReadOptions::default()) {
                let read = entries(&source);
                if let Ok(read) = read {
                    assert_eq!(source.header().nnz, Some(read.len() as u64));
                }
                let _ = source.annotations(Axis::Rows).unwrap().map(|table| {
                    (0..table.columns().len()).for_each(|at| drop(table.read_column(at, 1 << 20)));
                });
            }
        }
    }
}
