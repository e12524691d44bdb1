//! The link info message (section IV.A.2.c) of a new-style group.

use super::super::UNDEFINED;
use super::super::bytes::PutFields as _;
use super::Message;

/// The creation order of links is tracked, and indexed in dense storage.
const TRACKED_AND_INDEXED: u8 = 0b11;

/// Encodes the message of a group with `links` links, all in its object header.
pub(in super::super) fn message(links: u64) -> Message {
    let mut body = vec![0, TRACKED_AND_INDEXED];
    body.put_u64(links); // the next creation order
    body.put_u64(UNDEFINED); // fractal heap
    body.put_u64(UNDEFINED); // index of names
    body.put_u64(UNDEFINED); // index of creation order
    Message::new(0x0002, body)
}
