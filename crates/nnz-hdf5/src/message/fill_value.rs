//! The fill value message (section IV.A.2.f).

use nnz_core::Result;

use super::{Message, MessageType};
use crate::bytes::{Fields, PutFields as _};
use crate::fault::invalid;
use crate::object_header::ObjectHeader;
use crate::read::file::File;

/// Returns the fill value of a dataset in stored form; `None` for zeros. The older message (section IV.A.2.e) is used only
/// without the newer one.
pub(crate) fn of(header: &ObjectHeader, file: &File) -> Result<Option<Vec<u8>>> {
    let (body, old) = match header.body(file, MessageType::FILL_VALUE)? {
        Some(body) => (body, false),
        None => match header.body(file, MessageType::OLD_FILL_VALUE)? {
            Some(body) => (body, true),
            None => return Ok(None),
        },
    };
    let mut fields = Fields(&body);
    if !old {
        let version = fields.u8()?;
        let defined = match version {
            1 => fields.take(3).map(|_| true)?,
            2 => fields.take(2).and(fields.u8())? != 0,
            3 => fields.u8()? & 0x20 != 0,
            _ => return Err(invalid(format!("a fill value of version {version}"))),
        };
        if !defined {
            return Ok(None);
        }
    }
    let bytes = fields.u32()?;
    // A negative size means that there is no value.
    match i32::try_from(bytes).ok().and_then(|bytes| usize::try_from(bytes).ok()) {
        None | Some(0) => Ok(None),
        Some(bytes) => Ok(Some(fields.take(bytes)?.to_vec())),
    }
}

/// When space for data is allocated in the file.
#[derive(Clone, Copy)]
pub(crate) enum Allocation {
    /// Early, as for compact data.
    Early = 1,
    /// Late, when data is written.
    Late = 2,
    /// Incrementally, by chunk.
    Incremental = 3,
}

/// Encodes a fill value; zero if there is none.
pub(crate) fn message(allocation: Allocation, fill: Option<&[u8]>) -> Message {
    // Version, allocation time, write time (if set by the user), defined, size.
    let mut body = vec![2, allocation as u8, 2, 1];
    let fill = fill.unwrap_or_default();
    body.put_u32(u32::try_from(fill.len()).unwrap_or(0));
    body.extend_from_slice(fill);
    Message::constant(0x0005, body)
}
