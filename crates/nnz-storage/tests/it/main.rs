//! Integration tests, in one program so that it is linked once.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "a test stops where it fails")]

mod staging;
mod urls;
