//! The parts of the chunks of an array that hold selected positions of an axis.

use std::ops::Range;

use nnz_core::Result;

/// Ranges of an axis in which all selected positions are, at most one in each chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Covers(Vec<Range<u64>>);

impl Covers {
    /// Covers ranges, which may be in any order, of an axis with chunks of length `chunk`.
    pub(crate) fn new(ranges: &[Range<u64>], chunk: u64) -> Self {
        let mut sorted: Vec<_> = ranges.iter().filter(|range| !range.is_empty()).collect();
        sorted.sort_unstable_by_key(|range| range.start);
        let chunk = chunk.max(1);
        let mut covers: Vec<Range<u64>> = Vec::new();
        for range in sorted {
            match covers.last_mut() {
                Some(last)
                    if range.start <= last.end || range.start / chunk == (last.end - 1) / chunk =>
                {
                    last.end = last.end.max(range.end);
                }
                _ => covers.push(range.clone()),
            }
        }
        Self(covers)
    }

    /// Returns the ranges, in order.
    pub(crate) fn ranges(&self) -> &[Range<u64>] {
        &self.0
    }

    /// Returns the number of positions.
    pub(crate) fn len(&self) -> u64 {
        self.0.iter().map(|range| range.end - range.start).sum()
    }

    /// Returns all positions, in order.
    pub(crate) fn positions(&self) -> impl Iterator<Item = u64> {
        self.0.iter().cloned().flatten()
    }

    /// Returns the number of covered positions before a covered one.
    pub(crate) fn number(&self, position: u64) -> u64 {
        let before = self.0.partition_point(|range| range.start <= position).saturating_sub(1);
        let (before, rest) = self.0.split_at(before.min(self.0.len()));
        let start = rest.first().map_or(position, |range| range.start);
        before.iter().map(|range| range.end - range.start).sum::<u64>() + (position - start)
    }

    /// Fills `out` with rows whose elements are the covered positions. `read` fills rows of one range.
    pub(crate) fn read(
        &self,
        bytes: usize,
        out: &mut [u8],
        mut read: impl FnMut(Range<u64>, &mut [u8]) -> Result<()>,
    ) -> Result<()> {
        if let [only] = &*self.0 {
            return read(only.clone(), out);
        }
        let size = |len: u64| usize::try_from(len).unwrap_or(usize::MAX).saturating_mul(bytes);
        let width = size(self.len());
        if width == 0 {
            return Ok(());
        }
        let rows = out.len() / width;
        let (mut part, mut at) = (Vec::new(), 0);
        for range in &self.0 {
            let len = size(range.end - range.start);
            // A part of `out`.
            part.resize(len.saturating_mul(rows), 0);
            read(range.clone(), &mut part)?;
            for (row, from) in out.chunks_exact_mut(width).zip(part.chunks_exact(len)) {
                if let Some(to) = row.get_mut(at..at + len) {
                    to.copy_from_slice(from);
                }
            }
            at += len;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::slice;

    use super::*;

    #[test]
    fn each_chunk_has_one_cover() {
        let of = |ranges: &[Range<u64>], chunk| Covers::new(ranges, chunk).0;
        assert_eq!(of(&[3..4, 77..78], 50), [3..4, 77..78]);
        assert_eq!(of(&[77..78, 40..41, 3..4], 50), [3..41, 77..78]);
        // Adjacent ones are read together.
        assert_eq!(of(&[40..50, 50..60, 99..101, 140..141], 50), slice::from_ref(&(40..141)));
        assert_eq!(of(slice::from_ref(&(5..5)), 50), []);
        let covers = Covers::new(&[3..5, 77..79], 50);
        assert_eq!(covers.positions().collect::<Vec<_>>(), [3, 4, 77, 78]);
        assert_eq!([3, 4, 77, 78].map(|at| covers.number(at)), [0, 1, 2, 3]);
    }

    #[test]
    fn covers_are_read_side_by_side() {
        let covers = Covers::new(&[0..2, 4..5], 2);
        let mut out = [0; 6];
        let rows = [[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]];
        let read = |range: Range<u64>, part: &mut [u8]| {
            let range = usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap();
            part.copy_from_slice(&rows.map(|row| row[range.clone()].to_vec()).concat());
            Ok(())
        };
        covers.read(1, &mut out, read).unwrap();
        assert_eq!(out, [1, 2, 5, 6, 7, 10]);
    }
}
