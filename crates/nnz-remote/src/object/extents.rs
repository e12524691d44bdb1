//! The bytes of an object that are in memory, requested or announced.

use std::collections::BTreeMap;
use std::ops::Range;

use bytes::Bytes;

use crate::failure::Failure;

/// Bytes that came, or come, in one answer.
#[derive(Debug)]
pub(crate) struct Extent {
    pub(crate) len: u64,
    pub(crate) content: Content,
    /// Whether it counts as fetched ahead: it was not read yet.
    pub(crate) unread: bool,
    /// Whether it was announced by the reader, not guessed.
    pub(crate) announced: bool,
    pub(crate) stamp: u64,
}

#[derive(Debug)]
pub(crate) enum Content {
    Pending,
    Ready(Bytes),
    Failed(Failure),
}

/// Extents by where they start. None overlaps another.
#[derive(Debug, Default)]
pub(crate) struct Extents(pub(crate) BTreeMap<u64, Extent>);

impl Extents {
    /// Returns the extent that a byte is in, and where it starts.
    pub(crate) fn at(&mut self, at: u64) -> Option<(u64, &mut Extent)> {
        let (start, extent) = self.0.range_mut(..=at).next_back()?;
        (at - *start < extent.len).then_some((*start, extent))
    }

    /// Returns the parts of a range that are in no extent.
    pub(crate) fn missing(&self, range: &Range<u64>) -> Vec<Range<u64>> {
        let mut missing = Vec::new();
        let mut from = range.start;
        let before = self.0.range(..=range.start).next_back();
        let inside = self.0.range(range.start.saturating_add(1)..range.end.max(range.start + 1));
        for (&start, extent) in before.into_iter().chain(inside) {
            if start > from {
                missing.push(from..start);
            }
            from = from.max(start + extent.len);
        }
        if from < range.end {
            missing.push(from..range.end);
        }
        missing
    }
}

/// Ranges that were announced and not requested yet. They do not overlap.
#[derive(Debug, Default)]
pub(crate) struct PlannedRanges(BTreeMap<u64, (u64, bool)>);

impl PlannedRanges {
    /// Adds the parts of a range that are not planned yet.
    pub(crate) fn add(&mut self, range: Range<u64>, announced: bool) {
        let mut from = range.start;
        if let Some((_, &(end, _))) = self.0.range(..=from).next_back() {
            from = from.max(end);
        }
        while from < range.end {
            let next = self.0.range(from..range.end).next().map(|(&start, &(end, _))| (start, end));
            let (end, after) = next.unwrap_or((range.end, range.end));
            if from < end {
                self.0.insert(from, (end, announced));
            }
            from = after;
        }
    }

    /// Takes the next range from a position on, else the first, of at most so many bytes.
    pub(crate) fn next(&self, position: u64, most: u64) -> Option<(Range<u64>, bool)> {
        let before = self.0.range(..=position).next_back().filter(|(_, (end, _))| *end > position);
        let found = before.or_else(|| self.0.range(position..).next()).or(self.0.iter().next());
        let (&start, &(end, announced)) = found?;
        Some((start..piece_end(start, end, most), announced))
    }

    /// Returns the planned range that a byte is in.
    pub(crate) fn at(&self, at: u64) -> Option<Range<u64>> {
        let (&start, &(end, _)) = self.0.range(..=at).next_back()?;
        (at < end).then_some(start..end)
    }

    /// Removes a range, which is requested now.
    pub(crate) fn remove(&mut self, range: &Range<u64>) {
        let first = self.0.range(..=range.start).next_back().map(|(&start, _)| start);
        let from = first.unwrap_or(range.start);
        let starts: Vec<_> = self.0.range(from..range.end).map(|(&start, _)| start).collect();
        for start in starts {
            let Some((end, announced)) = self.0.remove(&start) else { continue };
            if start < range.start {
                self.0.insert(start, (end.min(range.start), announced));
            }
            if end > range.end {
                self.0.insert(range.end.max(start), (end, announced));
            }
        }
    }
}

/// Returns where a piece of a range ends. A small rest is a part of the piece before it.
pub(crate) fn piece_end(start: u64, end: u64, most: u64) -> u64 {
    if end - start <= most + most / 4 { end } else { start + most }
}

/// Joins ranges that have at most `gap` bytes between them, and sorts them.
pub(crate) fn coalesce(ranges: &[Range<u64>], gap: u64) -> Vec<Range<u64>> {
    let mut sorted: Vec<_> = ranges.iter().filter(|range| !range.is_empty()).cloned().collect();
    sorted.sort_unstable_by_key(|range| range.start);
    let mut joined: Vec<Range<u64>> = Vec::new();
    for range in sorted {
        match joined.last_mut() {
            Some(last) if range.start <= last.end.saturating_add(gap) => {
                last.end = last.end.max(range.end);
            }
            _ => joined.push(range),
        }
    }
    joined
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "lists of ranges")]
mod tests {
    use super::*;

    #[test]
    fn close_ranges_are_joined() {
        assert_eq!(coalesce(&[10..20, 0..5, 22..30, 4..4, 15..18], 5), [0..30]);
        assert_eq!(coalesce(&[10..20, 0..5], 4), [0..5, 10..20]);
    }

    #[test]
    fn planned_ranges_are_taken_in_order_and_once() {
        let mut planned = PlannedRanges::default();
        planned.add(10..20, true);
        planned.add(5..30, false);
        planned.add(40..50, true);
        assert_eq!(planned.next(0, 100), Some((5..10, false)));
        assert_eq!(planned.next(12, 4), Some((10..14, true)));
        assert_eq!(planned.next(35, 100), Some((40..50, true)));
        assert_eq!(planned.next(60, 100), Some((5..10, false)));
        planned.remove(&(8..15));
        assert_eq!(planned.next(0, 100), Some((5..8, false)));
        assert_eq!(planned.at(7), Some(5..8));
        assert_eq!(planned.at(9), None);
        assert_eq!(planned.at(15), Some(15..20));
        planned.remove(&(0..100));
        assert_eq!(planned.next(0, 100), None);
    }

    #[test]
    fn what_is_missing_lies_between_extents() {
        let mut extents = Extents::default();
        for (start, len) in [(10, 5), (20, 5)] {
            let content = Content::Pending;
            let extent = Extent { len, content, unread: false, announced: false, stamp: 0 };
            extents.0.insert(start, extent);
        }
        assert_eq!(extents.missing(&(0..30)), [0..10, 15..20, 25..30]);
        assert_eq!(extents.missing(&(12..22)), [15..20]);
        assert_eq!(extents.missing(&(10..15)), []);
        assert_eq!(extents.at(14).map(|(start, _)| start), Some(10));
        assert!(extents.at(15).is_none());
    }
}
