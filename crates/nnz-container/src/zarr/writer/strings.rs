//! Writing arrays of strings of variable length.

use nnz_core::{At, Error, Place, Result, StringReader};

use super::chunk;
use super::element::ElementDescription;
use super::encoding::Encoding;
use super::metadata::{ArrayMetadata, Attributes, Document};
use super::options::{self, ZarrVersion};
use super::target::GroupTarget;
use crate::tree::ArraySpec;
use nnz_chunk::Tiles;
use nnz_chunk::product;

/// An array of strings that is being written. A chunk has adjacent strings.
#[derive(Debug)]
pub(super) struct Strings {
    path: String,
    place: Place,
    described: ElementDescription,
    shape: Vec<u64>,
    growing: bool,
    unwritten: bool,
    chunk: Vec<u64>,
    fits: bool,
    encoding: Encoding,
    dimensions: Option<Vec<String>>,
    version: ZarrVersion,
    tiles: Tiles,
    /// Strings of a chunk, each after its length.
    buffer: Vec<u8>,
    /// The number of strings in it.
    held: u64,
    len: u64,
    chunks: u64,
    finished: bool,
}

impl Strings {
    pub(super) fn new(
        path: String,
        place: Place,
        spec: &ArraySpec,
        described: ElementDescription,
        version: ZarrVersion,
    ) -> Result<Self> {
        let chunk = options::chunk_of_strings(spec)?;
        product(spec.shape.iter().copied())?;
        Ok(Self {
            path,
            place,
            described,
            growing: spec.growing,
            unwritten: spec.unwritten || spec.is_null,
            fits: spec.chunk.is_none() && spec.growing,
            encoding: Encoding::new(spec.compression, &spec.element),
            dimensions: spec.dimensions.clone(),
            version,
            // An element is counted as a byte.
            tiles: Tiles::new(&spec.shape, &chunk, 1)?,
            shape: spec.shape.clone(),
            chunk,
            buffer: Vec::new(),
            held: 0,
            len: 0,
            chunks: 0,
            finished: false,
        })
    }

    /// Appends all strings of a reader.
    pub(super) fn append(
        &mut self,
        target: &GroupTarget,
        strings: &mut dyn StringReader,
    ) -> Result<()> {
        let room = match (self.growing, self.unwritten) {
            (_, true) => 0,
            (true, false) => u64::MAX,
            (false, false) => product(self.shape.iter().copied())?,
        };
        while let Some(string) = strings.next_string()? {
            if self.len >= room || self.finished {
                let found = format!("more than {room} strings");
                return Err(Error::mismatch(
                    self.place.clone(),
                    found,
                    "as many strings as the shape has",
                ));
            }
            self.push(string)?;
            // One byte per string: chunks end at the same positions.
            let held = usize::try_from(self.held).unwrap_or(usize::MAX);
            let start = self.len - self.held;
            if held > 0 && self.tiles.whole(start, held) == held {
                self.write(target)?;
            }
        }
        Ok(())
    }

    /// Appends a string after its length.
    fn push(&mut self, string: &[u8]) -> Result<()> {
        let text = crate::npy::check_text(string, &self.place, self.len)?;
        let length = i32::try_from(text.len()).map_err(|_| {
            let found = format!("a string of {} bytes", text.len());
            Error::mismatch(self.place.clone().at(At::Byte(0)), found, "fewer than 2 GiB")
        })?;
        self.buffer.extend(length.to_le_bytes());
        self.buffer.extend(text.as_bytes());
        self.held += 1;
        self.len += 1;
        Ok(())
    }

    /// Writes a chunk, which is always stored completely.
    fn write(&mut self, target: &GroupTarget) -> Result<()> {
        let count = product(self.chunk.iter().copied())?;
        let missing = usize::try_from(count - self.held).unwrap_or(usize::MAX);
        let missing = missing.checked_mul(4).and_then(|bytes| bytes.checked_add(self.buffer.len()));
        self.buffer
            .resize(missing.ok_or_else(|| Error::argument("chunks that do not fit in memory"))?, 0);
        // The strings are preceded by their number.
        let count = u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes();
        let bytes = [&count[..], &self.buffer].concat();
        let at = self.tiles.place(self.chunks);
        let key = format!("{}/{}", self.path, chunk::key(&at, self.version));
        target.put(&key, &self.encoding.encode(&bytes, &self.place)?)?;
        self.buffer.clear();
        self.held = 0;
        self.chunks += 1;
        Ok(())
    }

    /// Writes the rest. All strings must have been appended.
    pub(super) fn finish(&mut self, target: &GroupTarget) -> Result<()> {
        if std::mem::replace(&mut self.finished, true) {
            return Ok(());
        }
        if self.growing {
            let row = product(self.shape.iter().skip(1).copied())?;
            let rows = self.len.checked_div(row).unwrap_or(0);
            if rows * row != self.len {
                let found = "an incomplete last row";
                return Err(Error::mismatch(self.place.clone(), found, "complete rows"));
            }
            self.shape.iter_mut().take(1).for_each(|len| *len = rows);
        }
        let expected = product(self.shape.iter().copied())?;
        if !self.unwritten && self.len != expected {
            let found = format!("{} strings", self.len);
            return Err(Error::mismatch(self.place.clone(), found, format!("{expected}")));
        }
        if self.chunks == 0 && self.fits {
            // A list that is shorter than a chunk gets a shorter chunk.
            let rows = self.shape.first().copied().unwrap_or(1).max(1);
            self.chunk.iter_mut().take(1).for_each(|len| *len = rows.min(*len));
            self.tiles = Tiles::new(&self.shape, &self.chunk, 1)?;
        }
        if self.held > 0 { self.write(target) } else { Ok(()) }
    }

    /// Returns the metadata files of the finished array.
    pub(super) fn documents(&self, attributes: &Attributes) -> Vec<Document> {
        let metadata = ArrayMetadata {
            element: &self.described,
            shape: &self.shape,
            chunk: &self.chunk,
            shard: None,
            encoding: self.encoding,
            dimensions: self.dimensions.as_deref(),
        };
        metadata.documents(attributes, self.version)
    }
}
