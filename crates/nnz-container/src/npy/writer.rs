//! Writing directories of `.npy` files.

mod foreign;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use nnz_core::{Error, ErrorKind, Place, Result, StringReader, ValueType};

use super::element::Element;
use super::header::Header;
use super::strings::{check_text, spool_strings, write_string, write_strings};
use crate::json;
use crate::{ArrayId, ContainerWriter};
use nnz_storage::staging::{StagedDirectory, WriteOptions};

/// Size of the write buffer of an array.
const BUFFER: usize = 256 << 10;

/// A writer of a directory of `.npy` files, which appears when it is finished.
#[derive(Debug)]
pub struct NpyDirectoryWriter {
    directory: StagedDirectory,
    names: Vec<String>,
    arrays: Vec<Array>,
}

#[derive(Debug)]
struct Array {
    place: Place,
    out: BufWriter<File>,
    element: Element,
    size: usize,
    len: u64,
}

impl NpyDirectoryWriter {
    /// Starts a directory that will be `target`. An existing directory is replaced only if it is
    /// empty, or if it has a description and no other files than its arrays: a file `NAME.json`
    /// with an object that has `data_types`, or has an object `NAME` with them.
    ///
    /// # Errors
    ///
    /// Fails if the target may not be replaced, or if its directory cannot be written.
    pub fn create(target: &Path, options: WriteOptions) -> Result<Self> {
        let directory = StagedDirectory::create_store(target, options, foreign::foreign)?;
        Ok(Self { directory, names: Vec::new(), arrays: Vec::new() })
    }

    /// Reserves the name of a member.
    fn take(&mut self, name: &str) -> Result<Place> {
        let place = Place::array(self.directory.path(), name);
        if name.is_empty() || name.contains(['/', '\0']) {
            let what = format!("{name:?} cannot be the name of an array");
            return Err(Error::new(ErrorKind::Argument(what), place));
        }
        if self.names.iter().any(|taken| taken == name) {
            return Err(Error::new(ErrorKind::Exists, place));
        }
        self.names.push(name.to_owned());
        Ok(place)
    }

    fn write_file(&mut self, file: &str, bytes: &[u8], place: &Place) -> Result<()> {
        let mut file = self.directory.create_file(file)?;
        file.write_all(bytes).map_err(|error| Error::new(ErrorKind::Io(error), place.clone()))
    }
}

impl ContainerWriter for NpyDirectoryWriter {
    fn set_attribute(&mut self, name: &str, text: &str) -> Result<()> {
        let place = self.take(name)?;
        if json::object(text).is_some() {
            return self.write_file(&format!("{name}.json"), text.as_bytes(), &place);
        }
        let text = check_text(text.as_bytes(), &place, 0)?;
        self.write_file(&format!("{name}.npy"), &write_string(text), &place)
    }

    fn create_array(&mut self, name: &str, value_type: ValueType) -> Result<ArrayId> {
        let place = self.take(name)?;
        let big = cfg!(target_endian = "big");
        let element = Element::Number { value_type, big };
        let file = self.directory.create_file(&format!("{name}.npy"))?;
        let mut out = BufWriter::with_capacity(BUFFER, file);
        out.write_all(&Header::write(element, Some(0)))
            .map_err(|error| Error::new(ErrorKind::Io(error), place.clone()))?;
        self.arrays.push(Array { place, out, element, size: value_type.size(), len: 0 });
        Ok(ArrayId(self.arrays.len() - 1))
    }

    fn append_bytes(&mut self, array: ArrayId, bytes: &[u8]) -> Result<()> {
        let array = &mut self.arrays[array.0];
        array.len += (bytes.len() / array.size) as u64;
        array
            .out
            .write_all(bytes)
            .map_err(|error| Error::new(ErrorKind::Io(error), array.place.clone()))
    }

    fn copy_strings(&mut self, name: &str, strings: &mut dyn StringReader) -> Result<()> {
        let place = self.take(name)?;
        let (texts, longest) = spool_strings(strings, self.directory.parent(), &place)?;
        let file = self.directory.create_file(&format!("{name}.npy"))?;
        let mut out = BufWriter::with_capacity(BUFFER, file);
        write_strings(texts, longest, &mut out)
            .and_then(|()| out.flush())
            .map_err(|error| Error::new(ErrorKind::Io(error), place))
    }

    fn finish(self: Box<Self>) -> Result<u64> {
        for array in self.arrays {
            array.finish()?;
        }
        self.directory.commit()
    }
}

impl Array {
    /// Writes the rest, and the header again with the length.
    fn finish(self) -> Result<()> {
        let header = Header::write(self.element, Some(self.len));
        let file = self.out.into_inner().map_err(io::IntoInnerError::into_error);
        file.and_then(|file| file.write_all_at(&header, 0))
            .map_err(|error| Error::new(ErrorKind::Io(error), self.place))
    }
}
