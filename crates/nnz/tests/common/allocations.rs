//! Memory allocated by each thread, and its peak.
#![allow(unsafe_code, reason = "an allocator is unsafe to implement; all calls go to the system's")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    // Constants without destructors, so that reading them allocates nothing.
    static LIVE: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

/// The system's allocator, which keeps count.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn count(bytes: i64) {
    // A thread that is ending has no counters any more, and they are not read.
    let _ = LIVE.try_with(|live| {
        live.set(live.get() + bytes);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(live.get())));
    });
}

// SAFETY: every call is passed on to the system's allocator with the arguments it came with.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: the caller upholds the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: the caller upholds the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as i64));
        // SAFETY: the caller upholds the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both may be there at the same time.
        count(size as i64);
        count(-(layout.size() as i64));
        // SAFETY: the caller upholds the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Memory that this thread had allocated at some moment.
pub struct Baseline(i64);

/// Starts counting the peak afresh.
pub fn start() -> Baseline {
    let live = LIVE.get();
    PEAK.set(live);
    Baseline(live)
}

/// Returns the most bytes at a time since then, and those that are left now.
pub fn since(baseline: &Baseline) -> (u64, u64) {
    let over = |bytes: i64| u64::try_from(bytes - baseline.0).unwrap_or(0);
    (over(PEAK.get()), over(LIVE.get()))
}
