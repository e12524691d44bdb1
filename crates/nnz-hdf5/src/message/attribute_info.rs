//! The attribute info message (section IV.A.2.v), which headers of version 2 need for attributes.

use nnz_core::Result;

use super::Message;
use crate::bytes::{Fields, PutFields as _, Sizes};

/// Parses the message and returns the addresses of the fractal heap and of the index of names.
pub(crate) fn parse(body: &[u8], sizes: Sizes) -> Result<(u64, u64)> {
    let mut fields = Fields(body);
    let flags = fields.take(2)?[1];
    fields.take(if flags & 1 == 0 { 0 } else { 2 })?; // the next creation order
    Ok((fields.address(sizes)?, fields.address(sizes)?))
}

/// Encodes the message with the addresses of a fractal heap and an index of names. The
/// addresses are undefined if the attributes are in the header.
pub(crate) fn message(heap: u64, names: u64) -> Message {
    // Creation order is not tracked.
    let mut body = vec![0, 0];
    body.put_u64(heap);
    body.put_u64(names);
    Message::new(0x0015, body)
}
