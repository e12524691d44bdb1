//! Numbers in text, compared with the standard library.
//!
//! They are the only value of a Matrix Market file: once in a form that the fast reader of many
//! lines accepts, and once in one that only the slow reader does.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nnz::{MatrixSource, Projection, Result, Scalar, Values};
use nnz_matrix_market::from_reader;

fuzz_target!(|input: &[u8]| {
    // Blanks end a number, and a line without a number may be a comment.
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    if input.is_empty() || input.len() > 800 || input.iter().any(blank) {
        return;
    }
    let text = std::str::from_utf8(input).ok();
    let float = text.and_then(float);
    for (layout, comment) in [("coordinate", ""), ("coordinate", "%\n\n"), ("array", "")] {
        // `%` at the start of a line begins a comment.
        if layout == "array" && input[0] == b'%' {
            continue;
        }
        let found = value(layout, "real", comment, input);
        match (found, float) {
            (Ok(Scalar::F64(found)), Some(float)) => {
                let same = found.to_bits() == float.to_bits();
                assert!(same, "{text:?}: {found:e} instead of {float:e}");
            }
            (Err(_), None) => {}
            (found, float) => panic!("{layout}: {text:?}: {found:?} instead of {float:?}"),
        }
        let found = value(layout, "integer", comment, input).ok();
        let expected = text.and_then(|text| text.parse().ok()).map(Scalar::I64);
        assert_eq!(found, expected, "{text:?}");
        let found = value(layout, "unsigned-integer", comment, input).ok();
        let expected = text.and_then(|text| text.parse().ok()).map(Scalar::U64);
        assert_eq!(found, expected, "{text:?}");
    }
});

/// Parses a number with the standard library, with the exponent `d` of Fortran, and without numbers
/// that become infinite.
fn float(text: &str) -> Option<f64> {
    let fortran = text.replacen(['d', 'D'], "e", 1);
    let value: f64 = text.parse().or_else(|_| fortran.parse()).ok()?;
    let unsigned = text.trim_start_matches(['+', '-']);
    let spelled_out = unsigned.starts_with(|first: char| first.is_ascii_alphabetic());
    (spelled_out || !value.is_infinite()).then_some(value)
}

/// Reads the value of a matrix of one cell, or of several equal ones.
fn value(layout: &str, field: &str, comment: &str, number: &[u8]) -> Result<Scalar> {
    let (sizes, place) = match layout {
        "array" => ("9 1", ""),
        _ => ("1 1 9", "1 1 "),
    };
    let mut text =
        format!("%%MatrixMarket matrix {layout} {field} general\n{sizes}\n").into_bytes();
    for _ in 0..9 {
        text.extend_from_slice(comment.as_bytes());
        text.extend_from_slice(place.as_bytes());
        text.extend_from_slice(number);
        text.push(b'\n');
    }
    let source = from_reader(Box::new(std::io::Cursor::new(text)), "text.mtx")?;
    let header = source.header();
    let mut reader = source.batches(0..header.shape.major(header.order), Projection::ALL)?;
    let mut batch = nnz::Batch::new(header.order, Values::new(header.value_type));
    let mut all = Vec::new();
    while reader.next_batch(&mut batch)? {
        all.extend((0..batch.entries()).filter_map(|entry| batch.values.get(entry)));
    }
    assert_eq!(all.len(), 9);
    // The last one is at the end of the file.
    let shown = |value: &Scalar| value.repeat(1).bytes().to_vec();
    assert!(all.iter().all(|value| shown(value) == shown(&all[0])), "{all:?}");
    Ok(all[0])
}
