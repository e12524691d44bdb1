//! Random matrices, written and read back; random blanks and comments; short reads.

use std::collections::BTreeMap;
use std::io::Cursor;

use nnz_core::{
    Bint8, Header, MatrixSource, Order, Scalar, Storage, Structure, Triangle, ValueType, Values,
};
use nnz_matrix_market::{Layout, from_reader};
use nnz_testing::random::Random;
use proptest::prelude::*;

use crate::common::{Drops, Entry, batch, entries, exact, header, open_text, read_text, write};

/// Creates a value of one type from random bits.
fn scalar(value_type: ValueType, bits: u64) -> Scalar {
    // Floats of every exponent, whole ones, and special ones; no NaN with a payload.
    let float = match bits % 8 {
        0 => f64::from(u32::try_from(bits >> 40).unwrap()),
        1 => [0.0, -0.0, f64::INFINITY, -f64::INFINITY, f64::NAN, -f64::NAN, 5e-324, f64::MAX]
            [usize::try_from(bits >> 61).unwrap()],
        _ => match f64::from_bits(bits) {
            payload if payload.is_nan() => f64::NAN,
            float => float,
        },
    };
    match value_type {
        ValueType::I64 => Scalar::I64(bits.cast_signed() >> (bits % 64)),
        ValueType::F64 => Scalar::F64(float),
        ValueType::ComplexF64 => Scalar::ComplexF64([float, f64::from_bits(bits >> 2)]),
        _ => Scalar::Bint8(Bint8(1)),
    }
}

#[derive(Clone, Debug)]
struct Matrix {
    header: Header,
    entries: Vec<Entry>,
}

fn structures() -> impl Strategy<Value = Structure> {
    prop_oneof![
        Just(Structure::General),
        Just(Structure::Symmetric(Triangle::Lower)),
        Just(Structure::SkewSymmetric(Triangle::Lower)),
        Just(Structure::Hermitian(Triangle::Lower)),
    ]
}

fn matrices() -> impl Strategy<Value = Matrix> {
    let value_types = prop_oneof![
        Just(ValueType::I64),
        Just(ValueType::F64),
        Just(ValueType::ComplexF64),
        Just(ValueType::Bint8),
    ];
    let places = prop::collection::vec((0_u64..1 << 40, 0_u64..1 << 40, any::<u64>()), 0..60);
    let shape = (0_u64..40, 0_u64..40);
    let options = (any::<bool>(), any::<bool>());
    (value_types, structures(), shape, places, options).prop_map(make)
}

/// Value type, structure, shape, positions with bits of values, whether by row, and whether
/// counted.
type Parts = (ValueType, Structure, (u64, u64), Vec<(u64, u64, u64)>, (bool, bool));

fn make((value_type, structure, (rows, cols), places, (by_row, counted)): Parts) -> Matrix {
    let structure = match (structure, value_type) {
        (Structure::Hermitian(t), kind) if !kind.is_complex() => Structure::Symmetric(t),
        (Structure::SkewSymmetric(t), ValueType::Bint8) => Structure::Symmetric(t),
        (other, _) => other,
    };
    let cols = if structure == Structure::General { cols } else { rows };
    let order = if by_row { Order::Row } else { Order::Col };
    let mut sorted = BTreeMap::new();
    for (row, col, bits) in places {
        if rows == 0 || cols == 0 {
            continue;
        }
        let (mut row, mut col) = (row % rows, col % cols);
        if structure != Structure::General && row < col {
            (row, col) = (col, row);
        }
        let mut value = scalar(value_type, bits);
        match (structure, &mut value) {
            (Structure::SkewSymmetric(_), _) if row == col => continue,
            (Structure::Hermitian(_), Scalar::ComplexF64(value)) if row == col => value[1] = -0.0,
            _ => {}
        }
        sorted.insert(order.major_minor(row, col), (row, col, value));
    }
    let entries: Vec<Entry> = sorted.into_values().collect();
    let mut header = header(rows, cols, value_type, counted.then_some(entries.len() as u64));
    header.structure = structure;
    header.order = order;
    header.iso = value_type == ValueType::Bint8;
    Matrix { header, entries }
}

/// Writes in batches of a few entries.
fn text(matrix: &Matrix, layout: Layout, gzip: bool) -> Vec<u8> {
    let header = &matrix.header;
    let batches: Vec<_> = matrix
        .entries
        .chunks(7)
        .map(|entries| {
            let mut batch = batch(header.order, entries, header.value_type);
            if header.iso {
                batch.values = Values::Iso(Scalar::Bint8(Bint8(1)));
            }
            batch
        })
        .collect();
    write(header, layout, gzip, &batches).unwrap()
}

/// Adds comments, blanks, blank lines and CRLF where they are allowed.
fn decorate(text: &[u8], seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut out = String::new();
    for (number, line) in std::str::from_utf8(text).unwrap().lines().enumerate() {
        let line: String = line
            .chars()
            .map(|c| match (c, random.below(3)) {
                (' ', 0) => "\t ".to_owned(),
                (c, 0) if number == 0 => c.to_uppercase().to_string(),
                (c, _) => c.to_string(),
            })
            .collect();
        if number > 0 {
            out.push_str(random.pick::<&str>(&["", "", " ", "\t"]));
        }
        out.push_str(&line);
        out.push_str(random.pick::<&str>(&["\n", "\r\n", "  \n", "\t\r\n"]));
        out.push_str(random.pick::<&str>(&["", "", "\n", "\r\n \n", "% c\n", " %\r\n"]));
    }
    out.into_bytes()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn coordinates_round_trip_bit_for_bit(matrix in matrices(), gzip: bool) {
        let text = text(&matrix, Layout::Coordinate, gzip);
        let source = open_text(&text).unwrap();
        let read = entries(&source).unwrap();
        prop_assert_eq!(exact(&read), exact(&matrix.entries));
        let header = source.header();
        prop_assert_eq!(header.shape, matrix.header.shape);
        prop_assert_eq!(header.structure, matrix.header.structure);
        prop_assert_eq!(header.value_type, matrix.header.value_type);
        prop_assert_eq!(header.nnz, Some(matrix.entries.len() as u64));
        prop_assert!(header.sorted_majors);
    }

    #[test]
    fn arrays_round_trip_bit_for_bit_with_zeros_between(mut matrix in matrices(), gzip: bool) {
        matrix.header.order = Order::Col;
        matrix.entries.sort_by_key(|&(row, col, _)| (col, row));
        let source_text = text(&matrix, Layout::Array, gzip);
        let source = open_text(&source_text).unwrap();
        prop_assert_eq!(source.header().storage, Storage::Dense);
        let mut read = entries(&source).unwrap();
        prop_assert_eq!(source.header().nnz, Some(read.len() as u64));
        let stored: Vec<_> = matrix.entries.iter().map(|&(row, col, _)| (row, col)).collect();
        // An array has no booleans, only integers.
        for entry in &mut matrix.entries {
            if entry.2 == Scalar::Bint8(Bint8(1)) {
                entry.2 = Scalar::I64(1);
            }
        }
        read.retain(|&(row, col, value)| {
            let is_stored = stored.contains(&(row, col));
            let zero = [Scalar::I64(0), Scalar::F64(0.0), Scalar::ComplexF64([0.0; 2])];
            assert!(is_stored || zero.contains(&value));
            is_stored
        });
        prop_assert_eq!(exact(&read), exact(&matrix.entries));
    }

    #[test]
    fn blanks_and_comments_change_nothing(matrix in matrices(), seed: u64, dense: bool) {
        let mut matrix = matrix;
        let layout = if dense { Layout::Array } else { Layout::Coordinate };
        if dense {
            matrix.header.order = Order::Col;
            matrix.entries.sort_by_key(|&(row, col, _)| (col, row));
        }
        let plain = text(&matrix, layout, false);
        let decorated = decorate(&plain, seed);
        prop_assert_eq!(
            exact(&read_text(&plain).unwrap()),
            exact(&read_text(&decorated).unwrap())
        );
    }

    #[test]
    fn short_reads_change_nothing(matrix in matrices(), seed: u64, gzip: bool) {
        let text = match gzip {
            true => text(&matrix, Layout::Coordinate, true),
            false => decorate(&text(&matrix, Layout::Coordinate, false), seed),
        };
        let whole = read_text(&text).unwrap();
        for size in 1..=7 {
            let drops = Drops { text: Cursor::new(text.clone()), size };
            let source = from_reader(Box::new(drops), "drops").unwrap();
            prop_assert_eq!(exact(&entries(&source).unwrap()), exact(&whole));
        }
    }
}

/// Many blocks, with lines across every boundary.
#[test]
fn files_longer_than_a_block_are_read() {
    for padding in 0..12 {
        let count = 150_000_u64;
        let mut text = format!(
            "%%MatrixMarket matrix coordinate integer general\n%{}\n1000 1000 {count}\n",
            "c".repeat(padding)
        );
        for entry in 0..count {
            let (row, col) = (entry % 1000 + 1, entry / 1000 + 1);
            text.push_str(&format!("{row} {col} {entry}\n"));
        }
        let expected: Vec<Entry> = (0..count)
            .map(|entry| {
                let value = i64::try_from(entry).unwrap();
                (entry % 1000, entry / 1000, Scalar::I64(value))
            })
            .collect();
        assert!(read_text(&text).unwrap() == expected);
        // The line number of an error includes all blocks before it.
        let wrong = format!("{}9999 1 1\n", text.replace("1000 1000 150000", "1000 1000 150001"));
        assert_eq!(
            read_text(wrong).unwrap_err().to_string(),
            "text.mtx: line 150004, column 1: found \"9999\", expected a row from 1 to 1000"
        );
    }
}
