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

/// Chooses the order that the first entries are in; columns where both would do, or none.
pub(crate) fn guess_order(text: &[u8], rules: Rules) -> Guess {
    for order in [Order::Col, Order::Row] {
        if ascends(text, Rules { order, ..rules }) {
            return Guess { order, ascend: true };
        }
    }
    Guess { order: Order::Col, ascend: false }
}

fn ascends(text: &[u8], rules: Rules) -> bool {
    let mut batch = Batch::new(rules.order, Values::new(ValueType::F64));
    // What is wrong is told when it is read; up to there the entries count.
    let _ = parse_block(text, &rules, u64::MAX, &mut batch);
    match &batch.majors {
        Majors::Listed(majors) => majors.is_sorted(),
        Majors::Consecutive(_) => true,
    }
}
