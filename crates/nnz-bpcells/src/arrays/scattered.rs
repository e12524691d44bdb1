//! Decoding ranges of a packed array that are not adjacent, each into place.

use std::ops::Range;

use nnz_bitpack::CHUNK;
use nnz_core::Result;

use super::{By, LoadedChunks, PackedArray, Scratch};

/// Chunks between two ranges that are read with them: copying these takes less time than two more reads of
/// each array.
const GAP: u64 = 16;

/// Maximum number of chunks of several ranges that are read together.
const MOST: u64 = 512;

/// Returns the length of a range.
pub(super) fn len(range: &Range<u64>) -> usize {
    usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(usize::MAX)
}

/// Returns the length of all ranges.
pub(super) fn total(ranges: &[Range<u64>]) -> usize {
    ranges.iter().fold(0, |sum, range| sum.saturating_add(len(range)))
}

/// Returns the chunks that a range of elements is in.
fn chunks_of(range: &Range<u64>) -> Range<u64> {
    range.start / CHUNK as u64..range.end.div_ceil(CHUNK as u64)
}

/// Reads ranges of elements, none of them empty, one after another.
pub(super) fn read(
    array: &PackedArray,
    ranges: &[Range<u64>],
    scratch: &mut Scratch,
    out: &mut Vec<u32>,
) -> Result<()> {
    let count = total(ranges);
    // Chunks are decoded as a whole, past both ends of a range.
    out.resize(count.saturating_add(2 * CHUNK), 0);
    // Only the chunks of the ranges are announced.
    let gap = if array.data.has_latency() { 0 } else { GAP };
    let (mut rest, mut at) = (ranges, 0);
    while !rest.is_empty() {
        let (near, after) = rest.split_at(near(rest, gap));
        if near.len() == 1 || read_near(array, near, scratch, out, at).is_err() {
            // The damage may be between the ranges.
            let mut at = at;
            for range in near {
                read_near(array, std::slice::from_ref(range), scratch, out, at)?;
                at += len(range);
            }
        }
        at += total(near);
        rest = after;
    }
    out.truncate(count);
    Ok(())
}

/// Returns the number of ranges at the start that are read together.
fn near(ranges: &[Range<u64>], gap: u64) -> usize {
    let Some(first) = ranges.first().map(chunks_of) else { return 0 };
    let mut end = first.end;
    let others = ranges.iter().skip(1).map(chunks_of).take_while(|next| {
        // The last chunk of one range can be the first one of the next.
        let follows = next.start.saturating_add(1) >= end
            && next.start <= end.saturating_add(gap)
            && next.end - first.start <= MOST;
        end = end.max(next.end);
        follows
    });
    1 + others.count()
}

/// Reads ranges with the chunks between them, and decodes them to `out` from position `at` on.
fn read_near(
    array: &PackedArray,
    ranges: &[Range<u64>],
    scratch: &mut Scratch,
    out: &mut [u32],
    mut at: usize,
) -> Result<()> {
    let (Some(first), Some(last)) = (ranges.first(), ranges.last()) else { return Ok(()) };
    let first = chunks_of(first).start;
    let loaded = array.load(first..chunks_of(last).end, By::Reading, scratch)?;
    for range in ranges {
        decode(&loaded, first, range, out, at)?;
        at += len(range);
    }
    Ok(())
}

/// Decodes a range into place. Elements after it are left unspecified.
fn decode(
    loaded: &LoadedChunks<'_>,
    first: u64,
    range: &Range<u64>,
    out: &mut [u32],
    at: usize,
) -> Result<()> {
    let chunks = chunks_of(range);
    let count = len(&chunks);
    let from = len(&(first..chunks.start));
    let head = len(&(chunks.start * CHUNK as u64..range.start));
    let decode = |out: &mut [u32]| loaded.decode(from..from + count, out);
    match at.checked_sub(head) {
        Some(start) => {
            // The elements before the range are in place of the previous ones, which are put back.
            let mut previous = [0; CHUNK];
            previous[..head].copy_from_slice(&out[start..at]);
            decode(&mut out[start..start + count * CHUNK])?;
            out[start..at].copy_from_slice(&previous[..head]);
        }
        None => {
            decode(&mut out[at..at + count * CHUNK])?;
            out.copy_within(at + head..at + head + len(range), at);
        }
    }
    Ok(())
}
