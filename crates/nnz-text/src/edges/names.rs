//! Nodes with names.

use std::collections::HashMap;

use nnz_core::{Error, ErrorKind, Place, Result, StringList};

/// Names and their numbers, in the order in which they first appear.
#[derive(Debug, Default)]
pub(super) struct NodeNames {
    numbers: HashMap<Box<[u8]>, u64>,
    pub(super) list: StringList,
    bytes: u64,
}

impl NodeNames {
    /// Adds a name unless it is known.
    pub(super) fn add(&mut self, name: &[u8], memory: u64, place: &Place) -> Result<()> {
        if self.numbers.contains_key(name) {
            return Ok(());
        }
        // A name in the list and in the map, with its length and number.
        self.bytes = self.bytes.saturating_add(2 * name.len() as u64 + 48);
        if self.bytes > memory {
            let kind = ErrorKind::Memory { needed: self.bytes, allowed: memory };
            return Err(Error::new(kind, place.clone()));
        }
        self.numbers.insert(name.into(), self.list.len());
        self.list.try_push(name)
    }

    /// Returns the number of a name.
    #[inline]
    pub(super) fn number(&self, name: &[u8]) -> Option<u64> {
        self.numbers.get(name).copied()
    }

    pub(super) fn len(&self) -> u64 {
        self.list.len()
    }
}
