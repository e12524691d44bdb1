//! Written files equal the files of the test data, byte for byte.

use nnz_core::MatrixSource as _;
use nnz_daphne::{BlockType, Dialect, MatrixSink, MatrixSource, Options, ReadOptions};

use crate::common;
use crate::common::{Golden, copy, golden, unsynced, valid_matrices};

fn block_type(name: &str) -> BlockType {
    match name {
        "empty" => BlockType::Empty,
        "dense" => BlockType::Dense,
        "csr" | "sparse" => BlockType::Sparse,
        "coo" | "ultra_sparse" => BlockType::UltraSparse,
        other => panic!("{other}"),
    }
}

/// Writes a matrix of the test data again, and returns the bytes of the file and of its `.meta`
/// file.
fn rewritten(golden: &Golden, options: &Options) -> (Vec<u8>, Option<Vec<u8>>) {
    let read = ReadOptions { dialect: Some(golden.dialect) };
    let source = MatrixSource::open(&golden.path(), &read).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("again.dbdf");
    let sink = MatrixSink::create(&path, source.header(), unsynced(), options).unwrap();
    let bytes = copy(&source, sink).unwrap_or_else(|error| panic!("{}: {error}", golden.file));
    let data = std::fs::read(&path).unwrap();
    let meta = std::fs::read(folder.path().join("again.dbdf.meta")).ok();
    assert_eq!(bytes, (data.len() + meta.as_ref().map_or(0, Vec::len)) as u64);
    (data, meta)
}

/// Clears the bytes that version 0.1 leaves uninitialized.
fn without_padding(mut bytes: Vec<u8>, dialect: Dialect) -> Vec<u8> {
    if dialect == Dialect::Daphne2022 {
        bytes[2..8].fill(0);
        bytes[50..53].fill(0);
    }
    bytes
}

#[test]
fn matrices_of_the_published_dialect_are_rewritten_exactly() {
    let mut count = 0;
    for golden in valid_matrices() {
        let [block] = golden.blocks.as_slice() else { continue };
        if golden.dialect != Dialect::Spec || golden.file.starts_with("multi") {
            continue;
        }
        let number = |key: &str| u32::try_from(block[key].as_u64().unwrap()).unwrap();
        let narrow =
            block["vt"].as_str().is_some_and(|vt| common::value_type(vt) != golden.value_types[0]);
        let options = Options {
            data_type: golden.data_type,
            block_type: Some(block_type(block["type"].as_str().unwrap())),
            block: narrow.then(|| (number("rows"), number("cols"))),
            narrow,
            ..Options::default()
        };
        let (data, meta) = rewritten(&golden, &options);
        assert!(data == golden.bytes(), "{}", golden.file);
        assert_eq!(meta, None);
        // With blocks of the size of the matrix it is the same file.
        if golden.shape.is_empty() {
            continue;
        }
        let tiled = Options { block: Some((number("rows"), number("cols"))), ..options };
        let (data, _) = rewritten(&golden, &tiled);
        assert!(data == golden.bytes(), "{} in blocks", golden.file);
        count += 1;
    }
    assert!(count > 70, "{count}");
}

#[test]
fn matrices_of_daphne_are_rewritten_exactly() {
    let mut count = 0;
    for golden in valid_matrices() {
        if golden.dialect == Dialect::Spec {
            continue;
        }
        let options =
            Options { dialect: golden.dialect, data_type: golden.data_type, ..Options::default() };
        let (data, meta) = rewritten(&golden, &options);
        assert!(data == without_padding(golden.bytes(), golden.dialect), "{}", golden.file);
        if let Some(name) = golden.json["meta_file"].as_str() {
            let expected = std::fs::read(common::folder().join(name)).unwrap();
            assert_eq!(
                String::from_utf8_lossy(&meta.unwrap()),
                String::from_utf8_lossy(&expected),
                "{}",
                golden.file
            );
        }
        count += 1;
    }
    assert_eq!(count, 46);
    assert_eq!(golden().len(), 228);
}
