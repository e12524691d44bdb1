//! Writing directories of array files.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use nnz_core::{Error, ErrorKind, Place, Result, StringReader, ValueType};

use super::{header, lines, replaced};
use crate::{ArrayId, ContainerWriter};
use nnz_storage::staging::{StagedDirectory, WriteOptions};

/// Size of the write buffer of an array.
const BUFFER: usize = 256 << 10;

/// A writer of a directory of array files, which appears when it is finished.
#[derive(Debug)]
pub struct DirectoryWriter {
    directory: StagedDirectory,
    arrays: Vec<Array>,
}

#[derive(Debug)]
struct Array {
    place: Place,
    file: File,
    value_type: ValueType,
    buffer: Vec<u8>,
}

impl DirectoryWriter {
    /// Starts a directory that will be `target`. An existing directory is replaced only if it is
    /// empty, or if it has a file `version` with a version of BPCells and no other files than
    /// `members`.
    ///
    /// # Errors
    ///
    /// Fails if the target may not be replaced, or if its directory cannot be written.
    pub fn create(
        target: &Path,
        options: WriteOptions,
        members: &'static [&'static str],
    ) -> Result<Self> {
        let directory =
            StagedDirectory::create(target, options, members)?.refusing(replaced::refusal)?;
        Ok(Self { directory, arrays: Vec::new() })
    }

    fn place(&self, name: &str) -> Place {
        Place::array(self.directory.path(), name)
    }

    fn create_file(&mut self, name: &str) -> Result<File> {
        if name.is_empty() || name.contains(['/', '\0']) || name == "." || name == ".." {
            let what = format!("{name:?} cannot be the name of an array");
            return Err(Error::new(ErrorKind::Argument(what), self.place("")));
        }
        self.directory.create_file(name)
    }
}

impl ContainerWriter for DirectoryWriter {
    fn set_attribute(&mut self, name: &str, text: &str) -> Result<()> {
        self.write_strings(name, &mut std::iter::once(text.as_bytes()))
    }

    fn create_array(&mut self, name: &str, value_type: ValueType) -> Result<ArrayId> {
        let place = self.place(name);
        let Some(header) = header::of(value_type) else {
            let what = format!("an array file cannot hold {value_type}");
            return Err(Error::unsupported(place, what));
        };
        let file = self.create_file(name)?;
        let mut buffer = Vec::with_capacity(BUFFER);
        buffer.extend_from_slice(header);
        self.arrays.push(Array { place, file, value_type, buffer });
        Ok(ArrayId(self.arrays.len() - 1))
    }

    fn append_bytes(&mut self, array: ArrayId, bytes: &[u8]) -> Result<()> {
        self.arrays[array.0].append(bytes)
    }

    fn copy_strings(&mut self, name: &str, strings: &mut dyn StringReader) -> Result<()> {
        let place = self.place(name);
        let io = |error| Error::new(ErrorKind::Io(error), place.clone());
        let mut out = std::io::BufWriter::with_capacity(BUFFER, self.create_file(name)?);
        while let Some(string) = strings.next_string()? {
            // Otherwise it would be read back as different strings.
            if string.contains(&b'\n') || string.ends_with(b"\r") {
                let found = format!("the name \"{}\"", string.escape_ascii());
                let expected = "names without line breaks, as text files require";
                return Err(Error::mismatch(place, found, expected));
            }
            if string.len() > lines::MAX_LEN {
                let found = format!("a name of {} bytes", string.len());
                let expected = format!("names of at most {} bytes", lines::MAX_LEN);
                return Err(Error::mismatch(place, found, expected));
            }
            out.write_all(string).and_then(|()| out.write_all(b"\n")).map_err(io)?;
        }
        out.flush().map_err(io)
    }

    fn finish(mut self: Box<Self>) -> Result<u64> {
        for array in &mut self.arrays {
            array.flush()?;
        }
        self.directory.commit()
    }
}

impl Array {
    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        if self.buffer.len() + bytes.len() > BUFFER {
            self.flush()?;
        }
        if cfg!(target_endian = "big") {
            let size = self.value_type.size();
            for element in bytes.chunks_exact(size) {
                self.buffer.extend(element.iter().rev());
            }
            return Ok(());
        }
        if bytes.len() >= BUFFER {
            return self.write(bytes);
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        let buffer = std::mem::take(&mut self.buffer);
        self.write(&buffer)?;
        self.buffer = buffer;
        self.buffer.clear();
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file
            .write_all(bytes)
            .map_err(|error| Error::new(ErrorKind::Io(error), self.place.clone()))
    }
}
