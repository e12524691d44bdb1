//! The mapping of a virtual dataset (section III.F), an object of a global heap. Only its first source is used, in messages.

use nnz_core::Result;

use crate::bytes::Fields;
use crate::fault::invalid;
use crate::global_heap::StoredCollection;
use crate::read::file::File;

/// Describes the first source.
pub(crate) fn first_source(file: &File, heap: u64, index: u32) -> Result<String> {
    let missing = || invalid("a virtual dataset without sources");
    let read = |address: u64, out: &mut [u8]| file.read_metadata_at(address, out);
    let heap = StoredCollection::read(file, heap, &read)?;
    let mut fields = Fields(heap.object(index).ok_or_else(missing)?);
    let version = fields.u8()?;
    if fields.length(file.sizes)? == 0 {
        return Err(missing());
    }
    // Repeated names are stored once in version 1, after flags; the name of the same file is not stored.
    let flags = if version == 0 { 0 } else { fields.u8()? };
    let name = if flags == 0 { fields.text()? } else { ".".to_owned() };
    Ok(match name.as_str() {
        "." => "the data is in another dataset".to_owned(),
        name => format!("the data is in the file {name:?}"),
    })
}
