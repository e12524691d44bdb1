//! Ranges of files mapped into memory.

// Mapping memory is unsafe, as is reading it.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::fs::File;
use std::ops::Deref;
use std::ptr::NonNull;

/// Bytes of a file in the page cache.
///
/// Copying them would take longer than reading the file. They change if another process writes to
/// the file, so they are only for decoders that accept any bytes and whose results are checked.
#[derive(Debug)]
pub struct Mapped {
    pages: NonNull<c_void>,
    /// The length of the mapping, including bytes of the first page before the range.
    len: usize,
    skipped: usize,
}

impl Mapped {
    /// Maps `len` bytes of a file from `start` on; `None` if this is not possible.
    ///
    /// All pages are loaded first. A file that is too short or cannot be read is not mapped,
    /// because accessing its pages would terminate the process, while reading it returns an error.
    /// This remains possible only if the file is truncated while the mapping is in use.
    #[cfg(target_os = "linux")]
    pub fn of(file: &File, start: u64, len: usize) -> Option<Self> {
        use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap};
        use rustix::param::page_size;

        let end = start.checked_add(u64::try_from(len).ok()?)?;
        let skipped = start % u64::try_from(page_size()).ok()?;
        let first = start - skipped;
        let skipped = usize::try_from(skipped).ok()?;
        let len = len.checked_add(skipped)?;
        // SAFETY: the system chooses an unused address.
        let pages = unsafe {
            mmap(std::ptr::null_mut(), len, ProtFlags::READ, MapFlags::SHARED, file, first)
        };
        let mapped = Self { pages: NonNull::new(pages.ok()?)?, len, skipped };
        // SAFETY: the pages were just mapped, and this only loads them.
        unsafe { madvise(mapped.pages.as_ptr(), len, Advice::LinuxPopulateRead) }.ok()?;
        // The last page of a file has zeros past its end.
        (file.metadata().ok()?.len() >= end).then_some(mapped)
    }

    /// Maps nothing: other systems cannot load pages with an error for those that fail.
    #[cfg(not(target_os = "linux"))]
    pub fn of(_: &File, _: u64, _: usize) -> Option<Self> {
        None
    }
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the pages are mapped as long as `self` exists, all their bytes existed when they
        // were loaded, and any bytes are valid.
        unsafe {
            let first = self.pages.as_ptr().cast::<u8>().add(self.skipped);
            std::slice::from_raw_parts(first, self.len - self.skipped)
        }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: they were mapped with this length, and there are no references any more.
        // Unmapping mapped pages does not fail.
        #[cfg(target_os = "linux")]
        let _ = unsafe { rustix::mm::munmap(self.pages.as_ptr(), self.len) };
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn unaligned_ranges_are_mapped() {
        let bytes: Vec<u8> =
            (0..50_000_u32).map(|n| n.to_le_bytes()[0] ^ n.to_le_bytes()[1]).collect();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&bytes).unwrap();
        for (start, len) in [(0, 50_000), (8, 1), (4095, 2), (4096, 4096), (49_999, 1)] {
            let mapped = Mapped::of(&file, start as u64, len).unwrap();
            assert_eq!(*mapped, bytes[start..start + len], "{len} from {start}");
        }
    }

    #[test]
    fn ranges_past_the_end_are_not_mapped() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(5000).unwrap();
        assert!(Mapped::of(&file, 0, 5000).is_some());
        assert!(Mapped::of(&file, 0, 5001).is_none());
        let page = rustix::param::page_size() as u64;
        assert!(Mapped::of(&file, 0, usize::try_from(2 * page + 5000).unwrap()).is_none());
        assert!(Mapped::of(&file, 4 * page, 1).is_none());
        file.set_len(0).unwrap();
        assert!(Mapped::of(&file, 0, 1).is_none());
        assert!(Mapped::of(&file, 0, usize::MAX - 5).is_none());
        assert!(Mapped::of(&file, u64::MAX - 5, 1).is_none());
        assert!(Mapped::of(&File::open("/").unwrap(), 0, 1).is_none());
    }
}
