//! The fill value message (section IV.A.2.f): what is read where nothing was written.

use super::super::bytes::PutFields as _;
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

/// Encodes a fill value; zero where there is none.
pub(in super::super) fn message(allocation: Allocation, fill: Option<&[u8]>) -> Message {
    // Version, allocation, written if set by the user, defined, bytes.
    let mut body = vec![2, allocation as u8, 2, 1];
    let fill = fill.unwrap_or_default();
    body.put_u32(u32::try_from(fill.len()).unwrap_or(0));
    body.extend_from_slice(fill);
    Message::constant(0x0005, body)
}
