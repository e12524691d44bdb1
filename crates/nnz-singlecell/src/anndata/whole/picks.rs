//! What is picked of an axis.

use std::ops::Range;

use crate::anndata::item::Along;

/// Some of an axis, in the order they are written.
#[derive(Debug)]
pub(super) struct Picked {
    /// Positions, none of which occurs twice.
    pub(super) ranges: Vec<Range<u64>>,
    /// How many are picked.
    pub(super) len: u64,
    /// How long the axis is.
    pub(super) axis_len: u64,
    /// Whether they stay in order.
    pub(super) ascends: bool,
}

impl Picked {
    /// Takes ranges of an axis; `None` where they are all of it, in order.
    pub(super) fn new(ranges: Vec<Range<u64>>, axis_len: u64) -> Option<Self> {
        let whole = match &*ranges {
            [] => axis_len == 0,
            [one] => *one == (0..axis_len),
            _ => false,
        };
        let len = ranges.iter().map(|range| range.end - range.start).sum();
        let ascends = ranges.is_sorted_by(|a, b| a.end <= b.start);
        (!whole).then_some(Self { ranges, len, axis_len, ascends })
    }
}

/// What is picked of the axes of an element; `None` is all.
pub(super) type Picks<'a> = [Option<&'a Picked>; 2];

/// Picks nothing in particular.
pub(super) const ALL: Picks<'static> = [None, None];

/// What is picked of a file.
#[derive(Debug, Default)]
pub(super) struct FilePicks {
    /// Cells.
    pub(super) obs: Option<Picked>,
    /// Genes.
    pub(super) var: Option<Picked>,
}

impl FilePicks {
    /// Returns what is picked of the axes of an element. Genes of `raw` are all kept.
    pub(super) fn along(&self, axes: [Along; 2]) -> Picks<'_> {
        axes.map(|along| match along {
            Along::Obs => self.obs.as_ref(),
            Along::Var => self.var.as_ref(),
            Along::RawVar | Along::Nothing => None,
        })
    }

    /// Returns whether all is written.
    pub(super) fn is_whole(&self) -> bool {
        self.obs.is_none() && self.var.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::single_range_in_vec_init, reason = "a selection of one range")]
    fn all_of_an_axis_in_order_is_no_pick() {
        assert!(Picked::new(vec![0..3], 3).is_none());
        assert!(Picked::new(vec![], 0).is_none());
        assert_eq!(Picked::new(vec![], 3).unwrap().len, 0);
        assert!(Picked::new(vec![0..2, 2..3], 4).unwrap().ascends);
        let moved = Picked::new(vec![2..3, 0..2], 3).unwrap();
        assert_eq!((moved.len, moved.ascends), (3, false));
    }
}
