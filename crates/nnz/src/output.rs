//! What becomes of entries as they are written, how outputs take their place, and where temporary files lie.
//!
//! An output is staged: written unseen, and given its name when it is complete.

pub use crate::convert::CellAxis;
pub use nnz_engine::{DuplicatePolicy, StructurePolicy};
pub use nnz_storage::set_temporary_directory;
pub use nnz_storage::staging::{
    StagedFile, WriteOptions, remove_staged_outputs, remove_staged_outputs_unless_placed,
};
