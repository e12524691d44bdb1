//! Of dense matrices in chunks, only the chunks with selected rows and columns are read.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use nnz::engine::Slice;
use nnz::formats::Registry;
use nnz::output::CellAxis;
use nnz::storage::{CountingStorage, LocalStorage, Request};
use nnz::{
    ConvertOptions, CsMatrix, Dataset, Location, MatrixSource, NoProgress, OpenOptions, Order,
    Selection, Shape,
};
use nnz_testing::random::Random;

/// Five rows of seven chunks of 64 x 64.
const ROWS: u64 = 320;
const COLS: u64 = 448;

/// The smallest read of a chunk: random numbers are not compressed. Metadata is read in smaller pieces.
const CHUNK: u64 = 16 << 10;

/// Writes numbers as a dense matrix, which Loom always is, and AnnData if its source is.
fn write(folder: &Path, numbers: &[f64]) -> [std::path::PathBuf; 3] {
    let rows: Vec<u64> = (0..=ROWS).map(|row| row * COLS).collect();
    let cols: Vec<u32> = (0..ROWS * COLS).map(|at| (at % COLS) as u32).collect();
    let shape = Shape { rows: ROWS, cols: COLS };
    let matrix = CsMatrix::from_parts(shape, Order::Row, rows, cols, numbers.to_vec()).unwrap();
    let paths = ["m.loom", "m.h5ad", "m.zarr"].map(|name| folder.join(name));
    let place = nnz::Place::default();
    let source = matrix.into_source().unwrap();
    let options = ConvertOptions::default();
    nnz::convert_source(&*source, &place, Location::parse(&paths[0]), &options, &NoProgress)
        .unwrap();
    for path in &paths[1..] {
        // Features stay rows.
        let mut options = ConvertOptions::default().format(Some("anndata"));
        // Of a compressed chunk, all is read.
        options.compress = Some(nnz::Compression::Gzip(1));
        options.cell_axis = CellAxis::AsIs;
        let dense = open(&paths[0], &CountingStorage::new(Arc::new(LocalStorage)));
        nnz::convert_source(&*dense, &place, Location::parse(path), &options, &NoProgress).unwrap();
    }
    paths
}

fn open(path: &Path, storage: &CountingStorage) -> Box<dyn MatrixSource> {
    let options = OpenOptions::new().storage(Arc::new(storage.clone()));
    let found = Registry::default().detect(&Location::parse(path), &options).unwrap();
    match found.open(&options).unwrap() {
        Dataset::Matrix(matrix) => matrix,
        _ => panic!("no matrix"),
    }
}

/// Returns the selected numbers, by row, and how many chunks were read.
fn select(path: &Path, rows: &[Range<u64>], cols: &[Range<u64>]) -> (Vec<f64>, usize) {
    let storage = CountingStorage::new(Arc::new(LocalStorage));
    let matrix = open(path, &storage);
    let [row_ranges, col_ranges] =
        [rows, cols].map(|ranges| Selection::ranges(ranges.iter().cloned()));
    let slice = Slice::new(matrix, nnz::Place::default(), &row_ranges, &col_ranges).unwrap();
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

/// Returns a function that counts the chunks with selected elements.
fn chunks_of(path: &Path) -> impl Fn(&[Range<u64>], &[Range<u64>]) -> usize {
    let root = nnz::container::tree::open(path, "").unwrap();
    let name = if root.child("X").unwrap().is_some() { "X" } else { "matrix" };
    let chunk = root.array(name).unwrap().storage().chunk_shape.unwrap();
    let touched = |ranges: &[Range<u64>], by: u64| {
        let all = ranges.iter().cloned().flatten().map(|at| at / by);
        all.collect::<std::collections::BTreeSet<u64>>().len()
    };
    move |rows, cols| touched(rows, chunk[0]) * touched(cols, chunk[1])
}

#[test]
fn one_gene_of_dense_chunks_reads_only_its_chunks() {
    let mut random = Random::new(7);
    let numbers: Vec<f64> = (0..ROWS * COLS).map(|_| (random.next() >> 11) as f64 / 3.0).collect();
    let folder = tempfile::tempdir().unwrap();
    for path in write(folder.path(), &numbers) {
        let in_chunks = chunks_of(&path);
        let check = |rows: &[Range<u64>], cols: &[Range<u64>], of_loom: usize| {
            let (found, read) = select(&path, rows, cols);
            let mut expected = Vec::new();
            for row in rows.iter().cloned().flatten() {
                let at = |col| numbers[(row * COLS + col) as usize];
                expected.extend(cols.iter().cloned().flatten().map(at));
            }
            assert_eq!(found, expected, "{}: {rows:?}, {cols:?}", path.display());
            let chunks = in_chunks(rows, cols);
            assert_eq!(read, chunks, "{}: {rows:?}, {cols:?}", path.display());
            if path.extension().is_some_and(|extension| extension == "loom") {
                assert_eq!(chunks, of_loom, "{rows:?}, {cols:?}");
            }
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
