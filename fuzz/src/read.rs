//! Reading a matrix in all ways.

use nnz::{Batch, MatrixSource, Projection, Result, Values};

use crate::entries::{self, Entry};

fn empty(source: &dyn MatrixSource) -> Batch {
    let header = source.header();
    Batch::new(header.order, Values::new(header.value_type))
}

/// Reads all entries from first to last.
pub fn in_order(source: &dyn MatrixSource) -> Result<Vec<Entry>> {
    let header = source.header();
    let mut reader = source.batches(0..header.shape.major(header.order), Projection::ALL)?;
    let mut batch = empty(source);
    let mut all = Vec::new();
    while reader.next_batch(&mut batch)? {
        assert_eq!(batch.order, header.order);
        assert_eq!(batch.values.value_type(), header.value_type);
        entries::append(&batch, &mut all);
    }
    for &(row, col, _) in &all {
        assert!(row < header.shape.rows && col < header.shape.cols, "{row}, {col}");
    }
    assert!(header.nnz.is_none_or(|stored| stored == all.len() as u64));
    Ok(all)
}

/// Reads all entries in the worst order of two threads: each unit is decoded before the previous
/// one.
pub fn backwards(source: &dyn MatrixSource) -> Result<Vec<Entry>> {
    let header = source.header();
    let mut reader = source.units(0..header.shape.major(header.order), Projection::ALL)?;
    let mut units = Vec::new();
    // Errors of earlier units take precedence.
    let ended = loop {
        match reader.next_unit() {
            Ok(Some(unit)) => units.push(unit),
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    let mut decoded: Vec<Result<Batch>> = Vec::new();
    for unit in units.into_iter().rev() {
        let mut batch = empty(source);
        decoded.push(unit.decode(&mut batch).map(|()| batch));
    }
    let mut all = Vec::new();
    for batch in decoded.into_iter().rev() {
        let batch = batch?;
        reader.on_decoded(batch.entries() as u64)?;
        entries::append(&batch, &mut all);
    }
    ended?;
    reader.end()?;
    Ok(all)
}

/// Compares two results: the same entries, or the same message.
#[track_caller]
pub fn agree(one: &Result<Vec<Entry>>, other: &Result<Vec<Entry>>) {
    match (one, other) {
        (Ok(one), Ok(other)) => assert_eq!(one, other),
        (Err(one), Err(other)) => assert_eq!(one.to_string(), other.to_string()),
        _ => panic!("{one:?} against {other:?}"),
    }
}
