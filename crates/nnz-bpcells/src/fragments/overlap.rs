//! Finding the fragments that overlap a region.

use std::ops::Range;

use nnz_bitpack::CHUNK;
use nnz_core::Result;

use super::source::FragmentSource;
use crate::arrays::Scratch;

const CHUNK_LEN: u64 = CHUNK as u64;

impl FragmentSource {
    /// Returns a range of positions that contains all fragments of a chromosome that overlap
    /// `bases`.
    ///
    /// Starts are sorted, so the first fragment that starts after the region is found by binary
    /// search: first among the first starts of chunks, then inside one chunk. `end_max` gives a
    /// bound for fragments that end before the region.
    pub(super) fn find_overlapping(
        &self,
        chromosome: u32,
        bases: Range<u32>,
    ) -> Result<Range<u64>> {
        let mut segments = self.header.segments.iter();
        let Some(segment) = segments.find(|segment| segment.chromosome == chromosome) else {
            return Ok(0..0);
        };
        let segment = segment.fragments.clone();
        if bases.is_empty() {
            return Ok(segment.start..segment.start);
        }
        let end = self.first_from(&segment, bases.end)?;
        let start = self.last_ended(&segment, bases.start)?.min(end);
        Ok(start..end)
    }

    /// Returns the position of the first fragment of a segment that starts at `base` or later.
    fn first_from(&self, segment: &Range<u64>, base: u32) -> Result<u64> {
        let (first, last) = (segment.start / CHUNK_LEN, (segment.end - 1) / CHUNK_LEN);
        // The last chunk that starts before the base. The segment's first chunk may begin with
        // another chromosome.
        let next = search(first + 1..last + 1, |chunk| Ok(self.starts.first_of(chunk)? < base))?;
        let chunk = next - 1;
        let from = segment.start.max(chunk * CHUNK_LEN);
        let to = segment.end.min(next * CHUNK_LEN);
        let mut starts = Vec::new();
        self.starts.read(from..to, &mut Scratch::default(), &mut starts)?;
        Ok(from + starts.partition_point(|&start| start < base) as u64)
    }

    /// Returns a position before which all fragments of a segment end at `base` or earlier.
    ///
    /// `end_max` is used as an upper bound. The segment's first entry may be too high, because it
    /// may include the previous chromosome, so it is read last. An entry may also be too low by the
    /// last fragment of its chunk, as in what BPCells makes of data frames; the next entry includes
    /// that fragment. So an entry is not trusted for the last fragment of its chunk.
    fn last_ended(&self, segment: &Range<u64>, base: u32) -> Result<u64> {
        let (first, last) = (segment.start / CHUNK_LEN, (segment.end - 1) / CHUNK_LEN);
        let ended = |chunk| {
            let mut bound = [0_u32];
            self.end_max.read_into(chunk, &mut bound)?;
            Ok(bound[0] <= base)
        };
        let mut chunks = search(first + 1..last + 1, ended)?;
        if chunks == first + 1 && !ended(first)? {
            chunks = first;
        }
        Ok((chunks * CHUNK_LEN).saturating_sub(1).max(segment.start))
    }
}

/// Returns the first chunk of a range for which `before` is false. `before` must be true for all
/// chunks before that.
fn search(chunks: Range<u64>, before: impl Fn(u64) -> Result<bool>) -> Result<u64> {
    let Range { mut start, mut end } = chunks;
    while start < end {
        let middle = start + (end - start) / 2;
        match before(middle)? {
            true => start = middle + 1,
            false => end = middle,
        }
    }
    Ok(start)
}
