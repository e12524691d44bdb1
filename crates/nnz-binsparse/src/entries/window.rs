//! An array of integers that is read sequentially.

use nnz_core::Result;

use crate::store::Integers;

/// Elements in the buffer.
const LONGEST: u64 = 4096;

/// A sliding window over an array.
pub(crate) struct Window {
    pub(crate) array: Integers,
    start: u64,
    elements: Vec<u64>,
}

impl Window {
    pub(crate) fn new(array: Integers) -> Self {
        Self { array, start: 0, elements: Vec::new() }
    }

    /// Returns an element, usually the next one.
    pub(crate) fn get(&mut self, element: u64) -> Result<u64> {
        if element < self.start || element - self.start >= self.elements.len() as u64 {
            let len = LONGEST.min(self.array.len().saturating_sub(element)).max(1);
            self.elements.resize(usize::try_from(len).unwrap_or(1), 0);
            self.start = element;
            if let Err(error) = self.array.read(element, &mut self.elements) {
                self.elements.clear();
                return Err(error);
            }
        }
        let at = usize::try_from(element - self.start).unwrap_or(usize::MAX);
        Ok(self.elements.get(at).copied().unwrap_or_default())
    }
}
