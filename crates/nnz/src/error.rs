//! Where an error occurred inside a file, what helps, and what checking a file finds.
//!
//! [`Error`](crate::Error) has a [`Place`](crate::Place): a path, and with [`At`] an array, line or entry; and a [`Hint`]
//! where an option helps.

pub use nnz_core::{At, Finding, Hint, Severity};
