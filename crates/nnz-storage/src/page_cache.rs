//! Cached parts of a file that may be read again: its start, its end, its metadata.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};

use crate::ReadAt;

/// The size of a page, and the maximum number of cached pages of a file.
pub(crate) const PAGE: u64 = 4 << 10;
const MAX_PAGES: usize = 4096;

/// The longest read that is cached.
const MAX_LEN: u64 = 1 << 20;

/// The number of bytes at the start of a range that were copied or are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PagePart {
    /// Copied.
    Copied(usize),
    /// Not cached: they have to be read.
    Missing(usize),
}

/// Pages of a file, each read once.
#[derive(Debug, Default)]
pub(crate) struct PageCache {
    pages: RwLock<BTreeMap<u64, Box<[u8]>>>,
    /// The number of `pages`: most files have none, and are read without a lock.
    count: AtomicUsize,
}

impl PageCache {
    /// Copies cached bytes at the start of a range, or returns the number of bytes that are not
    /// cached.
    pub(crate) fn next(&self, out: &mut [u8], at: u64) -> PagePart {
        if self.count.load(Ordering::Acquire) == 0 || out.is_empty() {
            return PagePart::Missing(out.len());
        }
        let pages = self.pages.read().unwrap_or_else(PoisonError::into_inner);
        let mut from = 0;
        while from < out.len() {
            let position = at.saturating_add(from as u64);
            let Some(page) = pages.get(&(position / PAGE)) else { break };
            let skipped = usize::try_from(position % PAGE).unwrap_or(usize::MAX);
            let part = page.get(skipped..).unwrap_or_default();
            let count = part.len().min(out.len() - from);
            if count == 0 {
                break;
            }
            out[from..from + count].copy_from_slice(&part[..count]);
            from += count;
        }
        if from > 0 {
            return PagePart::Copied(from);
        }
        let next = pages.range(at / PAGE + 1..).next().map(|(number, _)| number * PAGE - at);
        let next = next.and_then(|count| usize::try_from(count).ok());
        PagePart::Missing(next.map_or(out.len(), |count| count.min(out.len())))
    }

    /// Discards all pages.
    pub(crate) fn clear(&self) {
        let mut pages = self.pages.write().unwrap_or_else(PoisonError::into_inner);
        pages.clear();
        self.count.store(0, Ordering::Release);
    }

    /// Reads the missing pages of a range, up to the maximum.
    pub(crate) fn fill(&self, file: &dyn ReadAt, len: usize, at: u64) -> io::Result<()> {
        let len = len as u64;
        let end = at.saturating_add(len).min(file.len());
        if len > MAX_LEN || at >= end {
            return Ok(());
        }
        let mut page = at / PAGE;
        let last = (end - 1) / PAGE;
        // Other threads that need the same pages wait for them.
        let mut pages = self.pages.write().unwrap_or_else(PoisonError::into_inner);
        while page <= last {
            if pages.contains_key(&page) {
                page += 1;
                continue;
            }
            let mut end = page + 1;
            while end <= last && !pages.contains_key(&end) {
                end += 1;
            }
            let start = page * PAGE;
            let bytes = (end * PAGE).min(file.len()) - start;
            let count = usize::try_from(end - page).unwrap_or(usize::MAX);
            if pages.len().saturating_add(count) > MAX_PAGES {
                break;
            }
            let mut block = vec![0; usize::try_from(bytes).unwrap_or(0)];
            file.read_exact_at(&mut block, start)?;
            let size = usize::try_from(PAGE).unwrap_or(usize::MAX);
            for (number, part) in (page..end).zip(block.chunks(size)) {
                pages.insert(number, part.into());
            }
            page = end;
        }
        self.count.store(pages.len(), Ordering::Release);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[derive(Debug)]
    struct Bytes(Vec<u8>, Mutex<Vec<u32>>);

    impl ReadAt for Bytes {
        fn len(&self) -> u64 {
            self.0.len() as u64
        }

        fn read_at(&self, out: &mut [u8], at: u64) -> io::Result<usize> {
            let at = usize::try_from(at).unwrap();
            let count = out.len().min(self.0.len().saturating_sub(at));
            out[..count].copy_from_slice(&self.0[at..at + count]);
            self.1.lock().unwrap()[at..at + count].iter_mut().for_each(|times| *times += 1);
            Ok(count)
        }
    }

    #[test]
    fn pages_are_read_once() {
        let bytes: Vec<u8> = (0..50_001_u32).map(|n| (n / 7).to_le_bytes()[0]).collect();
        let file = Bytes(bytes.clone(), Mutex::new(vec![0; bytes.len()]));
        let cache = PageCache::default();
        for (at, len) in [(0, 8), (50_000, 1), (4090, 20), (20_000, 9000), (3, 1)] {
            cache.fill(&file, len, at as u64).unwrap();
            let mut out = vec![0; len];
            assert_eq!(cache.next(&mut out, at as u64), PagePart::Copied(len));
            assert_eq!(out, bytes[at..at + len]);
        }
        assert!(file.1.lock().unwrap().iter().all(|&times| times <= 1));
        let mut out = vec![0; 50_001];
        let mut parts = Vec::new();
        while let at @ 0..50_001 = parts.iter().map(|part| count(*part)).sum::<usize>() {
            parts.push(cache.next(&mut out[at..], at as u64));
        }
        let expected = [
            PagePart::Copied(8192),
            PagePart::Missing(8192),
            PagePart::Copied(16_384),
            PagePart::Missing(16_384),
            PagePart::Copied(849),
        ];
        assert_eq!(parts, expected);
        assert_eq!(out[..8192], bytes[..8192]);
        assert_eq!(out[16_384..32_768], bytes[16_384..32_768]);
        assert_eq!(out[49_152..], bytes[49_152..]);
    }

    fn count(part: PagePart) -> usize {
        let (PagePart::Copied(count) | PagePart::Missing(count)) = part;
        count
    }

    #[test]
    fn bytes_past_the_end_are_not_cached() {
        let file = Bytes(vec![7; 10], Mutex::new(vec![0; 10]));
        let cache = PageCache::default();
        cache.fill(&file, 100, 4).unwrap();
        let mut out = [0; 20];
        assert_eq!(cache.next(&mut out, 4), PagePart::Copied(6));
        assert_eq!(cache.next(&mut out, 10), PagePart::Missing(20));
        cache.fill(&file, 1, 10).unwrap();
        cache.fill(&file, 1, u64::MAX).unwrap();
        assert_eq!(cache.next(&mut out, u64::MAX), PagePart::Missing(20));
        cache.clear();
        assert_eq!(cache.next(&mut out, 0), PagePart::Missing(20));
    }
}
