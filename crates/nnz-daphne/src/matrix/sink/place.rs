//! Whether entries are inside the matrix, and in order.

use nnz_core::{At, Batch, Error, ErrorKind, Header, Majors, Minors, Place, Result};

const IN_ORDER: &str = "entries row by row, in the order of their columns";

/// A row and a column.
pub(super) type Position = (u64, u64);

/// Checks a batch for itself, and returns its first and last position.
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
        return Err(Error::argument("a batch whose parts do not fit one another or its header"));
    }
    let mut ends: Option<[Position; 2]> = None;
    for run in 0..runs {
        let range = batch.run(run);
        if range.is_empty() {
            continue;
        }
        let row = batch.majors.get(run);
        let (first, last) = (batch.minor(run, range.start), batch.minor(run, range.end - 1));
        let ascends = match &batch.minors {
            Minors::U32(list) => list[range].is_sorted_by(|a, b| a < b),
            Minors::U64(list) => list[range].is_sorted_by(|a, b| a < b),
            Minors::Spans(_) => first <= last,
        };
        if row >= header.shape.rows || (ascends && last >= header.shape.cols) {
            let expected = format!("a place inside {}", header.shape);
            let place = Place::default().at(At::Entry { row, col: last });
            return Err(Error::mismatch(place, "an entry outside the matrix", expected));
        }
        if !ascends {
            return Err(disorder(batch, run));
        }
        let mut own = None;
        if let Some([start, last]) = ends {
            own = Some([start, last]);
            follow(&mut Some(last), Some([(row, first); 2]))?;
        }
        let start = own.map_or((row, first), |[start, _]| start);
        ends = Some([start, (row, last)]);
    }
    Ok(ends)
}

/// Makes the error for columns that do not go up.
fn disorder(batch: &Batch, run: usize) -> Error {
    let row = batch.majors.get(run);
    let range = batch.run(run);
    let columns = range.clone().map(|entry| batch.minor(run, entry));
    let pairs = columns.clone().zip(columns.skip(1));
    for (before, col) in pairs {
        let place = Place::default().at(At::Entry { row, col });
        if before == col {
            return Error::new(ErrorKind::Duplicate { other: None }, place);
        }
        if before > col {
            return Error::mismatch(place, format_args!("column {col} after {before}"), IN_ORDER);
        }
    }
    Error::argument("a span past the largest column")
}

/// Checks that entries come behind the last one, and keeps their last in mind.
pub(super) fn follow(last: &mut Option<Position>, ends: Option<[Position; 2]>) -> Result<()> {
    let Some([first, end]) = ends else { return Ok(()) };
    if let Some(before) = last.filter(|&before| before >= first) {
        let (row, col) = first;
        let place = Place::default().at(At::Entry { row, col });
        if before == first {
            return Err(Error::new(ErrorKind::Duplicate { other: None }, place));
        }
        return Err(Error::mismatch(place, "an entry after a later one", IN_ORDER));
    }
    *last = Some(end);
    Ok(())
}
