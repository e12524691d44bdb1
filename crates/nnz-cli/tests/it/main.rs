//! Integration tests, in one program so that it is linked once.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "a test stops where it fails"
)]

mod all_or_nothing;
mod binsparse;
mod binsparse_fill;
mod binsparse_kept;
mod binsparse_layout;
mod binsparse_positions;
mod command;
mod daphne;
mod docs;
mod force;
mod fragments;
mod fragments_refused;
mod generated;
mod golden;
mod hdf5;
mod json;
mod paths;
mod rds;
mod root_matrix;
mod slice_concat;
mod standard_streams;
mod temporary_directory;
mod terminal;
mod whole;
