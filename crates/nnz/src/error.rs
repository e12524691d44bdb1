//! Locations and hints of errors, and findings of checks.
//!
//! [`Error`](crate::Error) has a [`Place`](crate::Place), which is a path and, with [`At`], an array, line or entry,
//! and a [`Hint`] if an option helps.

pub use nnz_core::{At, CastError, Finding, Hint, Severity};
