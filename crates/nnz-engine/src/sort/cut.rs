//! Dividing a range of elements into buckets.

use std::ops::Range;

use nnz_core::{Order, Shape};

/// Maximum number of buckets of a range.
const MOST: u64 = 1024;

/// Minimum number of entries of a bucket, so that packing its part of a packet is worthwhile.
const WORTH: u64 = 64 * 1024;

/// The same for the part of a bucket in a packet.
const WORTH_IN_PACKET: u64 = 128;

/// A range of elements and its division: by major, or by minor if there is only one major.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    pub(super) majors: Range<u64>,
    pub(super) minors: Range<u64>,
    by_major: bool,
    shift: u32,
}

impl Cut {
    /// Divides a matrix into buckets for packets of a number of entries.
    pub(super) fn of_shape(
        shape: Shape,
        order: Order,
        expected: Option<u64>,
        packet: usize,
    ) -> Self {
        let most = packet as u64 / WORTH_IN_PACKET * WORTH;
        let expected = Some(expected.map_or(most, |expected| expected.min(most)));
        Self::of_ranges(0..shape.major(order), 0..shape.minor(order), expected)
    }

    pub(super) fn of_ranges(majors: Range<u64>, minors: Range<u64>, expected: Option<u64>) -> Self {
        let by_major = majors.end - majors.start > 1;
        let range = if by_major { &majors } else { &minors };
        let buckets = expected.map_or(MOST, |entries| (entries / WORTH).clamp(1, MOST));
        let last = (range.end - range.start).saturating_sub(1);
        let mut shift = 0;
        // A range of more than 2^63 has at least two buckets.
        while shift < 63 && last >> shift >= buckets {
            shift += 1;
        }
        Self { majors, minors, by_major, shift }
    }

    /// Returns the number of buckets.
    pub(super) fn buckets(&self) -> usize {
        let range = self.range();
        let last = (range.end - range.start).saturating_sub(1);
        usize::try_from(last >> self.shift).map_or(usize::MAX, |last| last + 1)
    }

    fn range(&self) -> &Range<u64> {
        if self.by_major { &self.majors } else { &self.minors }
    }

    /// Returns the bucket of an element in the range.
    pub(super) fn bucket_of(&self, major: u64, minor: u64) -> usize {
        let position = if self.by_major { major } else { minor };
        usize::try_from((position - self.range().start) >> self.shift).unwrap_or(usize::MAX)
    }

    /// Returns the majors and minors of a bucket.
    pub(super) fn covers(&self, bucket: usize) -> [Range<u64>; 2] {
        let range = self.range();
        let start = range.start + ((bucket as u64) << self.shift);
        let end = match start.checked_add(1 << self.shift) {
            Some(end) => end.min(range.end),
            None => range.end,
        };
        if self.by_major {
            [start..end, self.minors.clone()]
        } else {
            [self.majors.clone(), start..end]
        }
    }

    /// Returns whether adjacent buckets can be merged to a range of majors.
    pub(super) fn by_major(&self) -> bool {
        self.by_major
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_cover_the_range_without_overlap() {
        for len in [0, 1, 2, 1023, 1024, 1025, 1 << 40, u64::MAX] {
            let cut =
                Cut::of_ranges(7.min(u64::MAX - len)..7.min(u64::MAX - len) + len, 0..5, None);
            assert!(cut.buckets() as u64 <= MOST);
            if len < 2 {
                continue;
            }
            let mut next = cut.majors.start;
            for bucket in 0..cut.buckets() {
                let [majors, _] = cut.covers(bucket);
                assert_eq!(majors.start, next);
                assert_eq!(cut.bucket_of(majors.start, 0), bucket);
                assert_eq!(cut.bucket_of(majors.end - 1, 0), bucket);
                next = majors.end;
            }
            assert_eq!(next, cut.majors.end);
        }
    }

    #[test]
    fn a_single_major_is_divided_by_minors() {
        let cut = Cut::of_ranges(3..4, 0..1 << 20, None);
        assert!(!cut.by_major());
        assert_eq!(cut.buckets(), 1024);
        assert_eq!(cut.covers(1), [3..4, 1024..2048]);
    }

    #[test]
    fn ranges_of_more_than_two_to_the_63_are_divided() {
        for len in [1, 2, 1 << 63, (1 << 63) + 1, u64::MAX] {
            for expected in [None, Some(0), Some(1), Some(u64::MAX)] {
                for [majors, minors] in [[0..len, 0..5], [0..1, 0..len]] {
                    let cut = Cut::of_ranges(majors.clone(), minors.clone(), expected);
                    let last = cut.bucket_of(majors.end - 1, minors.end - 1);
                    assert!(last < cut.buckets() && cut.buckets() <= 1024, "{cut:?}");
                    let ends = cut.covers(last).map(|range| range.end);
                    assert_eq!(ends, [majors.end, minors.end], "{cut:?}");
                }
            }
        }
    }
}
