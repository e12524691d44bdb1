//! Helpers for the tests of several crates. It is not published.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    clippy::panic,
    clippy::print_stderr,
    clippy::should_implement_trait,
    clippy::unwrap_used,
    missing_docs,
    reason = "a test stops where it fails"
)]

pub mod allocations;
pub mod command;
pub mod hdf5;
pub mod mutations;
pub mod npy;
pub mod number;
pub mod random;
pub mod server;
pub mod tar;
pub mod watchdog;
pub mod zip;
