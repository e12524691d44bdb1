//! A cache for short reads of an array.
//!
//! Opening a matrix reads its last pointer, and a slice reads two pointers for each vector. Reading
//! whole blocks once replaces thousands of short reads.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{PoisonError, RwLock};

use nnz_core::{Result, ValueType, readable};

use nnz_chunk::grid::each_chunk;

/// Size of a block in bytes.
const BLOCK: usize = 16 << 10;

/// Maximum number of cached blocks: 32 MiB, the pointers of 4 million vectors.
const MAX_BLOCKS: usize = 2048;

/// Maximum size of reads that add blocks. Longer reads are typically sequential.
const SHORT: usize = 1 << 10;

/// Maximum size of arrays of which every read adds blocks.
const SHORT_ARRAY: u64 = 4 * BLOCK as u64;

/// Cached blocks of an array.
#[derive(Debug)]
pub(crate) struct BlockCache {
    /// Size of an element in bytes.
    size: usize,
    len: u64,
    /// Blocks by index; `None` if an element of the block cannot be read.
    blocks: RwLock<BTreeMap<u64, Option<Box<[u8]>>>>,
}

impl BlockCache {
    pub(crate) fn new(value_type: ValueType, len: u64) -> Self {
        Self { size: value_type.size(), len, blocks: RwLock::default() }
    }

    /// Fills `out` with elements from `first` on, from cached blocks and otherwise with `read`.
    pub(crate) fn read(
        &self,
        first: u64,
        out: &mut [u8],
        read: &dyn Fn(u64, &mut [u8]) -> Result<()>,
    ) -> Result<()> {
        let whole = out.len().is_multiple_of(self.size);
        let count = (out.len() / self.size) as u64;
        if !whole || first.checked_add(count).is_none_or(|end| end > self.len) {
            return read(first, out);
        }
        let short_array = self.len.saturating_mul(self.size as u64) <= SHORT_ARRAY;
        let add: Option<Reader<'_>> = (short_array || out.len() <= SHORT).then_some(read);
        let (mut first, mut out) = (first, out);
        // The cached blocks at either end; the rest is one read.
        while !out.is_empty() {
            let Some(bytes) = self.copy_start(first, out, add)? else { break };
            first += (bytes / self.size) as u64;
            out = &mut out[bytes..];
        }
        while !out.is_empty() {
            let Some(bytes) = self.copy_end(first, out)? else { break };
            let rest = out.len() - bytes;
            out = &mut out[..rest];
        }
        if out.is_empty() { Ok(()) } else { read(first, out) }
    }

    /// Returns what is read of the array for ranges of elements: the blocks that are not cached.
    pub(crate) fn missing(&self, ranges: &[Range<u64>]) -> Vec<Range<u64>> {
        let blocks = self.blocks.read().unwrap_or_else(PoisonError::into_inner);
        let mut missing = Vec::new();
        each_chunk(ranges, self.per_block(), |number, _| {
            let start = number * self.per_block();
            let block = start..self.len.min(start + self.per_block());
            if !blocks.contains_key(&number) && missing.last() != Some(&block) {
                missing.push(block);
            }
        });
        missing
    }

    /// Copies the elements from `first` on that are in the same block, if it is cached or can be
    /// added, and returns their size in bytes.
    fn copy_start(
        &self,
        first: u64,
        out: &mut [u8],
        add: Option<Reader<'_>>,
    ) -> Result<Option<usize>> {
        let number = first / self.per_block();
        let skipped = self.bytes(first % self.per_block());
        self.with_block(number, add, |block| {
            let part = &block[skipped..];
            let bytes = part.len().min(out.len());
            out[..bytes].copy_from_slice(&part[..bytes]);
            bytes
        })
    }

    /// Copies the elements before the end of `out` that are in the same block, if it is cached, and
    /// returns their size in bytes. `out` begins in another block.
    fn copy_end(&self, first: u64, out: &mut [u8]) -> Result<Option<usize>> {
        let end = first + (out.len() / self.size) as u64;
        let number = (end - 1) / self.per_block();
        let start = number * self.per_block();
        if start < first {
            return Ok(None);
        }
        let bytes = self.bytes(end - start);
        let at = out.len() - bytes;
        self.with_block(number, None, |block| {
            out[at..].copy_from_slice(&block[..bytes]);
            bytes
        })
    }

    /// Calls `copy` with a block, if it is cached or can be added.
    fn with_block(
        &self,
        number: u64,
        add: Option<Reader<'_>>,
        copy: impl FnOnce(&[u8]) -> usize,
    ) -> Result<Option<usize>> {
        {
            let blocks = self.blocks.read().unwrap_or_else(PoisonError::into_inner);
            match (blocks.get(&number), add) {
                (Some(block), _) => return Ok(block.as_deref().map(copy)),
                (None, Some(_)) if blocks.len() < MAX_BLOCKS => {}
                _ => return Ok(None),
            }
        }
        let Some(read) = add else { return Ok(None) };
        let start = number * self.per_block();
        let elements = self.per_block().min(self.len - start);
        let mut bytes = vec![0; self.bytes(elements)].into_boxed_slice();
        // An element that cannot be read is an error only if it is requested.
        let block = readable(read(start, &mut bytes))?.map(|()| bytes);
        let copied = block.as_deref().map(copy);
        self.blocks.write().unwrap_or_else(PoisonError::into_inner).insert(number, block);
        Ok(copied)
    }

    /// Returns the number of elements of a block.
    fn per_block(&self) -> u64 {
        (BLOCK / self.size) as u64
    }

    /// Returns the size of elements of a block in bytes.
    fn bytes(&self, elements: u64) -> usize {
        usize::try_from(elements).unwrap_or(0) * self.size
    }
}

type Reader<'a> = &'a dyn Fn(u64, &mut [u8]) -> Result<()>;

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    /// Elements of type `u32` in a block.
    const PER_BLOCK: u64 = BLOCK as u64 / 4;

    /// Reads elements from `first` to `end`, whose values are their indices, and records the
    /// requests.
    fn read(cache: &BlockCache, [first, end]: [u64; 2], asked: &RefCell<Vec<[u64; 2]>>) {
        let mut out = vec![0_u32; usize::try_from(end - first).unwrap()];
        let source = |first: u64, out: &mut [u8]| {
            asked.borrow_mut().push([first, first + out.len() as u64 / 4]);
            for (element, number) in out.chunks_exact_mut(4).zip(first..) {
                element.copy_from_slice(&u32::try_from(number).unwrap().to_ne_bytes());
            }
            Ok(())
        };
        cache.read(first, bytemuck::cast_slice_mut(&mut out), &source).unwrap();
        assert!(out.iter().zip(first..end).all(|(&found, number)| u64::from(found) == number));
    }

    #[test]
    fn a_short_array_is_read_once() {
        let (cache, asked) = (BlockCache::new(ValueType::U32, 10), RefCell::default());
        for range in [[9, 10], [3, 6], [0, 10], [5, 5], [10, 10]] {
            read(&cache, range, &asked);
        }
        assert_eq!(asked.take(), [[0, 10]]);
    }

    #[test]
    fn short_reads_of_a_block_are_one_request() {
        let (len, asked) = (100_000, RefCell::default());
        let cache = BlockCache::new(ValueType::U32, len);
        let last = len / PER_BLOCK * PER_BLOCK;
        read(&cache, [len - 1, len], &asked);
        read(&cache, [last, last + 7], &asked);
        assert_eq!(asked.take(), [[last, len]]);
        // Across two blocks.
        read(&cache, [PER_BLOCK - 1, PER_BLOCK + 1], &asked);
        read(&cache, [0, 3], &asked);
        read(&cache, [2 * PER_BLOCK - 3, 2 * PER_BLOCK], &asked);
        assert_eq!(asked.take(), [[0, PER_BLOCK], [PER_BLOCK, 2 * PER_BLOCK]]);
    }

    #[test]
    fn long_reads_use_cached_ends() {
        let (len, asked) = (100_000, RefCell::default());
        let cache = BlockCache::new(ValueType::U32, len);
        let last = len / PER_BLOCK * PER_BLOCK;
        for element in [0, len - 1, 5 * PER_BLOCK] {
            read(&cache, [element, element + 1], &asked);
        }
        asked.take();
        read(&cache, [0, len], &asked);
        read(&cache, [1, 2 * PER_BLOCK + 5], &asked);
        read(&cache, [last - 5000, last + 2], &asked);
        read(&cache, [7000, 20_000], &asked);
        let expected = [
            [PER_BLOCK, last],
            [PER_BLOCK, 2 * PER_BLOCK + 5],
            [last - 5000, last],
            [7000, 20_000],
        ];
        assert_eq!(asked.take(), expected);
    }

    #[test]
    fn the_number_of_cached_blocks_is_limited() {
        let len = (MAX_BLOCKS as u64 + 10) * PER_BLOCK;
        let (cache, asked) = (BlockCache::new(ValueType::U32, len), RefCell::default());
        for element in (0..len).step_by(BLOCK / 4) {
            read(&cache, [element, element + 1], &asked);
        }
        assert_eq!(cache.blocks.read().unwrap().len(), MAX_BLOCKS);
        assert_eq!(asked.take().last(), Some(&[len - PER_BLOCK, len - PER_BLOCK + 1]));
    }

    #[test]
    fn failed_reads_are_not_cached() {
        let cache = BlockCache::new(ValueType::U32, 10);
        let broken = |first: u64, out: &mut [u8]| match first + out.len() as u64 / 4 {
            0..=5 => Ok(()),
            _ => {
                Err(nnz_core::Error::new(nnz_core::ErrorKind::Missing, nnz_core::Place::default()))
            }
        };
        cache.read(0, &mut [0; 20], &broken).unwrap();
        cache.read(1, &mut [0; 20], &broken).unwrap_err();
        cache.read(9, &mut [0; 8], &broken).unwrap_err();
    }

    #[test]
    fn reads_past_the_end_are_passed_on() {
        let cache = BlockCache::new(ValueType::U32, 10);
        let refused =
            |_: u64, _: &mut [u8]| -> Result<()> { Err(nnz_core::Error::argument("past the end")) };
        for (first, bytes) in [(10, 4), (u64::MAX, 8), (0, 44), (0, 3)] {
            cache.read(first, &mut vec![0; bytes], &refused).unwrap_err();
        }
    }
}
