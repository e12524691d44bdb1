//! Files of DAPHNE in the dialect that is asked for, and how they are written.
//!
//! [`open`](crate::open) recognises the dialect of a file; [`open_as`] is told it.

mod found;
mod target;

use nnz_core::{Error, Finding, Result};

pub use nnz_daphne::{BlockType, Dialect, parse_value_type as value_type};

use crate::{Location, Opened};
pub(crate) use found::Found;
pub(crate) use target::Target;

/// Says how a file of DAPHNE is written. The default is one block in the published dialect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DaphneOptions {
    /// The dialect; by default the published one. DAPHNE reads only its own.
    pub dialect: Option<Dialect>,
    /// Rows and columns of a block; by default there is one block.
    pub block: Option<(u32, u32)>,
    /// How blocks store cells; by default as their density suggests.
    pub block_type: Option<BlockType>,
    /// Whether each block has the narrowest type that holds its values.
    pub narrow: bool,
    /// Whether a `.meta` is written beside the published dialect; beside the others it always is.
    pub meta: bool,
    /// The number of files a matrix is written to, in a directory; by default it is one file.
    pub segments: Option<u64>,
}

/// Opens a matrix of DAPHNE, a file or a directory of segments, in a dialect.
///
/// # Errors
///
/// Fails where the place cannot be read, or is no matrix in this dialect.
pub fn open_as(location: &Location, dialect: Dialect) -> Result<Opened> {
    Found::told(location)?.open(Some(dialect))
}

/// Checks everything about a file or directory of DAPHNE in a dialect, and hands what is found to
/// `each`.
///
/// # Errors
///
/// Fails where the system cannot read it. All else that is wrong is a finding.
pub fn validate_as(
    location: &Location,
    dialect: Dialect,
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    Found::told(location)?.validate(Some(dialect), each)
}

/// Says that a place is none that a file of DAPHNE can be at.
fn nowhere(location: &Location) -> Error {
    Error::argument(format!("{location}: a file of DAPHNE has a path, and no groups"))
}
