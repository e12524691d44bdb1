//! Sorting entries by their coordinates.

use std::cmp::Ordering;

use nnz_core::{Error, ErrorKind, Place, Result};

/// Returns the indices of the entries, sorted by their coordinates, first column first.
pub(super) fn sorted(columns: &[&[u64]], len: usize, extents: &[u64]) -> Result<Vec<usize>> {
    for (dimension, (column, &extent)) in columns.iter().zip(extents).enumerate() {
        if let Some(&index) = column.iter().find(|&&index| index >= extent) {
            let found = format!("the index {index} along dimension {dimension}");
            return Err(Error::mismatch(Place::default(), found, format!("less than {extent}")));
        }
    }
    let compare = |&a: &usize, &b: &usize| {
        let each = columns.iter().map(|column| column[a].cmp(&column[b]));
        each.fold(Ordering::Equal, Ordering::then)
    };
    let mut order: Vec<usize> = (0..len).collect();
    if !order.is_sorted_by(|a, b| compare(a, b).is_lt()) {
        order.sort_unstable_by(compare);
    }
    if let Some(pair) = order.windows(2).find(|pair| compare(&pair[0], &pair[1]).is_eq()) {
        let at: Vec<u64> = columns.iter().map(|column| column[pair[0]]).collect();
        let place = Place::default().with_array(format!("the entry at {at:?}"));
        return Err(Error::new(ErrorKind::Duplicate { other: None }, place));
    }
    if columns.is_empty() && len > 1 {
        let kind = ErrorKind::Duplicate { other: None };
        return Err(Error::new(kind, Place::default()));
    }
    Ok(order)
}
