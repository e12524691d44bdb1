//! Hyperslabs: a range of indices in each dimension.

use std::ops::Range;

use nnz_core::{Error, Place, Result};

use super::array::NdArray;
use nnz_chunk::grid::{places, product, shown};

/// Maximum number of dimensions. HDF5 has 32, NumPy 64.
const MAX_DIMENSIONS: usize = 64;

/// Checks that an array does not have too many dimensions.
pub(crate) fn check_rank(rank: usize, place: &Place) -> Result<()> {
    if rank <= MAX_DIMENSIONS {
        return Ok(());
    }
    let expected = format!("at most {MAX_DIMENSIONS}");
    Err(Error::mismatch(place.clone(), format!("{rank} dimensions"), expected))
}

/// Checks that a hyperslab is inside the shape, and returns its number of elements.
pub(crate) fn count(selection: &[Range<u64>], shape: &[u64], place: &Place) -> Result<u64> {
    let inside =
        |(range, &length): (&Range<u64>, &u64)| range.start <= range.end && range.end <= length;
    let expected = || format!("ranges inside of {}", shown(shape));
    if selection.len() != shape.len() || !selection.iter().zip(shape).all(inside) {
        return Err(Error::mismatch(
            place.clone(),
            format!("a request of {selection:?}"),
            expected(),
        ));
    }
    let lengths = lengths(selection);
    if lengths.contains(&0) {
        return Ok(0);
    }
    product(&lengths).ok_or_else(|| {
        Error::mismatch(place.clone(), "a request of more than 2^64 elements", expected())
    })
}

/// Returns the lengths of all ranges.
pub(crate) fn lengths(selection: &[Range<u64>]) -> Vec<u64> {
    selection.iter().map(|range| range.end.saturating_sub(range.start)).collect()
}

/// Divides a hyperslab into smaller ones of at most `most` elements, in the order of its elements.
///
/// It is divided at multiples of `chunk` if possible.
pub(crate) fn blocks(
    selection: &[Range<u64>],
    chunk: Option<&[u64]>,
    most: u64,
) -> impl Iterator<Item = Vec<Range<u64>>> + use<> {
    let counts = lengths(selection);
    let empty = counts.contains(&0);
    // The dimension to divide: all later ones fit in a block together.
    let mut cut = counts.len();
    let mut inner = 1_u64;
    while cut > 0 {
        let more = inner.saturating_mul(counts[cut - 1]);
        if more > most {
            break;
        }
        inner = more;
        cut -= 1;
    }
    let outer: Vec<Range<u64>> = selection[..cut.saturating_sub(1)].to_vec();
    let after: Vec<Range<u64>> = selection[cut..].to_vec();
    let along = cut.checked_sub(1).map(|at| selection[at].clone());
    let step = (most / inner.max(1)).max(1);
    let align = cut.checked_sub(1).and_then(|at| chunk.map(|chunk| chunk[at]));
    let step = match align {
        Some(align) if align < step => step / align * align,
        _ => step,
    };
    (!empty).then(|| places(outer)).into_iter().flatten().flat_map(move |outer| {
        let before: Vec<Range<u64>> = outer.iter().map(|&at| at..at + 1).collect();
        let after = after.clone();
        let blocks: Box<dyn Iterator<Item = Vec<Range<u64>>>> = match along.clone() {
            None => Box::new(std::iter::once(after)),
            Some(along) => Box::new(
                cuts(along, step, align)
                    .map(move |range| [&before[..], &[range], &after[..]].concat()),
            ),
        };
        blocks
    })
}

/// Divides a range at multiples of `step`, or of `align` if that comes first.
fn cuts(range: Range<u64>, step: u64, align: Option<u64>) -> impl Iterator<Item = Range<u64>> {
    let mut at = range.start;
    std::iter::from_fn(move || {
        if at >= range.end {
            return None;
        }
        let by =
            align.filter(|&align| align > step).map_or(step, |align| step.min(align - at % align));
        let by = if align.is_some_and(|align| align <= step) { step - at % step } else { by };
        let end = at.saturating_add(by).min(range.end);
        let cut = at..end;
        at = end;
        Some(cut)
    })
}

/// Returns the start of the range of an array of numbers of one dimension.
///
/// # Errors
///
/// Fails if it is not inside the array, or if `out` has another size.
pub fn one_range(array: &dyn NdArray, selection: &[Range<u64>], out: &[u8]) -> Result<u64> {
    let size = array.value_type()?.size() as u64;
    if let ([range], [len]) = (selection, array.shape())
        && range.start <= range.end
        && range.end <= *len
        && (range.end - range.start).checked_mul(size) == Some(out.len() as u64)
    {
        return Ok(range.start);
    }
    let found = format!("a request of {selection:?} for {} bytes", out.len());
    let expected = format!("a range of {} elements of {size} bytes", shown(array.shape()));
    Err(Error::mismatch(array.place(), found, expected))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_cover_all_elements_in_order() {
        let list = |selection: &[Range<u64>], chunk: Option<&[u64]>, most| {
            let mut seen = Vec::new();
            for block in blocks(selection, chunk, most) {
                let here: Vec<_> = places(block).collect();
                assert!(here.len() as u64 <= most.max(1), "{} of {most}", here.len());
                seen.extend(here);
            }
            seen
        };
        let selection = [1..4, 2..7, 0..3];
        let all: Vec<_> = places(selection.to_vec()).collect();
        for most in [0, 1, 2, 3, 4, 7, 15, 16, 44, 45, 1000] {
            assert_eq!(list(&selection, None, most), all);
            assert_eq!(list(&selection, Some(&[2, 2, 2]), most), all);
            assert_eq!(list(&selection, Some(&[9, 4, 1]), most), all);
        }
        assert_eq!(list(&[], None, 5), [Vec::<u64>::new()]);
        assert_eq!(list(&[3..3, 0..2], None, 5).len(), 0);
        let rows = std::slice::from_ref(&(5..50));
        let cut: Vec<_> = blocks(rows, Some(&[10]), 25).flatten().collect();
        assert_eq!(cut, [5..20, 20..40, 40..50]);
    }
}
