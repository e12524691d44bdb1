//! Options for writing a matrix, and what can be written.

use nnz_core::{Order, SinkCapabilities};

use crate::{BlockType, DataType, Dialect};

/// Options for writing a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The dialect. DAPHNE reads only its own.
    pub dialect: Dialect,
    /// A dense matrix, with values for every element, or a sparse one.
    pub data_type: DataType,
    /// The number of rows and columns of a block; by default there is one block, which is written
    /// while entries are received.
    ///
    /// With a block size, the entries of this many rows are in memory at a time.
    pub block: Option<(u32, u32)>,
    /// How blocks store elements; by default this depends on their density.
    pub block_type: Option<BlockType>,
    /// Whether each block has the smallest type that fits its values.
    pub narrow: bool,
    /// Whether to write a `.meta` file in the published dialect; in other dialects it is always
    /// written.
    pub meta: bool,
}

impl Default for Options {
    /// A sparse matrix of one block in the published dialect.
    fn default() -> Self {
        Self {
            dialect: Dialect::Spec,
            data_type: DataType::Csr,
            block: None,
            block_type: None,
            narrow: false,
            meta: false,
        }
    }
}

impl Options {
    /// Returns whether a `.meta` file is written.
    pub(crate) fn writes_meta(&self) -> bool {
        self.meta || self.dialect != Dialect::Spec
    }
}

/// Returns what a file with these options can store.
#[must_use]
pub fn capabilities(options: &Options) -> SinkCapabilities {
    SinkCapabilities::new(&[Order::Row], options.dialect.value_types())
        .unique(true)
        .dense(options.data_type == DataType::Dense)
}
