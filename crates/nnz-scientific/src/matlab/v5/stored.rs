//! The numbers of an element.

use std::sync::Arc;

use nnz_container::NumberArray;
use nnz_core::{Error, Place, Result, ValueType};

use super::space::Space;

/// Numbers in their stored type.
pub(super) struct Stored {
    pub(super) space: Arc<Space>,
    pub(super) place: Place,
    /// The offset of the first.
    pub(super) at: u64,
    pub(super) len: u64,
    pub(super) value_type: ValueType,
    /// Whether they are big-endian.
    pub(super) big: bool,
}

impl NumberArray for Stored {
    fn place(&self) -> Place {
        self.place.clone()
    }

    fn value_type(&self) -> ValueType {
        self.value_type
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn stored_bytes(&self) -> Result<u64> {
        Ok(self.len.saturating_mul(self.value_type.size() as u64))
    }

    fn read_bytes(&self, first: u64, out: &mut [u8]) -> Result<()> {
        let size = self.value_type.size();
        let count = (out.len() / size) as u64;
        let end = first.checked_add(count).filter(|end| *end <= self.len);
        if end.is_none() || !out.len().is_multiple_of(size) {
            let found = format!("a request of {} bytes from element {first} on", out.len());
            let expected = format!("complete elements out of {}", self.len);
            return Err(Error::mismatch(self.place.clone(), found, expected));
        }
        if out.is_empty() {
            return Ok(());
        }
        // The end of the last element was checked against the size of the variable.
        self.space.read_at(self.at + first * size as u64, out, &self.place)?;
        if self.big != cfg!(target_endian = "big") && size > 1 {
            out.chunks_exact_mut(size).for_each(<[u8]>::reverse);
        }
        Ok(())
    }

    fn has_latency(&self) -> bool {
        matches!(&*self.space, Space::File(file) if file.has_latency())
    }

    fn will_read(&self, ranges: &[std::ops::Range<u64>]) {
        if let Space::File(file) = &*self.space {
            let size = self.value_type.size() as u64;
            let bytes = |range: &std::ops::Range<u64>| {
                self.at + range.start * size..self.at + range.end * size
            };
            file.will_read_all(&ranges.iter().map(bytes).collect::<Vec<_>>());
        }
    }
}
