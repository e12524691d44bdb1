//! Messages that are stored elsewhere (section IV.A.2, "Shared Object Header Messages"): in the header of a committed
//! datatype, or in the heap of a shared message table (section III.H).

use std::borrow::Cow;

use nnz_core::Result;

use super::{Message, MessageType};
use crate::UNDEFINED;
use crate::bytes::Fields;
use crate::checksum;
use crate::fault::invalid;
use crate::fractal_heap::FractalHeap;
use crate::object_header::ObjectHeader;
use crate::read::file::File;

/// The flag of a message that is stored elsewhere, also in records of dense storage.
pub(crate) const SHARED: u8 = 0b10;

/// The type of a message in the heap of a table.
const IN_HEAP: u8 = 1;

impl Message {
    /// Returns the body, read from where it is stored.
    pub(crate) fn resolved(&self, file: &File) -> Result<Vec<u8>> {
        match self.flags & SHARED {
            0 => Ok(self.body.clone()),
            _ => read(file, self.kind, &self.body),
        }
    }
}

/// Returns what is in place of a part of a message that may be stored elsewhere.
pub(crate) fn resolve<'a>(
    file: &File,
    kind: u16,
    is_shared: bool,
    body: &'a [u8],
) -> Result<Cow<'a, [u8]>> {
    match is_shared {
        false => Ok(Cow::Borrowed(body)),
        true => read(file, kind, body).map(Cow::Owned),
    }
}

/// Reads a message from its location.
fn read(file: &File, kind: u16, location: &[u8]) -> Result<Vec<u8>> {
    let mut fields = Fields(location);
    let (version, stored) = (fields.u8()?, fields.u8()?);
    match version {
        // Reserved, and an index that is not used.
        1 => drop(fields.take(6 + file.sizes.length)?),
        2 | 3 => {}
        _ => return Err(invalid(format!("shared messages of version {version}"))),
    }
    if version == 3 && stored == IN_HEAP {
        return from_table(file, kind, fields.take(8)?);
    }
    let header = ObjectHeader::read(file, fields.address(file.sizes)?)?;
    let found = header.all(kind).find(|message| message.flags & SHARED == 0);
    found.map(|found| found.body.clone()).ok_or_else(|| invalid("a missing shared message"))
}

/// Reads a message from the heap of the table of its kind.
pub(crate) fn from_table(file: &File, kind: u16, id: &[u8]) -> Result<Vec<u8>> {
    let missing = || invalid("a missing table of shared messages");
    let extension = file.extension()?.ok_or_else(missing)?;
    let table = extension.body(file, MessageType::SHARED_TABLE)?.ok_or_else(missing)?;
    let mut fields = Fields(&table);
    fields.take(1)?;
    let (address, count) = (fields.address(file.sizes)?, fields.u8()?);
    let index = 14 + 2 * file.sizes.offset;
    let bytes = file.metadata(address, 8 + usize::from(count) * index)?;
    let bytes = checksum::verified(&bytes, "the table of shared messages")?;
    let mut fields = Fields(bytes);
    if fields.take(4)? != b"SMTB" {
        return Err(missing());
    }
    for _ in 0..count {
        fields.take(2)?;
        let kinds = fields.u16()?;
        fields.take(10)?; // limits, and the number of messages
        fields.address(file.sizes)?;
        let heap = fields.address(file.sizes)?;
        if kinds & 1_u16.checked_shl(kind.into()).unwrap_or(0) != 0 && heap != UNDEFINED {
            return FractalHeap::open(file, heap)?.object(file, id);
        }
    }
    Err(missing())
}
