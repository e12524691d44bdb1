//! Arrays of chunks of blocks.

use super::{DecodeError, damaged, number, truncated};

/// The maximum number of dimensions.
const MOST_DIMENSIONS: usize = 15;

/// The shapes of an n-dimensional array, its chunks and their blocks.
pub(super) struct Array {
    pub(super) shape: Vec<usize>,
    pub(super) chunk: Vec<usize>,
    pub(super) block: Vec<usize>,
}

impl Array {
    /// Parses shapes, after five bytes of a length.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, DecodeError> {
        let (&dimensions, rest) =
            bytes.get(7..).and_then(<[u8]>::split_first).ok_or_else(truncated)?;
        let dimensions = usize::from(dimensions);
        if !(1..=MOST_DIMENSIONS).contains(&dimensions) {
            return Err(damaged("missing number of dimensions"));
        }
        // Each list has a byte before it, and each number.
        let (wide, narrow) = (1 + 9 * dimensions, 1 + 5 * dimensions);
        let shape = (0..dimensions).map(|at| number::<8>(rest, 2 + 9 * at));
        let narrow_list =
            |start: usize| (0..dimensions).map(move |at| number::<4>(rest, start + 2 + 5 * at));
        let array = Self {
            shape: shape.collect::<Result<_, _>>()?,
            chunk: narrow_list(wide).collect::<Result<_, _>>()?,
            block: narrow_list(wide + narrow).collect::<Result<_, _>>()?,
        };
        let mut sizes = array.chunk.iter().zip(&array.block);
        match sizes.all(|(chunk, block)| (1..=*chunk).contains(block)) {
            true => Ok(array),
            false => Err(damaged("a block that is larger than its chunk")),
        }
    }
}

/// Copies the elements of a block that are in a box, with a start and a size, of an array.
pub(super) fn copy(
    block: &[u8],
    block_shape: &[usize],
    out: &mut [u8],
    shape: &[usize],
    (start, size): (&[usize], &[usize]),
    width: usize,
) -> Result<(), DecodeError> {
    let Some((row, rows)) = size.split_last() else { return Ok(()) };
    each(rows, |at| {
        let at = [at, &[0]].concat();
        let from = index(&at, block_shape) * width;
        let to = index(&zip_with(start, &at, |start, at| start + at), shape) * width;
        let from = block.get(from..).and_then(|block| block.get(..row * width));
        let to = out.get_mut(to..).and_then(|out| out.get_mut(..row * width));
        let (Some(from), Some(to)) = (from, to) else { return Err(truncated()) };
        to.copy_from_slice(from);
        Ok(())
    })
}

/// Calls `visit` with each position in a grid, in C order.
pub(super) fn each(
    counts: &[usize],
    mut visit: impl FnMut(&[usize]) -> Result<(), DecodeError>,
) -> Result<(), DecodeError> {
    if counts.contains(&0) {
        return Ok(());
    }
    let mut at = vec![0; counts.len()];
    loop {
        visit(&at)?;
        let next = at.iter().zip(counts).rposition(|(at, count)| at + 1 < *count);
        let Some(next) = next else { return Ok(()) };
        at[next] += 1;
        at[next + 1..].fill(0);
    }
}

/// Returns the index of a position in a grid, in C order.
pub(super) fn index(at: &[usize], counts: &[usize]) -> usize {
    at.iter().zip(counts).fold(0, |index, (at, count)| index * count + at)
}

pub(super) fn zip_with(
    a: &[usize],
    b: &[usize],
    combined: impl Fn(usize, usize) -> usize,
) -> Vec<usize> {
    a.iter().zip(b).map(|(a, b)| combined(*a, *b)).collect()
}
