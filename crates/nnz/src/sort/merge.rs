//! Merging sorted runs into one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader};

use nnz_core::{Batch, BatchReader, Error, ErrorKind, Order, Place, Result, Values};

use super::record::{Key, Record};
use crate::stages::{BATCH, Builder};

/// A sorted run.
pub(super) enum Source<K, const SIZE: usize> {
    Memory(std::vec::IntoIter<Record<K, SIZE>>),
    File(BufReader<File>),
}

impl<K: Key, const SIZE: usize> Source<K, SIZE> {
    pub(super) fn file(file: File, buffer: usize) -> Self {
        Self::File(BufReader::with_capacity(buffer, file))
    }

    fn next(&mut self) -> io::Result<Option<Record<K, SIZE>>> {
        match self {
            Self::Memory(records) => Ok(records.next()),
            Self::File(file) => {
                use std::io::BufRead;
                if file.fill_buf()?.is_empty() {
                    return Ok(None);
                }
                Record::read(file).map(Some)
            }
        }
    }
}

/// Hands out the entries of sorted runs, smallest place first, earlier run first.
pub(super) struct Merge<K, const SIZE: usize> {
    sources: Vec<Source<K, SIZE>>,
    /// The next record of each run, by place and then by run.
    heads: BinaryHeap<Reverse<(K, usize)>>,
    values: Vec<[u8; SIZE]>,
    place: Place,
    minor_bits: u32,
    order: Order,
    builder: Builder,
    empty: Values,
}

impl<K: Key, const SIZE: usize> Merge<K, SIZE> {
    pub(super) fn new(
        sources: Vec<Source<K, SIZE>>,
        place: Place,
        minor_bits: u32,
        order: Order,
        builder: Builder,
        empty: Values,
    ) -> Result<Self> {
        let mut merge = Self {
            heads: BinaryHeap::with_capacity(sources.len()),
            values: vec![[0; SIZE]; sources.len()],
            sources,
            place,
            minor_bits,
            order,
            builder,
            empty,
        };
        for run in 0..merge.sources.len() {
            merge.advance(run)?;
        }
        Ok(merge)
    }

    fn advance(&mut self, run: usize) -> Result<()> {
        let next = self.sources[run].next();
        let next = next.map_err(|e| Error::new(ErrorKind::Io(e), self.place.clone()))?;
        if let Some(record) = next {
            self.values[run] = record.value;
            self.heads.push(Reverse((record.key, run)));
        }
        Ok(())
    }

    /// Takes the next record. A single run in memory needs no merging.
    fn next(&mut self) -> Result<Option<Record<K, SIZE>>> {
        let Some(Reverse((key, run))) = self.heads.pop() else {
            return Ok(None);
        };
        let value = self.values[run];
        self.advance(run)?;
        Ok(Some(Record { key, value }))
    }
}

impl<K: Key, const SIZE: usize> BatchReader for Merge<K, SIZE> {
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool> {
        self.builder.start(self.order, batch);
        batch.values.clone_from(&self.empty);
        // Values are laid down as bytes and cut to length at the end.
        let mut bytes = std::mem::take(&mut batch.values);
        bytes.resize_bytes(if SIZE == 0 { 0 } else { BATCH });
        let mut count = 0;
        while count < BATCH {
            let Some(record) = self.next()? else { break };
            let (major, minor) = record.key.split(self.minor_bits);
            self.builder.push(batch, major, minor);
            if SIZE > 0 {
                bytes.bytes_mut()[count * SIZE..][..SIZE].copy_from_slice(&record.value);
            }
            count += 1;
        }
        if SIZE > 0 {
            bytes.resize_bytes(count);
        }
        batch.values = bytes;
        Ok(count > 0)
    }
}
