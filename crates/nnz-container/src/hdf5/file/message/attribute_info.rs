//! The attribute info message (section IV.A.2.v): where attributes in dense storage are.

use super::super::bytes::PutFields as _;
use super::Message;

/// Encodes the message of an object whose attributes are in a fractal heap with an index of names.
pub(in super::super) fn message(heap: u64, names: u64) -> Message {
    // Creation order is not tracked.
    let mut body = vec![0, 0];
    body.put_u64(heap);
    body.put_u64(names);
    Message::new(0x0015, body)
}
