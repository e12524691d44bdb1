//! Options of writing, outputs, and temporary files.
//!
//! An output is staged: it is written under a temporary name, and gets its own when it is complete.

pub use crate::convert::CellAxis;
pub use nnz_engine::{DuplicatePolicy, StructurePolicy};
pub use nnz_storage::staging::{
    Expected, StagedDirectory, StagedFile, WriteOptions, remove_staged_outputs,
    remove_staged_outputs_unless_placed,
};
