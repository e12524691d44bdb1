//! An array as numbers.

use std::ops::Range;

use nnz_core::{Error, Place, Result, ValueType};

use super::chunks::Stored;
use super::metadata::DataType;
use super::read::Elements;
use crate::NumberArray;
use crate::array::check_range;
use crate::byte_order;
use crate::npy::Element;

/// An array of numbers.
pub(super) struct Numbers {
    elements: Elements,
    value_type: ValueType,
}

impl Numbers {
    pub(super) fn of(stored: Stored, threads: usize) -> Result<Self> {
        let DataType::Fixed(Element::Number { value_type, .. }) = stored.metadata.data_type else {
            return Err(Error::mismatch(stored.place, "strings", "numbers"));
        };
        let elements = Elements::new(stored, value_type.size(), to_native, threads);
        Ok(Self { elements, value_type })
    }
}

fn to_native(stored: &Stored, elements: &mut [u8]) {
    if let DataType::Fixed(Element::Number { value_type, big }) = stored.metadata.data_type {
        byte_order::to_native(elements, value_type, big);
    }
}

impl NumberArray for Numbers {
    fn place(&self) -> Place {
        self.elements.stored.place.clone()
    }

    fn value_type(&self) -> ValueType {
        self.value_type
    }

    fn len(&self) -> u64 {
        self.elements.stored.metadata.len
    }

    fn stored_bytes(&self) -> Result<u64> {
        self.elements.stored.stored_bytes()
    }

    fn read_bytes(&self, first: u64, out: &mut [u8]) -> Result<()> {
        check_range(self, first, out.len())?;
        self.elements.read(first, out)
    }

    fn will_read(&self, ranges: &[Range<u64>]) {
        if self.has_latency() {
            self.elements.will_read(ranges);
        }
    }

    fn has_latency(&self) -> bool {
        self.elements.stored.directory.has_latency()
    }
}
