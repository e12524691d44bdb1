//! The numbers of an element.

use std::ops::Range;
use std::sync::Arc;

use nnz_container::tree::{Attributes, ElementType, NdArray, one_range};
use nnz_core::{Place, Result};

use super::space::Space;

/// Numbers in their stored type.
#[derive(Debug)]
pub(in crate::matlab) struct StoredNumbers {
    pub(in crate::matlab) space: Arc<Space>,
    pub(in crate::matlab) place: Place,
    /// The offset of the first.
    pub(in crate::matlab) at: u64,
    pub(in crate::matlab) shape: [u64; 1],
    pub(in crate::matlab) element: ElementType,
    /// The size of an element in bytes.
    pub(in crate::matlab) size: usize,
    /// Whether they are big-endian.
    pub(in crate::matlab) big: bool,
}

impl Attributes for StoredNumbers {}

impl NdArray for StoredNumbers {
    fn place(&self) -> Place {
        self.place.clone()
    }

    fn shape(&self) -> &[u64] {
        &self.shape
    }

    fn element_type(&self) -> &ElementType {
        &self.element
    }

    fn stored_bytes(&self) -> Result<u64> {
        Ok(self.shape[0].saturating_mul(self.size as u64))
    }

    fn read_bytes(&self, selection: &[Range<u64>], out: &mut [u8]) -> Result<()> {
        let (first, size) = (one_range(self, selection, out)?, self.size);
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

    fn will_read(&self, ranges: &[Range<u64>]) {
        if let Space::File(file) = &*self.space {
            let size = self.size as u64;
            let bytes =
                |range: &Range<u64>| self.at + range.start * size..self.at + range.end * size;
            file.will_read_all(&ranges.iter().map(bytes).collect::<Vec<_>>());
        }
    }
}
