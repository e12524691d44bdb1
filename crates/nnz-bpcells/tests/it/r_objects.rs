//! Objects saved by BPCells in R are read exactly and written as the same bytes.

use std::fs;
use std::path::{Path, PathBuf};

use nnz_bpcells::{
    FormatVersion, FragmentSource, MatrixSource, Packing, RObject, RObjectOptions, RObjectWriter,
    SinkOptions,
};
use nnz_container::NamedArraysWriter;
use nnz_container::rds::{Limits, Rds, RdsOptions, Version};
use nnz_container::tree::Group as _;
use nnz_core::{
    Axis, Batch, MatrixSink as _, MatrixSource as _, Order, Projection, Result, ValueType, Values,
};
use nnz_storage::staging::WriteOptions;
use nnz_testing::random::Random;

use crate::common::{all_entries, open, testdata};

fn force() -> WriteOptions {
    WriteOptions::default().overwrite(true).sync(false)
}

fn object(path: &Path) -> Result<RObject> {
    RObject::open(Rds::open(path, Limits::default())?)
}

fn matrix(path: &Path) -> Result<MatrixSource> {
    MatrixSource::open(nnz_container::NamedArrays::new(object(path)?))
}

fn files(directory: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(testdata().join(directory)).unwrap();
    let mut all: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

/// The files whose objects contain data.
fn matrices() -> Vec<PathBuf> {
    let mut all = files("matrix_rds");
    all.retain(|path| !["MatrixDir", "lazy"].iter().any(|no| name(path).contains(no)));
    assert!(all.len() >= 48, "{}", all.len());
    all
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

/// Returns the directory with the same matrix.
fn directory_of(path: &Path) -> Option<PathBuf> {
    let name = name(path);
    let name = name.trim_end_matches(".rds").trim_end_matches(".list");
    let name = name.trim_end_matches(".uncompressed_rds");
    Some(testdata().join("matrix_dir").join(name)).filter(|path| path.exists())
}

fn inflated(path: &Path) -> Vec<u8> {
    use std::io::Read as _;
    let bytes = fs::read(path).unwrap();
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return bytes;
    }
    let mut all = Vec::new();
    flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut all).unwrap();
    all
}

/// The names of both axes.
fn names(matrix: &MatrixSource) -> [Option<nnz_core::StringList>; 2] {
    [Axis::Rows, Axis::Cols].map(|axis| matrix.names(axis).unwrap())
}

#[test]
fn every_object_equals_its_directory() {
    let mut compared = 0;
    for path in matrices() {
        let found = matrix(&path).unwrap();
        let Some(directory_of) = directory_of(&path) else { continue };
        let expected = open(&directory_of).unwrap();
        assert_eq!(found.version(), expected.version(), "{}", path.display());
        assert_eq!(found.header(), expected.header(), "{}", path.display());
        assert_eq!(names(&found), names(&expected), "{}", path.display());
        assert_eq!(all_entries(&found).unwrap(), all_entries(&expected).unwrap());
        found.about().unwrap();
        compared += 1;
    }
    assert!(compared >= 40, "{compared}");
}

fn write(from: &MatrixSource, to: &Path, options: RObjectOptions) -> Result<()> {
    let header = from.header();
    let names = [Axis::Rows, Axis::Cols].map(|axis| from.read_names(axis).unwrap());
    let writer = NamedArraysWriter::new(RObjectWriter::create(to, force(), options)?);
    let version = from.version();
    let sink = SinkOptions { packing: version.packing, format_version: version.format_version };
    let mut sink = nnz_bpcells::MatrixSink::create(writer, header, names, sink)?;
    let mut batch = Batch::new(header.order, Values::new(header.value_type));
    let mut reader = from.batches(0..header.shape.major(header.order), Projection::ALL)?;
    while reader.next_batch(&mut batch)? {
        sink.write(&batch)?;
    }
    Box::new(sink).finish().map(drop)
}

/// Removes the UTF-8 flag from all strings.
fn without_utf8_flag(bytes: &[u8]) -> Vec<u8> {
    let mut all = bytes.to_vec();
    for at in 0..all.len() - 4 {
        if all[at..].starts_with(&[0, 0, 0x80, 9]) {
            all[at + 2] = 0;
        }
    }
    all
}

#[test]
fn written_objects_equal_those_of_bpcells() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("out.rds");
    for (number, path) in matrices().into_iter().enumerate() {
        let list = name(&path).contains(".list.");
        let rds = RdsOptions { gzip: (number % 2 == 0).then_some(6), version: Version::V3 };
        write(&matrix(&path).unwrap(), &target, RObjectOptions { list, rds }).unwrap();
        let (mut found, expected) = (inflated(&target), inflated(&path));
        // Bytes 6 to 10 are the version of R that wrote the file.
        found[6..10].copy_from_slice(&expected[6..10]);
        if name(&path).starts_with("utf8names") {
            // BPCells does not flag its names as UTF-8, so R reads them as UTF-8 only in a UTF-8
            // session; this crate flags them.
            found = without_utf8_flag(&found);
        }
        assert!(found == expected, "{}", path.display());
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn fragments_are_read() {
    let mut opened = 0;
    for path in files("fragments_rds") {
        let found = object(&path).unwrap();
        assert!(found.version().contains("-fragments-"));
        let source = FragmentSource::open(nnz_container::NamedArrays::new(found));
        source.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        opened += 1;
    }
    assert!(opened >= 15, "{opened}");
}

#[test]
fn objects_without_data_name_its_path() {
    for (file, class) in [
        ("basic_uint.MatrixDir_reference.rds", "MatrixDir"),
        ("basic_uint.lazy_subset.rds", "MatrixSubset"),
    ] {
        let error = object(&testdata().join("matrix_rds").join(file)).err().unwrap().to_string();
        assert!(error.contains(class), "{error}");
        assert!(error.contains("matrix_dir/basic_uint.packed.col"), "{error}");
    }
    let other = testdata().join("../rds/dgC.rds");
    let error = object(&other).err().unwrap().to_string();
    assert!(error.contains("class dgCMatrix, which is not read"), "{error}");
}

/// Writes a matrix of one entry with these values in `idxptr`.
fn with_pointers(path: &Path, pointers: &[f64]) -> Result<MatrixSource> {
    let rds = RdsOptions::default();
    let rds = nnz_container::rds::RdsWriter::create(path, force(), rds).unwrap();
    let mut rds = NamedArraysWriter::new(rds);
    rds.set_attribute("version", "unpacked-uint-matrix-v2").unwrap();
    let mut numbers = |name: &str, value_type, bytes: &[u8]| {
        let id = rds.create_array(name, value_type).unwrap();
        rds.append_bytes(id, bytes).unwrap();
    };
    numbers("shape", ValueType::U32, &[1, 0, 0, 0, 1, 0, 0, 0]);
    numbers("index", ValueType::U32, &[0; 4]);
    numbers("val", ValueType::U32, &[1, 0, 0, 0]);
    let bytes: Vec<u8> = pointers.iter().flat_map(|pointer| pointer.to_ne_bytes()).collect();
    numbers("idxptr", ValueType::F64, &bytes);
    for axis in ["row_names", "col_names"] {
        rds.write_strings(axis, &mut std::iter::empty()).unwrap();
    }
    rds.write_strings("storage_order", &mut std::iter::once(&b"col"[..])).unwrap();
    rds.finish().unwrap();
    matrix(path)
}

#[test]
fn pointers_that_are_not_whole_numbers_are_errors() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.rds");
    assert_eq!(all_entries(&with_pointers(&path, &[0.0, 1.0]).unwrap()).unwrap().len(), 1);
    let na = f64::from_bits(0x7ff0_0000_0000_07a2);
    for bad in [-1.0, 0.5, na, f64::INFINITY, 1e17, -0.0] {
        let error = with_pointers(&path, &[0.0, bad]).err().unwrap().to_string();
        assert!(error.contains("idxptr, element 1"), "{error}");
        assert!(error.contains("a whole number from 0 to 2^53"), "{error}");
    }
}

#[test]
fn version_1_has_no_class_of_r() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.rds");
    let writer = RObjectWriter::create(&path, force(), RObjectOptions::default()).unwrap();
    let mut writer = NamedArraysWriter::new(writer);
    let error = writer.set_attribute("version", "packed-uint-matrix-v1").unwrap_err().to_string();
    assert!(error.contains("no R class of BPCells"), "{error}");
    drop(writer);
    let from = matrix(&testdata().join("matrix_rds/basic_uint.packed.row.rds")).unwrap();
    assert_eq!(from.header().order, Order::Row);
    let version = SinkOptions { packing: Packing::Packed, format_version: FormatVersion::V1 };
    let options = RObjectOptions { list: true, ..RObjectOptions::default() };
    let writer = NamedArraysWriter::new(RObjectWriter::create(&path, force(), options).unwrap());
    let names = [None, None];
    let sink = nnz_bpcells::MatrixSink::create(writer, from.header(), names, version).unwrap();
    Box::new(sink).finish().unwrap();
    assert_eq!(matrix(&path).unwrap().version().format_version, FormatVersion::V1);
}

#[test]
fn members_equal_those_of_a_directory() {
    let path = testdata().join("matrix_rds/basic_uint.packed.col.rds");
    let directory = testdata().join("matrix_dir/basic_uint.packed.col");
    let directory = nnz_container::directory::Directory::open(&directory).unwrap();
    assert_eq!(object(&path).unwrap().member_names().unwrap(), directory.member_names().unwrap());
    let mut faults = Vec::new();
    let validated = nnz_bpcells::validate(
        &|| Ok(nnz_container::NamedArrays::new(object(&path)?)),
        &mut |finding| faults.push(format!("{finding:?}")),
    );
    validated.unwrap();
    assert_eq!(faults, [""; 0]);
}

#[test]
fn mutated_objects_never_panic() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("m.rds");
    let limits = Limits { memory: 16 << 20 };
    let mut random = Random::new(1);
    let (mut read, mut refused) = (0, 0);
    for path in matrices() {
        let plain = inflated(&path);
        for round in 0..12 {
            let mut mutated = plain.clone();
            let at = random.below(if round % 2 == 0 { mutated.len() } else { 400 });
            mutated[at] = *random.pick(&[0, 0xff, 0x7f, 0x80, 1, 2]);
            fs::write(&target, &mutated).unwrap();
            let seen = Rds::open(&target, limits)
                .and_then(RObject::open)
                .and_then(|object| MatrixSource::open(nnz_container::NamedArrays::new(object)))
                .and_then(|matrix| {
                    matrix.names(Axis::Rows)?;
                    matrix.names(Axis::Cols)?;
                    all_entries(&matrix)
                });
            match seen {
                Ok(_) => read += 1,
                Err(_) => refused += 1,
            }
        }
    }
    assert!(read > 50 && refused > 50, "{read} read, {refused} refused");
}
