//! The arrays of a descriptor, opened and checked.

mod absent;
mod integers;
mod level;
mod values;

use nnz_container::NamedArrays;
use nnz_core::{Error, Place, Repairs, Result, Rounding, Scalar};

use crate::descriptor::{DESCRIPTOR, Descriptor};
use crate::deviation::Deviations;
use crate::layout::LevelKind;
use crate::structure::value_bits;
pub(crate) use integers::{Index, Integers, is_index};
pub(crate) use level::{LevelStore, product};
pub(crate) use values::{ValueArray, zero};

/// Values that are read at a time.
pub(crate) const PIECE: u64 = 1 << 16;

/// A matrix or tensor with all arrays opened. Their lengths agree.
pub(crate) struct Store {
    pub(crate) descriptor: Descriptor,
    pub(crate) levels: Vec<LevelStore>,
    pub(crate) values: ValueArray,
    /// The value of elements that are not stored, if it is not zero.
    pub(crate) fill: Option<Scalar>,
    /// The same in its stored type, even if it is zero.
    pub(crate) stored_fill: Option<Scalar>,
}

impl Store {
    /// Opens all arrays, and returns notes on the file.
    pub(crate) fn open(
        container: &NamedArrays,
        repairs: Option<&Repairs>,
    ) -> Result<(Self, Vec<String>)> {
        let mut found = Deviations::default();
        let store = Self::examine(container, repairs, &mut found);
        let notes = found.into_notes()?;
        let store = store.ok_or_else(|| {
            Error::unsupported(Place::path(container.path()), "the arrays cannot be opened")
        })?;
        Ok((store, notes))
    }

    /// Opens all arrays, and lists everything that is wrong with them. Returns `None` after an
    /// error.
    pub(crate) fn examine(
        container: &NamedArrays,
        repairs: Option<&Repairs>,
        found: &mut Deviations,
    ) -> Option<Self> {
        let text = found.take(container.attribute(DESCRIPTOR))?;
        let place = Place::path(container.path());
        let mut descriptor = Descriptor::examine(&text, &place, found)?;
        if let Some(repairs) = repairs {
            repair_count(container, &mut descriptor, repairs, found)?;
        }
        let extents = descriptor.extents();
        let mut dimension = 0;
        let mut positions = Some(1);
        let mut levels = Vec::new();
        for (number, level) in descriptor.layout.merged().levels().iter().enumerate() {
            let here = extents.get(dimension..dimension + level.rank)?.to_vec();
            let (opened, inner) = match level.kind {
                LevelKind::Dense => LevelStore::dense(here, positions, &place, found),
                LevelKind::Sparse => {
                    let outer = (number > 0).then_some(positions);
                    LevelStore::sparse(container, &descriptor, dimension, here, outer, found)
                }
            };
            levels.push(opened);
            positions = inner;
            dimension += level.rank;
        }
        if let Some(positions) = positions.filter(|&positions| positions != descriptor.stored) {
            let key = format!("{DESCRIPTOR}.number_of_stored_values");
            let place = place.with_array(key);
            let expected = format!("{positions}, the number of positions");
            found.refuse(Error::mismatch(place, descriptor.stored, expected));
        }
        let values = ValueArray::open(container, &descriptor, found);
        let fill = fill(container, &descriptor, found);
        let levels: Option<Vec<_>> = levels.into_iter().collect();
        let (levels, values, [fill, stored_fill]) = (levels?, values?, fill?);
        if found.any_refused() {
            return None;
        }
        Some(Self { descriptor, levels, values, fill, stored_fill })
    }

    /// Returns whether the innermost level stores every element of its slices.
    pub(crate) fn ends_dense(&self) -> bool {
        let last = self.descriptor.layout.levels().last();
        last.is_some_and(|level| level.kind == LevelKind::Dense)
    }
}

/// Corrects the number of stored values to the length of the array. All other arrays are checked
/// against it.
fn repair_count(
    container: &NamedArrays,
    descriptor: &mut Descriptor,
    repairs: &Repairs,
    found: &mut Deviations,
) -> Option<()> {
    let Some(declared) = descriptor.data_type("values").filter(|declared| !declared.iso) else {
        return Some(());
    };
    let array = found.take(container.array("values"))?;
    let parts = if declared.value_type.is_complex() { 2 } else { 1 };
    let count = array.len() / parts;
    if count != descriptor.stored && array.len().is_multiple_of(parts) {
        let key = format!("{DESCRIPTOR}.number_of_stored_values");
        let what = format!("{} stated, but there are {count} values", descriptor.stored);
        repairs.add(Place::array(container.path(), key), what);
        descriptor.stored = count;
    }
    Some(())
}

/// Reads the value of elements that are not stored: if it is not zero, and in its stored type.
fn fill(
    container: &NamedArrays,
    descriptor: &Descriptor,
    found: &mut Deviations,
) -> Option<[Option<Scalar>; 2]> {
    const NAME: &str = "fill_value";
    if !descriptor.fill {
        return Some([None; 2]);
    }
    let own = descriptor.data_type("values")?.value_type;
    let place = Place::array(container.path(), NAME);
    let declared = descriptor.data_type(NAME);
    if declared.is_none() {
        let what = "no type in binsparse.data_types";
        found.tolerate(Error::mismatch(place.clone(), what, "one"));
    }
    let array = found.take(container.array(NAME))?;
    let declared = declared.unwrap_or_else(|| own.into());
    if declared.iso {
        found.refuse(Error::mismatch(place, format!("the type {declared}"), "one without iso"));
        return None;
    }
    let array = ValueArray::of(array, declared.value_type, found)?;
    if array.len() != 1 {
        found.refuse(Error::mismatch(place, format!("{} elements", array.len()), "1 element"));
        return None;
    }
    let stated = found.take(array.get(0))?;
    if stated.value_type() != own {
        found.note(place.clone(), format!("type {}, while values are {own}", stated.value_type()));
    }
    let Ok(value) = stated.cast(own, Rounding::Refused) else {
        let what = format!("a value that {own}, the type of the values, cannot represent");
        found.refuse(Error::unsupported(place, what));
        return None;
    };
    let zero = value_bits(value).iter().all(|&byte| byte == 0);
    Some([(!zero).then_some(value), Some(stated)])
}
