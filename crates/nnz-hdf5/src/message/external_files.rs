//! The external data files message (section IV.A.2.h). Only the name of the first file is used, in messages.

use nnz_core::Result;

use crate::bytes::Fields;
use crate::local_heap::LocalHeap;
use crate::read::file::File;

/// Returns the name of the first file.
pub(crate) fn first_name(file: &File, body: &[u8]) -> Result<String> {
    let mut fields = Fields(body);
    fields.take(8)?; // version, reserved, numbers of slots
    let heap = LocalHeap::read(file, fields.address(file.sizes)?)?;
    heap.name(fields.length(file.sizes)?)
}
