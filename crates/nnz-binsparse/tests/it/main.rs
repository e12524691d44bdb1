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
    clippy::unwrap_used,
    unreachable_pub,
    reason = "a test stops where it fails"
)]

use nnz_testing::allocations::CountingAllocator;

mod common;
mod descriptor;
mod golden;
mod malformed;
mod mutations;
mod pieces;
mod positions;
mod sinks;
mod tensors;
mod with_descriptor;

/// Counts per thread, so that other tests may run at the same time.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;
