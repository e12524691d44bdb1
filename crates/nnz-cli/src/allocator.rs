//! The allocator of the command, which ends with a message where the system has no memory.
//!
//! Rust aborts where an allocation fails, which leaves unfinished outputs behind.

#![allow(unsafe_code, reason = "an allocator is unsafe to implement; all calls go to the system's")]

use std::alloc::{GlobalAlloc, Layout, System};

use crate::{interrupt, limits};

/// The allocator of the system. In a program that called [`run`](crate::run), an allocation that fails prints an
/// error, removes unfinished outputs and exits with status 2.
#[derive(Debug)]
pub struct Allocator;

// SAFETY: every call is passed on to the system's allocator with its arguments.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the contract of `alloc`.
        checked(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the contract of `alloc_zeroed`.
        checked(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller upholds the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller upholds the contract of `realloc`.
        checked(unsafe { System.realloc(pointer, layout, new_size) }, new_size)
    }
}

fn checked(pointer: *mut u8, size: usize) -> *mut u8 {
    // A size larger than the memory of this machine comes from a damaged file that states the size of an array. Its
    // reader reserves memory fallibly, and reports the file.
    if pointer.is_null() && size <= limits::largest_allocation() {
        interrupt::no_memory(size);
    }
    pointer
}
