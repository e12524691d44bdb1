//! The symbol table message (section IV.A.2.r) of an old-style group.

use nnz_core::Result;

use super::Message;
use crate::bytes::{Fields, PutFields as _, Sizes};

/// Parses the message and returns the addresses of the B-tree and the local heap.
pub(crate) fn parse(body: &[u8], sizes: Sizes) -> Result<(u64, u64)> {
    let mut fields = Fields(body);
    Ok((fields.address(sizes)?, fields.address(sizes)?))
}

/// Encodes the message of a group with a B-tree and a local heap.
pub(crate) fn message(btree: u64, heap: u64) -> Message {
    let mut body = Vec::with_capacity(16);
    body.put_u64(btree);
    body.put_u64(heap);
    Message::new(0x0011, body)
}
