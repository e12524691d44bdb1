//! Compressing and writing chunks.

use std::collections::VecDeque;
use std::io::{Seek, Write};

use nnz_core::{Error, ErrorKind, Place, Result};

use super::super::output::Output;
use super::super::pack::Form;
use super::super::pool::{EncodedChunks, Pending, Pool};

/// Minimum number of batches that wait to be written. The order of chunks in the file must not
/// depend on the number of threads, so neither do these two numbers.
const BATCHES: usize = 4;

/// Size of chunks that wait to be written, unless [`BATCHES`] of them are larger.
const WAITING: usize = 8 << 20;

/// The addresses of the chunks of a dataset, in the order of their offsets.
#[derive(Default)]
pub(crate) struct ChunkList {
    pub(crate) addresses: Vec<u64>,
    pub(crate) sizes: Vec<u32>,
}

/// The chunks of all datasets, written in the order in which they are complete.
pub(crate) struct ChunkStore {
    pool: Pool,
    waiting: VecDeque<PendingChunks>,
    waiting_bytes: usize,
    lists: Vec<(Form, ChunkList)>,
}

struct PendingChunks {
    list: usize,
    bytes: usize,
    chunks: Pending,
}

impl ChunkStore {
    pub(crate) fn new(threads: usize) -> Self {
        let (waiting, lists) = (VecDeque::new(), Vec::new());
        Self { pool: Pool::new(threads), waiting, waiting_bytes: 0, lists }
    }

    /// Adds the chunks of a dataset and returns their index.
    pub(crate) fn add(&mut self, form: Form) -> usize {
        self.lists.push((form, ChunkList::default()));
        self.lists.len() - 1
    }

    /// Changes the form of the chunks of a dataset without any chunks yet.
    pub(crate) fn set_form(&mut self, list: usize, form: Form) {
        if let Some((old, _)) = self.lists.get_mut(list) {
            *old = form;
        }
    }

    /// Takes the chunks of a dataset, after all are written.
    pub(crate) fn take(&mut self, list: usize) -> ChunkList {
        self.lists.get_mut(list).map(|(_, list)| std::mem::take(list)).unwrap_or_default()
    }

    /// Adds complete chunks of a dataset.
    pub(crate) fn submit<W: Write + Seek>(
        &mut self,
        list: usize,
        chunks: Vec<u8>,
        output: &mut Output<W>,
    ) -> Result<()> {
        let Some(form) = self.lists.get(list).map(|(form, _)| *form) else { return Ok(()) };
        if form.is_plain() {
            let size = u32::try_from(form.chunk).unwrap_or(u32::MAX);
            let sizes = vec![size; chunks.len() / form.chunk];
            return self.put(list, &EncodedChunks { bytes: chunks, sizes }, output);
        }
        let bytes = chunks.len();
        self.waiting_bytes += bytes;
        let chunks = self.pool.pack(chunks, form);
        self.waiting.push_back(PendingChunks { list, bytes, chunks });
        while self.waiting.len() > BATCHES && self.waiting_bytes > WAITING {
            self.write_next(output)?;
        }
        Ok(())
    }

    /// Writes all waiting chunks.
    pub(crate) fn finish<W: Write + Seek>(&mut self, output: &mut Output<W>) -> Result<()> {
        while !self.waiting.is_empty() {
            self.write_next(output)?;
        }
        Ok(())
    }

    fn write_next<W: Write + Seek>(&mut self, output: &mut Output<W>) -> Result<()> {
        let Some(PendingChunks { list, bytes, chunks }) = self.waiting.pop_front() else {
            return Ok(());
        };
        self.waiting_bytes -= bytes;
        let failed = |error| Error::new(ErrorKind::Io(error), Place::default());
        self.put(list, &chunks.wait().map_err(failed)?, output)
    }

    fn put<W: Write + Seek>(
        &mut self,
        list: usize,
        packed: &EncodedChunks,
        output: &mut Output<W>,
    ) -> Result<()> {
        let mut address = output.append(&packed.bytes)?;
        if let Some((_, list)) = self.lists.get_mut(list) {
            for &size in &packed.sizes {
                list.addresses.push(address);
                address += u64::from(size);
            }
            list.sizes.extend_from_slice(&packed.sizes);
        }
        Ok(())
    }
}
