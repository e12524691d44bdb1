//! Where an error occurred inside a file, and how severe a finding is.
//!
//! [`Error`](crate::Error) has a [`Place`](crate::Place): a path, and with [`At`] an array, line or entry.

pub use nnz_core::{At, Severity};
