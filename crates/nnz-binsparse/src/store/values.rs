//! The values, or one value that all entries share.

use std::ops::Range;

use nnz_container::{NamedArrays, Vector};
use nnz_core::{At, Element, Error, Place, Result, Scalar, ValueType, Values};

use super::absent::array_or_empty;
use super::integers::check_end;
use crate::descriptor::Descriptor;
use crate::deviation::Deviations;

/// An array of values. Complex ones may be stored as two real numbers each.
pub(crate) struct ValueArray {
    array: Vector,
    value_type: ValueType,
    /// The number of array elements for a value.
    parts: u64,
    /// The value that all entries share.
    iso: Option<Scalar>,
}

impl ValueArray {
    /// Opens `values`, and checks their number.
    pub(super) fn open(
        container: &NamedArrays,
        descriptor: &Descriptor,
        found: &mut Deviations,
    ) -> Option<Self> {
        let declared = descriptor.data_type("values")?;
        let array = array_or_empty(container, descriptor, "values", found)?;
        let mut values = Self::of(array, declared.value_type, found)?;
        let place = values.array.place();
        if declared.iso {
            values.iso = Some(match values.len() {
                1 => found.take(values.get(0))?,
                0 if descriptor.stored == 0 => {
                    found.note(place, "no value, and none is needed");
                    zero(values.value_type)
                }
                other => {
                    let expected = format!("1 for {declared}");
                    found.refuse(Error::mismatch(place, format!("{other} values"), expected));
                    return None;
                }
            });
        } else if values.len() != descriptor.stored {
            let text = format!("{} values", values.len());
            let expected = format!("{}, the number_of_stored_values", descriptor.stored);
            found.refuse(Error::mismatch(place, text, expected));
            return None;
        }
        Some(values)
    }

    /// Opens an array as values of the declared type, or of its own type if that is of the same
    /// kind.
    pub(super) fn of(array: Vector, declared: ValueType, found: &mut Deviations) -> Option<Self> {
        check_end(&array, found);
        let stored = array.value_type();
        let (value_type, parts) = match (declared, stored) {
            (ValueType::ComplexF32 | ValueType::ComplexF64, ValueType::F32) => {
                (ValueType::ComplexF32, 2)
            }
            (ValueType::ComplexF32 | ValueType::ComplexF64, ValueType::F64) => {
                (ValueType::ComplexF64, 2)
            }
            (ValueType::Bint8, ValueType::U8 | ValueType::I8 | ValueType::Bint8) => {
                (ValueType::Bint8, 1)
            }
            _ => (stored, 1),
        };
        let place = array.place();
        let text = format!("elements of type {stored}");
        if kind(value_type) != kind(declared) {
            let expected = format!("{declared}, as declared");
            found.refuse(Error::mismatch(place, text, expected));
            return None;
        }
        if parts == 1 && declared.is_complex() {
            let expected = "two real numbers for each complex value";
            found.tolerate(Error::mismatch(place.clone(), text, expected));
        } else if value_type != declared {
            let expected = format!("{declared}, as declared");
            found.tolerate(Error::mismatch(place.clone(), text, expected));
        }
        if !array.len().is_multiple_of(parts) {
            let text = format!("{} real numbers", array.len());
            found.refuse(Error::mismatch(place, text, "two for each complex value"));
            return None;
        }
        Some(Self { array, value_type, parts, iso: None })
    }

    /// Returns the array, if it has one element for each value.
    pub(crate) fn vector(&self) -> Option<&Vector> {
        (self.iso.is_none() && self.parts == 1).then_some(&self.array)
    }

    /// Announces that ranges of values will be read soon.
    pub(crate) fn will_read(&self, ranges: &[Range<u64>]) {
        if self.iso.is_none() {
            let of = |value: u64| value.saturating_mul(self.parts);
            let parts: Vec<_> = ranges.iter().map(|range| of(range.start)..of(range.end)).collect();
            self.array.will_read(&parts);
        }
    }

    /// Returns the number of stored values; a shared value counts once.
    pub(crate) fn len(&self) -> u64 {
        self.array.len() / self.parts
    }

    pub(crate) fn value_type(&self) -> ValueType {
        self.value_type
    }

    pub(crate) fn iso(&self) -> Option<Scalar> {
        self.iso
    }

    pub(crate) fn place(&self, value: u64) -> Place {
        self.array.place().at(At::Element(value.saturating_mul(self.parts)))
    }

    /// Reads a range of values, or returns the shared one.
    pub(crate) fn read(&self, range: Range<u64>, values: &mut Values) -> Result<()> {
        if let Some(iso) = self.iso {
            *values = Values::Iso(iso);
            return Ok(());
        }
        self.read_stored(range, values)
    }

    fn read_stored(&self, range: Range<u64>, values: &mut Values) -> Result<()> {
        if values.value_type() != self.value_type || matches!(values, Values::Iso(_)) {
            *values = Values::new(self.value_type);
        }
        let count = usize::try_from(range.end - range.start).unwrap_or(usize::MAX);
        self.array.read_bytes(range.start * self.parts, values.resize_bytes(count))?;
        if let Values::Bint8(values) = &values
            && values.iter().fold(0, |all, value| all | value.0) > 1
        {
            let at = values.iter().position(|value| value.0 > 1).unwrap_or(0);
            let place = self.place(range.start + at as u64);
            return Err(Error::mismatch(place, values[at].0, "0 or 1"));
        }
        Ok(())
    }

    pub(crate) fn get(&self, value: u64) -> Result<Scalar> {
        let mut one = Values::new(self.value_type);
        self.read_stored(value..value + 1, &mut one)?;
        one.get(0).ok_or_else(|| Error::mismatch(self.place(value), "no value", "one"))
    }
}

/// Types of the same kind can be read for each other without loss.
fn kind(value_type: ValueType) -> u8 {
    match value_type {
        ValueType::F32 | ValueType::F64 => 0,
        ValueType::ComplexF32 | ValueType::ComplexF64 => 1,
        ValueType::Bint8 => 2,
        _ => 3,
    }
}

/// Returns the zero of a type.
pub(crate) fn zero(value_type: ValueType) -> Scalar {
    fn of<T: Element>() -> Scalar {
        T::zeroed().scalar()
    }
    match value_type {
        ValueType::U8 => of::<u8>(),
        ValueType::U16 => of::<u16>(),
        ValueType::U32 => of::<u32>(),
        ValueType::U64 => of::<u64>(),
        ValueType::I8 => of::<i8>(),
        ValueType::I16 => of::<i16>(),
        ValueType::I32 => of::<i32>(),
        ValueType::I64 => of::<i64>(),
        ValueType::F32 => of::<f32>(),
        ValueType::F64 => of::<f64>(),
        ValueType::Bint8 => of::<nnz_core::Bint8>(),
        ValueType::ComplexF32 => of::<[f32; 2]>(),
        ValueType::ComplexF64 => of::<[f64; 2]>(),
    }
}
