//! Selections along an axis.

use std::ops::Range;

use crate::anndata::item::TableAxis;

/// A part of an axis, in the order in which it is written.
#[derive(Debug)]
pub(crate) struct Pick {
    /// Unique positions.
    pub(crate) ranges: Vec<Range<u64>>,
    /// The number of selected positions.
    pub(crate) len: u64,
    /// The length of the axis.
    pub(crate) axis_len: u64,
    /// Whether positions ascend.
    pub(crate) ascends: bool,
}

impl Pick {
    /// Creates a selection from ranges; `None` if they are the whole axis in order.
    pub(crate) fn new(ranges: Vec<Range<u64>>, axis_len: u64) -> Option<Self> {
        let whole = match &*ranges {
            [] => axis_len == 0,
            [one] => *one == (0..axis_len),
            _ => false,
        };
        let len = ranges.iter().map(|range| range.end - range.start).sum();
        let ascends = ranges.is_sorted_by(|a, b| a.end <= b.start);
        (!whole).then_some(Self { ranges, len, axis_len, ascends })
    }

    /// Returns the positions on the axis of ranges of the selection.
    pub(crate) fn inner(&self, ranges: &[Range<u64>]) -> Vec<Range<u64>> {
        let mut next = 0_u64;
        let own = self.ranges.iter().map(|own| {
            let first = next;
            next += own.end - own.start;
            (first..next, own.start)
        });
        let own: Vec<(Range<u64>, u64)> = own.collect();
        let mut found = Vec::new();
        for wanted in ranges {
            let before = own.partition_point(|(selected, _)| selected.end <= wanted.start);
            for (selected, at) in own.get(before..).unwrap_or_default() {
                let (start, end) = (wanted.start.max(selected.start), wanted.end.min(selected.end));
                if start >= end {
                    break;
                }
                found.push(at + (start - selected.start)..at + (end - selected.start));
            }
        }
        found
    }
}

/// The selections along the axes of an element; `None` selects everything.
pub(crate) type Picks<'a> = [Option<&'a Pick>; 2];

/// Selects everything.
pub(crate) const ALL: Picks<'static> = [None, None];

/// The selections of a file.
#[derive(Debug, Default)]
pub(crate) struct FilePicks {
    /// Cells.
    pub(crate) obs: Option<Pick>,
    /// Genes.
    pub(crate) var: Option<Pick>,
}

impl FilePicks {
    /// Returns the selections along the axes of an element. Genes of `raw` are always kept.
    pub(crate) fn along(&self, axes: [TableAxis; 2]) -> Picks<'_> {
        axes.map(|along| match along {
            TableAxis::Obs => self.obs.as_ref(),
            TableAxis::Var => self.var.as_ref(),
            TableAxis::RawVar | TableAxis::Nothing => None,
        })
    }

    /// Returns whether everything is selected.
    pub(crate) fn is_whole(&self) -> bool {
        self.obs.is_none() && self.var.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::single_range_in_vec_init, reason = "a selection of one range")]
    fn a_whole_axis_in_order_is_not_a_selection() {
        assert!(Pick::new(vec![0..3], 3).is_none());
        assert!(Pick::new(vec![], 0).is_none());
        assert_eq!(Pick::new(vec![], 3).unwrap().len, 0);
        assert!(Pick::new(vec![0..2, 2..3], 4).unwrap().ascends);
        let moved = Pick::new(vec![2..3, 0..2], 3).unwrap();
        assert_eq!((moved.len, moved.ascends), (3, false));
        let part = Pick::new(vec![1..3, 5..8], 9).unwrap();
        assert_eq!(part.inner(&[3..4, 0..3]), [6..7, 1..3, 5..6]);
        assert_eq!(part.inner(&[4..9, 1..1]), [7..8]);
    }
}
