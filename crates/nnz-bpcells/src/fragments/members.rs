//! The members of fragments.

use nnz_container::NamedArrays;
use nnz_core::{At, Error, Names, Place, Result, StringList, StringReader};

pub(super) const CELL: &str = "cell";
pub(super) const START: &str = "start";
/// In packed fragments, this array has the length of each fragment instead.
pub(super) const END: &str = "end";
pub(super) const END_MAX: &str = "end_max";
pub(super) const CHR_PTR: &str = "chr_ptr";
pub(super) const CELL_NAMES: &str = "cell_names";
pub(super) const CHR_NAMES: &str = "chr_names";

/// The names of all members that fragments of any version have.
pub const FRAGMENT_MEMBERS: &[&str] = &[
    "version",
    CELL_NAMES,
    CHR_NAMES,
    CHR_PTR,
    END_MAX,
    CELL,
    "cell_data",
    "cell_idx",
    "cell_idx_offsets",
    START,
    "start_data",
    "start_idx",
    "start_idx_offsets",
    "start_starts",
    END,
    "end_data",
    "end_idx",
    "end_idx_offsets",
];

/// Reads the names of `len` chromosomes, within `memory` bytes.
///
/// More names than chromosomes are allowed; the rest is not read.
pub(super) fn chromosome_names(
    container: &NamedArrays,
    len: u32,
    memory: u64,
) -> Result<StringList> {
    let place = Place::array(container.path(), CHR_NAMES);
    let len = u64::from(len);
    let allowed = allowed(container.strings_size(CHR_NAMES)?, memory);
    let mut first = First { names: container.read_strings(CHR_NAMES)?, left: len };
    let names = (&mut first as &mut dyn StringReader).list_with_limit(allowed);
    let names = names.map_err(|error| error.with_context(&place))?;
    if names.len() < len {
        let found = format!("{} names", names.len());
        let place = place.at(At::Element(names.len()));
        return Err(Error::mismatch(place, found, format!("{len}, one for each chromosome")));
    }
    Ok(names)
}

/// Reads the names of all cells, within `memory` bytes.
pub(super) fn cell_names(container: &NamedArrays, memory: u64) -> Result<StringList> {
    let allowed = allowed(container.strings_size(CELL_NAMES)?, memory);
    let names = container.read_strings(CELL_NAMES)?.list_with_limit(allowed);
    names.map_err(|error| error.with_context(&Place::array(container.path(), CELL_NAMES)))
}

/// Returns how much memory may be used for what takes `stored` bytes in the file.
///
/// Stored bytes are always allowed: numbers that become text grow less than fourfold. But one
/// number that represents a sequence can become any number of names.
pub(super) fn allowed(stored: u64, memory: u64) -> u64 {
    memory.max(stored.saturating_mul(4))
}

/// Counts the names of cells.
pub(super) fn count_cells(container: &NamedArrays) -> Result<u64> {
    let mut names = container.read_strings(CELL_NAMES)?;
    if let Some(count) = names.remaining() {
        return Ok(count);
    }
    let mut count = 0;
    while names.next_string()?.is_some() {
        count += 1;
    }
    Ok(count)
}

/// A reader of the first strings only.
struct First<'a> {
    names: Names<'a>,
    left: u64,
}

impl StringReader for First<'_> {
    fn next_string(&mut self) -> Result<Option<&[u8]>> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        self.names.next_string()
    }

    fn remaining(&self) -> Option<u64> {
        self.names.remaining().map(|remaining| remaining.min(self.left))
    }
}
