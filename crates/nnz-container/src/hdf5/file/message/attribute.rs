//! The attribute message (section IV.A.2.m), version 1.

use nnz_core::{Error, Result};

use super::super::bytes::PutFields as _;
use super::Message;

/// Encodes an attribute from its name, its encoded datatype and dataspace, and its data.
pub(in super::super) fn message(
    name: &str,
    datatype: &[u8],
    dataspace: &[u8],
    data: &[u8],
) -> Result<Message> {
    let len = |bytes: usize, what: &str| {
        u16::try_from(bytes).map_err(|_| Error::argument(format!("{what} of 64 KiB or more")))
    };
    let mut body = vec![1, 0];
    body.put_u16(len(name.len() + 1, "a name")?);
    body.put_u16(len(datatype.len(), "a datatype")?);
    body.put_u16(len(dataspace.len(), "a dataspace")?);
    body.extend_from_slice(name.as_bytes());
    body.push(0);
    body.pad8();
    body.extend_from_slice(datatype);
    body.pad8();
    body.extend_from_slice(dataspace);
    body.pad8();
    body.extend_from_slice(data);
    Ok(Message::new(0x000c, body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attribute_holds_name_type_shape_and_data() {
        let datatype = [0x10, 8, 0, 0, 8, 0, 0, 0, 0, 0, 64, 0];
        let found = message("v", &datatype, &[1, 0, 0, 0, 0, 0, 0, 0], &[5; 8]).unwrap();
        let expected = [
            1, 0, // version, reserved
            2, 0, 12, 0, 8, 0, // sizes of name, datatype and dataspace
            b'v', 0, 0, 0, 0, 0, 0, 0, // name
            0x10, 8, 0, 0, 8, 0, 0, 0, 0, 0, 64, 0, 0, 0, 0, 0, // datatype
            1, 0, 0, 0, 0, 0, 0, 0, // dataspace
            5, 5, 5, 5, 5, 5, 5, 5, // data
        ];
        assert_eq!(found.body, expected);
    }
}
