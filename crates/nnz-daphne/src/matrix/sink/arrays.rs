//! A single sparse block of arrays, written while entries are received.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};

use nnz_core::{Error, Header, Place, Result};

use super::encode::EncodedBatch;
use crate::output::Output;

/// Bytes of each array in a buffer.
const BUFFER: usize = 512 << 10;

/// Row pointers, columns and values, each at its position in the file.
///
/// If the number of entries is not known in advance, values are first written to a temporary file.
pub(super) struct ArrayStream {
    rows: u64,
    /// The number of entries in the header.
    announced: Option<u64>,
    total_at: u64,
    starts: Region,
    columns: Region,
    values: ValueArray,
    /// The row after the last one whose pointer is written.
    next: u64,
    entries: u64,
}

/// A growing part of the file.
struct Region {
    at: u64,
    buffer: Vec<u8>,
}

/// The values, at their position in the file or in a temporary file.
enum ValueArray {
    InPlace(Region),
    Temporary(File),
}

impl Region {
    fn write(&mut self, output: &mut Output, bytes: &[u8]) -> Result<()> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= BUFFER { self.flush(output) } else { Ok(()) }
    }

    fn flush(&mut self, output: &mut Output) -> Result<()> {
        output.write_at(self.at, &self.buffer)?;
        self.at += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}

impl ArrayStream {
    /// Starts after the header of the block, which ends with the number of entries.
    pub(super) fn new(output: &mut Output, header: &Header) -> Result<Self> {
        output.flush()?;
        let rows = header.shape.rows;
        let first = output.position();
        let region = |at| Region { at, buffer: Vec::new() };
        let columns = first + 8 * (rows + 1);
        let placed = header.nnz.and_then(|stored| stored.checked_mul(8)?.checked_add(columns));
        let values = match placed {
            Some(at) => ValueArray::InPlace(region(at)),
            None => {
                let folder = output.spill_directory();
                let file = tempfile::tempfile_in(&folder);
                ValueArray::Temporary(file.map_err(|error| Error::io(&folder, error))?)
            }
        };
        let mut stream = Self {
            rows,
            announced: header.nnz,
            total_at: first - 8,
            starts: region(first),
            columns: region(columns),
            values,
            next: 0,
            entries: 0,
        };
        stream.starts.write(output, &[0; 8])?;
        Ok(stream)
    }

    /// Writes the ends of rows up to a row.
    fn rows_to(&mut self, output: &mut Output, row: u64) -> Result<()> {
        while self.next < row {
            self.starts.write(output, &self.entries.to_le_bytes())?;
            self.next += 1;
        }
        Ok(())
    }

    pub(super) fn write(&mut self, output: &mut Output, batch: &EncodedBatch) -> Result<()> {
        if self.announced.is_some_and(|announced| self.entries + batch.entries > announced) {
            return Err(self.broken(self.entries + batch.entries));
        }
        for &(row, count) in &batch.counts {
            self.rows_to(output, row)?;
            self.entries += count;
        }
        self.columns.write(output, &batch.bytes)?;
        match &mut self.values {
            ValueArray::InPlace(region) => region.write(output, &batch.values),
            ValueArray::Temporary(file) => {
                file.write_all(&batch.values).map_err(|error| Error::io(output.path(), error))
            }
        }
    }

    fn broken(&self, found: u64) -> Error {
        let expected = self.announced.unwrap_or(found);
        Error::mismatch(Place::default(), format!("{found} entries"), expected)
    }

    pub(super) fn finish(&mut self, output: &mut Output, entries: u64) -> Result<()> {
        if self.announced.is_some_and(|announced| announced != entries) {
            return Err(self.broken(entries));
        }
        self.rows_to(output, self.rows)?;
        self.starts.flush(output)?;
        self.columns.flush(output)?;
        match &mut self.values {
            ValueArray::InPlace(region) => region.flush(output)?,
            ValueArray::Temporary(file) => {
                let mut at = self.columns.at;
                let mut buffer = vec![0; BUFFER];
                let path = output.path().to_path_buf();
                let io = |error| Error::io(&path, error);
                file.seek(SeekFrom::Start(0)).map_err(io)?;
                loop {
                    let read = file.read(&mut buffer).map_err(io)?;
                    if read == 0 {
                        break;
                    }
                    output.write_at(at, &buffer[..read])?;
                    at += read as u64;
                }
            }
        }
        output.write_at(self.total_at, &entries.to_le_bytes())
    }
}
