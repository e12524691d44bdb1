//! The group info message (section IV.A.2.k).

use super::Message;

/// Encodes the message of a group with default values.
pub(crate) fn message() -> Message {
    Message::constant(0x000a, vec![0, 0])
}
