//! The data layout message (section IV.A.2.i). Version 3 is written.

use nnz_core::{Error, Result};

use super::Message;
use crate::UNDEFINED;
use crate::bytes::{Fields, PutFields as _, Sizes};
use crate::fault::{invalid, unsupported};

/// Layout classes.
const COMPACT: u8 = 0;
const CONTIGUOUS: u8 = 1;
const CHUNKED: u8 = 2;
const VIRTUAL: u8 = 3;

/// A parsed data layout message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LayoutMessage {
    Compact(Vec<u8>),
    Contiguous(u64),
    Chunked {
        /// The index, and its address.
        index: Index,
        address: u64,
        /// The number of elements of a chunk along each dimension, and the size of an element as another one.
        chunk: Vec<u64>,
        /// Whether filters are not applied to chunks that are partly outside the dataset.
        plain_edges: bool,
    },
    /// The address of a global heap object with the sources, and its index.
    Virtual(u64, u32),
}

/// The index of the chunks (section VII).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Index {
    BTreeV1,
    /// One chunk: its size if it is filtered, and the filters that were skipped.
    Single(Option<(u64, u32)>),
    Implicit,
    FixedArray,
    ExtensibleArray,
    BTreeV2,
}

/// Parses the message.
pub(crate) fn parse(body: &[u8], sizes: Sizes) -> Result<LayoutMessage> {
    let mut fields = Fields(body);
    match fields.u8()? {
        1 | 2 => parse_v1(fields, sizes),
        3..=5 => {
            let newest = body.first().is_some_and(|version| *version > 3);
            match fields.u8()? {
                COMPACT => {
                    let bytes = fields.u16()?;
                    Ok(LayoutMessage::Compact(fields.take(bytes.into())?.to_vec()))
                }
                CONTIGUOUS => Ok(LayoutMessage::Contiguous(fields.address(sizes)?)),
                CHUNKED if newest => parse_v4(fields, sizes),
                CHUNKED => {
                    let rank = fields.u8()?;
                    let address = fields.address(sizes)?;
                    let chunk = lengths(&mut fields, rank, 4)?;
                    Ok(LayoutMessage::Chunked {
                        index: Index::BTreeV1,
                        address,
                        chunk,
                        plain_edges: false,
                    })
                }
                VIRTUAL if newest => {
                    Ok(LayoutMessage::Virtual(fields.address(sizes)?, fields.u32()?))
                }
                class => Err(invalid(format!("a data layout of class {class}"))),
            }
        }
        version => Err(unsupported(format!("data layouts of version {version} are not supported"))),
    }
}

/// Parses versions 1 and 2. Both have five reserved bytes; for version 2, the specification has three.
fn parse_v1(mut fields: Fields<'_>, sizes: Sizes) -> Result<LayoutMessage> {
    let (rank, class) = (fields.u8()?, fields.u8()?);
    fields.take(5)?;
    let address = if class == COMPACT { UNDEFINED } else { fields.address(sizes)? };
    let chunk = lengths(&mut fields, rank, 4)?;
    match class {
        COMPACT => {
            let bytes = fields.size(4)?;
            Ok(LayoutMessage::Compact(fields.take(bytes)?.to_vec()))
        }
        CONTIGUOUS => Ok(LayoutMessage::Contiguous(address)),
        CHUNKED => {
            Ok(LayoutMessage::Chunked { index: Index::BTreeV1, address, chunk, plain_edges: false })
        }
        _ => Err(invalid(format!("a data layout of class {class}"))),
    }
}

/// Parses the chunked layout of versions 4 and 5.
fn parse_v4(mut fields: Fields<'_>, sizes: Sizes) -> Result<LayoutMessage> {
    /// Flags.
    const PLAIN_EDGES: u8 = 1;
    const FILTERED: u8 = 2;
    let (flags, rank, width) = (fields.u8()?, fields.u8()?, fields.u8()?);
    let chunk = lengths(&mut fields, rank, width.into())?;
    let (index, parameters) = match fields.u8()? {
        1 if flags & FILTERED != 0 => {
            let filtered = (fields.length(sizes)?, fields.u32()?);
            (Index::Single(Some(filtered)), 0)
        }
        1 => (Index::Single(None), 0),
        2 => (Index::Implicit, 0),
        3 => (Index::FixedArray, 1),
        4 => (Index::ExtensibleArray, 5),
        5 => (Index::BTreeV2, 6),
        index => {
            return Err(unsupported(format!("chunk indexes of type {index} are not supported")));
        }
    };
    // They are in the header of the index as well.
    fields.take(parameters)?;
    let address = fields.address(sizes)?;
    Ok(LayoutMessage::Chunked { index, address, chunk, plain_edges: flags & PLAIN_EDGES != 0 })
}

fn lengths(fields: &mut Fields<'_>, rank: u8, bytes: usize) -> Result<Vec<u64>> {
    if !(1..=8).contains(&bytes) {
        return Err(invalid(format!("chunk lengths of {bytes} bytes each")));
    }
    (0..rank).map(|_| fields.number(bytes)).collect()
}

/// Maximum size of compact data: a message has at most 65,535 bytes.
pub(crate) const MAX_COMPACT: u64 = 64_000;

const VERSION: u8 = 3;

/// Encodes the layout of compact data, which is in the message.
pub(crate) fn compact(data: &[u8]) -> Result<Message> {
    let len = u16::try_from(data.len());
    let len = len.map_err(|_| Error::argument("compact data of 64 KiB or more"))?;
    let mut body = vec![VERSION, COMPACT];
    body.put_u16(len);
    body.extend_from_slice(data);
    Ok(Message::new(0x0008, body))
}

/// Encodes the layout of contiguous data. Empty data has an undefined address.
pub(crate) fn contiguous(address: u64, bytes: u64) -> Message {
    let mut body = vec![VERSION, CONTIGUOUS];
    body.put_u64(if bytes == 0 { UNDEFINED } else { address });
    body.put_u64(bytes);
    Message::new(0x0008, body)
}

/// Encodes the layout of chunks with an index in a B-tree.
pub(crate) fn chunked(btree: u64, chunk: &[u32], element: u32) -> Message {
    // The size of an element counts as a dimension. A dataspace has at most 32.
    let rank = u8::try_from(chunk.len() + 1).unwrap_or(u8::MAX);
    let mut body = vec![VERSION, CHUNKED, rank];
    body.put_u64(btree);
    chunk.iter().for_each(|len| body.put_u32(*len));
    body.put_u32(element);
    Message::new(0x0008, body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layout_is_encoded() {
        assert_eq!(compact(&[7, 8]).unwrap().body, [3, 0, 2, 0, 7, 8]);
        assert!(compact(&[0; 1 << 16]).is_err());
        let address = [0x34, 0x12, 0, 0, 0, 0, 0, 0];
        let expected = [&[3, 1][..], &address, &[9, 0, 0, 0, 0, 0, 0, 0]].concat();
        assert_eq!(contiguous(0x1234, 9).body, expected);
        assert_eq!(contiguous(0x1234, 0).body[2..10], [255; 8]);
        let expected =
            [&[3, 2, 3][..], &address, &[2, 0, 0, 0], &[5, 1, 0, 0], &[4, 0, 0, 0]].concat();
        assert_eq!(chunked(0x1234, &[2, 261], 4).body, expected);
    }
}
