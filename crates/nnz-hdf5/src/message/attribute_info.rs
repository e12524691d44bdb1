//! The attribute info message (section IV.A.2.v), which headers of version 2 need for attributes.

use nnz_core::Result;

use super::{Message, MessageType};
use crate::UNDEFINED;
use crate::bytes::{Fields, PutFields as _, Sizes};

/// The message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AttributeInfo {
    /// The next creation order, if it is tracked.
    pub(crate) next: Option<u16>,
    /// Whether there is an index of creation order in dense storage.
    pub(crate) is_indexed: bool,
    /// The fractal heap, and the index of names.
    pub(crate) heap: u64,
    pub(crate) names: u64,
}

/// Parses the message.
pub(crate) fn parse(body: &[u8], sizes: Sizes) -> Result<AttributeInfo> {
    let mut fields = Fields(body);
    let flags = fields.take(2)?[1];
    let next = if flags & 1 == 0 { None } else { Some(fields.u16()?) };
    let is_indexed = flags & 2 != 0;
    Ok(AttributeInfo {
        next,
        is_indexed,
        heap: fields.address(sizes)?,
        names: fields.address(sizes)?,
    })
}

impl AttributeInfo {
    /// Encodes the body. There is no index of creation order, as if all attributes were in the header.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut body = vec![0, u8::from(self.next.is_some()) | (u8::from(self.is_indexed) << 1)];
        self.next.into_iter().for_each(|next| body.put_u16(next));
        body.put_u64(self.heap);
        body.put_u64(self.names);
        if self.is_indexed {
            body.put_u64(UNDEFINED);
        }
        body
    }

    /// Encodes the message.
    pub(crate) fn message(&self) -> Message {
        Message::new(MessageType::ATTRIBUTE_INFO, self.encode())
    }
}

/// Encodes the message with the addresses of a fractal heap and an index of names. The
/// addresses are undefined if the attributes are in the header.
pub(crate) fn message(heap: u64, names: u64) -> Message {
    // Creation order is not tracked.
    AttributeInfo { next: None, is_indexed: false, heap, names }.message()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn creation_order_precedes_the_addresses() {
        let info = AttributeInfo { next: Some(3), is_indexed: true, heap: 0x12, names: 0x34 };
        let body = info.encode();
        let expected = [
            0, 3, // version, flags
            3, 0, // next creation order
            0x12, 0, 0, 0, 0, 0, 0, 0, // heap
            0x34, 0, 0, 0, 0, 0, 0, 0, // index of names
            255, 255, 255, 255, 255, 255, 255, 255, // index of creation order
        ];
        assert_eq!(body, expected);
        assert_eq!(parse(&body, Sizes { offset: 8, length: 8 }).unwrap(), info);
    }
}
