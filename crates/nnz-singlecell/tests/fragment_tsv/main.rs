//! Reading and writing of fragments as text.
#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]
#![allow(clippy::print_stdout, reason = "a test that is skipped says so")]

mod common;
mod golden;
mod hostile;
mod reading;
mod regions;
mod round_trip;
mod tabix;
mod writing;
