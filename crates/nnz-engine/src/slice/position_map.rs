//! The selected positions of an axis, and their targets.

use std::collections::VecDeque;
use std::fmt::Display;
use std::ops::Range;
use std::sync::OnceLock;

use nnz_core::{Error, ErrorKind, Place, Result};

/// Consecutive positions that stay consecutive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    /// The first position.
    pub(super) start: u64,
    /// The number of positions.
    pub(super) len: u64,
    /// The target of the first.
    pub(super) to: u64,
}

impl Stretch {
    /// Returns the positions.
    pub(super) fn old(&self) -> Range<u64> {
        self.start..self.start + self.len
    }

    /// Returns the target of a position.
    pub(super) fn moved(&self, old: u64) -> Option<u64> {
        old.checked_sub(self.start).filter(|by| *by < self.len).map(|by| self.to + by)
    }
}

/// The selected positions of an axis.
#[derive(Debug)]
pub(super) struct PositionMap {
    /// In the order of the selection, which is also the order of the targets.
    stretches: Vec<Stretch>,
    /// Sorted by position, unless that is the same order.
    sorted: Option<Vec<Stretch>>,
    /// The target of each position of the axis, or [`NOWHERE`]. It is made when it is needed.
    table: OnceLock<Vec<u32>>,
    /// Whether each position of the axis is selected. It is made when it is needed.
    marks: OnceLock<Vec<u8>>,
    len: u64,
    /// The length of the axis.
    axis: u64,
    whole: bool,
}

/// The mark in the table of positions that are not selected.
pub(super) const NOWHERE: u32 = u32::MAX;

/// Few positions are selected if they are less than one of this many.
const FEW: u64 = 8;

/// The longest axis with a table.
const LONGEST: u64 = 1 << 22;

/// Method to look up targets.
pub(super) enum Lookup<'a> {
    /// All positions stay.
    Whole,
    /// One stretch is moved.
    One(Stretch),
    /// In a table; see [`in_table`].
    Table(&'a [u32]),
    /// In a table, for few positions, which are [marked](marks_of).
    Few(&'a [u8], &'a [u32]),
    /// By binary search in stretches.
    Search(&'a [Stretch]),
}

impl PositionMap {
    /// Collects ranges of an axis of length `len`, in the order of the selection. `one` is the name of one of
    /// them in messages, such as a row.
    ///
    /// # Errors
    ///
    /// Fails if a range extends past the end, or if two overlap.
    pub(super) fn new(ranges: Vec<Range<u64>>, len: u64, one: &str) -> Result<Self> {
        let mut stretches: Vec<Stretch> = Vec::new();
        let mut to = 0;
        for Range { start, end } in ranges {
            if start > len || end > len {
                let last = end.max(start + 1) - 1;
                return Err(absent(one, last, len));
            }
            let Some(more) = end.checked_sub(start).filter(|more| *more > 0) else { continue };
            match stretches.last_mut().filter(|last| last.old().end == start) {
                Some(last) => last.len += more,
                None => stretches.push(Stretch { start, len: more, to }),
            }
            // Overlaps are found below, so this exceeds the length before it overflows.
            to = to.saturating_add(more);
        }
        let mut sorted = stretches.clone();
        sorted.sort_by_key(|one| one.start);
        for pair in sorted.windows(2) {
            if pair[1].start < pair[0].old().end {
                let what = format!("{one} {} is selected twice", pair[1].start);
                return Err(Error::argument(what));
            }
        }
        Ok(Self {
            whole: to == len && stretches.len() < 2,
            sorted: (sorted != stretches).then_some(sorted),
            stretches,
            table: OnceLock::new(),
            marks: OnceLock::new(),
            len: to,
            axis: len,
        })
    }

    /// Selects the positions of both selections, in the order of this one.
    pub(super) fn of_both(&self, other: &Self, len: u64, one: &str) -> Result<Self> {
        let sorted = other.sorted();
        let mut ranges = Vec::new();
        for own in &self.stretches {
            let Range { start, end } = own.old();
            let first = sorted.partition_point(|other| other.old().end <= start);
            let there = sorted[first..].iter().take_while(|other| other.start < end);
            ranges.extend(there.map(|other| other.start.max(start)..other.old().end.min(end)));
        }
        Self::new(ranges, len, one)
    }

    /// Returns the number of selected positions.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Returns whether all positions are selected in order.
    pub(super) fn is_whole(&self) -> bool {
        self.whole
    }

    /// Returns whether few positions are selected.
    pub(super) fn is_few(&self) -> bool {
        self.len < self.axis / FEW
    }

    /// Returns whether positions stay in order.
    pub(super) fn ascends(&self) -> bool {
        self.sorted.is_none()
    }

    /// Returns the stretches, by target.
    pub(super) fn stretches(&self) -> &[Stretch] {
        &self.stretches
    }

    /// Returns the stretches, by position.
    pub(super) fn sorted(&self) -> &[Stretch] {
        self.sorted.as_deref().unwrap_or(&self.stretches)
    }

    /// Returns the way to look up targets.
    pub(super) fn lookup(&self) -> Lookup<'_> {
        match (self.whole, &*self.stretches) {
            (true, _) => Lookup::Whole,
            (false, []) => Lookup::Search(&[]),
            (false, [one]) => Lookup::One(*one),
            _ if self.axis > LONGEST => Lookup::Search(self.sorted()),
            _ => {
                let table = self.table.get_or_init(|| self.tabulated());
                // A quarter of the size of the table.
                match self.is_few() {
                    true => Lookup::Few(self.marks.get_or_init(|| marks_of(table)), table),
                    false => Lookup::Table(table),
                }
            }
        }
    }

    fn tabulated(&self) -> Vec<u32> {
        let mut table = vec![NOWHERE; usize::try_from(self.axis).unwrap_or(0)];
        for one in &self.stretches {
            for (old, to) in one.old().zip(one.to..) {
                let slot = usize::try_from(old).ok().and_then(|old| table.get_mut(old));
                if let (Some(slot), Ok(to)) = (slot, u32::try_from(to)) {
                    *slot = to;
                }
            }
        }
        table
    }

    /// Returns the stretches of a range of targets.
    pub(super) fn within(&self, range: &Range<u64>) -> VecDeque<Stretch> {
        let first = self.stretches.partition_point(|one| one.to + one.len <= range.start);
        let stretches = self.stretches[first..].iter();
        let clipped = stretches.take_while(|one| one.to < range.end).map(|one| {
            let skipped = range.start.saturating_sub(one.to);
            let end = (one.to + one.len).min(range.end);
            let to = one.to + skipped;
            Stretch { start: one.start + skipped, len: end.saturating_sub(to), to }
        });
        clipped.filter(|one| one.len > 0).collect()
    }

    /// Returns the position for a target.
    pub(super) fn origin(&self, new: u64) -> Option<u64> {
        let after = self.stretches.partition_point(|one| one.to <= new);
        let one = self.stretches.get(after.checked_sub(1)?)?;
        let by = new - one.to;
        (by < one.len).then(|| one.start + by)
    }
}

/// Returns 1 for each position that has a target. The length is a power of two, so that any index can be reduced to it.
fn marks_of(table: &[u32]) -> Vec<u8> {
    let mut marks: Vec<u8> = table.iter().map(|to| u8::from(*to != NOWHERE)).collect();
    marks.resize(table.len().next_power_of_two(), 0);
    marks
}

/// Looks up a position in the table.
pub(super) fn in_table(table: &[u32], old: u64) -> Option<u64> {
    let found = usize::try_from(old).ok().and_then(|old| table.get(old));
    found.filter(|to| **to != NOWHERE).map(|to| u64::from(*to))
}

/// Looks up a position in sorted stretches.
pub(super) fn in_stretches(stretches: &[Stretch], old: u64) -> Option<u64> {
    let after = stretches.partition_point(|one| one.start <= old);
    stretches.get(after.checked_sub(1)?)?.moved(old)
}

/// The error for a position past the end.
pub(super) fn absent(one: &str, position: impl Display, len: u64) -> Error {
    let what = format!("{one} {position} is out of bounds: {}", there(one, len));
    Error::new(ErrorKind::OutOfBounds(what), Place::default())
}

/// The error for a range that ends past the end.
pub(super) fn past_the_end(range: &str, one: &str, len: u64) -> Error {
    let there = there(one, len);
    let first = range.split(':').next().unwrap_or_default();
    let advice = match first.parse::<u64>() {
        _ if first.is_empty() => format!("; use \":\" for all {one}s"),
        Ok(start) if start < len => format!("; use \"{first}:\" for all {one}s from {first} on"),
        _ => String::new(),
    };
    let what = format!("{range} ends after the last {one}: {there}{advice}");
    Error::new(ErrorKind::OutOfBounds(what), Place::default())
}

fn there(one: &str, len: u64) -> String {
    match len {
        0 => format!("the matrix has no {one}s"),
        1 => format!("the matrix has one {one}, numbered 0"),
        _ => format!("the matrix has {len} {one}s, numbered from 0"),
    }
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "a selection of one range")]
mod tests {
    use super::*;

    fn picked(ranges: &[Range<u64>], len: u64) -> PositionMap {
        PositionMap::new(ranges.to_vec(), len, "row").unwrap()
    }

    fn look_up(picked: &PositionMap, old: u64) -> Option<u64> {
        match picked.lookup() {
            Lookup::Whole => Some(old),
            Lookup::One(one) => one.moved(old),
            Lookup::Table(table) => in_table(table, old),
            Lookup::Few(_, table) => in_table(table, old),
            Lookup::Search(stretches) => in_stretches(stretches, old),
        }
    }

    #[test]
    fn all_lookups_agree_with_the_list() {
        for len in [20, (1 << 22) + 20] {
            for ranges in [
                &[0..len][..],
                &[5..9],
                &[9..10, 3..5, 10..12],
                &[12..20, 0..12],
                &[1..2, 2..3, 5..5, 4..5],
                &[],
            ] {
                let picked = picked(ranges, len);
                let listed: Vec<u64> =
                    ranges.iter().flat_map(|range| range.start..range.end.min(30)).collect();
                if len == 20 {
                    assert_eq!(picked.len(), listed.len() as u64);
                    for (new, old) in (0..).zip(&listed) {
                        assert_eq!(picked.origin(new), Some(*old));
                    }
                    assert_eq!(picked.origin(picked.len()), None);
                }
                for old in 0..20 {
                    let new = listed.iter().position(|listed| *listed == old);
                    assert_eq!(look_up(&picked, old), new.map(|new| new as u64), "{ranges:?}");
                }
                assert_eq!(picked.ascends(), listed.is_sorted());
            }
        }
    }

    #[test]
    fn ranges_of_a_selection_consist_of_stretches() {
        let picked = picked(&[9..12, 3..5, 6..9], 20);
        let within = |range| Vec::from(picked.within(&range));
        let stretch = |start, len, to| Stretch { start, len, to };
        assert_eq!(within(0..8), [stretch(9, 3, 0), stretch(3, 2, 3), stretch(6, 3, 5)]);
        assert_eq!(within(2..4), [stretch(11, 1, 2), stretch(3, 1, 3)]);
        assert_eq!(within(4..4), []);
        assert_eq!(within(7..8), [stretch(8, 1, 7)]);
    }

    #[test]
    fn missing_and_repeated_positions_are_refused() {
        let refused = |ranges: &[Range<u64>], len| {
            PositionMap::new(ranges.to_vec(), len, "column").unwrap_err().to_string()
        };
        let message = "column 20 is out of bounds: the matrix has 20 columns, numbered from 0";
        assert_eq!(refused(&[3..21], 20), message);
        let message = "column 7 is out of bounds: the matrix has no columns";
        assert_eq!(refused(&[7..7], 0), message);
        assert_eq!(refused(&[3..9, 1..2, 8..10], 20), "column 8 is selected twice");
        assert_eq!(
            refused(&[0..u64::MAX - 1, 0..u64::MAX - 1], u64::MAX),
            "column 0 is selected twice"
        );
    }
}
