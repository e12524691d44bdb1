//! Chunks, and one array of numbers being written.

use nnz_core::{Error, ErrorKind, Place, Result, ValueType};
use std::borrow::Cow;

use super::target::Target;
use super::{ZarrOptions, metadata};
use crate::compress::Compression;
use crate::parallel;
use crate::zarr::codec;

/// An array of numbers being written.
#[derive(Debug)]
pub(super) struct Array {
    name: String,
    value_type: ValueType,
    place: Place,
    options: ZarrOptions,
    buffer: Vec<u8>,
    /// Bytes that are collected before they are written: whole chunks.
    batch: usize,
    chunks: u64,
    elements: u64,
}

impl Array {
    pub(super) fn new(
        name: &str,
        value_type: ValueType,
        place: Place,
        options: ZarrOptions,
    ) -> Self {
        let chunk = options.chunk_elements() * value_type.size();
        let batch = chunk * options.batch(chunk);
        let (name, buffer) = (name.to_owned(), Vec::new());
        Self { name, value_type, place, options, buffer, batch, chunks: 0, elements: 0 }
    }

    /// Appends whole elements.
    pub(super) fn append(&mut self, target: &Target, mut bytes: &[u8]) -> Result<()> {
        self.elements += (bytes.len() / self.value_type.size()) as u64;
        while self.buffer.len() + bytes.len() >= self.batch {
            let (head, tail) = bytes.split_at(self.batch - self.buffer.len());
            if self.buffer.is_empty() {
                // Nothing waits: a batch can be written from where it lies.
                self.write(target, head, self.options.chunk_elements())?;
            } else {
                let mut buffer = std::mem::take(&mut self.buffer);
                buffer.extend_from_slice(head);
                self.write(target, &buffer, self.options.chunk_elements())?;
                buffer.clear();
                self.buffer = buffer;
            }
            bytes = tail;
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    /// Writes what is left, and what the array is.
    pub(super) fn finish(&mut self, target: &Target) -> Result<()> {
        let chunk = match self.chunks {
            0 => self.options.fitting_chunk(self.elements),
            _ => self.options.chunk_elements(),
        };
        let mut rest = std::mem::take(&mut self.buffer);
        // A chunk is always stored whole.
        rest.resize(rest.len().next_multiple_of(chunk * self.value_type.size()), 0);
        self.write(target, &rest, chunk)?;
        let text = metadata::numbers(self.value_type, self.elements, chunk, self.options.compress);
        target.put(&format!("{}/zarr.json", self.name), text.as_bytes())
    }

    /// Writes whole chunks of so many elements.
    fn write(&mut self, target: &Target, bytes: &[u8], chunk: usize) -> Result<()> {
        let first = self.chunks;
        let chunks = (first..).zip(bytes.chunks_exact(chunk * self.value_type.size()));
        parallel::for_each(self.options.threads, chunks, |(number, bytes)| {
            put_chunk(target, &self.name, number, bytes, self.options.compress, &self.place)
        })?;
        self.chunks += (bytes.len() / (chunk * self.value_type.size())) as u64;
        Ok(())
    }
}

/// Compresses a chunk and writes its file.
pub(super) fn put_chunk(
    target: &Target,
    array: &str,
    number: u64,
    bytes: &[u8],
    compress: Compression,
    place: &Place,
) -> Result<()> {
    let io = |error| Error::new(ErrorKind::Io(error), place.clone());
    let packed = match compress {
        Compression::None => Cow::Borrowed(bytes),
        Compression::Gzip(level) => Cow::Owned(codec::gzip(bytes, level).map_err(io)?),
        Compression::Zstd(level) => Cow::Owned(codec::zstd(bytes, level)),
    };
    target.put(&format!("{array}/c/{number}"), &packed)
}
