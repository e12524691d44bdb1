//! Guessing the order of a coordinate file from its first lines.

use nnz_core::{Batch, Majors, Order, ValueType, Values};

use super::entries::{Rules, parse_block};

/// The number of bytes of entries used for the guess.
pub(crate) const PEEK: usize = 64 << 10;

/// The guess from the first entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Guess {
    pub(crate) order: Order,
    /// Whether the majors in that order are sorted.
    pub(crate) ascend: bool,
}

/// Guesses the order from the first entries of a file with `stored` entries; by column if they are
/// in neither order.
///
/// If they are in both orders and more entries follow, the order with fewer runs is more likely: a
/// long row at the start looks like many columns with one entry. If both have as many runs, the
/// guess is by column.
pub(crate) fn guess_order(text: &[u8], rules: Rules, stored: u64) -> Guess {
    let cols = parse(text, Rules { order: Order::Col, ..rules });
    let rows = parse(text, Rules { order: Order::Row, ..rules });
    let by_rows = match (&cols, &rows) {
        (Some(cols), Some(rows)) => {
            rules.shape.rows > 1 && rows.entries < stored && rows.runs < cols.runs
        }
        (cols, rows) => cols.is_none() && rows.is_some(),
    };
    let order = if by_rows { Order::Row } else { Order::Col };
    Guess { order, ascend: cols.is_some() || rows.is_some() }
}

/// The number of runs and entries in an order.
struct Runs {
    runs: usize,
    entries: u64,
}

/// Parses entries in an order; `None` if they are not sorted by it.
fn parse(text: &[u8], rules: Rules) -> Option<Runs> {
    let mut batch = Batch::new(rules.order, Values::new(ValueType::F64));
    // Errors are reported when the entries are read; entries before an error count.
    let _ = parse_block(text, &rules, u64::MAX, &mut batch);
    let ascends = match &batch.majors {
        Majors::Listed(majors) => majors.is_sorted(),
        Majors::Consecutive(_) => true,
    };
    ascends.then(|| Runs { runs: batch.runs(), entries: batch.entries() as u64 })
}
