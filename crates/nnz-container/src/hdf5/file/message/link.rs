//! The link message (section IV.A.2.g): a member of a new-style group.

use super::super::bytes::PutFields as _;
use super::Message;

/// With creation order and character set; the length of the name has 4 bytes.
const FLAGS: u8 = 0b0001_0110;

/// The character set of all names.
const UTF8: u8 = 1;

/// Encodes a hard link with the creation order `order`.
pub(in super::super) fn message(name: &str, len: u32, order: u64, address: u64) -> Message {
    let mut body = vec![1, FLAGS];
    body.put_u64(order);
    body.push(UTF8);
    body.put_u32(len);
    body.extend_from_slice(name.as_bytes());
    body.put_u64(address);
    Message::new(0x0006, body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_holds_order_name_and_address() {
        let found = message("ab", 2, 3, 0x1234);
        let expected = [
            1, 0x16, // version, flags
            3, 0, 0, 0, 0, 0, 0, 0, // creation order
            1, // UTF-8
            2, 0, 0, 0, // length of the name
            b'a', b'b', // name
            0x34, 0x12, 0, 0, 0, 0, 0, 0, // address
        ];
        assert_eq!(found, Message { kind: 6, flags: 0, body: expected.to_vec() });
    }
}
