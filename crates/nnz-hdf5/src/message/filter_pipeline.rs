//! The filter pipeline message (section IV.A.2.l). Version 1 is written.

use nnz_core::Result;

use super::Message;
use crate::bytes::{Fields, PutFields as _};
use crate::fault::invalid;
use crate::filters::Filter;
use crate::write::pack::Form;

/// Parses the message.
pub(crate) fn parse(body: &[u8]) -> Result<Vec<Filter>> {
    /// Filters with smaller numbers have no name in version 2.
    const FIRST_NAMED: u16 = 256;
    let mut fields = Fields(body);
    let (version, count) = (fields.u8()?, fields.u8()?);
    match version {
        1 => drop(fields.take(6)?),
        2 => {}
        _ => return Err(invalid(format!("a filter pipeline of version {version}"))),
    }
    let mut filters = Vec::new();
    for _ in 0..count {
        let id = fields.u16()?;
        let named = version == 1 || id >= FIRST_NAMED;
        let name = if named { usize::from(fields.u16()?) } else { 0 };
        let (_flags, count) = (fields.u16()?, fields.u16()?);
        fields.take(if version == 1 { name.next_multiple_of(8) } else { name })?;
        let parameters = (0..count).map(|_| fields.u32()).collect::<Result<_>>()?;
        if version == 1 && count % 2 == 1 {
            fields.take(4)?;
        }
        filters.push(Filter { id, parameters });
    }
    Ok(filters)
}

/// Optional filters may be skipped for a chunk.
const OPTIONAL: u16 = 1;

/// Encodes the filters of a form; `None` if there are none.
pub(crate) fn message(form: &Form) -> Option<Message> {
    let mut filters = Vec::new();
    let mut count = 0;
    for (id, name, parameters) in form.filters() {
        count += 1;
        filters.put_u16(id);
        // Names end with a zero byte, and their lengths are multiples of 8.
        let padded = (name.len() + 1).next_multiple_of(8);
        filters.put_u16(u16::try_from(padded).unwrap_or(0));
        filters.put_u16(OPTIONAL);
        filters.put_u16(u16::try_from(parameters.len()).unwrap_or(0));
        filters.extend_from_slice(name.as_bytes());
        filters.resize(filters.len() + padded - name.len(), 0);
        parameters.iter().for_each(|value| filters.put_u32(*value));
        if !parameters.len().is_multiple_of(2) {
            filters.put_u32(0); // padding
        }
    }
    let mut body = vec![1, count, 0, 0, 0, 0, 0, 0];
    body.append(&mut filters);
    (count > 0).then(|| Message::constant(0x000b, body))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nnz_chunk::Compression;

    #[test]
    fn shuffle_and_deflate_match_h5py() {
        let form = Form { chunk: 16, shuffle: Some(4), compression: Compression::Gzip(4) };
        let expected = [
            &[1, 2, 0, 0, 0, 0, 0, 0][..], // version, filters
            &[2, 0, 8, 0, 1, 0, 1, 0],     // shuffle: 8 bytes of name, optional, one value
            b"shuffle\0",
            &[4, 0, 0, 0, 0, 0, 0, 0], // bytes of an element
            &[1, 0, 8, 0, 1, 0, 1, 0], // deflate
            b"deflate\0",
            &[4, 0, 0, 0, 0, 0, 0, 0], // level
        ];
        assert_eq!(message(&form).unwrap().body, expected.concat());
        let form = Form { chunk: 4096, shuffle: Some(8), compression: Compression::Blosc };
        let expected = [
            &[1, 1, 0, 0, 0, 0, 0, 0][..], // version, filters
            &[1, 125, 8, 0, 1, 0, 7, 0],   // 32001: 8 bytes of name, optional, seven values
            b"blosc\0\0\0",
            &[2, 0, 0, 0, 2, 0, 0, 0, 8, 0, 0, 0, 0, 16, 0, 0, 5, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0],
            &[0; 4], // padding
        ];
        assert_eq!(message(&form).unwrap().body, expected.concat());
        let form = Form { chunk: 16, shuffle: None, compression: Compression::None };
        assert_eq!(message(&form), None);
    }
}
