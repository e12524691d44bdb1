//! An allocator that counts, per thread, the bytes allocated and their peak.
//!
//! A test program installs it with `#[global_allocator]`.
#![allow(unsafe_code, reason = "an allocator is unsafe to implement; all calls go to the system's")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    // Constants without destructors, so that reading them allocates nothing.
    static LIVE: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

/// The system's allocator, with counters for each thread.
#[derive(Clone, Copy, Debug)]
pub struct CountingAllocator;

fn count(bytes: i64) {
    // The counters of a thread that is ending are gone already.
    let _ = LIVE.try_with(|live| {
        live.set(live.get() + bytes);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(live.get())));
    });
}

fn size(layout: Layout) -> i64 {
    // `Layout` limits sizes to `isize::MAX`.
    layout.size() as i64
}

// SAFETY: every call is passed on to the system's allocator with its arguments.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(size(layout));
        // SAFETY: the caller upholds the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(size(layout));
        // SAFETY: the caller upholds the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-size(layout));
        // SAFETY: the caller upholds the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // Both blocks may exist at the same time.
        count(new_size as i64);
        count(-size(layout));
        // SAFETY: the caller upholds the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}

/// The bytes a thread had allocated when counting started.
#[derive(Debug)]
pub struct Baseline(i64);

/// Resets the peak of this thread to what it has allocated now.
pub fn start() -> Baseline {
    let live = LIVE.get();
    PEAK.set(live);
    Baseline(live)
}

/// Returns this thread's peak since the baseline and the bytes still allocated, both above the
/// baseline.
pub fn since(baseline: &Baseline) -> (u64, u64) {
    let above = |bytes: i64| u64::try_from(bytes - baseline.0).unwrap_or(0);
    (above(PEAK.get()), above(LIVE.get()))
}
