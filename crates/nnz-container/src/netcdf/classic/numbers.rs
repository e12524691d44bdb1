//! A variable as an array of numbers.

use nnz_core::{Error, Place, Result, ValueType};

use super::extent::Extent;
use super::header::{Kind, Variable};
use crate::array::check_range;
use crate::{NumberArray, byte_order};

/// A variable of numbers.
pub(super) struct Numbers {
    extent: Extent,
    value_type: ValueType,
}

impl Numbers {
    pub(super) fn of(variable: &Variable, extent: Extent) -> Result<Self> {
        let Kind::Number(value_type) = variable.kind else {
            return Err(Error::mismatch(extent.place, "strings", "numbers"));
        };
        match (variable.records, &variable.lengths[..]) {
            (true, []) | (false, [_]) => Ok(Self { extent, value_type }),
            (false, []) => Err(Error::mismatch(extent.place, "a single number", "one dimension")),
            (records, lengths) => {
                let records = records.then_some(extent.pieces);
                let lengths = records.iter().chain(lengths).map(u64::to_string);
                let found = format!("a variable of {}", lengths.collect::<Vec<_>>().join(" x "));
                Err(Error::mismatch(extent.place, found, "one dimension"))
            }
        }
    }
}

impl NumberArray for Numbers {
    fn place(&self) -> Place {
        self.extent.place.clone()
    }

    fn value_type(&self) -> ValueType {
        self.value_type
    }

    fn len(&self) -> u64 {
        self.extent.bytes() / self.value_type.size() as u64
    }

    fn stored_bytes(&self) -> Result<u64> {
        Ok(self.extent.bytes())
    }

    fn read_bytes(&self, first: u64, out: &mut [u8]) -> Result<()> {
        check_range(self, first, out.len())?;
        if out.is_empty() {
            return Ok(());
        }
        self.extent.read(first * self.value_type.size() as u64, out)?;
        byte_order::to_native(out, self.value_type, true);
        Ok(())
    }
}
