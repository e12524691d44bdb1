//! Integration tests, in one program so that it is linked once.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::single_range_in_vec_init,
    clippy::unwrap_used,
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "a test stops where it fails, and the example programs are modules"
)]

use nnz_testing::allocations::CountingAllocator;

mod archive;
mod cancellation;
mod collections;
mod common;
mod compare;
mod contexts;
mod examples;
mod faulty_storage;
mod fragments;
mod in_memory;
mod invalid_batches;
mod loom;
mod matlab;
mod mudata;
mod mutations;
mod partly_sorted;
mod progress;
mod properties;
mod read;
mod reads_once;
mod report;
mod scipy;
mod selected_chunks;
mod several;
mod slice_concat;
mod stats;
mod structure;
mod tenx;
mod toy_container;
mod toy_format;
mod triangle_text;

/// Counts per thread, so that other tests can run at the same time.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;
