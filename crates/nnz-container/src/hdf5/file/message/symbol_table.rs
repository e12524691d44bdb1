//! The symbol table message (section IV.A.2.r) of an old-style group.

use super::super::bytes::PutFields as _;
use super::Message;

/// Encodes the message of a group with a B-tree and a local heap.
pub(in super::super) fn message(btree: u64, heap: u64) -> Message {
    let mut body = Vec::with_capacity(16);
    body.put_u64(btree);
    body.put_u64(heap);
    Message::new(0x0011, body)
}
