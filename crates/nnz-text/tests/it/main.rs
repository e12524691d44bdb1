//! Tests of the text formats.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    unreachable_pub,
    reason = "a test stops where it fails"
)]

mod table;
