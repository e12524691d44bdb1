//! Checking that entries are inside the matrix, and in order.

use nnz_core::{At, Batch, Error, ErrorKind, Extent, Header, Majors, Minors, Place, Result, Shape};

use crate::ascent::ASCENT;

const IN_ORDER: &str = "entries sorted by row and column";

/// A row and a column.
pub(super) type Position = (u64, u64);

/// Checks a batch on its own, and returns its first and last position.
pub(super) fn check(batch: &Batch, header: &Header) -> Result<Option<[Position; 2]>> {
    let (runs, entries) = (batch.runs(), batch.entries());
    let minors = match &batch.minors {
        Minors::U32(list) => list.len() == entries,
        Minors::U64(list) => list.len() == entries,
        Minors::Spans(starts) => starts.len() == runs,
    };
    let majors = match &batch.majors {
        Majors::Listed(list) => list.len() == runs,
        Majors::Consecutive(_) => true,
    };
    let offsets = batch.offsets.first() == Some(&0) && batch.offsets.is_sorted();
    let values = batch.values.len() == Some(entries);
    let kind = batch.order == header.order && batch.values.value_type() == header.value_type;
    if !(minors && majors && offsets && values && kind) {
        return Err(Error::argument(
            "a batch whose parts are inconsistent with each other or with the header",
        ));
    }
    if inside(batch, header.shape.cols) {
        let extent = Extent::of(batch, &ASCENT);
        let rows = extent.ends.is_none_or(|[_, (row, _)]| row < header.shape.rows);
        if rows && extent.ascends && extent.repeated.is_none() {
            return Ok(extent.ends);
        }
    }
    Err(fault(batch, header.shape))
}

/// Returns whether no column is past the last one.
fn inside(batch: &Batch, cols: u64) -> bool {
    match &batch.minors {
        Minors::U32(list) => nnz_bitpack::max(list).is_none_or(|last| u64::from(last) < cols),
        Minors::U64(list) => list.iter().all(|&col| col < cols),
        Minors::Spans(starts) => starts.iter().enumerate().all(|(run, &start)| {
            let len = batch.run(run).len() as u64;
            len == 0 || start.checked_add(len).is_some_and(|end| end <= cols)
        }),
    }
}

/// Returns the error for an entry that is outside the matrix, or not after the previous one.
fn fault(batch: &Batch, shape: Shape) -> Error {
    let mut last = None;
    let order = batch.try_for_each(|_, row, col| {
        if row >= shape.rows || col >= shape.cols {
            let place = Place::default().at(At::Entry { row, col });
            let expected = format!("a position inside {shape}");
            return Err(Error::mismatch(place, "an entry outside the matrix", expected));
        }
        follow(&mut last, Some([(row, col); 2]))
    });
    order.err().unwrap_or_else(|| Error::argument("an unsorted batch"))
}

/// Checks that entries are after the previous batch, and stores the last position.
pub(super) fn follow(last: &mut Option<Position>, ends: Option<[Position; 2]>) -> Result<()> {
    let Some([first, end]) = ends else { return Ok(()) };
    if let Some(before) = last.filter(|&before| before >= first) {
        let (row, col) = first;
        let place = Place::default().at(At::Entry { row, col });
        if before == first {
            return Err(Error::new(ErrorKind::Duplicate { other: None }, place));
        }
        let found = if before.0 == row {
            format!("column {col} after {}", before.1)
        } else {
            format!("row {row} after {}", before.0)
        };
        return Err(Error::mismatch(place, found, IN_ORDER));
    }
    *last = Some(end);
    Ok(())
}
