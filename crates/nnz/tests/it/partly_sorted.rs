//! Files of which only the beginning is sorted.

use nnz::Context;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use nnz::{ConvertOptions, DiffOptions, Location};

fn at(path: &Path) -> Location {
    Location::Path { path: path.to_path_buf(), group: None }
}

/// Writes a Matrix Market file of integers.
fn write(path: &Path, rows: usize, cols: usize, entries: &[(usize, usize)]) {
    let count = entries.len();
    let mut text = "%%MatrixMarket matrix coordinate integer general\n".to_owned();
    writeln!(text, "{rows} {cols} {count}").unwrap();
    for (row, col) in entries {
        writeln!(text, "{} {} {}", row + 1, col + 1, row * 7 + col + 1).unwrap();
    }
    fs::write(path, text).unwrap();
}

/// Converts a file, and compares the result with it.
fn convert_and_compare(path: &Path, memory: u64) {
    let dir = path.parent().unwrap();
    for (target, threads) in [("m.bpcells", 1), ("m.bpcells", 3), ("m2.mtx", 2)] {
        let target = dir.join(target);
        for overwrite in [false, true] {
            let context = Context::default().with_memory(memory).with_threads(threads);
            let options = ConvertOptions::default().overwrite(overwrite).sync(false);
            nnz::convert(at(path), at(&target), &options, &context).unwrap();
            let options = DiffOptions::default().stored(true).max_diffs(1);
            let context = Context::default().with_memory(1 << 24).with_threads(1);
            let mut differences = Vec::new();
            let each = &mut |difference| differences.push(difference);
            nnz::diff(at(path), at(&target), &options, &context, each).unwrap();
            assert_eq!(differences, []);
        }
        let removed =
            if target.is_dir() { fs::remove_dir_all(&target) } else { fs::remove_file(&target) };
        removed.unwrap();
    }
}

#[test]
fn files_sorted_only_at_the_beginning_are_converted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.mtx");
    let mut entries: Vec<_> = (0..30_000).map(|n| (n % 300, n / 300)).collect();
    // After the first 64 KiB, the columns start again.
    entries.extend((0..3_000).map(|n| (300 + n % 30, n / 30)));
    write(&path, 330, 100, &entries);
    convert_and_compare(&path, 1 << 26);
    // The same with descending rows in each column, as written by Cell Ranger.
    let mut entries: Vec<_> = (0..30_000).map(|n| (299 - n % 300, n / 300)).collect();
    entries.extend((0..3_000).map(|n| (329 - n % 30, n / 30)));
    write(&path, 330, 100, &entries);
    convert_and_compare(&path, 1 << 26);
}

#[test]
fn columns_larger_than_memory_are_sorted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.mtx");
    let entries: Vec<_> = (0..60_000).rev().map(|row| (row, 0)).collect();
    write(&path, 60_000, 1, &entries);
    convert_and_compare(&path, 1 << 18);
}

#[test]
fn files_with_descending_rows_equal_their_conversion() {
    let dir = tempfile::tempdir().unwrap();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/pbmc_10x_v3_mtx");
    let target = dir.path().join("pbmc.bpcells");
    nnz::convert(at(&example), at(&target), &ConvertOptions::default(), &Context::default())
        .unwrap();
    let mut count = 0;
    let context = Context::default().with_memory(1 << 26).with_threads(2);
    let options = DiffOptions::default().stored(false).max_diffs(10);
    nnz::diff(at(&example), at(&target), &options, &context, &mut |_| count += 1).unwrap();
    assert_eq!(count, 0);
}
