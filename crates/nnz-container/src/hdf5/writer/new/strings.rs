//! Writing lists of strings.

use nnz_core::{Place, Result, StringReader};

use super::super::texts::{check_count, check_room, check_text};
use crate::hdf5::file::{DatasetSpec, ElementType, FileWriter, ObjectId};
use nnz_storage::staging::StagedFile;

/// Number of elements of a chunk, if the number of strings is not known.
const CHUNK: u32 = 16 << 10;

/// Writes a dataset of strings of variable length from a reader: contiguous as in BPCells if their
/// number is known, otherwise chunked. Returns it and its length.
pub(super) fn write(
    file: &mut FileWriter<StagedFile>,
    group: ObjectId,
    name: &str,
    strings: &mut dyn StringReader,
    place: &Place,
) -> Result<(ObjectId, u64)> {
    let stated = strings.remaining();
    let spec = match stated {
        Some(len) => DatasetSpec::contiguous(ElementType::TEXT, &[len]),
        None => DatasetSpec::chunked(ElementType::TEXT, &[0], &[CHUNK]).growing(),
    };
    let dataset = file.create_dataset(group, name, spec)?;
    let mut found = 0_u64;
    while let Some(string) = strings.next_string()? {
        check_room(found + 1, stated.unwrap_or(u64::MAX), place)?;
        let text = check_text(string, found, place)?;
        file.append_strings(dataset, [text])?;
        found += 1;
    }
    check_count(found, stated.unwrap_or(found), place)?;
    file.finish_dataset(dataset)?;
    Ok((dataset, found))
}
