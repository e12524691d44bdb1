//! The fill value message (section IV.A.2.f).

use super::super::bytes::PutFields as _;
use super::Message;

/// When space for data is allocated in the file.
#[derive(Clone, Copy)]
pub(in super::super) enum Allocation {
    /// Early, as for compact data.
    Early = 1,
    /// Late, when data is written.
    Late = 2,
    /// Incrementally, by chunk.
    Incremental = 3,
}

/// Encodes a fill value; zero if there is none.
pub(in super::super) fn message(allocation: Allocation, fill: Option<&[u8]>) -> Message {
    // Version, allocation time, write time (if set by the user), defined, size.
    let mut body = vec![2, allocation as u8, 2, 1];
    let fill = fill.unwrap_or_default();
    body.put_u32(u32::try_from(fill.len()).unwrap_or(0));
    body.extend_from_slice(fill);
    Message::constant(0x0005, body)
}
