//! Writing lists of fixed-length strings in HDF5, like 10x.

use nnz_core::{Result, StringList};
use nnz_hdf5::{CharacterSet, DatasetSpec, ElementType, FileWriter, ObjectId, StringPadding};
use nnz_storage::staging::StagedFile;

/// Bytes of padding that are always allowed.
const WASTE: u64 = 64 << 20;

/// Writes strings with the length of the longest, padded with zeros; with variable length if
/// padding would take much more space.
pub(super) fn write_strings(
    file: &mut FileWriter<StagedFile>,
    group: ObjectId,
    name: &str,
    strings: &StringList,
) -> Result<()> {
    let longest = strings.iter().map(<[u8]>::len).max().unwrap_or(0).max(1);
    let held: u64 = strings.iter().map(|string| string.len() as u64).sum();
    let padded = strings.len().saturating_mul(longest as u64);
    let ascii = strings.iter().all(<[u8]>::is_ascii);
    let character_set = if ascii { CharacterSet::Ascii } else { CharacterSet::Utf8 };
    let fixed = u32::try_from(longest).ok();
    let fixed = fixed.filter(|_| padded <= held.saturating_mul(16).saturating_add(WASTE));
    let element = match fixed {
        Some(bytes) => {
            ElementType::FixedString { bytes, padding: StringPadding::NullPadded, character_set }
        }
        None => ElementType::VariableString(character_set),
    };
    let dataset =
        file.create_dataset(group, name, DatasetSpec::contiguous(element, &[strings.len()]))?;
    file.append_strings(dataset, strings.iter())?;
    file.finish_dataset(dataset)
}
