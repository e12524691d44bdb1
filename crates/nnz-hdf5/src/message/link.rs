//! The link message (section IV.A.2.g): a member of a new-style group.

use nnz_core::{Error, Result};

use super::{Message, MessageType};
use crate::bytes::{Fields, PutFields as _, Sizes};
use crate::fault::invalid;
use crate::read::links::{Link, LinkTarget};

/// Parses the message.
pub(crate) fn parse(body: &[u8], sizes: Sizes) -> Result<Link> {
    let mut fields = Fields(body);
    let (name, kind) = parse_head(&mut fields)?;
    let target = match kind {
        0 => LinkTarget::Hard(fields.address(sizes)?),
        1 => {
            let bytes = fields.u16()?;
            LinkTarget::Soft(String::from_utf8_lossy(fields.take(bytes.into())?).into_owned())
        }
        64 => {
            let bytes = fields.u16()?;
            let mut fields = Fields(fields.take(bytes.into())?);
            fields.take(1)?; // version and flags
            LinkTarget::External { file: fields.text()?, path: fields.text()? }
        }
        _ => LinkTarget::User,
    };
    Ok(Link { name, target })
}

/// Parses what precedes the target: the name and the type.
fn parse_head(fields: &mut Fields<'_>) -> Result<(String, u8)> {
    let (version, flags) = (fields.u8()?, fields.u8()?);
    if version != 1 {
        return Err(invalid(format!("a link of version {version}")));
    }
    let kind = if flags & 8 == 0 { 0 } else { fields.u8()? };
    fields.take(if flags & 4 == 0 { 0 } else { 8 })?; // creation order
    fields.take(if flags & 16 == 0 { 0 } else { 1 })?; // character set
    let bytes = fields.size(1 << (flags & 3))?;
    Ok((String::from_utf8_lossy(fields.take(bytes)?).into_owned(), kind))
}

/// Returns the position of the target in a message.
pub(crate) fn target_at(body: &[u8]) -> Result<usize> {
    let mut fields = Fields(body);
    parse_head(&mut fields)?;
    Ok(body.len() - fields.0.len())
}

/// With a character set; the length of the name has 4 bytes.
const FLAGS: u8 = 0b0001_0010;

/// With a creation order.
const ORDERED: u8 = 0b100;

/// The character set of all names.
const UTF8: u8 = 1;

/// Encodes a hard link, with its creation order if that is tracked.
pub(crate) fn message(name: &str, order: Option<u64>, address: u64) -> Result<Message> {
    let len = u32::try_from(name.len());
    let len = len.map_err(|_| Error::argument("a name of 4 GiB or more"))?;
    let mut body = vec![1, FLAGS];
    if let Some(order) = order {
        body[1] |= ORDERED;
        body.put_u64(order);
    }
    body.push(UTF8);
    body.put_u32(len);
    body.extend_from_slice(name.as_bytes());
    body.put_u64(address);
    Ok(Message::new(MessageType::LINK, body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_holds_order_name_and_address() {
        let found = message("ab", Some(3), 0x1234).unwrap();
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
