//! The number of entries along the axis by which a matrix is stored, from its pointers.

use nnz_core::{Batch, MatrixSource, Order, Projection, Result, Storage, Structure, Values};

/// Rows or columns of which all pointers are read.
const ALL: u64 = 1 << 20;

/// The number of entries of rows or columns, without reading entries.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Profile {
    /// Whether they are rows or columns: the storage order of the matrix.
    pub order: Order,
    /// The mean number of entries of a row or column, in bins of equal size.
    pub means: Vec<f64>,
    /// The smallest number, the median and the largest, if all are known.
    pub extremes: Option<[u64; 3]>,
}

/// Returns the number of entries of the rows or columns by which a matrix is stored, in at most `most` bins; `None` if that
/// takes more than reading pointers.
///
/// All pointers are read if there are at most about a million, otherwise those between bins.
///
/// # Errors
///
/// Fails if pointers cannot be read or are invalid.
#[expect(clippy::cast_precision_loss, reason = "means")]
pub fn profile(source: &dyn MatrixSource, most: usize) -> Result<Option<Profile>> {
    let header = source.header();
    let (order, len) = (header.order, header.shape.major(header.order));
    let is_plain = header.storage == Storage::Sparse
        && header.structure == Structure::General
        && header.ordered
        && source.random_access();
    if !is_plain || len == 0 || source.stored_before(0)?.is_none() {
        return Ok(None);
    }
    let step = len.div_ceil(most.max(1) as u64);
    let mut means = Vec::new();
    let (mut start, mut before) = (0, 0);
    while start < len {
        let end = start.saturating_add(step).min(len);
        let Some(stored) = source.stored_before(end)? else { return Ok(None) };
        means.push(stored.saturating_sub(before) as f64 / (end - start) as f64);
        (start, before) = (end, stored);
    }
    let extremes = if len <= ALL { extremes(source, len)? } else { None };
    Ok(Some(Profile { order, means, extremes }))
}

/// Reads all pointers.
fn extremes(source: &dyn MatrixSource, len: u64) -> Result<Option<[u64; 3]>> {
    let header = source.header();
    let mut counts = Vec::new();
    let mut last = None;
    let mut batch = Batch::new(header.order, Values::new(header.value_type));
    let mut batches = source.batches(0..len, Projection { minors: false, values: false })?;
    while batches.next_batch(&mut batch)? {
        for run in 0..batch.runs() {
            let (major, entries) = (batch.majors.get(run), batch.run(run).len() as u64);
            match counts.last_mut() {
                Some(count) if last == Some(major) => *count += entries,
                _ => counts.push(entries),
            }
            last = Some(major);
        }
    }
    // Rows or columns without entries may be left out.
    let missing = usize::try_from(len).unwrap_or(usize::MAX).saturating_sub(counts.len());
    counts.resize(counts.len() + missing, 0);
    counts.sort_unstable();
    let middle = counts.len().saturating_sub(1) / 2;
    let [min, median, max] = [counts.first(), counts.get(middle), counts.last()];
    Ok(min.zip(median).zip(max).map(|((min, median), max)| [*min, *median, *max]))
}
