//! Packed words in memory, to be decoded.

use bytemuck::try_cast_slice;
use nnz_container::NumberArray;
use nnz_core::{Result, ValueType};
use nnz_storage::Mapped;

/// How words get into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// Copied into a buffer, which is used again.
    Reading,
    /// Mapped, where they can be. That is sooner done, but what is mapped has to be unmapped: many
    /// threads, each with little at a time, would wait for one another.
    Mapping,
}

/// Words that were read, or that are mapped where the file has them.
pub(super) enum Words<'s> {
    Read(&'s [u32]),
    Mapped(Mapped),
}

impl<'s> Words<'s> {
    /// Brings words from `first` on into memory, by way of `buffer` where they are read.
    pub(super) fn load(
        data: &dyn NumberArray,
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
        data.read(first, words)?;
        Ok(Self::Read(words))
    }

    pub(super) fn as_slice(&self) -> &[u32] {
        match self {
            Self::Read(words) => words,
            // They are aligned, or they would have been read.
            Self::Mapped(mapped) => try_cast_slice(mapped).unwrap_or_default(),
        }
    }
}
