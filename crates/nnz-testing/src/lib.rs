//! What the tests of several crates share. It is not published.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    missing_docs,
    reason = "a test stops where it fails"
)]

pub mod command;
pub mod npy;
pub mod number;
pub mod random;
pub mod server;
