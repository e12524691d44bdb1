//! Tests of the whole crate.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test stops where it fails")]

mod everything;
mod hostile;
mod slabs;

#[global_allocator]
static ALLOCATOR: nnz_testing::allocations::CountingAllocator =
    nnz_testing::allocations::CountingAllocator;
