//! The fill value message (section IV.A.2.f): what is read where nothing was written.

use super::Message;

/// When space for data is taken in the file.
#[derive(Clone, Copy)]
pub(in super::super) enum Allocation {
    /// At once, as compact data is.
    Early = 1,
    /// When data is written.
    Late = 2,
    /// Chunk by chunk.
    Incremental = 3,
}

/// Encodes the default fill value, zero.
pub(in super::super) fn message(allocation: Allocation) -> Message {
    // Version, allocation, written if set by the user, defined, no bytes.
    Message::constant(0x0005, vec![2, allocation as u8, 2, 1, 0, 0, 0, 0])
}
