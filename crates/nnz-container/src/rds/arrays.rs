//! Arrays of an object that is written later, in one temporary file.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use nnz_core::{Element, Result};
use nnz_storage::TemporaryFile;

/// The number of bytes of an array that are kept in memory: whole elements of any type.
const BLOCK: usize = 64 << 10;

/// The temporary file of any number of arrays, which exists once an array has more than a block.
#[derive(Clone, Debug)]
pub struct ArraySpool(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    directory: PathBuf,
    /// The file, and its length.
    file: Mutex<Option<(TemporaryFile, u64)>>,
}

impl ArraySpool {
    /// Creates a spool whose file will be in `directory`.
    #[must_use]
    pub fn new(directory: &Path) -> Self {
        Self(Arc::new(Inner { directory: directory.to_path_buf(), file: Mutex::new(None) }))
    }

    /// Appends bytes and returns their offset.
    fn append(&self, bytes: &[u8]) -> Result<u64> {
        let mut file = self.0.file.lock().unwrap_or_else(PoisonError::into_inner);
        let (file, len) = match &mut *file {
            Some(file) => file,
            none => none.insert((TemporaryFile::create_in(&self.0.directory)?, 0)),
        };
        let offset = *len;
        file.write_all_at(bytes, offset)?;
        *len += bytes.len() as u64;
        Ok(offset)
    }

    fn read(&self, out: &mut [u8], offset: u64) -> Result<()> {
        let file = self.0.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.as_ref().map_or(Ok(()), |(file, _)| file.read_exact_at(out, offset))
    }
}

/// Bytes that are appended, and then read any number of times.
#[derive(Debug)]
pub struct SpooledArray {
    spool: ArraySpool,
    /// The offset of each block in the file.
    blocks: Vec<u64>,
    block: usize,
    /// The bytes after these blocks.
    tail: Vec<u8>,
}

impl SpooledArray {
    /// Creates an empty array.
    #[must_use]
    pub fn new(spool: &ArraySpool) -> Self {
        Self::in_blocks(spool, BLOCK)
    }

    /// Creates an empty array that has at most `block` bytes in memory, rounded to whole elements.
    #[must_use]
    pub fn in_blocks(spool: &ArraySpool, block: usize) -> Self {
        let block = (block / 8).clamp(1, BLOCK / 8) * 8;
        Self { spool: spool.clone(), blocks: Vec::new(), block, tail: Vec::new() }
    }

    /// Returns the number of bytes.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.blocks.len() as u64 * self.block as u64 + self.tail.len() as u64
    }

    /// Returns whether there are no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends bytes.
    ///
    /// # Errors
    ///
    /// Fails if the temporary file cannot be written.
    pub fn append(&mut self, mut bytes: &[u8]) -> Result<()> {
        while self.tail.len() + bytes.len() > self.block {
            let (now, rest) = bytes.split_at(self.block - self.tail.len());
            self.tail.extend_from_slice(now);
            self.blocks.push(self.spool.append(&self.tail)?);
            self.tail.clear();
            bytes = rest;
        }
        self.tail.extend_from_slice(bytes);
        Ok(())
    }

    /// Appends numbers.
    ///
    /// # Errors
    ///
    /// Fails as [`append`](Self::append).
    pub fn extend<T: Element>(&mut self, elements: &[T]) -> Result<()> {
        self.append(bytemuck::cast_slice(elements))
    }

    /// Calls `each` with all bytes, in blocks of whole elements of up to 8 bytes if such elements were appended.
    ///
    /// # Errors
    ///
    /// Fails if the bytes cannot be read, or if `each` fails.
    pub fn try_for_each<E: From<nnz_core::Error>>(
        &self,
        mut each: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut block = vec![0; if self.blocks.is_empty() { 0 } else { self.block }];
        for &offset in &self.blocks {
            self.spool.read(&mut block, offset)?;
            each(&block)?;
        }
        if self.tail.is_empty() { Ok(()) } else { each(&self.tail) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_that_are_written_in_turn_are_read_back() {
        let directory = tempfile::tempdir().unwrap();
        let spool = ArraySpool::new(directory.path());
        for block in [8, 24, 1000, BLOCK] {
            let mut arrays = [(); 3].map(|()| SpooledArray::in_blocks(&spool, block));
            let mut expected: [Vec<u8>; 3] = Default::default();
            for round in 0..300_usize {
                for (at, array) in arrays.iter_mut().enumerate() {
                    let bytes = vec![u8::try_from(round % 251).unwrap(); round * (at + 1)];
                    array.append(&bytes).unwrap();
                    expected[at].extend(bytes);
                }
            }
            for (array, expected) in arrays.iter().zip(&expected) {
                assert_eq!(array.len(), expected.len() as u64);
                for _ in 0..2 {
                    let mut found = Vec::new();
                    let read: Result<()> = array.try_for_each(|bytes| {
                        found.extend_from_slice(bytes);
                        Ok(())
                    });
                    read.unwrap();
                    assert!(found == *expected);
                }
            }
        }
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}
