//! One level: its number of positions, and its arrays.

use nnz_container::NamedArrays;
use nnz_core::{Error, Place};

use super::Integers;
use crate::descriptor::Descriptor;
use crate::deviation::Deviations;
use crate::layout;

/// A level and its arrays.
pub(crate) enum LevelStore {
    /// Every slice is stored.
    Dense {
        /// The length of each of its dimensions.
        extents: Vec<u64>,
        /// Their product.
        size: u64,
    },
    /// Indices list the stored slices.
    Sparse {
        /// The length of each of its dimensions.
        extents: Vec<u64>,
        /// The first slice of each position of the outer level; the outermost level has only one
        /// position.
        pointers: Option<Integers>,
        /// The coordinates of each slice, one array for each dimension.
        indices: Vec<Integers>,
    },
}

/// Multiplies lengths. The product is 0 if any length is 0, even if the others overflow.
pub(crate) fn product(lengths: impl IntoIterator<Item = u64> + Clone) -> Option<u64> {
    if lengths.clone().into_iter().any(|length| length == 0) {
        return Some(0);
    }
    lengths.into_iter().try_fold(1, u64::checked_mul)
}

impl LevelStore {
    /// Opens a dense level, and returns the number of positions for the inner level.
    pub(super) fn dense(
        extents: Vec<u64>,
        positions: Option<u64>,
        place: &Place,
        found: &mut Deviations,
    ) -> (Option<Self>, Option<u64>) {
        let size = product(extents.iter().copied());
        let inner = match (size, positions) {
            (_, Some(0)) => Some(0),
            (Some(size), Some(positions)) => positions.checked_mul(size),
            _ => None,
        };
        if inner.is_none() && positions.is_some() {
            let place = place.clone().with_array("binsparse.shape".to_owned());
            let what = match positions {
                Some(count) if count > 1 => format!("{count} slices of the shape {extents:?}"),
                _ => format!("the shape {extents:?}"),
            };
            found.refuse(Error::mismatch(place, what, "fewer than 2^64 elements"));
        }
        // An overflow does not matter if nothing is stored.
        let size = size.unwrap_or(u64::MAX);
        (inner.map(|_| Self::Dense { extents, size }), inner)
    }

    /// Opens a sparse level, and returns the number of positions for the inner level. `outer` is the
    /// number of positions of the outer level, if there is one and it is known.
    pub(super) fn sparse(
        container: &NamedArrays,
        descriptor: &Descriptor,
        dimension: usize,
        extents: Vec<u64>,
        outer: Option<Option<u64>>,
        found: &mut Deviations,
    ) -> (Option<Self>, Option<u64>) {
        let mut open = |name: String| Integers::open(container, descriptor, &name, found);
        let pointers = outer.map(|_| open(layout::pointers(dimension)).map(Integers::cached));
        let end = dimension + extents.len();
        let indices: Vec<_> = (dimension..end).map(|d| open(layout::indices(d))).collect();
        let mut lengths = indices.iter().flatten().map(Integers::len);
        let length = lengths.next();
        for (other, first) in indices.iter().flatten().skip(1).zip(length.into_iter().cycle()) {
            if other.len() != first {
                let place = other.place(0).without_position();
                let expected = format!("{first}, like the indices of the previous dimension");
                found.refuse(Error::mismatch(place, elements(other.len()), expected));
            }
        }
        if let (Some(Some(pointers)), Some(outer)) = (&pointers, outer) {
            check_pointers(pointers, outer, length, found);
        }
        let indices: Option<Vec<_>> = indices.into_iter().collect();
        let level = match (pointers, indices) {
            (None, Some(indices)) => Some(Self::Sparse { extents, pointers: None, indices }),
            (Some(Some(pointers)), Some(indices)) => {
                Some(Self::Sparse { extents, pointers: Some(pointers), indices })
            }
            _ => None,
        };
        (level, length)
    }
}

/// Checks the number of pointers, and the first and the last of them.
fn check_pointers(
    pointers: &Integers,
    outer: Option<u64>,
    indices: Option<u64>,
    found: &mut Deviations,
) {
    let place = pointers.place(0).without_position();
    let expected = outer.map(|outer| u128::from(outer) + 1);
    if let Some(expected) = expected.filter(|&expected| expected != u128::from(pointers.len())) {
        found.refuse(Error::mismatch(place, elements(pointers.len()), elements(expected)));
        return;
    }
    let Some(last) = pointers.len().checked_sub(1) else {
        found.refuse(Error::mismatch(place, "no elements", "at least 1"));
        return;
    };
    pointers.will_read(&[0..1, last..last + 1]);
    if let Some(first) = found.take(pointers.get(0)).filter(|&first| first != 0) {
        found.refuse(pointers.wrong(0, first, 0));
    }
    if let (Some(indices), Some(end)) = (indices, found.take(pointers.get(last)))
        && end != indices
    {
        found.refuse(pointers.wrong(last, end, format!("{indices}, the number of indices")));
    }
}

fn elements(count: impl std::fmt::Display) -> String {
    format!("{count} elements")
}
