//! Of dense matrices in chunks, only the chunks with selected rows and columns are read.

use nnz::Context;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use nnz::Compression;
use nnz::container::tree::{ArraySpec, Attribute, ElementType, NodeId, TreeWriter};
use nnz::engine::Slice;
use nnz::output::WriteOptions;
use nnz::{
    ConvertOptions, CsMatrix, Dataset, Location, MatrixSource, OpenOptions, Order, Selection, Shape,
};
use nnz_container::hdf5::{Hdf5Options, Hdf5Writer};
use nnz_container::zarr::{ZarrOptions, ZarrWriter};
use nnz_storage::{CountingStorage, LocalStorage, Request};
use nnz_testing::random::Random;

/// Five rows of seven chunks of 64 x 64.
const ROWS: u64 = 320;
const COLS: u64 = 448;

/// The smallest read of a chunk: random numbers are not compressed. Metadata is read in smaller pieces.
const CHUNK: u64 = 16 << 10;

/// Writes numbers as a dense matrix in chunks of 64 x 64.
fn write(folder: &Path, numbers: &[f64]) -> [std::path::PathBuf; 3] {
    let rows: Vec<u64> = (0..=ROWS).map(|row| row * COLS).collect();
    let cols: Vec<u32> = (0..ROWS * COLS).map(|at| (at % COLS) as u32).collect();
    let shape = Shape { rows: ROWS, cols: COLS };
    let matrix = CsMatrix::from_parts(shape, Order::Row, rows, cols, numbers.to_vec()).unwrap();
    let paths = ["m.loom", "m.h5ad", "m.zarr"].map(|name| folder.join(name));
    let source = matrix.into_source().unwrap();
    let options = ConvertOptions::default();
    nnz::convert_source(&*source, Location::parse(&paths[0]), &options, &crate::common::sparing())
        .unwrap();
    let zarr = ZarrOptions::default();
    write_anndata(
        Box::new(Hdf5Writer::create(&paths[1], "", unsynced(), Hdf5Options::default()).unwrap()),
        numbers,
    );
    write_anndata(Box::new(ZarrWriter::create(&paths[2], "", unsynced(), zarr).unwrap()), numbers);
    paths
}

fn unsynced() -> WriteOptions {
    WriteOptions::default().overwrite(false).sync(false)
}

/// Writes a dense AnnData file, as anndata does.
fn write_anndata(mut tree: Box<dyn TreeWriter>, numbers: &[f64]) {
    let encode = |tree: &mut dyn TreeWriter, node, encoding: [&str; 2]| {
        for (name, text) in ["encoding-type", "encoding-version"].iter().zip(encoding) {
            tree.set_attribute(node, name, &Attribute::of_text(text)).unwrap();
        }
    };
    encode(&mut *tree, NodeId::ROOT, ["anndata", "0.1.0"]);
    for (name, len) in [("obs", ROWS), ("var", COLS)] {
        let table = tree.create_group(NodeId::ROOT, name).unwrap();
        encode(&mut *tree, table, ["dataframe", "0.2.0"]);
        tree.set_attribute(table, "_index", &Attribute::of_text("_index")).unwrap();
        tree.set_attribute(table, "column-order", &Attribute::of_numbers::<f64>(&[])).unwrap();
        let spec = ArraySpec::new(ElementType::String, &[len]);
        let index = tree.create_array(table, "_index", &spec).unwrap();
        encode(&mut *tree, index, ["string-array", "0.2.0"]);
        tree.append_list(index, (0..len).map(|row| row.to_string())).unwrap();
        tree.finish_array(index).unwrap();
    }
    let spec = ArraySpec::new(ElementType::Number(nnz::ValueType::F64), &[ROWS, COLS]);
    // Of a compressed chunk, all is read.
    let spec = spec.chunk(&[64, 64]).compress(Compression::Gzip(1));
    let x = tree.create_array(NodeId::ROOT, "X", &spec).unwrap();
    encode(&mut *tree, x, ["array", "0.2.0"]);
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
    tree.append_bytes(x, &bytes).unwrap();
    tree.finish_array(x).unwrap();
    tree.finish().unwrap();
}

fn open(path: &Path, storage: &CountingStorage) -> Box<dyn MatrixSource> {
    let context = Context::default().with_storage(Arc::new(storage.clone()));
    let options = OpenOptions::new();
    let found = context.detect(&Location::parse(path), &options).unwrap();
    found.open(&options).and_then(Dataset::into_matrix).unwrap()
}

/// Returns the selected numbers, by row, and how many chunks were read.
fn select(path: &Path, rows: &[Range<u64>], cols: &[Range<u64>]) -> (Vec<f64>, usize) {
    let storage = CountingStorage::new(Arc::new(LocalStorage));
    let matrix = open(path, &storage);
    let [row_ranges, col_ranges] =
        [rows, cols].map(|ranges| Selection::ranges(ranges.iter().cloned()));
    let slice = Slice::new(matrix, &row_ranges, &col_ranges).unwrap();
    let _ = storage.take();
    let width = slice.header().shape.cols as usize;
    let mut found = vec![f64::NAN; slice.header().shape.rows as usize * width];
    for entry in slice.entries().unwrap() {
        let (row, col, value) = entry.unwrap();
        found[row as usize * width + col as usize] = value.to_f64().unwrap();
    }
    let requests = storage.take();
    let large = |request: &&Request| match request {
        Request::Read(_, range) => range.end - range.start >= CHUNK,
        _ => false,
    };
    (found, requests.iter().filter(large).count())
}

#[test]
fn one_gene_of_dense_chunks_reads_only_its_chunks() {
    let mut random = Random::new(7);
    let numbers: Vec<f64> = (0..ROWS * COLS).map(|_| (random.next() >> 11) as f64 / 3.0).collect();
    let folder = tempfile::tempdir().unwrap();
    for path in write(folder.path(), &numbers) {
        let check = |rows: &[Range<u64>], cols: &[Range<u64>], chunks: usize| {
            let (found, read) = select(&path, rows, cols);
            let mut expected = Vec::new();
            for row in rows.iter().cloned().flatten() {
                let at = |col| numbers[(row * COLS + col) as usize];
                expected.extend(cols.iter().cloned().flatten().map(at));
            }
            assert_eq!(found, expected, "{}: {rows:?}, {cols:?}", path.display());
            assert_eq!(read, chunks, "{}: {rows:?}, {cols:?}", path.display());
        };
        let (all_rows, all_cols) = ([0..ROWS], [0..COLS]);
        check(&all_rows, &all_cols, 35);
        // One row, two of one chunk and one of another, in any order; the same for columns.
        check(&[3..4], &all_cols, 7);
        check(&[3..4, 9..10, 200..201], &all_cols, 14);
        check(&[319..320, 70..72], &all_cols, 14);
        check(&all_rows, &[5..6], 5);
        check(&all_rows, &[447..448, 5..7, 60..61], 10);
        check(&[100..101], &[100..101, 300..302], 2);
        check(&[0..65], &[63..65], 4);
    }
}
