//! A dataset that is being written.

mod chunk_tree;
mod chunks;

use std::io::{Seek, Write};

use nnz_core::{Error, Result};

use super::output::Output;
use super::spec::{DatasetSpec, Layout};
use crate::dataspace::Dataspace;
use crate::element::ElementType;
use crate::message::fill_value::{self, Allocation};
use crate::message::{Message, dataspace, datatype, filter_pipeline, layout};
use crate::object_header::MAX_MESSAGE;
pub(crate) use chunks::ChunkStore;
use nnz_chunk::Tiles;

/// Maximum size of contiguous data that is kept in memory until it is complete. For more, space is
/// reserved.
const SMALL: u64 = 64 << 10;

/// Size of chunks that are compressed and written together, unless one chunk is larger.
const BATCH: usize = 256 << 10;

/// A dataset that is being written.
pub(crate) struct Dataset {
    spec: DatasetSpec,
    row_bytes: u64,
    /// Size of the shape in bytes, if it is known.
    expected: Option<u64>,
    appended: u64,
    /// Appended bytes that are not written yet.
    pending: Vec<u8>,
    storage: Storage,
    /// Whether all data was appended.
    finished: bool,
}

enum Storage {
    Compact,
    Small,
    /// Reserved space of the file.
    Reserved(u64),
    Chunked {
        /// Its chunks in the store.
        list: usize,
        tiles: Tiles,
        batch: usize,
        /// Bytes of the array that were divided into chunks.
        cut: u64,
    },
    /// All data is written: the layout message has its address.
    Finished(Message),
}

impl Dataset {
    pub(crate) fn new<W: Write + Seek>(
        spec: DatasetSpec,
        output: &mut Output<W>,
        chunks: &mut ChunkStore,
    ) -> Result<Self> {
        spec.check()?;
        // A type that cannot be encoded is refused before any data.
        if datatype::message(&spec.element)?.body.len() > MAX_MESSAGE {
            return Err(Error::argument("a compound type with too many fields"));
        }
        let row_bytes = spec.row_bytes()?;
        let bytes = spec.space.elements()?.checked_mul(spec.element_bytes()?.into());
        let storage = match &spec.layout {
            Layout::Compact => Storage::Compact,
            Layout::Contiguous => match bytes.unwrap_or(u64::MAX) {
                0..=SMALL => Storage::Small,
                bytes => Storage::Reserved(output.reserve(bytes)?),
            },
            Layout::Chunked(chunk) => {
                let Dataspace::Simple { shape, .. } = &spec.space else {
                    return Err(Error::argument("chunks require 1 or more dimensions"));
                };
                let chunk: Vec<u64> = chunk.iter().map(|len| u64::from(*len)).collect();
                let element = usize::try_from(spec.element_bytes()?)
                    .map_err(|_| Error::argument("elements that do not fit in memory"))?;
                let tiles = match spec.by_column {
                    false => Tiles::new(shape, &chunk, element)?,
                    true => Tiles::by_column(shape, &chunk, element)?,
                };
                let band = tiles.band_bytes();
                let batch = band * (BATCH / band.max(1)).max(1);
                Storage::Chunked { list: chunks.add(spec.form()?), tiles, batch, cut: 0 }
            }
        };
        let expected = match (spec.growing, spec.unwritten) {
            (_, true) => Some(0),
            (true, false) => None,
            (false, false) => bytes,
        };
        let pending = Vec::new();
        Ok(Self { spec, row_bytes, expected, appended: 0, pending, storage, finished: false })
    }

    /// Returns the type of elements.
    pub(crate) fn element(&self) -> &ElementType {
        &self.spec.element
    }

    /// Returns the lengths of the axes; empty for a scalar.
    pub(crate) fn shape(&self) -> &[u64] {
        match &self.spec.space {
            Dataspace::Simple { shape, .. } => shape,
            _ => &[],
        }
    }

    /// Appends elements in stored form.
    pub(crate) fn append<W: Write + Seek>(
        &mut self,
        mut bytes: &[u8],
        output: &mut Output<W>,
        chunks: &mut ChunkStore,
    ) -> Result<()> {
        let end = self.appended.checked_add(bytes.len() as u64);
        let end = end.filter(|end| self.expected.is_none_or(|expected| *end <= expected));
        let Some(end) = end.filter(|_| !self.finished) else {
            return Err(Error::argument("more elements than the shape of the dataset"));
        };
        match &mut self.storage {
            Storage::Reserved(address) if self.pending.len() + bytes.len() > BATCH => {
                let at = *address + self.appended - self.pending.len() as u64;
                output.write_at(at, &self.pending)?;
                self.pending.clear();
                output.write_at(*address + self.appended, bytes)?;
                bytes = &[];
            }
            Storage::Chunked { list, tiles, batch, cut } => {
                while *batch > 0 && self.pending.len() + bytes.len() >= *batch {
                    let (head, tail) = bytes.split_at(*batch - self.pending.len());
                    self.pending.extend_from_slice(head);
                    let whole = tiles.whole(*cut, self.pending.len());
                    let rest = self.pending.split_off(whole);
                    let full = std::mem::replace(&mut self.pending, rest);
                    chunks.submit(*list, tiles.cut(*cut, full)?, output)?;
                    *cut += whole as u64;
                    bytes = tail;
                }
            }
            _ => {}
        }
        self.pending.extend_from_slice(bytes);
        self.appended = end;
        Ok(())
    }

    /// Writes the remaining data. All data must have been appended.
    pub(crate) fn finish<W: Write + Seek>(
        &mut self,
        output: &mut Output<W>,
        chunks: &mut ChunkStore,
    ) -> Result<()> {
        if std::mem::replace(&mut self.finished, true) {
            return Ok(());
        }
        if self.expected.is_some_and(|expected| expected != self.appended) {
            return Err(Error::argument(format!(
                "{} bytes were written to a dataset of {}",
                self.appended,
                self.expected.unwrap_or(0)
            )));
        }
        self.set_rows()?;
        self.fit_chunk(chunks)?;
        let pending = std::mem::take(&mut self.pending);
        match &self.storage {
            Storage::Compact => self.storage = Storage::Finished(layout::compact(&pending)?),
            Storage::Small => {
                output.align()?;
                let address = output.append(&pending)?;
                self.storage = Storage::Finished(layout::contiguous(address, self.appended));
            }
            Storage::Reserved(address) => {
                output.write_at(address + self.appended - pending.len() as u64, &pending)?;
                self.storage = Storage::Finished(layout::contiguous(*address, self.appended));
            }
            Storage::Chunked { list, tiles, cut, .. } => {
                if !pending.is_empty() {
                    chunks.submit(*list, tiles.cut(*cut, pending)?, output)?;
                }
            }
            Storage::Finished(_) => {}
        }
        Ok(())
    }

    /// Sets the length of the first axis from the appended data.
    fn set_rows(&mut self) -> Result<()> {
        if !self.spec.growing {
            return Ok(());
        }
        let rows = self.appended.checked_div(self.row_bytes).unwrap_or(0);
        if rows.checked_mul(self.row_bytes) != Some(self.appended) {
            return Err(Error::argument("an incomplete last row"));
        }
        if let Dataspace::Simple { shape, max_shape } = &mut self.spec.space {
            let max = max_shape.as_ref().and_then(|max| max.first().copied().flatten());
            if max.is_some_and(|max| rows > max) {
                return Err(Error::argument(format!("{rows} rows, more than the maximum shape")));
            }
            shape.iter_mut().take(1).for_each(|len| *len = rows);
        }
        Ok(())
    }

    /// Shortens the chunk of an array that ends before its first chunk.
    fn fit_chunk(&mut self, chunks: &mut ChunkStore) -> Result<()> {
        let Storage::Chunked { list, tiles, cut: 0, .. } = &mut self.storage else { return Ok(()) };
        let Dataspace::Simple { shape, .. } = &self.spec.space else { return Ok(()) };
        let Layout::Chunked(chunk) = &mut self.spec.layout else { return Ok(()) };
        if !self.spec.fitting {
            return Ok(());
        }
        let rows = shape.first().copied().unwrap_or(1).max(1);
        let rows = u32::try_from(rows).unwrap_or(u32::MAX);
        chunk.iter_mut().take(1).for_each(|len| *len = rows.min(*len));
        let chunk: Vec<u64> = chunk.iter().map(|len| u64::from(*len)).collect();
        let element = usize::try_from(self.spec.element_bytes()?).unwrap_or(usize::MAX);
        *tiles = Tiles::new(shape, &chunk, element)?;
        chunks.set_form(*list, self.spec.form()?);
        Ok(())
    }

    /// Writes the index of the chunks, after all chunks are written.
    pub(crate) fn write_index<W: Write + Seek>(
        &mut self,
        output: &mut Output<W>,
        chunks: &mut ChunkStore,
    ) -> Result<()> {
        if let (Storage::Chunked { list, tiles, .. }, Layout::Chunked(chunk)) =
            (&self.storage, &self.spec.layout)
        {
            let element = self.spec.element_bytes()?;
            let btree = chunk_tree::write(output, chunks.take(*list), tiles, chunk, element)?;
            self.storage = Storage::Finished(layout::chunked(btree, chunk, element));
        }
        Ok(())
    }

    /// Returns the messages of the object header.
    pub(crate) fn messages(&self) -> Result<Vec<Message>> {
        let Storage::Finished(layout) = &self.storage else {
            return Err(Error::argument("the dataset is not finished"));
        };
        let allocation = match &self.spec.layout {
            Layout::Compact => Allocation::Early,
            Layout::Contiguous => Allocation::Late,
            Layout::Chunked(_) => Allocation::Incremental,
        };
        let mut messages = vec![
            dataspace::message(&self.spec.space)?,
            datatype::message(&self.spec.element)?,
            fill_value::message(allocation, self.spec.fill.as_deref()),
            Message { kind: layout.kind, flags: layout.flags, body: layout.body.clone() },
        ];
        if matches!(self.spec.layout, Layout::Chunked(_)) {
            messages.extend(filter_pipeline::message(&self.spec.form()?));
        }
        Ok(messages)
    }
}
