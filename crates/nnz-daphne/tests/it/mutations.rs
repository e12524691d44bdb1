//! Damaged files give an error or an object, without panics, hangs or excessive memory.

use std::path::Path;

use nnz_core::{Batch, MatrixSource as _, Order, Projection, Values};
use nnz_daphne::{
    DataType, Dialect, FrameBatch, FrameSource, MatrixSource, ReadOptions, data_type, looks_like,
    validate,
};
use nnz_testing::random::Random;
use nnz_testing::{allocations, watchdog};

use crate::common;

/// Memory that is allowed for any file.
const SLACK: u64 = 64 << 20;

/// Numbers at the limits of types.
const WORST: [u64; 10] =
    [0, 1, 128, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, 1 << 53, 1 << 63, u64::MAX];

fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    // The first hundred bytes determine the meaning of the others.
    let near = random.below(bytes.len().min(100));
    let at = if random.below(3) > 0 { near } else { random.below(bytes.len()) };
    let worst = WORST[random.below(WORST.len())].to_le_bytes();
    match random.below(7) {
        0 | 1 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        2 if at < bytes.len() => bytes[at] = random.below(13) as u8,
        3 | 4 => {
            let len = if random.below(2) == 0 { 4 } else { 8 }.min(bytes.len() - at);
            bytes[at..at + len].copy_from_slice(&worst[..len]);
        }
        5 => bytes.truncate(at),
        _ => {
            let more = [1, 8, 25, 26, 4096][random.below(5)];
            bytes.resize(bytes.len() + more, if random.below(2) == 0 { 0 } else { 1 });
        }
    }
}

/// Uses a file in every way, up to a few batches each.
fn use_file(path: &Path, dialect: Option<Dialect>) -> bool {
    let options = ReadOptions { dialect };
    let mut faults = 0;
    validate(path, &options, None, &mut |finding| {
        faults += u64::from(finding.severity == nnz_core::Severity::Fault);
    })
    .unwrap();
    let read = || -> nnz_core::Result<()> {
        if data_type(path)? == DataType::Frame {
            let frame = FrameSource::open(path, &options)?;
            let mut reader = frame.batches(0..frame.rows())?;
            let mut batch = FrameBatch::default();
            for _ in 0..8 {
                if !reader.next_batch(&mut batch)? {
                    break;
                }
            }
            return Ok(());
        }
        let matrix = MatrixSource::open(path, &options)?;
        let header = matrix.header();
        matrix.about()?;
        let rows = header.shape.rows;
        for range in [0..rows, rows / 2..rows] {
            let mut reader = matrix.batches(range, Projection::ALL)?;
            let mut batch = Batch::new(Order::Row, Values::new(header.value_type));
            for _ in 0..8 {
                if !reader.next_batch(&mut batch)? {
                    break;
                }
                assert_eq!(batch.values.len(), Some(batch.entries()));
                batch.try_for_each(|_, row, col| {
                    assert!(row < rows && col < header.shape.cols);
                    Ok::<(), nnz_core::Error>(())
                })?;
            }
        }
        matrix.locate(0, 0).map(drop)
    };
    let came = read().is_ok();
    came || faults > 0
}

#[test]
fn damaged_files_never_panic_or_exhaust_memory() {
    let rounds = nnz_testing::mutations::rounds();
    let folder = tempfile::tempdir().unwrap();
    let slot = watchdog::slot();
    let path = folder.path().join("x.dbdf");
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
    for golden in common::golden() {
        let whole = golden.bytes();
        let some = if whole.len() > 1 << 20 { rounds.div_ceil(10) } else { rounds };
        for round in 0..some + 1 {
            let mut bytes = whole.clone();
            for _ in 0..round.min(2) {
                damage(&mut bytes, &mut random);
            }
            std::fs::write(&path, &bytes).unwrap();
            slot.begin(&format!("{}#{round}", golden.file));
            let before = allocations::start();
            let _ = looks_like(&bytes[..bytes.len().min(64)], bytes.len() as u64);
            for dialect in [None, Some(golden.dialect)] {
                // Errors must be found by validation, except those that only reading shows.
                use_file(&path, dialect);
            }
            let (peak, _) = allocations::since(&before);
            slot.end();
            assert!(peak < SLACK + 8 * bytes.len() as u64, "{}#{round}: {peak}", golden.file);
        }
    }
}

#[test]
fn unreadable_files_have_a_fault() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.dbdf");
    let mut random = Random::new(7);
    for golden in common::golden().into_iter().filter(|g| g.bytes().len() < 10_000) {
        for _ in 0..10 {
            let mut bytes = golden.bytes();
            damage(&mut bytes, &mut random);
            std::fs::write(&path, &bytes).unwrap();
            assert!(use_file(&path, None), "{}: {bytes:02x?}", golden.file);
        }
    }
}
