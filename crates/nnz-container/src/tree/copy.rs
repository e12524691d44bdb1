//! Copying elements between different strides.

/// A dimension of a copy: its length, and the strides on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dimension {
    pub(crate) count: usize,
    pub(crate) from: usize,
    pub(crate) to: usize,
}

/// Merges dimensions that are contiguous on both sides, in C order, and omits dimensions of length 1.
pub(crate) fn merge(dimensions: &[Dimension]) -> Vec<Dimension> {
    let mut merged: Vec<Dimension> = Vec::with_capacity(dimensions.len());
    for &dimension in dimensions.iter().filter(|dimension| dimension.count != 1) {
        match merged.last_mut() {
            Some(before)
                if Some(before.from) == dimension.from.checked_mul(dimension.count)
                    && Some(before.to) == dimension.to.checked_mul(dimension.count) =>
            {
                *before = Dimension { count: before.count * dimension.count, ..dimension };
            }
            _ => merged.push(dimension),
        }
    }
    merged
}

/// Copies elements of `width` bytes from byte `at` of `from` to byte `to` of `out`.
///
/// Returns `None` if an element is out of bounds, which callers exclude.
pub(crate) fn copy(
    from: &[u8],
    at: usize,
    out: &mut [u8],
    to: usize,
    dimensions: &[Dimension],
    width: usize,
) -> Option<()> {
    match dimensions {
        [] => {
            let element = from.get(at..at.checked_add(width)?)?;
            out.get_mut(to..to.checked_add(width)?)?.copy_from_slice(element);
            Some(())
        }
        [Dimension { count, from: step, to: put }] if *step == width && *put == width => {
            copy(from, at, out, to, &[], count.checked_mul(width)?)
        }
        [last] => match width {
            1 => elements::<1>(from, at, out, to, *last),
            2 => elements::<2>(from, at, out, to, *last),
            4 => elements::<4>(from, at, out, to, *last),
            8 => elements::<8>(from, at, out, to, *last),
            _ => (0..last.count).try_for_each(|number| {
                copy(from, at + number * last.from, out, to + number * last.to, &[], width)
            }),
        },
        [first, rest @ ..] => (0..first.count).try_for_each(|number| {
            copy(from, at + number * first.from, out, to + number * first.to, rest, width)
        }),
    }
}

fn elements<const WIDTH: usize>(
    from: &[u8],
    at: usize,
    out: &mut [u8],
    to: usize,
    dimension: Dimension,
) -> Option<()> {
    let from = from.get(at..)?;
    let out = out.get_mut(to..)?;
    for number in 0..dimension.count {
        let element = from.get(number * dimension.from..)?.first_chunk::<WIDTH>()?;
        *out.get_mut(number * dimension.to..)?.first_chunk_mut::<WIDTH>()? = *element;
    }
    Some(())
}

/// Returns the number of bytes from the first to the end of the last element, on the source side.
pub(crate) fn span(dimensions: &[Dimension], width: usize) -> usize {
    dimensions.iter().fold(width, |span, dimension| {
        span.saturating_add(dimension.count.saturating_sub(1).saturating_mul(dimension.from))
    })
}
