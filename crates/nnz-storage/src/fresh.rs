//! Memory that nothing was written to.

// What is advised to the system is named by an address.
#![allow(unsafe_code)]

/// Bytes that are worth a call of the system.
#[cfg(target_os = "linux")]
const WORTH: usize = 16 << 10;

/// Has the system find memory for bytes that are about to be written, all at once.
///
/// It would find a page whenever the first byte of one is written otherwise, and being interrupted
/// for each takes longer than writing to it. What the bytes are does not change. Systems that cannot
/// do this are left to find memory as they do.
pub fn prefault(bytes: &mut [u8]) {
    #[cfg(target_os = "linux")]
    if bytes.len() >= WORTH {
        use rustix::mm::{Advice, madvise};

        let skipped = bytes.as_ptr().addr() % rustix::param::page_size();
        let pages = bytes.as_mut_ptr().wrapping_sub(skipped).cast();
        // SAFETY: the pages are those of bytes that may be written, and finding memory for them
        // changes none of what is on them, nor what shares the first and the last one.
        // Nothing needs to be done where this fails.
        let _ = unsafe { madvise(pages, bytes.len() + skipped, Advice::LinuxPopulateWrite) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = bytes;
}

/// Bytes that large pages are asked for, at the least and at the most.
#[cfg(target_os = "linux")]
const LARGE: std::ops::RangeInclusive<usize> = 4 << 20..=64 << 20;

/// Asks for large pages for bytes that nothing was written to, where they are worth it.
///
/// Page faults of some megabytes take longer than writing to them, and a tenth of that with large pages. For hundreds
/// of megabytes they are not asked for: with them, 600 MB were read in half the time where memory was warm, but in five
/// times the time where a virtual machine had returned it to its host, as it does with large pieces of idle memory.
pub fn enlarge_pages(bytes: &mut [u8]) {
    #[cfg(target_os = "linux")]
    if LARGE.contains(&bytes.len()) {
        use rustix::mm::{Advice, madvise};

        let skipped = bytes.as_ptr().addr() % rustix::param::page_size();
        let pages = bytes.as_mut_ptr().wrapping_sub(skipped).cast();
        // SAFETY: the pages are those of bytes that may be written, and their size changes none of what is on them.
        // Nothing needs to be done where this fails.
        let _ = unsafe { madvise(pages, bytes.len() + skipped, Advice::LinuxHugepage) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = bytes;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_stay_what_they_are_wherever_they_begin() {
        let mut bytes: Vec<u8> = (0..300_000_u32).map(|n| n.to_le_bytes()[1]).collect();
        let before = bytes.clone();
        for start in [0, 1, 4095, 4096, 100_000, 300_000] {
            prefault(&mut bytes[start..]);
            assert_eq!(bytes, before, "from byte {start}");
        }
    }

    /// Faults of this thread that were served from memory.
    #[cfg(target_os = "linux")]
    fn faults() -> usize {
        let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        // Behind the name, which may hold blanks, it is the eighth.
        let behind = stat.rsplit_once(')').unwrap().1;
        behind.split_whitespace().nth(7).unwrap().parse().unwrap()
    }

    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    #[test]
    fn writing_is_not_interrupted_page_by_page() {
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
