//! Writing a single `.npy` file.

use std::io::{BufWriter, Write};
use std::path::Path;

use nnz_core::{Error, Result, ValueType};
use nnz_storage::staging::{StagedFile, WriteOptions};

use super::element::Element;
use super::header;

/// Size of the write buffer.
const BUFFER: usize = 256 << 10;

/// A writer of a `.npy` file in C order, which appears when it is finished.
#[derive(Debug)]
pub struct NpyFileWriter {
    out: BufWriter<StagedFile>,
    /// Number of missing bytes.
    left: u64,
}

impl NpyFileWriter {
    /// Starts an array that will be `path`.
    ///
    /// # Errors
    ///
    /// Fails if the shape has 2^64 bytes or more, or if the target may not be replaced or cannot be
    /// written.
    pub fn create(
        path: &Path,
        value_type: ValueType,
        shape: &[u64],
        options: WriteOptions,
    ) -> Result<Self> {
        let size = value_type.size() as u64;
        let left = match shape.contains(&0) {
            true => Some(0),
            false => shape.iter().try_fold(size, |all, &length| all.checked_mul(length)),
        };
        let left = left.ok_or_else(|| {
            Error::argument(format!("an array of the shape {shape:?} has 2^64 bytes or more"))
        })?;
        let mut out = BufWriter::with_capacity(BUFFER, StagedFile::create(path, &options)?);
        let element = Element::Number { value_type, big: cfg!(target_endian = "big") };
        let header = header::write(element, shape);
        out.write_all(&header).map_err(|error| Error::io(path, error))?;
        Ok(Self { out, left })
    }

    /// Appends elements in native byte order.
    ///
    /// # Errors
    ///
    /// Fails if there are more than the array has, or if they cannot be written.
    pub fn append(&mut self, bytes: &[u8]) -> Result<()> {
        let left = self.left.checked_sub(bytes.len() as u64);
        self.left =
            left.ok_or_else(|| Error::argument("more elements than the shape of the array"))?;
        let written = self.out.write_all(bytes);
        written.map_err(|error| Error::io(self.out.get_ref().path(), error))
    }

    /// Puts the file in place and returns its size in bytes.
    ///
    /// # Errors
    ///
    /// Fails if elements are missing, or if writing fails; there is no output then.
    pub fn finish(self) -> Result<u64> {
        if self.left > 0 {
            return Err(Error::argument("fewer elements than the shape of the array"));
        }
        let path = self.out.get_ref().path().to_path_buf();
        let staged = self.out.into_inner().map_err(|error| Error::io(&path, error.into_error()))?;
        staged.commit()
    }
}
