//! What the tests of several crates share. It is not published.
#![allow(
    clippy::cast_possible_truncation,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    clippy::panic,
    clippy::should_implement_trait,
    clippy::unwrap_used,
    missing_docs,
    reason = "a test stops where it fails"
)]

pub mod command;
pub mod npy;
pub mod number;
pub mod random;
