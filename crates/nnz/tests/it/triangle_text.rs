//! Matrix Market text of one triangle: converted and transposed in all layouts and orders.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::common::entries::{self, Entry};
use crate::common::{location, unsynced};
use nnz::{ConvertOptions, Order, formats::FormatOptions, output::StructurePolicy};
use nnz_matrix_market::Layout;

fn layout_option(layout: Layout) -> FormatOptions {
    let name = if layout == Layout::Array { "array" } else { "coordinate" };
    FormatOptions::new().with("layout", name)
}

const STRUCTURES: [&str; 4] = ["general", "symmetric", "skew-symmetric", "hermitian"];
const FIELDS: [&str; 4] = ["real", "integer", "complex", "pattern"];
const SIDE: u64 = 30;

/// Text with the elements that a structure stores; every third is zero or omitted.
fn text(layout: Layout, field: &str, structure: &str) -> String {
    let stored = |row: u64, col: u64| match structure {
        "general" => true,
        "skew-symmetric" => row > col,
        _ => row >= col,
    };
    let mut lines = String::new();
    let mut count = 0;
    for col in 0..SIDE {
        for row in (0..SIDE).filter(|&row| stored(row, col)) {
            let zero = (row * 7 + col) % 3 == 0;
            if layout == Layout::Coordinate {
                if zero {
                    continue;
                }
                write!(lines, "{} {} ", row + 1, col + 1).unwrap();
            }
            let number = if zero { 0 } else { row * 31 + col * 2 + 1 };
            match field {
                "integer" => write!(lines, "{number}").unwrap(),
                "real" => write!(lines, "{number}.0").unwrap(),
                "complex" if structure == "hermitian" && row == col => {
                    write!(lines, "{number} 0").unwrap();
                }
                "complex" => write!(lines, "{number} {}", number * 2).unwrap(),
                _ => {}
            }
            lines.push('\n');
            count += 1;
        }
    }
    let (layout, count) = match layout {
        Layout::Array => ("array", String::new()),
        Layout::Coordinate => ("coordinate", format!(" {count}")),
    };
    format!("%%MatrixMarket matrix {layout} {field} {structure}\n{SIDE} {SIDE}{count}\n{lines}")
}

fn convert(from: &Path, to: &Path, options: &ConvertOptions) -> nnz::Result<nnz::Summary> {
    nnz::convert(location(from), location(to), options, &crate::common::sparing().with_threads(2))
}

/// All entries of a matrix, sorted.
fn logical(path: &Path) -> Vec<Entry> {
    entries::logical(&*nnz::open(location(path)).and_then(nnz::Dataset::into_matrix).unwrap())
        .unwrap()
}

fn transposed(entries: Vec<Entry>) -> Vec<Entry> {
    let mut exchanged: Vec<Entry> =
        entries.into_iter().map(|(row, col, value)| (col, row, value)).collect();
    exchanged.sort_unstable();
    exchanged
}

/// The positions in coordinate text, in the order of its lines.
fn places(text: &str) -> Vec<(u64, u64)> {
    let place = |line: &str| {
        let mut fields = line.split(' ').map(|field| field.parse().unwrap());
        (fields.next().unwrap(), fields.next().unwrap())
    };
    text.lines().skip(2).map(place).collect()
}

/// Converts a file to text in all ways, and compares the results with the source.
fn check(from: &Path, layout: Layout, structure: &str) {
    let to = from.with_file_name("to.mtx");
    let expected = logical(from);
    for transpose in [false, true] {
        for order in [None, Some(Order::Row), Some(Order::Col)] {
            for policy in [StructurePolicy::Keep, StructurePolicy::General] {
                for wanted in [Layout::Array, Layout::Coordinate] {
                    let options = unsynced()
                        .order(order)
                        .transpose(transpose)
                        .structure(policy)
                        .format_options(layout_option(wanted));
                    let case = format!("{layout:?} {structure} as {options:?}");
                    let done = convert(from, &to, &options);
                    if wanted == Layout::Array && order == Some(Order::Row) {
                        let error = done.unwrap_err().to_string();
                        assert!(error.contains("only the layout coordinate"), "{error}");
                        continue;
                    }
                    done.unwrap_or_else(|error| panic!("{case}: {error}"));
                    let text = fs::read_to_string(&to).unwrap();
                    let kept = if policy == StructurePolicy::Keep { structure } else { "general" };
                    assert!(text.lines().next().unwrap().ends_with(kept), "{case}: {text}");
                    let found = logical(&to);
                    let found = if transpose { transposed(found) } else { found };
                    assert_eq!(found, expected, "{case}");
                    if let (Layout::Coordinate, Some(order)) = (wanted, order) {
                        let places = places(&text);
                        let sorted = match order {
                            Order::Row => places.is_sorted(),
                            Order::Col => places.is_sorted_by_key(|&(row, col)| (col, row)),
                        };
                        assert!(sorted, "{case}");
                    }
                }
            }
        }
    }
}

#[test]
fn texts_of_all_structures_are_transposed_and_converted() {
    let directory = tempfile::tempdir().unwrap();
    let from = directory.path().join("from.mtx");
    let mut checked = 0;
    for layout in [Layout::Array, Layout::Coordinate] {
        for (structure, field) in STRUCTURES.iter().flat_map(|s| FIELDS.map(|f| (*s, f))) {
            let pattern = layout == Layout::Array || structure == "skew-symmetric";
            if pattern && field == "pattern" || structure == "hermitian" && field != "complex" {
                continue;
            }
            fs::write(&from, text(layout, field, structure)).unwrap();
            check(&from, layout, structure);
            checked += 1;
        }
    }
    assert_eq!(checked, 22);
}

#[test]
fn upper_triangles_are_written_as_text() {
    let directory = tempfile::tempdir().unwrap();
    let [text_path, upper] = ["from.mtx", "upper.bsp.npz"].map(|name| directory.path().join(name));
    for (structure, field) in
        [("symmetric", "real"), ("skew-symmetric", "integer"), ("hermitian", "complex")]
    {
        for order in [Order::Row, Order::Col] {
            fs::write(&text_path, text(Layout::Coordinate, field, structure)).unwrap();
            let options = unsynced().transpose(true).order(order);
            convert(&text_path, &upper, &options).unwrap();
            let header = nnz::open(location(&upper))
                .and_then(nnz::Dataset::into_matrix)
                .unwrap()
                .header()
                .clone();
            assert_eq!(header.structure.triangle(), Some(nnz::matrix::Triangle::Upper));
            assert_eq!(header.order, order);
            check(&upper, Layout::Coordinate, structure);
        }
    }
}

/// A zero part of a complex number is not a zero element: its sign changes, in arrays as in coordinates.
#[test]
fn arrays_keep_the_sign_of_zero_parts_across_the_diagonal() {
    let directory = tempfile::tempdir().unwrap();
    let [from, array, back] =
        ["from.mtx", "array.mtx", "back.mtx"].map(|name| directory.path().join(name));
    for (structure, value) in [
        ("skew-symmetric", "1.5 0.0"),
        ("skew-symmetric", "1.5 -0.0"),
        ("skew-symmetric", "0.0 1.5"),
        ("skew-symmetric", "-0.0 1.5"),
        ("skew-symmetric", "0.0 -0.0"),
        ("hermitian", "1.5 0.0"),
        ("hermitian", "1.5 -0.0"),
    ] {
        let header = format!("%%MatrixMarket matrix coordinate complex {structure}");
        fs::write(&from, format!("{header}\n2 2 1\n2 1 {value}\n")).unwrap();
        let dense = unsynced().format_options(layout_option(Layout::Array));
        convert(&from, &array, &dense).unwrap();
        let plain = |path: &Path| {
            let mut found = logical(path);
            found.retain(|(_, _, value)| !value.is_zero());
            found
        };
        assert_eq!(plain(&array), plain(&from), "{structure} {value}");
        // The same from the other triangle.
        let turned = unsynced().transpose(true);
        convert(&array, &back, &turned).unwrap();
        assert_eq!(transposed(plain(&back)), plain(&from), "{structure} {value}");
    }
}

#[test]
fn negative_zeros_that_arrays_cannot_mirror_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let [from, to] = ["from.mtx", "to.mtx"].map(|name| directory.path().join(name));
    for (kind, zero) in [
        ("real skew-symmetric", "-0.0\n"),
        ("complex skew-symmetric", "-0.0 -0.0\n"),
        ("complex hermitian", "1.0 0.0\n0.0 -0.0\n1.0 0.0\n"),
    ] {
        let text = format!("%%MatrixMarket matrix array {kind}\n2 2\n{zero}");
        fs::write(&from, text).unwrap();
        let transpose = unsynced().transpose(true);
        let error = convert(&from, &to, &transpose).unwrap_err().to_string();
        assert!(error.contains("a negative zero above the diagonal"), "{error}");
        for options in [
            transpose.clone().format_options(layout_option(Layout::Coordinate)),
            transpose.structure(StructurePolicy::General),
        ] {
            convert(&from, &to, &options).unwrap();
            let mut found = transposed(logical(&to));
            // Coordinates list the counterpart of the zero as well.
            found.retain(|(_, _, value)| !value.is_zero());
            assert_eq!(found, logical(&from), "{kind}");
        }
    }
    // A positive zero stays positive on both sides.
    fs::write(&from, "%%MatrixMarket matrix array real skew-symmetric\n2 2\n0.0\n").unwrap();
    convert(&from, &to, &unsynced().transpose(true)).unwrap();
    assert_eq!(fs::read(&from).unwrap(), fs::read(&to).unwrap());
}
