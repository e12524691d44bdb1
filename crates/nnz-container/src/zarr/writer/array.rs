//! Writing arrays of elements of fixed size.

use std::borrow::Cow;

use nnz_core::{Error, Place, Result, StringReader, parallel};

use super::chunk::{self, Shard};
use super::element::ElementDescription;
use super::encoding::Encoding;
use super::metadata::{ArrayMetadata, Attributes, Document};
use super::options::{self, ZarrVersion};
use super::target::GroupTarget;
use crate::tree::{ArraySpec, ElementType, FieldValues, pack};
use nnz_chunk::Tiles;
use nnz_chunk::product;

/// Size of strings of fixed length that are packed at once.
const PIECE: usize = 1 << 20;

/// An array that is being written.
#[derive(Debug)]
pub(super) struct Array {
    /// Its path in the target.
    path: String,
    place: Place,
    element: ElementType,
    described: ElementDescription,
    shape: Vec<u64>,
    growing: bool,
    /// Whether no elements are stored.
    unwritten: bool,
    chunk: Vec<u64>,
    /// Whether the chunk is shortened if the array is shorter.
    fits: bool,
    shard: Option<Vec<u64>>,
    encoding: Encoding,
    dimensions: Option<Vec<String>>,
    threads: usize,
    version: ZarrVersion,
    tiles: Tiles,
    /// Appended bytes that are not written yet.
    buffer: Vec<u8>,
    /// Number of bytes that are buffered: complete bands.
    batch: usize,
    /// Number of bytes that were divided into chunks, and number of chunks.
    cut: u64,
    chunks: u64,
    appended: u64,
    finished: bool,
}

impl Array {
    pub(super) fn new(
        path: String,
        place: Place,
        spec: &ArraySpec,
        described: ElementDescription,
        (version, threads): (ZarrVersion, usize),
    ) -> Result<Self> {
        let chunk = options::chunk_of_elements(spec, described.bytes)?;
        let fits = spec.growing;
        let (element, shape) = (spec.element.clone(), spec.shape.clone());
        let encoding = Encoding::new(spec.compression, &element);
        // Sizes must not overflow, whether elements are stored or not.
        product(shape.iter().copied().chain([described.bytes as u64]))?;
        let outer = spec.shard.clone().unwrap_or_else(|| chunk.clone());
        let bytes = product(outer.iter().copied().chain([described.bytes as u64]))?;
        if bytes >= chunk::LARGEST {
            return Err(Error::argument(format!("Zarr chunks of {bytes} bytes, 2 GiB or more")));
        }
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX).max(1);
        let tiles = Tiles::new(&shape, &outer, described.bytes)?;
        let band = tiles.band_bytes().max(1);
        let wanted = options::batch(bytes, spec.compression, threads) * bytes;
        let batch = band * wanted.div_ceil(band).max(1);
        Ok(Self {
            path,
            place,
            element,
            described,
            shape,
            growing: spec.growing,
            unwritten: spec.unwritten || spec.is_null,
            chunk,
            fits,
            shard: spec.shard.clone(),
            encoding,
            dimensions: spec.dimensions.clone(),
            threads,
            version,
            tiles,
            buffer: Vec::new(),
            batch,
            cut: 0,
            chunks: 0,
            appended: 0,
            finished: false,
        })
    }

    /// Appends complete elements, as passed in.
    pub(super) fn append(&mut self, target: &GroupTarget, bytes: &[u8]) -> Result<()> {
        if pack::is_plain(&self.element) {
            if !bytes.len().is_multiple_of(self.described.bytes.max(1)) {
                let found = format!("{} bytes", bytes.len());
                let expected = format!("elements of {} bytes", self.described.bytes);
                return Err(Error::mismatch(self.place.clone(), found, expected));
            }
            return self.append_stored(target, bytes);
        }
        let mut packed = Vec::new();
        pack::pack_bytes(&self.element, bytes, &self.place, &mut packed)?;
        self.append_stored(target, &packed)
    }

    /// Appends strings of fixed length.
    pub(super) fn append_strings(
        &mut self,
        target: &GroupTarget,
        strings: &mut dyn StringReader,
    ) -> Result<()> {
        let ElementType::FixedString { bytes, encoding } = self.element else {
            let found = format!("strings for elements of type {}", self.element);
            return Err(Error::mismatch(self.place.clone(), found, "numbers"));
        };
        let mut packed = Vec::new();
        loop {
            let first = self.appended / bytes.max(1);
            let form = (bytes, encoding);
            if pack::pack_strings(strings, form, PIECE, first, &self.place, &mut packed)? == 0 {
                return Ok(());
            }
            self.append_stored(target, &packed)?;
            packed.clear();
        }
    }

    /// Appends compounds whose fields are passed in separately.
    pub(super) fn append_records(
        &mut self,
        target: &GroupTarget,
        values: &mut [FieldValues<'_>],
    ) -> Result<()> {
        let ElementType::Compound(fields) = &self.element else {
            let found = format!("compounds for elements of type {}", self.element);
            return Err(Error::mismatch(self.place.clone(), found, "elements of a compound type"));
        };
        let mut packed = Vec::new();
        let refused = || {
            let what = "strings of variable length in compounds are not supported";
            Error::unsupported(self.place.clone(), what)
        };
        pack::pack_records(fields, values, &mut |_| Err(refused()), &self.place, &mut packed)?;
        self.append_stored(target, &packed)
    }

    /// Appends elements in stored form.
    fn append_stored(&mut self, target: &GroupTarget, mut bytes: &[u8]) -> Result<()> {
        let end = self.appended.checked_add(bytes.len() as u64);
        let room = match (self.growing, self.unwritten) {
            (_, true) => 0,
            (true, false) => u64::MAX,
            (false, false) => self.bytes()?,
        };
        let Some(end) = end.filter(|end| *end <= room && !self.finished) else {
            let found = format!("more than {} elements", room / self.described.bytes.max(1) as u64);
            return Err(Error::mismatch(
                self.place.clone(),
                found,
                "as many elements as the shape has",
            ));
        };
        self.appended = end;
        while self.buffer.len() + bytes.len() >= self.batch {
            let (head, tail) = bytes.split_at(self.batch - self.buffer.len());
            if self.buffer.is_empty() && self.tiles.whole(self.cut, head.len()) == head.len() {
                // The buffer is empty: a batch can be written without copying it.
                self.write(target, Cow::Borrowed(head))?;
            } else {
                self.buffer.extend_from_slice(head);
                let whole = self.tiles.whole(self.cut, self.buffer.len());
                let mut batch = std::mem::take(&mut self.buffer);
                if self.tiles.is_plain() {
                    // The buffer is reused: allocating memory takes as long as writing it.
                    self.write(target, Cow::Borrowed(&batch[..whole]))?;
                    batch.drain(..whole);
                    self.buffer = batch;
                } else {
                    self.buffer = batch.split_off(whole);
                    self.write(target, Cow::Owned(batch))?;
                }
            }
            bytes = tail;
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    /// Returns the size of the shape in bytes.
    fn bytes(&self) -> Result<u64> {
        product(self.shape.iter().copied().chain([self.described.bytes as u64]))
    }

    /// Writes the rest. All elements must have been appended.
    pub(super) fn finish(&mut self, target: &GroupTarget) -> Result<()> {
        if std::mem::replace(&mut self.finished, true) {
            return Ok(());
        }
        if self.growing {
            self.set_rows()?;
        } else if !self.unwritten && self.appended != self.bytes()? {
            let size = self.described.bytes.max(1) as u64;
            let found = format!("{} elements", self.appended / size);
            let expected = format!("the {} of the shape", self.bytes()? / size);
            return Err(Error::mismatch(self.place.clone(), found, expected));
        }
        if self.fits && self.chunks == 0 && self.shard.is_none() {
            let rows = self.shape.first().copied().unwrap_or(1).max(1);
            self.chunk.iter_mut().take(1).for_each(|len| *len = rows.min(*len));
            self.tiles = Tiles::new(&self.shape, &self.chunk, self.described.bytes)?;
        }
        let rest = std::mem::take(&mut self.buffer);
        self.write(target, Cow::Owned(rest))
    }

    /// Sets the length of the first dimension from the appended data.
    fn set_rows(&mut self) -> Result<()> {
        let others = self.shape.iter().skip(1).copied();
        let row = product(others.chain([self.described.bytes as u64]))?;
        let rows = self.appended.checked_div(row).unwrap_or(0);
        if rows.checked_mul(row) != Some(self.appended) {
            let found = "an incomplete last row";
            return Err(Error::mismatch(self.place.clone(), found, "complete rows"));
        }
        self.shape.iter_mut().take(1).for_each(|len| *len = rows);
        Ok(())
    }

    /// Writes complete bands.
    fn write(&mut self, target: &GroupTarget, bytes: Cow<'_, [u8]>) -> Result<()> {
        let len = bytes.len();
        let chunks = match self.tiles.is_plain() && self.chunks_end_with(len) {
            true => bytes,
            false => Cow::Owned(self.tiles.cut(self.cut, bytes.into_owned())?),
        };
        self.cut += len as u64;
        let outer = self.shard.as_deref().unwrap_or(&self.chunk);
        let size = product(outer.iter().copied().chain([self.described.bytes as u64]))?;
        let size = usize::try_from(size).unwrap_or(usize::MAX).max(1);
        // The current length, if it grows.
        let mut shape = self.shape.clone();
        if self.growing {
            shape.iter_mut().take(1).for_each(|len| *len = u64::MAX);
        }
        if self.growing && self.finished {
            shape.clone_from(&self.shape);
        }
        if let (0, Some(chunk)) = (self.chunks, chunks.chunks_exact(size).next()) {
            self.encoding.decide(chunk, &self.place)?;
        }
        let first = self.chunks;
        let numbered = (first..).zip(chunks.chunks_exact(size));
        let threads = self.threads.min(chunks.len() / size);
        parallel::for_each(threads, numbered, |(number, bytes)| {
            let at = self.tiles.place(number);
            let key = format!("{}/{}", self.path, chunk::key(&at, self.version));
            match &self.shard {
                None => target.put(&key, &self.encoding.encode(bytes, &self.place)?),
                Some(lengths) => {
                    let element = self.described.bytes;
                    let (chunk, encoding) = (&*self.chunk, self.encoding);
                    let shard = Shard { lengths, chunk, element, encoding };
                    target.put(&key, &shard.encode(bytes, &at, &shape, &self.place)?)
                }
            }
        })?;
        self.chunks += (chunks.len() / size) as u64;
        Ok(())
    }

    /// Returns whether a number of bytes is a whole number of chunks of one dimension.
    fn chunks_end_with(&self, len: usize) -> bool {
        len.is_multiple_of(self.tiles.band_bytes().max(1))
    }

    /// Returns the metadata files of the finished array.
    pub(super) fn documents(&self, attributes: &Attributes) -> Vec<Document> {
        let metadata = ArrayMetadata {
            element: &self.described,
            shape: &self.shape,
            chunk: &self.chunk,
            shard: self.shard.as_deref(),
            encoding: self.encoding,
            dimensions: self.dimensions.as_deref(),
        };
        metadata.documents(attributes, self.version)
    }
}
