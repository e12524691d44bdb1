//! The grid of the chunks of an array.

use std::ops::Range;

/// Chunks that are announced at most: more are read as they come.
const MOST_ANNOUNCED: usize = 1 << 16;

/// The shape of an array and of its chunks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    shape: Vec<u64>,
    chunk: Vec<u64>,
    /// Number of chunks along each dimension.
    counts: Vec<u64>,
    count: u64,
    elements: u64,
}

impl Grid {
    /// Creates a grid; `None` if ranks differ, if a chunk has length 0, or if the number of chunks
    /// or of elements of a chunk overflows.
    pub fn new(shape: &[u64], chunk: &[u64]) -> Option<Self> {
        if shape.len() != chunk.len() || chunk.contains(&0) {
            return None;
        }
        let counts: Vec<u64> = shape.iter().zip(chunk).map(|(len, by)| len.div_ceil(*by)).collect();
        let count = if counts.contains(&0) { 0 } else { product(&counts)? };
        let (shape, chunk) = (shape.to_vec(), chunk.to_vec());
        Some(Self { elements: product(&chunk)?, shape, chunk, counts, count })
    }

    /// Returns the shape of the array.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// Returns the shape of a chunk.
    pub fn chunk(&self) -> &[u64] {
        &self.chunk
    }

    /// Returns the number of chunks along each dimension.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Returns the number of chunks.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the number of elements of a chunk.
    pub fn elements(&self) -> u64 {
        self.elements
    }

    /// Returns the index of the chunk at a position in the grid, in C order.
    pub fn number(&self, at: &[u64]) -> u64 {
        // Positions are inside, and all of them can be counted.
        at.iter().zip(&self.counts).fold(0, |number, (at, count)| number * count + at)
    }

    /// Returns the position of a chunk in the grid.
    pub fn place(&self, mut number: u64) -> Vec<u64> {
        let mut at = vec![0; self.counts.len()];
        for (at, count) in at.iter_mut().zip(&self.counts).rev() {
            *at = number % (*count).max(1);
            number /= (*count).max(1);
        }
        at
    }

    /// Returns the positions of the chunks that a selection intersects. No range may be empty.
    pub fn touched(&self, selection: &[Range<u64>]) -> impl Iterator<Item = Vec<u64>> + use<> {
        let ranges: Vec<Range<u64>> = selection
            .iter()
            .zip(&self.chunk)
            .map(|(range, by)| range.start / by..range.end.div_ceil(*by))
            .collect();
        places(ranges)
    }
}

/// Returns all positions in ranges, in C order. No range may be empty.
pub fn places(ranges: Vec<Range<u64>>) -> impl Iterator<Item = Vec<u64>> {
    let mut next = Some(ranges.iter().map(|range| range.start).collect::<Vec<u64>>());
    std::iter::from_fn(move || {
        let here = next.take()?;
        let mut after = here.clone();
        for (at, range) in after.iter_mut().zip(&ranges).rev() {
            *at += 1;
            if *at < range.end {
                next = Some(after);
                break;
            }
            *at = range.start;
        }
        Some(here)
    })
}

/// Multiplies lengths; `None` on overflow.
pub fn product(lengths: &[u64]) -> Option<u64> {
    lengths.iter().try_fold(1_u64, |all, &length| all.checked_mul(length))
}

/// Returns the strides in bytes, in C order; `None` on overflow.
pub fn strides(lengths: &[u64], bytes: u64) -> Option<Vec<u64>> {
    let mut strides = vec![0; lengths.len()];
    let mut stride = bytes;
    for (at, &length) in lengths.iter().enumerate().rev() {
        strides[at] = stride;
        stride = stride.checked_mul(length.max(1))?;
    }
    Some(strides)
}

/// Formats a shape as `3 x 4`.
pub fn shown(shape: &[u64]) -> String {
    if shape.is_empty() {
        return "a scalar".to_owned();
    }
    shape.iter().map(u64::to_string).collect::<Vec<_>>().join(" x ")
}

/// Calls `each` with the chunks of `elements` elements that ranges of elements are in, and the part of each that
/// is in the range, in the order of the ranges.
pub fn each_chunk(ranges: &[Range<u64>], elements: u64, mut each: impl FnMut(u64, Range<u64>)) {
    let elements = elements.max(1);
    let ranges = ranges.iter().filter(|range| range.start < range.end);
    let parts = ranges.flat_map(|range| {
        (range.start / elements..=(range.end - 1) / elements).map(move |chunk| {
            let start = chunk * elements;
            let end = (range.end - start).min(elements);
            (chunk, range.start.saturating_sub(start)..end)
        })
    });
    for (chunk, part) in parts.take(MOST_ANNOUNCED) {
        each(chunk, part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_numbered_in_c_order() {
        let grid = Grid::new(&[5, 7], &[2, 3]).unwrap();
        assert_eq!((grid.count(), grid.elements(), grid.counts()), (9, 6, &[3, 3][..]));
        for number in 0..9 {
            assert_eq!(grid.number(&grid.place(number)), number);
        }
        let touched: Vec<_> = grid.touched(&[1..3, 6..7]).collect();
        assert_eq!(touched, [[0, 2], [1, 2]]);
        // A scalar has one chunk.
        let single = Grid::new(&[], &[]).unwrap();
        assert_eq!(single.count(), 1);
        assert_eq!(single.touched(&[]).collect::<Vec<_>>(), [Vec::<u64>::new()]);
    }

    #[test]
    fn overflows_are_refused() {
        assert_eq!(Grid::new(&[1], &[0]), None);
        assert_eq!(Grid::new(&[1], &[1, 1]), None);
        assert_eq!(Grid::new(&[u64::MAX, 2], &[1, 1]), None);
        assert_eq!(Grid::new(&[1, 1], &[u64::MAX, 2]), None);
        assert_eq!(Grid::new(&[0, u64::MAX, u64::MAX], &[1, 1, 1]).unwrap().count(), 0);
    }
}
