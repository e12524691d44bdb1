//! Page faults of memory that is written for the first time.

// System calls for memory take addresses.
#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

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
        // SAFETY: they are a mutable slice.
        unsafe { populate(bytes.as_mut_ptr(), bytes.len()) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = bytes;
}

/// The range of sizes for which large pages are requested.
const LARGE: RangeInclusive<usize> = 4 << 20..=64 << 20;

/// The size of a large page.
const PAGE: usize = 2 << 20;

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
        // SAFETY: the pages contain bytes that may be written, and their size does not affect
        // their contents. A failure has no effect.
        let _ = unsafe { madvise(pages, bytes.len() + skipped, Advice::LinuxHugepage) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = bytes;
}

/// The pages of two arrays that several threads will write, from start to end and at the same pace.
///
/// The threads populate them ahead of writing, each page once. If two threads write to the same large page
/// for the first time, both fill one with zeros, which takes longer than what they write.
#[derive(Debug)]
pub struct FreshPages<'m> {
    /// In the order of writing.
    blocks: Vec<Block>,
    next: AtomicUsize,
    sizes: [usize; 2],
    memory: PhantomData<fn() -> &'m mut [u8]>,
}

/// Bytes of a large page.
#[derive(Debug)]
struct Block {
    array: usize,
    /// The position in the array.
    start: usize,
    bytes: AtomicPtr<u8>,
    len: usize,
}

impl<'m> FreshPages<'m> {
    /// Divides arrays into pages, and returns the arrays. Those that have no large pages are left out.
    #[must_use]
    pub fn new(mut arrays: [&'m mut [u8]; 2]) -> (Self, [&'m mut [u8]; 2]) {
        let sizes = arrays.each_ref().map(|array| array.len());
        let mut blocks = Vec::new();
        for (number, array) in arrays.iter_mut().enumerate() {
            let mut rest = if LARGE.contains(&array.len()) { &mut **array } else { &mut [] };
            let mut start = 0;
            while !rest.is_empty() {
                let in_page = PAGE - rest.as_ptr().addr() % PAGE;
                let (block, after) = rest.split_at_mut(in_page.min(rest.len()));
                let (bytes, len) = (AtomicPtr::new(block.as_mut_ptr()), block.len());
                blocks.push(Block { array: number, start, bytes, len });
                start += len;
                rest = after;
            }
        }
        blocks.sort_by(|one, other| {
            let share = |of: &Block, by: &Block| of.start as u128 * sizes[by.array] as u128;
            share(one, other).cmp(&share(other, one))
        });
        (Self { blocks, next: AtomicUsize::new(0), sizes, memory: PhantomData }, arrays)
    }

    /// Returns whether pages of an array are populated here.
    #[must_use]
    pub fn has(&self, array: usize) -> bool {
        self.sizes.get(array).is_some_and(|size| LARGE.contains(size))
    }

    /// Populates the next page.
    pub fn populate_next(&self) {
        self.claim(|_| true);
    }

    /// Populates the pages up to a position in each array that no thread has begun to populate.
    pub fn populate_to(&self, ends: [usize; 2]) {
        while self.claim(|block| ends.get(block.array).is_some_and(|end| block.start < *end)) {}
    }

    /// Populates the next page if it is wanted; `false` if not, or if there is none.
    fn claim(&self, wanted: impl Fn(&Block) -> bool) -> bool {
        let mut next = self.next.load(Ordering::Relaxed);
        loop {
            let Some(block) = self.blocks.get(next).filter(|block| wanted(block)) else {
                return false;
            };
            match self.next.compare_exchange_weak(
                next,
                next + 1,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => {
                    block.populate();
                    return true;
                }
                Err(changed) => next = changed,
            }
        }
    }
}

impl Block {
    fn populate(&self) {
        let (bytes, len) = (self.bytes.load(Ordering::Relaxed), self.len);
        // SAFETY: the bytes belong to a mutable slice that outlives the pages. Another thread may write to
        // them meanwhile: populating changes nothing.
        #[cfg(target_os = "linux")]
        unsafe {
            populate(bytes, len);
        }
        #[cfg(not(target_os = "linux"))]
        let _ = (bytes, len);
    }
}

/// Has the system allocate the pages of bytes. A failure has no effect.
///
/// # Safety
///
/// The bytes may be written.
#[cfg(target_os = "linux")]
unsafe fn populate(bytes: *mut u8, len: usize) {
    use rustix::mm::{Advice, madvise};

    let skipped = bytes.addr() % rustix::param::page_size();
    let pages = bytes.wrapping_sub(skipped).cast();
    // SAFETY: the pages contain bytes that may be written, and populating them does not change their
    // contents, nor what shares the first and the last page.
    let _ = unsafe { madvise(pages, len + skipped, Advice::LinuxPopulateWrite) };
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

    #[test]
    fn each_byte_of_large_arrays_is_populated_once() {
        for [one, other] in
            [[5 << 20, 9_000_000], [4 << 20, 100], [64 << 20, (64 << 20) + 1], [7, 0]]
        {
            let mut arrays = [vec![1_u8; one], vec![1_u8; other]];
            let [first, second] = &mut arrays;
            let (fresh, found) = FreshPages::new([first, second]);
            assert_eq!(found.map(|array| array.len()), [one, other]);
            for (array, size) in [one, other].into_iter().enumerate() {
                let large = LARGE.contains(&size);
                assert_eq!(fresh.has(array), large);
                let mut blocks: Vec<_> =
                    fresh.blocks.iter().filter(|of| of.array == array).collect();
                assert!(blocks.is_sorted_by_key(|block| block.start));
                let all: usize = blocks.iter().map(|block| block.len).sum();
                assert_eq!(all, if large { size } else { 0 });
                blocks.dedup_by_key(|block| block.bytes.load(Ordering::Relaxed).addr() / PAGE);
                assert_eq!(
                    blocks.len(),
                    fresh.blocks.iter().filter(|of| of.array == array).count()
                );
            }
            // By the share of their array that is before them.
            let share = |block: &Block, by: usize| block.start as u128 * [one, other][by] as u128;
            assert!(fresh.blocks.is_sorted_by(|block, next| {
                share(block, next.array) <= share(next, block.array)
            }));
            assert!(!fresh.has(2));
        }
    }

    #[test]
    fn threads_populate_pages_ahead_and_bytes_stay() {
        let fill = |len: u32| (0..len).map(|n| n.to_le_bytes()[1]).collect::<Vec<u8>>();
        let mut arrays = [fill(9 << 20), fill(18 << 20)];
        let before = arrays.clone();
        let [first, second] = &mut arrays;
        let (fresh, [first, second]) = FreshPages::new([first, second]);
        let next = || fresh.next.load(Ordering::Relaxed);
        fresh.populate_next();
        assert_eq!(next(), 1);
        fresh.populate_to([1, 0]);
        assert_eq!(next(), 1);
        fresh.populate_to([3 << 20, 6 << 20]);
        let some = next();
        assert!((4..=8).contains(&some), "{some}");
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| (0..40).for_each(|_| fresh.populate_next()));
            }
        });
        assert_eq!(next(), fresh.blocks.len());
        fresh.populate_to([usize::MAX; 2]);
        assert_eq!([&*first, &*second], before.each_ref().map(|array| &**array));
    }
}
