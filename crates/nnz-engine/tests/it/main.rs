//! Integration tests of the engine, with sources and targets in memory.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "a test stops where it fails")]

mod cancellation;
mod composed;
mod compute;
mod filter;
mod float_stats;
mod lines;
mod markers;
mod name_index;
mod plot;
mod reorder;
mod scattered;
mod sources;
#[cfg(feature = "sprs")]
mod sprs_matrix;
mod wrappers;
