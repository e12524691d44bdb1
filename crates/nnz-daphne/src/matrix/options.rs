//! How a matrix is written, and what can be.

use nnz_core::{Order, SinkCapabilities};

use crate::{BlockType, DataType, Dialect};

/// Says how a matrix is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The dialect. DAPHNE reads only its own.
    pub dialect: Dialect,
    /// A dense matrix, of which every cell counts, or a sparse one.
    pub data_type: DataType,
    /// Rows and columns of a block; by default there is one block, which is written as entries come.
    ///
    /// With a size, the entries of as many rows are in memory at a time.
    pub block: Option<(u32, u32)>,
    /// How blocks store cells; by default as their density suggests.
    pub block_type: Option<BlockType>,
    /// Whether each block has the narrowest type that holds its values.
    pub narrow: bool,
    /// Whether a `.meta` is written beside the published dialect; beside the others it always is.
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
    /// Returns whether a `.meta` is written.
    pub(crate) fn writes_meta(&self) -> bool {
        self.meta || self.dialect != Dialect::Spec
    }
}

/// Returns what a file written so can hold.
#[must_use]
pub fn capabilities(options: &Options) -> SinkCapabilities {
    SinkCapabilities {
        orders: &[Order::Row],
        value_types: options.dialect.value_types(),
        structure: false,
        fill: false,
        unique: true,
        names: false,
        annotations: false,
        dense: options.data_type == DataType::Dense,
    }
}
