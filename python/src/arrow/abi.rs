//! The structures of the C data interface and of the C stream interface.
//!
//! Calling `release` of a structure returns it to the library that created it; `release` is then null.

#![allow(unsafe_code, reason = "the interface passes pointers and functions of C")]

use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;

/// Whether values may be missing.
pub(super) const NULLABLE: i64 = 2;

/// Whether categories have an order.
pub(super) const DICTIONARY_ORDERED: i64 = 1;

#[repr(C)]
pub(super) struct ArrowSchema {
    pub(super) format: *const c_char,
    pub(super) name: *const c_char,
    pub(super) metadata: *const c_char,
    pub(super) flags: i64,
    pub(super) n_children: i64,
    pub(super) children: *mut *mut ArrowSchema,
    pub(super) dictionary: *mut ArrowSchema,
    pub(super) release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    pub(super) private_data: *mut c_void,
}

#[repr(C)]
pub(super) struct ArrowArray {
    pub(super) length: i64,
    pub(super) null_count: i64,
    pub(super) offset: i64,
    pub(super) n_buffers: i64,
    pub(super) n_children: i64,
    pub(super) buffers: *mut *const c_void,
    pub(super) children: *mut *mut ArrowArray,
    pub(super) dictionary: *mut ArrowArray,
    pub(super) release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    pub(super) private_data: *mut c_void,
}

#[repr(C)]
pub(super) struct ArrowArrayStream {
    pub(super) get_schema:
        Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowSchema) -> c_int>,
    pub(super) get_next:
        Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowArray) -> c_int>,
    pub(super) get_last_error: Option<unsafe extern "C" fn(*mut ArrowArrayStream) -> *const c_char>,
    pub(super) release: Option<unsafe extern "C" fn(*mut ArrowArrayStream)>,
    pub(super) private_data: *mut c_void,
}

impl ArrowSchema {
    pub(super) fn empty() -> Self {
        Self {
            format: null_mut(),
            name: null_mut(),
            metadata: null_mut(),
            flags: 0,
            n_children: 0,
            children: null_mut(),
            dictionary: null_mut(),
            release: None,
            private_data: null_mut(),
        }
    }
}

impl ArrowArray {
    pub(super) fn empty() -> Self {
        Self {
            length: 0,
            null_count: 0,
            offset: 0,
            n_buffers: 0,
            n_children: 0,
            buffers: null_mut(),
            children: null_mut(),
            dictionary: null_mut(),
            release: None,
            private_data: null_mut(),
        }
    }
}

impl ArrowArrayStream {
    pub(super) fn empty() -> Self {
        Self {
            get_schema: None,
            get_next: None,
            get_last_error: None,
            release: None,
            private_data: null_mut(),
        }
    }
}

macro_rules! released {
    ($($name:ident)*) => {$(
        impl Drop for $name {
            fn drop(&mut self) {
                if let Some(release) = self.release {
                    // SAFETY: it has not been released, and is this very structure, which its library filled.
                    unsafe { release(self) };
                }
            }
        }
    )*};
}

released! { ArrowSchema ArrowArray ArrowArrayStream }

// SAFETY: the interface allows a structure to be used and released by any thread, one at a time.
unsafe impl Send for ArrowArrayStream {}
// SAFETY: as above.
unsafe impl Send for ArrowSchema {}
// SAFETY: as above.
unsafe impl Send for ArrowArray {}
