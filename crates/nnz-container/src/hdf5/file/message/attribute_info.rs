//! The attribute info message (section IV.A.2.v), which headers of version 2 need for attributes.

use super::super::bytes::PutFields as _;
use super::Message;

/// Encodes the message. The addresses are those of a fractal heap and an index of names; they are
/// undefined if the attributes are in the header.
pub(in super::super) fn message(heap: u64, names: u64) -> Message {
    // Creation order is not tracked.
    let mut body = vec![0, 0];
    body.put_u64(heap);
    body.put_u64(names);
    Message::new(0x0015, body)
}
