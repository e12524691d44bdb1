//! A dataset as an array of numbers.

use std::ops::Range;

use nnz_core::{Place, Result, ValueType};

use super::dataset::Stored;
use super::datatype::Kind;
use crate::array::check_range;
use crate::{NumberArray, byte_order};

/// A dataset of numbers.
pub(super) struct Numbers {
    stored: Stored,
    value_type: ValueType,
    big: bool,
}

impl Numbers {
    pub(super) fn of(stored: Stored) -> Result<Self> {
        match stored.kind {
            Kind::Number { value_type, big } if !stored.scalar => {
                Ok(Self { stored, value_type, big })
            }
            Kind::Number { .. } => {
                let place = stored.place.clone();
                Err(nnz_core::Error::mismatch(place, "a single number", "one dimension"))
            }
            _ => Err(stored.wrong_type("numbers")),
        }
    }
}

impl NumberArray for Numbers {
    fn place(&self) -> Place {
        self.stored.place.clone()
    }

    fn value_type(&self) -> ValueType {
        self.value_type
    }

    fn len(&self) -> u64 {
        self.stored.len
    }

    fn stored_bytes(&self) -> Result<u64> {
        self.stored.stored_bytes()
    }

    fn read_bytes(&self, first: u64, out: &mut [u8]) -> Result<()> {
        check_range(self, first, out.len())?;
        if out.is_empty() {
            return Ok(());
        }
        self.stored.read(first, out)?;
        byte_order::to_native(out, self.value_type, self.big);
        Ok(())
    }

    fn will_read(&self, ranges: &[Range<u64>]) {
        if self.has_latency() {
            self.stored.will_read(ranges);
        }
    }

    fn has_latency(&self) -> bool {
        self.stored.opened.file().has_latency()
    }
}
