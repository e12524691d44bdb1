//! Writing a list of strings.

use nnz_core::{Place, Result, StringReader};

use super::super::texts::{check_count, check_room, check_text};
use crate::hdf5::file::{DatasetSpec, ElementType, FileWriter, ObjectId};
use nnz_storage::staging::StagedFile;

/// Elements of a chunk, where the number of strings is not known before.
const CHUNK: u32 = 16 << 10;

/// Writes a dataset of strings of variable length as they are read: in one piece as BPCells does, if it is
/// known how many there are, else in chunks. Returns it and its length.
pub(super) fn write(
    file: &mut FileWriter<StagedFile>,
    group: ObjectId,
    name: &str,
    strings: &mut dyn StringReader,
    place: &Place,
) -> Result<(ObjectId, u64)> {
    let said = strings.remaining();
    let spec = match said {
        Some(len) => DatasetSpec::contiguous(ElementType::TEXT, &[len]),
        None => DatasetSpec::chunked(ElementType::TEXT, &[0], &[CHUNK]).growing(),
    };
    let dataset = file.create_dataset(group, name, spec)?;
    let mut found = 0_u64;
    while let Some(string) = strings.next_string()? {
        check_room(found + 1, said.unwrap_or(u64::MAX), place)?;
        let text = check_text(string, found, place)?;
        file.append_strings(dataset, [text])?;
        found += 1;
    }
    check_count(found, said.unwrap_or(found), place)?;
    file.finish_dataset(dataset)?;
    Ok((dataset, found))
}
