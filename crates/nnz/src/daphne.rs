//! Files of DAPHNE in the dialect that is asked for, and how they are written.
//!
//! [`open`](crate::open) detects the dialect of a file;
//! [`OpenOptions::dialect`](crate::OpenOptions::dialect) sets it.

mod target;

pub use nnz_daphne::{BlockType, Dialect, parse_value_type as value_type};

pub(crate) use target::Target;

/// The name of the format.
pub(crate) const NAME: &str = "daphne";

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
