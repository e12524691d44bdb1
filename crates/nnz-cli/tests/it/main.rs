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

#[cfg(unix)]
mod all_or_nothing;
mod binsparse;
mod binsparse_fill;
mod binsparse_kept;
mod binsparse_layout;
mod binsparse_positions;
mod command;
mod computing;
mod daphne;
#[cfg(unix)]
mod dispatch;
mod docs;
mod filter;
mod first_use;
mod force;
mod fragments;
mod fragments_refused;
mod gallery;
mod generated;
mod golden;
mod hdf5;
mod json;
#[cfg(target_os = "linux")]
mod limits;
mod loom;
mod loom_collections;
mod matlab;
mod misleading;
mod noted;
#[cfg(unix)]
mod paths;
mod plot;
mod rds;
mod remote;
mod remote_counts;
mod remote_failures;
mod remote_targets;
mod reorder;
mod report;
mod reports;
mod root_matrix;
mod sample;
mod slice_concat;
#[cfg(unix)]
mod standard_streams;
mod streams;
mod svmlight_edges;
mod tables;
mod temporary_directory;
#[cfg(unix)]
mod terminal;
mod unexpected;
mod unsaid;
mod whole;
mod written_objects;
mod wrong_arguments;
