//! Page faults of memory that is written for the first time.

// System calls for memory take addresses.
#![allow(unsafe_code)]

/// The minimum number of bytes for a system call.
#[cfg(target_os = "linux")]
const WORTH: usize = 16 << 10;

/// Has the system allocate the pages of bytes that will be written, all at once.
///
/// Otherwise there is a page fault at the first write to each page, which takes longer than the
/// write. The bytes do not change. Does nothing on systems that do not support it.
pub fn prefault(bytes: &mut [u8]) {
    #[cfg(target_os = "linux")]
    if bytes.len() >= WORTH {
        use rustix::mm::{Advice, madvise};

        let skipped = bytes.as_ptr().addr() % rustix::param::page_size();
        let pages = bytes.as_mut_ptr().wrapping_sub(skipped).cast();
        // SAFETY: the pages are those of bytes that may be written, and populating them does not
        // change their contents, nor what shares the first and the last page. A failure has no
        // effect.
        let _ = unsafe { madvise(pages, bytes.len() + skipped, Advice::LinuxPopulateWrite) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = bytes;
}

/// The range of sizes for which large pages are requested.
#[cfg(target_os = "linux")]
const LARGE: std::ops::RangeInclusive<usize> = 4 << 20..=64 << 20;

/// Requests large pages for bytes that have not been written to, if this is worth it.
///
/// Page faults of several megabytes take longer than writing to them, and a tenth of that time with
/// large pages. For hundreds of megabytes large pages are not requested: 600 MB were read in half
/// the time if memory was warm, but in five times the time if a virtual machine had returned the
/// memory to its host, as it does with large blocks of idle memory.
pub fn enlarge_pages(bytes: &mut [u8]) {
    #[cfg(target_os = "linux")]
    if LARGE.contains(&bytes.len()) {
        use rustix::mm::{Advice, madvise};

        let skipped = bytes.as_ptr().addr() % rustix::param::page_size();
        let pages = bytes.as_mut_ptr().wrapping_sub(skipped).cast();
        // SAFETY: the pages are those of bytes that may be written, and their size does not affect
        // their contents. A failure has no effect.
        let _ = unsafe { madvise(pages, bytes.len() + skipped, Advice::LinuxHugepage) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = bytes;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefault_keeps_unaligned_bytes() {
        let mut bytes: Vec<u8> = (0..300_000_u32).map(|n| n.to_le_bytes()[1]).collect();
        let before = bytes.clone();
        for start in [0, 1, 4095, 4096, 100_000, 300_000] {
            prefault(&mut bytes[start..]);
            assert_eq!(bytes, before, "from byte {start}");
        }
    }

    /// Minor page faults of this thread.
    #[cfg(target_os = "linux")]
    fn faults() -> usize {
        let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        // The eighth field after the name, which may contain spaces.
        let fields = stat.rsplit_once(')').unwrap().1;
        fields.split_whitespace().nth(7).unwrap().parse().unwrap()
    }

    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    #[test]
    fn prefaulted_memory_has_few_page_faults() {
        const PAGES: usize = 4096;
        let mut bytes = vec![0; PAGES << 12];
        prefault(&mut bytes);
        let before = faults();
        bytes.iter_mut().step_by(1 << 12).for_each(|byte| *byte = 1);
        let after = faults();
        assert_eq!(std::hint::black_box(&bytes)[4096], 1);
        assert!(after - before < PAGES / 4, "{} faults", after - before);
    }
}
