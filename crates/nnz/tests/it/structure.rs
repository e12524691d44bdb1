//! Properties of a matrix that are found before it is written: whether one triangle follows from
//! the other, and the smallest type of its values.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::common::entries::{self, Entry};
use crate::common::{location, unsynced};
use nnz::{
    ConvertOptions, ValueType,
    formats::FormatOptions,
    matrix::{Structure, Triangle},
    output::{DuplicatePolicy, StructurePolicy},
};
use proptest::prelude::*;

const SYMMETRIC: Structure = Structure::Symmetric(Triangle::Lower);
const SKEW: Structure = Structure::SkewSymmetric(Triangle::Lower);
const HERMITIAN: Structure = Structure::Hermitian(Triangle::Lower);

/// A Matrix Market file with both triangles.
fn text(field: &str, side: u64, lines: &[String]) -> String {
    let banner = format!("%%MatrixMarket matrix coordinate {field} general");
    format!("{banner}\n{side} {side} {}\n{}\n", lines.len(), lines.join("\n"))
}

fn auto() -> ConvertOptions {
    unsynced().structure(StructurePolicy::Auto)
}

fn convert(from: &Path, to: &Path, options: &ConvertOptions) -> nnz::Summary {
    nnz::convert(location(from), location(to), options, &crate::common::sparing().with_threads(2))
        .unwrap()
}

fn structure(path: &Path) -> Structure {
    nnz::open(location(path)).and_then(nnz::Dataset::into_matrix).unwrap().header().structure
}

fn logical(path: &Path) -> Vec<Entry> {
    entries::logical(&*nnz::open(location(path)).and_then(nnz::Dataset::into_matrix).unwrap())
        .unwrap()
}

fn stored(path: &Path) -> Vec<Entry> {
    entries::stored(&*nnz::open(location(path)).and_then(nnz::Dataset::into_matrix).unwrap())
        .unwrap()
}

/// Writes a text, converts it to each target that supports a triangle, and returns the structure
/// that was found.
#[track_caller]
fn found(text: &str) -> Structure {
    let directory = tempfile::tempdir().unwrap();
    let (source, target) = (directory.path().join("a.mtx"), directory.path().join("b.bsp.h5"));
    fs::write(&source, text).unwrap();
    let to = |format| auto().format(format);
    convert(&source, &target, &to("binsparse"));
    assert_eq!(logical(&target), logical(&source));
    // Without the policy, no structure is searched for.
    let plain = directory.path().join("plain.h5");
    let keep = unsynced().format("binsparse");
    convert(&source, &plain, &keep);
    assert_eq!(structure(&plain), Structure::General);
    // Also from a store with sorted entries, and to text.
    let again = directory.path().join("again.h5");
    convert(&plain, &again, &to("binsparse"));
    assert_eq!(stored(&again), stored(&target));
    let written = directory.path().join("again.mtx");
    convert(&plain, &written, &to("mtx"));
    assert_eq!(structure(&written), structure(&target));
    assert_eq!(logical(&written), logical(&source));
    structure(&target)
}

#[track_caller]
fn of(field: &str, side: u64, lines: &[&str]) -> Structure {
    let lines: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
    found(&text(field, side, &lines))
}

#[test]
fn only_exact_structures_are_found() {
    assert_eq!(of("real", 3, &["1 1 2.5", "2 1 -1", "1 2 -1", "3 2 nan", "2 3 nan"]), SYMMETRIC);
    assert_eq!(of("integer", 3, &["2 1 -1", "1 2 1", "3 1 7", "1 3 -7"]), SKEW);
    let hermitian = ["1 1 4 0", "2 1 1 2", "1 2 1 -2"];
    assert_eq!(of("complex", 2, &hermitian), HERMITIAN);
    assert_eq!(of("pattern", 3, &["2 1", "1 2", "3 3"]), SYMMETRIC);

    let general = Structure::General;
    // Different in one bit, in one position, or with an entry without a counterpart.
    assert_eq!(of("real", 2, &["2 1 1.0000000000000002", "1 2 1"]), general);
    assert_eq!(of("integer", 3, &["2 1 4", "1 3 4"]), general);
    assert_eq!(of("integer", 3, &["2 1 4", "1 2 4", "3 2 1"]), general);
    assert_eq!(of("integer", 3, &["2 1 4", "1 2 4", "2 3 1"]), general);
    // Entries on the diagonal that a skew-symmetric or Hermitian matrix does not have.
    assert_eq!(of("integer", 2, &["2 1 4", "1 2 -4", "2 2 1"]), general);
    assert_eq!(of("complex", 2, &["2 1 1 2", "1 2 1 -2", "2 2 0 1"]), general);
}

#[test]
fn stored_zeros_are_kept() {
    let general = Structure::General;
    assert_eq!(of("real", 2, &["2 1 0", "1 2 0"]), SYMMETRIC);
    assert_eq!(of("real", 2, &["2 1 -0.0", "1 2 -0.0"]), SYMMETRIC);
    assert_eq!(of("real", 2, &["2 1 0", "1 2 -0.0"]), SKEW);
    assert_eq!(of("real", 2, &["2 1 0"]), general);
    assert_eq!(of("real", 2, &["1 2 0"]), general);
    // The negated counterpart of a zero is a negative zero.
    assert_eq!(of("real", 3, &["2 1 0", "1 2 -0.0", "3 1 5", "1 3 -5"]), SKEW);
    assert_eq!(of("real", 3, &["2 1 0", "1 2 0", "3 1 5", "1 3 -5"]), general);
}

#[test]
fn rectangular_matrices_have_no_structure() {
    let text = "%%MatrixMarket matrix coordinate integer general\n2 3 2\n2 1 4\n1 2 4\n";
    assert_eq!(found(text), Structure::General);
}

#[test]
fn matrices_with_duplicates_have_no_structure() {
    let directory = tempfile::tempdir().unwrap();
    let (source, target) = (directory.path().join("a.mtx"), directory.path().join("b.h5"));
    let lines = ["2 1 4", "2 1 5", "1 2 4", "1 2 5"].map(str::to_owned);
    fs::write(&source, text("integer", 2, &lines)).unwrap();
    let sum = DuplicatePolicy::Sum;
    let options = auto()
        .format("binsparse")
        .duplicates(sum)
        .format_options(FormatOptions::new().with("minimize", "true"));
    convert(&source, &target, &options);
    assert_eq!(structure(&target), Structure::General);
    assert_eq!(stored(&target).len(), 2);
}

#[test]
fn all_elements_of_an_array_are_compared() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    for (elements, expected) in [
        ("0 1 0 1 5 2 0 2 0", SYMMETRIC),
        ("0 1 0 -1 0 2 0 -2 0", SKEW),
        ("0 1 0 1 5 2 0 3 0", Structure::General),
    ] {
        let banner = "%%MatrixMarket matrix array integer general\n3 3\n";
        fs::write(at("a.mtx"), format!("{banner}{}\n", elements.replace(' ', "\n"))).unwrap();
        // To an array, and to coordinates.
        for (target, format) in [("b.mtx", "mtx"), ("b.h5", "binsparse")] {
            let mut options = auto().format(format);
            if format == "binsparse" {
                options.format_options.set("levels", "CSR");
            }
            convert(&at("a.mtx"), &at(target), &options);
            assert_eq!(structure(&at(target)), expected, "{elements} in {target}");
            assert_eq!(logical(&at(target)), logical(&at("a.mtx")), "{elements} in {target}");
        }
    }
}

#[test]
fn unsigned_matrices_are_not_skew_symmetric() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let lines = ["2 1 4", "1 2 -4"].map(str::to_owned);
    fs::write(at("a.mtx"), text("integer", 2, &lines)).unwrap();
    let options = auto().format("binsparse").value_type(ValueType::U32);
    // The upper triangle does not fit, although it would not be stored.
    let done = nnz::convert(
        location(&at("a.mtx")),
        location(&at("b.h5")),
        &options,
        &crate::common::sparing(),
    );
    done.unwrap_err();
    assert!(!at("b.h5").exists());
}

#[test]
fn unsigned_types_are_refused_for_skew_symmetric_matrices() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let to = |source: &str, target: &str, value_type| {
        let options = unsynced().format("binsparse").value_type(value_type).transpose(true);
        nnz::convert(
            location(&at(source)),
            location(&at(target)),
            &options,
            &crate::common::sparing(),
        )
    };
    let banner = "%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 ";
    fs::write(at("a.mtx"), format!("{banner}1\n3 1 -4\n")).unwrap();
    // All values above the diagonal are positive.
    to("a.mtx", "b.bsp.npz", None).unwrap();
    let error = to("b.bsp.npz", "c.bsp.npz", Some(ValueType::U64)).unwrap_err().to_string();
    assert!(error.contains("which uint64 does not support"), "{error}");
    assert!(!at("c.bsp.npz").exists());
    to("b.bsp.npz", "c.bsp.npz", Some(ValueType::I8)).unwrap();
    fs::write(at("a.mtx"), format!("{banner}0\n")).unwrap();
    to("a.mtx", "d.bsp.npz", Some(ValueType::U64)).unwrap();
}

#[test]
fn values_get_the_smallest_type() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let minimized = |text: &str, structure| {
        fs::write(at("a.mtx"), text).unwrap();
        let format_options = FormatOptions::new().with("minimize", "true");
        convert(
            &at("a.mtx"),
            &at("b.h5"),
            &auto().format("binsparse").format_options(format_options).structure(structure),
        );
        assert_eq!(logical(&at("b.h5")), logical(&at("a.mtx")));
        nnz::open(location(&at("b.h5")))
            .and_then(nnz::Dataset::into_matrix)
            .unwrap()
            .header()
            .value_type
    };
    let keep = StructurePolicy::Keep;
    let of = |field, values: &[&str]| {
        let line = |(at, value): (usize, &&str)| format!("{} 1 {value}", at + 1);
        let lines: Vec<_> = values.iter().enumerate().map(line).collect();
        minimized(&text(field, 9, &lines), keep)
    };
    assert_eq!(of("integer", &["0", "255"]), ValueType::U8);
    assert_eq!(of("integer", &["-1", "127"]), ValueType::I8);
    assert_eq!(of("integer", &["-1", "128"]), ValueType::I16);
    assert_eq!(of("integer", &["9223372036854775807"]), ValueType::I64);
    assert_eq!(of("real", &["0.5", "-0.0", "inf"]), ValueType::F32);
    assert_eq!(of("real", &["0.5", "0.1"]), ValueType::F64);
    assert_eq!(of("complex", &["0.5 1e-3"]), ValueType::ComplexF64);
    assert_eq!(of("complex", &["0.5 0.25"]), ValueType::ComplexF32);
    // The other triangle counts as well, even if it is not stored.
    let skew = "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 128\n";
    assert_eq!(minimized(skew, keep), ValueType::I16);
    assert_eq!(minimized(skew, StructurePolicy::General), ValueType::I16);
}

/// The real and imaginary parts of elements. Zeros have signs: the counterpart of 0 in a skew-symmetric
/// matrix is -0, so a matrix with 0 in both positions is not skew-symmetric.
type Elements = BTreeMap<(u64, u64), (f64, f64)>;

/// Elements on one side of the diagonal, and how those on the other follow.
fn mirrored() -> impl Strategy<Value = (Structure, Elements)> {
    let structures = prop::sample::select(vec![SYMMETRIC, SKEW, HERMITIAN]);
    let element = (-9_i8..9, 1..99_i8).prop_map(|(re, im)| (f64::from(re), f64::from(im)));
    (structures, prop::collection::btree_map((1..40_u64, 1..40_u64), element, 1..200))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn mirrored_matrices_are_found_and_changed_ones_are_not(
        (wanted, elements) in mirrored(),
        changed in any::<prop::sample::Index>(),
    ) {
        let mut all: Elements = BTreeMap::new();
        for (&(a, b), &(re, im)) in &elements {
            let (row, col) = (a.max(b), a.min(b));
            if row == col {
                if wanted != SKEW {
                    all.insert((row, row), (re, 0.0));
                }
                continue;
            }
            all.insert((row, col), (re, im));
            let across = match wanted {
                SKEW => (-re, -im),
                HERMITIAN => (re, -im),
                _ => (re, im),
            };
            all.insert((col, row), across);
        }
        let print = |all: &Elements| {
            let line = |((row, col), (re, im)): (&(u64, u64), &(f64, f64))| {
                format!("{row} {col} {re} {im}")
            };
            text("complex", 40, &all.iter().map(line).collect::<Vec<_>>())
        };
        let off: Vec<_> = all.keys().copied().filter(|(row, col)| row != col).collect();
        let expected = if off.is_empty() { SYMMETRIC } else { wanted };
        prop_assert_eq!(found(&print(&all)), expected);
        if !off.is_empty() {
            let place = off[changed.index(off.len())];
            all.entry(place).and_modify(|(_, im)| *im += 100.0);
            prop_assert_eq!(found(&print(&all)), Structure::General);
        }
    }
}
