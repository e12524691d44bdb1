//! Writing a list of strings.

use nnz_core::{At, Error, Place, Result};
use rust_hdf5::H5Group;
use rust_hdf5::format::messages::datatype::DatatypeMessage;

use super::guarded;

/// Zero-terminated, UTF-8.
const TEXT: DatatypeMessage = DatatypeMessage::VarLenString { padding: 0, charset: 1 };

/// Writes a dataset of strings, of a fixed length as BPCells does; so they are counted first.
pub(super) fn write(
    group: &H5Group,
    name: &str,
    strings: &mut dyn Iterator<Item = &[u8]>,
    place: &Place,
) -> Result<()> {
    let mut texts: Vec<&str> = Vec::new();
    for string in strings {
        let refuse = |expected: &str| {
            let place = place.clone().at(At::Element(texts.len() as u64));
            let found = format!("the name \"{}\"", string.escape_ascii());
            Error::mismatch(place, found, expected)
        };
        let text = std::str::from_utf8(string)
            .map_err(|_| refuse("UTF-8, which all text in an HDF5 file is"))?;
        // It would be read up to there.
        if text.contains('\0') {
            return Err(refuse("names without zero bytes, which end text in an HDF5 file"));
        }
        texts.push(text);
    }
    guarded(place, || {
        if texts.is_empty() {
            // The crate's own way to write an empty list makes one that HDF5 2 cannot read.
            group.new_dataset::<u8>().datatype(TEXT).shape([0_usize]).create(name)
        } else {
            // All at once: filling a list piece by piece frees what its storage seems to refer to,
            // and that is not cleared before.
            group.write_vlen_strings(name, &texts)
        }
    })?;
    Ok(())
}
