//! Finding the fragments that overlap some bases.

use std::ops::Range;

use nnz_bitpack::CHUNK;
use nnz_core::Result;

use super::source::FragmentSource;
use crate::arrays::Scratch;

const CHUNK_LEN: u64 = CHUNK as u64;

impl FragmentSource {
    /// Returns positions outside of which no fragment of a chromosome overlaps the bases.
    ///
    /// Starts ascend, so that what starts behind the bases is found by halving: first among the
    /// first starts of chunks, then inside one chunk. What ends before the bases is bounded by
    /// `end_max`.
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

    /// Returns the position of the first fragment of a segment that starts at a base or behind it.
    fn first_from(&self, segment: &Range<u64>, base: u32) -> Result<u64> {
        let (first, last) = (segment.start / CHUNK_LEN, (segment.end - 1) / CHUNK_LEN);
        // The last chunk that starts before the base; that of the segment's start begins with
        // another chromosome, perhaps.
        let behind = search(first + 1..last + 1, |chunk| Ok(self.starts.first_of(chunk)? < base))?;
        let chunk = behind - 1;
        let from = segment.start.max(chunk * CHUNK_LEN);
        let to = segment.end.min(behind * CHUNK_LEN);
        let mut starts = Vec::new();
        self.starts.read(from..to, &mut Scratch::default(), &mut starts)?;
        Ok(from + starts.partition_point(|&start| start < base) as u64)
    }

    /// Returns a position before which all fragments of a segment end at a base or before it.
    ///
    /// `end_max` counts as an upper bound. It may be too high where the segment begins, since it
    /// may count the chromosome before that; so this entry is asked last. And it may be too low
    /// by the last fragment of each chunk, as in what BPCells makes of data frames: the next entry
    /// has that one. So it is not relied on for the last fragment of a chunk.
    fn last_ended(&self, segment: &Range<u64>, base: u32) -> Result<u64> {
        let (first, last) = (segment.start / CHUNK_LEN, (segment.end - 1) / CHUNK_LEN);
        let ended = |chunk| {
            let mut bound = [0_u32];
            self.end_max.read(chunk, &mut bound)?;
            Ok(bound[0] <= base)
        };
        let mut chunks = search(first + 1..last + 1, ended)?;
        if chunks == first + 1 && !ended(first)? {
            chunks = first;
        }
        Ok((chunks * CHUNK_LEN).saturating_sub(1).max(segment.start))
    }
}

/// Returns the first chunk of a range for which `before` is false; it must be true for all before.
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
