//! Names of a selection.

use nnz_core::{Axis, MatrixSource, Names, Result, StringReader};

use super::position_map::{PositionMap, Stretch};

/// Bytes of names that are kept while they are reordered.
const KEPT: usize = 16 << 20;

/// Bytes that each name takes in addition.
const BESIDE: usize = size_of::<(u64, std::ops::Range<usize>)>();

/// The selected names, in order.
pub(super) struct Filtered<'a> {
    names: Names<'a>,
    stretches: &'a [Stretch],
    /// The position of the next name.
    next: u64,
    left: u64,
}

impl<'a> Filtered<'a> {
    pub(super) fn new(names: Names<'a>, picked: &'a PositionMap) -> Self {
        Self { names, stretches: picked.sorted(), next: 0, left: picked.len() }
    }
}

impl StringReader for Filtered<'_> {
    fn next_string(&mut self) -> Result<Option<&[u8]>> {
        while let [first, rest @ ..] = self.stretches
            && first.old().end <= self.next
        {
            self.stretches = rest;
        }
        let Some(stretch) = self.stretches.first() else {
            // There could be too few names after the selection.
            self.names.drain()?;
            return Ok(None);
        };
        while self.next < stretch.start && self.names.next_string()?.is_some() {
            self.next += 1;
        }
        self.next += 1;
        self.left = self.left.saturating_sub(1);
        self.names.next_string()
    }

    fn remaining(&self) -> Option<u64> {
        Some(self.left)
    }
}

/// The selected names, in another order.
///
/// The next names, as many as may be kept, are collected at a time. All names are read each time.
pub(super) struct Reordered<'a> {
    source: &'a dyn MatrixSource,
    axis: Axis,
    picked: &'a PositionMap,
    kept: usize,
    buffer: NameBuffer,
    /// The number of collected names that were returned.
    given: usize,
    /// The target position of the first name that was not collected.
    next: u64,
    left: u64,
}

/// Names with their target positions.
#[derive(Default)]
struct NameBuffer {
    text: Vec<u8>,
    places: Vec<(u64, std::ops::Range<usize>)>,
}

impl<'a> Reordered<'a> {
    pub(super) fn new(source: &'a dyn MatrixSource, axis: Axis, picked: &'a PositionMap) -> Self {
        let buffer = NameBuffer::default();
        Self { source, axis, picked, kept: KEPT, buffer, given: 0, next: 0, left: picked.len() }
    }

    /// Collects the next names, as many as may be kept.
    fn gather(&mut self) -> Result<()> {
        self.buffer.text.clear();
        self.buffer.places.clear();
        self.given = 0;
        let mut end = self.picked.len();
        if self.next == end {
            return Ok(());
        }
        let Some(mut names) = self.source.read_names(self.axis)? else { return Ok(()) };
        let mut stretches = self.picked.sorted().iter().peekable();
        let mut old = 0;
        while let Some(name) = names.next_string()? {
            while stretches.next_if(|one| one.old().end <= old).is_some() {}
            let to = stretches.peek().and_then(|one| one.moved(old));
            if let Some(to) = to.filter(|to| (self.next..end).contains(to)) {
                self.buffer.push(to, name);
                if self.buffer.bytes() > self.kept {
                    end = self.buffer.halve(end);
                }
            }
            old += 1;
        }
        self.buffer.places.sort_unstable_by_key(|(to, _)| *to);
        self.next = end;
        Ok(())
    }
}

impl NameBuffer {
    fn push(&mut self, to: u64, name: &[u8]) {
        let start = self.text.len();
        self.text.extend_from_slice(name);
        self.places.push((to, start..self.text.len()));
    }

    fn bytes(&self) -> usize {
        self.text.len() + self.places.len() * BESIDE
    }

    /// Keeps the first half, and returns the target position of the first name that is not kept.
    fn halve(&mut self, end: u64) -> u64 {
        if self.places.len() < 2 {
            return end;
        }
        let half = self.places.len() / 2;
        self.places.sort_unstable_by_key(|(to, _)| *to);
        let end = self.places.get(half).map_or(end, |(to, _)| *to);
        self.places.truncate(half);
        let mut text = Vec::new();
        for (_, range) in &mut self.places {
            let start = text.len();
            text.extend_from_slice(self.text.get(range.clone()).unwrap_or_default());
            *range = start..text.len();
        }
        self.text = text;
        end
    }
}

impl StringReader for Reordered<'_> {
    fn next_string(&mut self) -> Result<Option<&[u8]>> {
        if self.given == self.buffer.places.len() {
            self.gather()?;
        }
        let Some((_, range)) = self.buffer.places.get(self.given) else { return Ok(None) };
        self.given += 1;
        self.left = self.left.saturating_sub(1);
        Ok(self.buffer.text.get(range.clone()))
    }

    fn remaining(&self) -> Option<u64> {
        Some(self.left)
    }
}

#[cfg(test)]
mod tests {
    use nnz_core::{Order, Shape};

    use super::*;
    use crate::CsMatrix;

    /// Names of 40 rows, of several lengths.
    fn matrix() -> (Box<dyn MatrixSource>, Vec<String>) {
        let names: Vec<String> = (0..40).map(|at| format!("{at}{}", "x".repeat(at % 7))).collect();
        let shape = Shape { rows: 40, cols: 1 };
        let (indices, values) = (Vec::<u32>::new(), Vec::<u32>::new());
        let matrix = CsMatrix::from_parts(shape, Order::Col, vec![0, 0], indices, values).unwrap();
        let matrix = matrix.with_names(Axis::Rows, &names).unwrap();
        (matrix.into_source().unwrap(), names)
    }

    #[test]
    #[allow(clippy::single_range_in_vec_init, reason = "a selection of one range")]
    fn names_are_in_the_order_of_the_selection() {
        let (source, all) = matrix();
        for ranges in [
            &[0..40][..],
            &[1..2, 3..5],
            &[39..40],
            &[35..39, 0..3],
            &[20..40, 0..20],
            &[],
            &(0..40).rev().map(|at| at..at + 1).collect::<Vec<_>>(),
            &(0..40).map(|at| at * 7 % 40).map(|at| at..at + 1).collect::<Vec<_>>(),
        ] {
            let listed: Vec<&str> = ranges
                .iter()
                .flat_map(|range| range.clone())
                .map(|at| &*all[usize::try_from(at).unwrap()])
                .collect();
            let picked = PositionMap::new(ranges.to_vec(), 40, "row").unwrap();
            let read = |names: &mut dyn StringReader| {
                let count = names.remaining();
                let list = names.list().unwrap();
                assert_eq!((names.remaining(), count), (Some(0), Some(list.len())));
                list.iter().map(|name| str::from_utf8(name).unwrap().to_owned()).collect::<Vec<_>>()
            };
            if picked.ascends() {
                let names = source.read_names(Axis::Rows).unwrap().unwrap();
                assert_eq!(read(&mut Filtered::new(names, &picked)), listed);
            }
            // With any limit, down to less than one name.
            for kept in [0, 50, 400, KEPT] {
                let mut reordered = Reordered::new(&*source, Axis::Rows, &picked);
                reordered.kept = kept;
                assert_eq!(read(&mut reordered), listed, "{ranges:?} {kept}");
            }
        }
    }
}
