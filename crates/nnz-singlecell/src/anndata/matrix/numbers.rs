//! `data`: numbers of any type.

use std::ops::Range;

use nnz_container::NumberArray;
use nnz_container::tree::{ElementType, Group, NdArray};
use nnz_core::{At, Error, Place, Result, ValueType, Values};

/// An array of values of one dimension.
pub(super) enum Numbers {
    Array(Box<dyn NumberArray>),
    /// Floats of 16 bits, which become `float32`.
    Halves(Box<dyn NdArray>),
}

impl Numbers {
    pub(super) fn open(group: &dyn Group, name: &str) -> Result<Self> {
        let array = group.array(name)?;
        if *array.element_type() == ElementType::Float16 {
            return match array.shape() {
                [_] => Ok(Self::Halves(array)),
                other => {
                    let found = format!("{} dimensions", other.len());
                    Err(Error::mismatch(array.place(), found, "one dimension"))
                }
            };
        }
        group.container()?.array(name).map(Self::Array)
    }

    pub(super) fn place(&self) -> Place {
        match self {
            Self::Array(array) => array.place(),
            Self::Halves(array) => array.place(),
        }
    }

    pub(super) fn value_type(&self) -> ValueType {
        match self {
            Self::Array(array) => array.value_type(),
            Self::Halves(_) => ValueType::F32,
        }
    }

    pub(super) fn len(&self) -> u64 {
        match self {
            Self::Array(array) => array.len(),
            Self::Halves(array) => array.shape().first().copied().unwrap_or(0),
        }
    }

    pub(super) fn stored_bytes(&self) -> u64 {
        match self {
            Self::Array(array) => array.stored_bytes(),
            Self::Halves(array) => array.stored_bytes().unwrap_or(0),
        }
    }

    pub(super) fn read(&self, range: Range<u64>, values: &mut Values) -> Result<()> {
        let out = prepare(values, self.value_type(), range.end - range.start);
        match self {
            Self::Array(array) => array.read_bytes(range.start, out)?,
            Self::Halves(array) => array.read_bytes(std::slice::from_ref(&range), out)?,
        }
        check_booleans(values, range.start, || self.place())
    }
}

/// Makes room for so many values of a type.
pub(super) fn prepare(values: &mut Values, value_type: ValueType, count: u64) -> &mut [u8] {
    if values.value_type() != value_type || matches!(values, Values::Iso(_)) {
        *values = Values::new(value_type);
    }
    // Units are small.
    values.resize_bytes(usize::try_from(count).unwrap_or(usize::MAX))
}

/// Checks that booleans are 0 or 1. `first` is the number of the first.
pub(super) fn check_booleans(
    values: &Values,
    first: u64,
    place: impl FnOnce() -> Place,
) -> Result<()> {
    let Values::Bint8(values) = values else { return Ok(()) };
    match values.iter().position(|value| value.0 > 1) {
        None => Ok(()),
        Some(at) => {
            let place = place().at(At::Element(first + at as u64));
            Err(Error::mismatch(place, values[at].0, "0 or 1"))
        }
    }
}
