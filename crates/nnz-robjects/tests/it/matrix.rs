//! Matrices saved from R with the package Matrix.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use nnz_container::rds::{Limits, NA_REAL_BITS, RdsOptions};
use nnz_core::{
    Axis, Batch, MatrixSink as _, MatrixSource, Order, Projection, Result, Scalar, Storage,
    Structure, Triangle, ValueType, Values,
};
use nnz_robjects::matrix::{self, RMatrixSource};
use nnz_storage::staging::WriteOptions;
use nnz_testing::random::Random;

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/rds").join(name)
}

fn open(name: &str) -> Result<RMatrixSource> {
    matrix::open(&path(name), Limits::default())
}

/// Reads entries as (row, column) and bits. Duplicates are an error.
fn entries(matrix: &dyn MatrixSource) -> Result<BTreeMap<(u64, u64), String>> {
    let header = matrix.header();
    let mut batch = Batch::new(header.order, Values::new(header.value_type));
    let mut reader = matrix.batches(0..header.shape.major(header.order), Projection::ALL)?;
    let mut all = BTreeMap::new();
    while reader.next_batch(&mut batch)? {
        for entry in 0..batch.entries() {
            let value = match batch.values.get(entry).unwrap() {
                Scalar::F64(value) => format!("{:016x}", value.to_bits()),
                other => format!("{other:?}"),
            };
            all.insert(batch.row_col(entry), value);
        }
    }
    Ok(all)
}

/// Entries that are not zero.
fn nonzero(matrix: &dyn MatrixSource) -> BTreeMap<(u64, u64), String> {
    let mut all = entries(matrix).unwrap();
    all.retain(|_, value| value != "0000000000000000");
    all
}

fn names(matrix: &dyn MatrixSource) -> [Option<Vec<String>>; 2] {
    [Axis::Rows, Axis::Cols].map(|axis| {
        let list = matrix.names(axis).unwrap()?;
        Some(list.iter().map(|name| String::from_utf8(name.to_vec()).unwrap()).collect())
    })
}

#[test]
fn every_class_reads_the_same_matrix() {
    let first = open("dgC.rds").unwrap();
    let header = first.header();
    assert_eq!((header.shape.rows, header.shape.cols, header.nnz), (30, 20, Some(60)));
    assert_eq!(first.about().unwrap().dialect.as_deref(), Some("dgCMatrix"));
    let expected = nonzero(&first);
    assert_eq!(expected.len(), 60);
    let [rows, cols] = names(&first);
    assert_eq!(rows.as_ref().unwrap()[29], "r30");
    assert_eq!(cols.as_ref().unwrap()[0], "c1");
    for name in ["dgR", "dgT", "dge", "plain_double", "dgC_dnn"] {
        let other = open(&format!("{name}.rds")).unwrap();
        assert_eq!(nonzero(&other), expected, "{name}");
        assert_eq!(names(&other), names(&first), "{name}");
    }
    assert_eq!(open("dgR.rds").unwrap().header().order, Order::Row);
    let dense = open("dge.rds").unwrap();
    assert_eq!((dense.header().storage, dense.header().nnz), (Storage::Dense, Some(600)));
    assert!(!open("dgT.rds").unwrap().random_access());
}

#[test]
fn ranges_of_majors_equal_slices_of_all_entries() {
    for name in ["dgC.rds", "dgR.rds", "dge.rds"] {
        let matrix = open(name).unwrap();
        let header = matrix.header();
        let mut parts = BTreeMap::new();
        let mut batch = Batch::new(header.order, Values::new(header.value_type));
        let majors = header.shape.major(header.order);
        for major in 0..majors {
            let mut reader = matrix.batches(major..major + 1, Projection::ALL).unwrap();
            let mut seen = matrix.stored_before(major).unwrap().unwrap();
            while reader.next_batch(&mut batch).unwrap() {
                for entry in 0..batch.entries() {
                    let Some(Scalar::F64(value)) = batch.values.get(entry) else { panic!() };
                    parts.insert(batch.row_col(entry), format!("{:016x}", value.to_bits()));
                }
                seen += batch.entries() as u64;
            }
            assert_eq!(matrix.stored_before(major + 1).unwrap(), Some(seen));
        }
        assert_eq!(parts, entries(&matrix).unwrap(), "{name}");
        assert!(matrix.batches(0..majors + 1, Projection::ALL).is_err());
    }
}

#[test]
fn symmetric_classes_store_a_triangle() {
    for (name, triangle) in [
        ("dsC_up.rds", Triangle::Upper),
        ("dsC_lo.rds", Triangle::Lower),
        ("dsR.rds", Triangle::Lower),
        ("dsT.rds", Triangle::Upper),
        ("nsC.rds", Triangle::Upper),
    ] {
        let matrix = open(name).unwrap();
        assert_eq!(matrix.header().structure, Structure::Symmetric(triangle), "{name}");
        for (row, col) in entries(&matrix).unwrap().into_keys() {
            assert!(if triangle == Triangle::Upper { row <= col } else { row >= col }, "{name}");
        }
    }
    let upper = entries(&open("dsC_up.rds").unwrap()).unwrap();
    let lower = entries(&open("dsC_lo.rds").unwrap()).unwrap();
    let mirrored: BTreeMap<_, _> = lower.into_iter().map(|((r, c), v)| ((c, r), v)).collect();
    assert_eq!(upper, mirrored);
    assert_eq!(open("dtC.rds").unwrap().header().structure, Structure::General);
}

#[test]
fn logicals_and_patterns_are_booleans() {
    let logical = open("lgC.rds").unwrap();
    assert_eq!((logical.header().value_type, logical.header().iso), (ValueType::Bint8, false));
    let positive = nonzero(&open("dgC.rds").unwrap());
    let found = entries(&logical).unwrap();
    for (place, value) in &found {
        let expected = positive.get(place).is_some_and(|bits| bits.as_str() < "8");
        assert_eq!(value, &format!("Bint8(Bint8({}))", u8::from(expected)));
    }
    let pattern = open("ngC.rds").unwrap();
    assert!(pattern.header().iso);
    assert_eq!(entries(&pattern).unwrap().len(), 60);
    // Missing values are those of doubles.
    let missing = open("lgC_na.rds").unwrap();
    assert_eq!(missing.header().value_type, ValueType::F64);
    let values = entries(&missing).unwrap();
    let na = format!("{NA_REAL_BITS:016x}");
    let of = |wanted: &str| values.values().filter(|value| *value == wanted).count();
    let one = format!("{:016x}", 1.0_f64.to_bits());
    assert!(of(&na) > 0 && of(&one) > 0, "{values:?}");
    assert_eq!(of(&na) + of(&one) + of("0000000000000000"), values.len());
}

#[test]
fn plain_matrices_of_any_numeric_type_are_read() {
    let integers = open("plain_int.rds").unwrap();
    assert_eq!(integers.header().value_type, ValueType::I32);
    assert_eq!(entries(&integers).unwrap()[&(1, 2)], "I32(6)");
    assert_eq!(names(&integers)[0], None);
    assert_eq!(entries(&open("plain_lgl.rds").unwrap()).unwrap()[&(0, 0)], "Bint8(Bint8(0))");
    let complex = open("plain_cplx.rds").unwrap();
    assert_eq!(complex.header().value_type, ValueType::ComplexF64);
    assert_eq!(open("plain_raw.rds").unwrap().header().value_type, ValueType::U8);
    let error = open("plain_chr.rds").unwrap_err().to_string();
    assert!(error.contains("a matrix of a character vector"), "{error}");
}

#[test]
fn empty_matrices_and_duplicate_triplets_are_read() {
    let none = open("dgC_0x3.rds").unwrap();
    assert_eq!((none.header().shape.to_string().as_str(), none.header().nnz), ("0 x 3", Some(0)));
    assert!(entries(&none).unwrap().is_empty());
    assert!(entries(&open("dgC_4x0.rds").unwrap()).unwrap().is_empty());
    let repeated = open("dgT_dup.rds").unwrap();
    assert_eq!(repeated.header().nnz, Some(3));
    assert_eq!(repeated.header().duplicates, nnz_core::Duplicates::Refused);
    assert!(!repeated.header().sorted_majors);
}

#[test]
fn objects_that_are_not_matrices_are_errors() {
    for (name, what) in [
        ("closure.rds", "dim"),
        ("all.rds", "dim"),
        ("class_integer64.rds", "integer64"),
        ("class_factor.rds", "factor"),
    ] {
        let error = open(name).unwrap_err().to_string();
        assert!(error.contains(what), "{name}: {error}");
    }
}

fn write(from: &RMatrixSource, to: &Path) -> Result<()> {
    let header = from.header();
    let names = [Axis::Rows, Axis::Cols].map(|axis| from.read_names(axis).unwrap());
    let write = WriteOptions::default().overwrite(true).sync(false);
    let mut sink = matrix::create(to, header, names, write, RdsOptions::default())?;
    let mut batch = Batch::new(header.order, Values::new(header.value_type));
    let mut reader = from.batches(0..header.shape.major(header.order), Projection::ALL)?;
    while reader.next_batch(&mut batch)? {
        sink.write(&batch)?;
    }
    Box::new(sink).finish().map(drop)
}

#[test]
fn written_files_equal_those_of_r() {
    use std::io::Read as _;
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("m.rds");
    let inflate = |path: &Path| {
        let mut all = Vec::new();
        let bytes = fs::read(path).unwrap();
        flate2::read::GzDecoder::new(&bytes[..]).read_to_end(&mut all).unwrap();
        all
    };
    for name in ["dgC.rds", "dgC_0x3.rds", "dgC_4x0.rds"] {
        write(&open(name).unwrap(), &target).unwrap();
        let (mut found, expected) = (inflate(&target), inflate(&path(name)));
        found[6..10].copy_from_slice(&expected[6..10]);
        assert!(found == expected, "{name}");
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn too_many_entries_for_r_are_an_error_before_writing() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("m.rds");
    let mut header = open("dgC.rds").unwrap().header().clone();
    header.nnz = Some(1 << 31);
    let write = WriteOptions::default().overwrite(false).sync(false);
    let made = matrix::create(&target, &header, [None, None], write.clone(), RdsOptions::default());
    let error = made.err().unwrap().to_string();
    assert!(error.contains("2147483648 entries") && error.contains("BPCells"), "{error}");
    header.nnz = None;
    header.shape.rows = 1 << 31;
    assert!(matrix::create(&target, &header, [None, None], write, RdsOptions::default()).is_err());
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn mutated_matrices_never_panic() {
    use std::io::Read as _;
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("m.rds");
    let limits = Limits { memory: 16 << 20 };
    let mut random = Random::new(1);
    let (mut read, mut refused) = (0, 0);
    for name in ["dgC", "dgR", "dgT", "dge", "lgC", "ngC", "dsC_up", "plain_int", "dgT_dup"] {
        let bytes = fs::read(path(&format!("{name}.rds"))).unwrap();
        let mut plain = Vec::new();
        flate2::read::GzDecoder::new(&bytes[..]).read_to_end(&mut plain).unwrap();
        for _ in 0..60 {
            let mut mutated = plain.clone();
            let at = random.below(mutated.len());
            mutated[at] = *random.pick(&[0, 0xff, 0x7f, 0x80, 1, 2]);
            fs::write(&target, &mutated).unwrap();
            let seen = matrix::open(&target, limits).and_then(|matrix| {
                for axis in [Axis::Rows, Axis::Cols] {
                    matrix.names(axis)?;
                }
                let header = matrix.header();
                let places = entries(&matrix)?;
                assert!(
                    places.keys().all(|(r, c)| *r < header.shape.rows && *c < header.shape.cols)
                );
                Ok(())
            });
            match seen {
                Ok(()) => read += 1,
                Err(_) => refused += 1,
            }
        }
    }
    assert!(read > 50 && refused > 50, "{read} read, {refused} refused");
}
