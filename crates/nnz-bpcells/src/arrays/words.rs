//! Packed words in memory.

use bytemuck::try_cast_slice;
use nnz_container::Vector;
use nnz_core::{Result, ValueType};
use nnz_storage::Mapped;

/// How words are brought into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// Copied into a buffer, which is reused.
    Reading,
    /// Mapped where possible. This is faster, but mappings have to be removed again: many threads
    /// with little data each would wait for one another.
    Mapping,
}

/// Words that were read or mapped.
pub(super) enum Words<'s> {
    Read(&'s [u32]),
    Mapped(Mapped),
}

impl<'s> Words<'s> {
    /// Loads words from `first` on, into `buffer` if they are read.
    pub(super) fn load(
        data: &Vector,
        first: u64,
        len: usize,
        by: By,
        buffer: &'s mut Vec<u32>,
    ) -> Result<Self> {
        if by == By::Mapping
            && data.value_type() == ValueType::U32
            && let Some(mapped) = data.map(first, len * size_of::<u32>())
            && try_cast_slice::<u8, u32>(&mapped).is_ok()
        {
            return Ok(Self::Mapped(mapped));
        }
        let words = super::packed::front(buffer, len);
        data.read_into(first, words)?;
        Ok(Self::Read(words))
    }

    pub(super) fn as_slice(&self) -> &[u32] {
        match self {
            Self::Read(words) => words,
            // They are aligned; otherwise they would have been read.
            Self::Mapped(mapped) => try_cast_slice(mapped).unwrap_or_default(),
        }
    }
}
