//! The attribute message (section IV.A.2.m). Version 1 is written.

use nnz_core::{Error, Result};

use super::shared::resolve;
use super::{Message, MessageType, dataspace, datatype};
use crate::bytes::{Fields, PutFields as _};
use crate::dataspace::Dataspace;
use crate::datatype::Datatype;
use crate::fault::invalid;
use crate::read::file::File;

/// An attribute that is read, undecoded.
#[derive(Debug)]
pub struct Attribute {
    /// The name.
    pub name: String,
    /// The value, or why it is not supported.
    pub value: Result<AttributeValue>,
}

/// The value of an attribute.
#[derive(Clone, Debug)]
pub struct AttributeValue {
    /// The type of its elements.
    pub datatype: Datatype,
    /// Its shape.
    pub space: Dataspace,
    /// Its elements in stored form.
    pub data: Vec<u8>,
}

/// Parses the message. What cannot be read besides the name is the value of the attribute.
pub(crate) fn parse(file: &File, body: &[u8]) -> Result<Attribute> {
    let mut fields = Fields(body);
    let (version, flags) = (fields.u8()?, fields.u8()?);
    let sizes = [fields.u16()?, fields.u16()?, fields.u16()?].map(usize::from);
    match version {
        1 | 2 => {}
        3 => drop(fields.u8()?), // character set
        _ => return Err(invalid(format!("an attribute of version {version}"))),
    }
    let mut take = |bytes: usize| {
        let padded = if version == 1 { bytes.next_multiple_of(8) } else { bytes };
        let mut part = fields.take(padded)?;
        part = part.get(..bytes).unwrap_or(part);
        Ok::<_, Error>(part)
    };
    let name = take(sizes[0])?;
    let name = &name[..memchr::memchr(0, name).unwrap_or(name.len())];
    let name = String::from_utf8_lossy(name).into_owned();
    let (datatype, space) = (take(sizes[1])?, take(sizes[2])?);
    let flags = if version == 1 { 0 } else { flags };
    let read = || {
        let datatype = resolve(file, MessageType::DATATYPE, flags & 1 != 0, datatype)?;
        let space = resolve(file, MessageType::DATASPACE, flags & 2 != 0, space)?;
        let datatype = datatype::parse(&datatype)?;
        let space = dataspace::parse(&space, file.sizes)?;
        Ok::<_, Error>(AttributeValue { datatype, space, data: fields.0.to_vec() })
    };
    match read() {
        Err(error) if error.is_system() => Err(error),
        value => Ok(Attribute { name, value }),
    }
}

/// Encodes an attribute from its name, its encoded datatype and dataspace, and its data.
pub(crate) fn message(
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
