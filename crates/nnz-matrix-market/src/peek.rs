//! A guess at the order of a coordinate file, from its first lines.

use nnz_core::{Batch, Majors, Order, ValueType, Values};

use super::entries::{Rules, parse_block};

/// Bytes of entries that are looked at.
pub(crate) const PEEK: usize = 64 << 10;

/// What the first entries show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Guess {
    pub(crate) order: Order,
    /// Whether the majors of that order never went down.
    pub(crate) ascend: bool,
}

/// Chooses the order that the first entries, of so many, are in; columns where none is.
///
/// Where both would do, the rest decides, if there is one. A long row at the start looks like many
/// columns of one entry, and is the likelier for it; where the two are as likely, it is columns.
pub(crate) fn guess_order(text: &[u8], rules: Rules, stored: u64) -> Guess {
    let cols = look(text, Rules { order: Order::Col, ..rules });
    let rows = look(text, Rules { order: Order::Row, ..rules });
    let by_rows = match (&cols, &rows) {
        (Some(cols), Some(rows)) => {
            rules.shape.rows > 1 && rows.entries < stored && rows.runs < cols.runs
        }
        (cols, rows) => cols.is_none() && rows.is_some(),
    };
    let order = if by_rows { Order::Row } else { Order::Col };
    Guess { order, ascend: cols.is_some() || rows.is_some() }
}

/// What entries come to in an order they are in.
struct Look {
    runs: usize,
    entries: u64,
}

/// Looks at entries in an order; `None` where they are not in it.
fn look(text: &[u8], rules: Rules) -> Option<Look> {
    let mut batch = Batch::new(rules.order, Values::new(ValueType::F64));
    // What is wrong is told when it is read; up to there the entries count.
    let _ = parse_block(text, &rules, u64::MAX, &mut batch);
    let ascends = match &batch.majors {
        Majors::Listed(majors) => majors.is_sorted(),
        Majors::Consecutive(_) => true,
    };
    ascends.then(|| Look { runs: batch.runs(), entries: batch.entries() as u64 })
}
