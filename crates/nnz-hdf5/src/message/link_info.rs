//! The link info message (section IV.A.2.c) of a new-style group.

use nnz_core::Result;

use super::Message;
use crate::UNDEFINED;
use crate::bytes::{Fields, PutFields as _, Sizes};

/// The message of a group that is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkInfo {
    /// The next creation order, if it is tracked.
    pub(crate) next: Option<u64>,
    pub(crate) heap: u64,
    /// The index of names.
    pub(crate) names: u64,
}

/// Parses the message.
pub(crate) fn parse(body: &[u8], sizes: Sizes) -> Result<LinkInfo> {
    let mut fields = Fields(body);
    let flags = fields.take(2)?[1];
    let next = if flags & 1 == 0 { None } else { Some(fields.number(8)?) };
    Ok(LinkInfo { next, heap: fields.address(sizes)?, names: fields.address(sizes)? })
}

/// The creation order of links is tracked, and indexed in dense storage.
const TRACKED_AND_INDEXED: u8 = 0b11;

/// Sets the next creation order, and that no links are in dense storage.
pub(crate) fn update(body: &mut [u8], next: Option<u64>) {
    let mut addresses = 2;
    if let (Some(next), Some(stored)) = (next, body.get_mut(2..10)) {
        stored.copy_from_slice(&next.to_le_bytes());
        addresses = 10;
    }
    // Version 1 headers pad the message.
    let indexes = if body.get(1).is_some_and(|flags| flags & 2 != 0) { 3 } else { 2 };
    if let Some(stored) = body.get_mut(addresses..addresses + 8 * indexes) {
        stored.fill(255);
    }
}

/// Encodes the message of a group with `links` links, all in its object header.
pub(crate) fn message(links: u64) -> Message {
    let mut body = vec![0, TRACKED_AND_INDEXED];
    body.put_u64(links); // the next creation order
    body.put_u64(UNDEFINED); // fractal heap
    body.put_u64(UNDEFINED); // index of names
    body.put_u64(UNDEFINED); // index of creation order
    Message::new(0x0002, body)
}
