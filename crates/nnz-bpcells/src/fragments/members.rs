//! The members fragments consist of.

use nnz_container::Container;
use nnz_core::{At, Error, Place, Result, StringList};

pub(super) const CELL: &str = "cell";
pub(super) const START: &str = "start";
/// In packed fragments this one holds how long each fragment is.
pub(super) const END: &str = "end";
pub(super) const END_MAX: &str = "end_max";
pub(super) const CHR_PTR: &str = "chr_ptr";
pub(super) const CELL_NAMES: &str = "cell_names";
pub(super) const CHR_NAMES: &str = "chr_names";

/// The name of every member that fragments of some version have.
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

/// Reads the names of `len` chromosomes.
///
/// More names than chromosomes are allowed, and the surplus is dropped.
pub(super) fn chromosome_names(container: &dyn Container, len: u32) -> Result<StringList> {
    let names = container.strings(CHR_NAMES)?;
    let len = u64::from(len);
    if names.len() < len {
        let place = Place::array(container.path(), CHR_NAMES).at(At::Element(names.len()));
        let found = format!("{} names", names.len());
        return Err(Error::mismatch(place, found, format!("{len}, one for each chromosome")));
    }
    Ok(names.truncated(len))
}

/// Counts the names of cells.
pub(super) fn count_cells(container: &dyn Container) -> Result<u64> {
    let mut count = 0;
    container.for_each_string(CELL_NAMES, &mut |_| {
        count += 1;
        Ok(())
    })?;
    Ok(count)
}
