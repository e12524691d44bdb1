//! Writing directories of `.npy` files.

mod foreign;

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::Path;

use nnz_core::{Error, ErrorKind, Listed, Place, Result, StringReader, ValueType};
use nnz_storage::Texts;

use super::element::Element;
use super::header;
use super::strings::{spool_strings, write_strings};
use crate::ContainerInfo;
use crate::json;
use crate::kinds::NPY;
use crate::tree::{ArraySpec, ElementType, NodeId, TreeWriter};
use nnz_storage::staging::{StagedDirectory, WriteOptions};

/// Size of the write buffer of an array.
const BUFFER: usize = 256 << 10;

/// A writer of a directory of `.npy` files, which appears when it is finished.
#[derive(Debug)]
pub struct NpyDirectoryWriter {
    directory: StagedDirectory,
    arrays: Vec<Array>,
}

#[derive(Debug)]
struct Array {
    place: Place,
    data: Data,
}

#[derive(Debug)]
enum Data {
    Numbers {
        out: BufWriter<File>,
        value_type: ValueType,
        bytes: u64,
    },
    /// Strings and the number of code points of the longest.
    Strings(Texts, u64),
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
        let directory = StagedDirectory::create_store(target, &options, foreign::foreign)?;
        Ok(Self { directory, arrays: Vec::new() })
    }

    /// Returns the place of a new file, if it can have its name.
    fn check_name(&self, name: &str) -> Result<Place> {
        let place = Place::array(self.directory.path(), name);
        if name.is_empty() || name.contains(['/', '\0']) {
            let what = format!("{name:?} cannot be the name of an array");
            return Err(Error::new(ErrorKind::Argument(what), place));
        }
        Ok(place)
    }

    fn array(&mut self, array: NodeId) -> Result<&mut Array> {
        match array.0.checked_sub(1) {
            Some(at) if at < self.arrays.len() => Ok(&mut self.arrays[at]),
            _ => Err(Error::mismatch(self.place(array), "a group", "an array")),
        }
    }

    /// Writes a file of strings.
    fn write_texts(
        &mut self,
        (texts, longest): (Texts, u64),
        shape: &[u64],
        place: &Place,
    ) -> Result<()> {
        let name = place.array.as_deref().unwrap_or_default();
        let file = self.directory.create_file(&format!("{name}.npy"))?;
        let mut out = BufWriter::with_capacity(BUFFER, file);
        write_strings((texts, longest), shape, &mut out)
            .and_then(|()| out.flush())
            .map_err(|error| Error::new(ErrorKind::Io(error), place.clone()))
    }
}

/// Returns the header of an array of numbers.
fn header(value_type: ValueType, len: u64) -> Vec<u8> {
    header::write(Element::Number { value_type, big: cfg!(target_endian = "big") }, &[len])
}

impl TreeWriter for NpyDirectoryWriter {
    fn info(&self) -> &'static ContainerInfo {
        &NPY
    }

    fn place(&self, node: NodeId) -> Place {
        match node.0.checked_sub(1).and_then(|at| self.arrays.get(at)) {
            Some(array) => array.place.clone(),
            None => Place::path(self.directory.path()),
        }
    }

    fn create_array(&mut self, _: NodeId, name: &str, spec: &ArraySpec) -> Result<NodeId> {
        let place = self.check_name(name)?;
        let data = match spec.list_element(&place)? {
            ElementType::Number(value_type) => {
                let file = self.directory.create_file(&format!("{name}.npy"))?;
                let mut out = BufWriter::with_capacity(BUFFER, file);
                out.write_all(&header(*value_type, 0))
                    .map_err(|error| Error::new(ErrorKind::Io(error), place.clone()))?;
                Data::Numbers { out, value_type: *value_type, bytes: 0 }
            }
            ElementType::String => Data::Strings(Texts::default(), 0),
            element => {
                let what = format!("NumPy arrays of {element} are not supported");
                return Err(Error::unsupported(place, what));
            }
        };
        self.arrays.push(Array { place, data });
        Ok(NodeId(self.arrays.len()))
    }

    fn set_text(&mut self, _: NodeId, name: &str, text: &str) -> Result<()> {
        let place = self.check_name(name)?;
        if json::object(text).is_some() {
            let mut file = self.directory.create_file(&format!("{name}.json"))?;
            let written = file.write_all(text.as_bytes());
            return written.map_err(|error| Error::new(ErrorKind::Io(error), place));
        }
        let (mut texts, mut once) = (Texts::default(), std::iter::once(text.as_bytes()));
        let text = &mut Listed::new(&mut once);
        let longest = spool_strings(text, &self.directory.spill_directory(), &place, &mut texts)?;
        self.write_texts((texts, longest), &[], &place)
    }

    fn append_bytes(&mut self, array: NodeId, appended: &[u8]) -> Result<()> {
        let Array { place, data: Data::Numbers { out, bytes, .. } } = self.array(array)? else {
            return Err(Error::mismatch(self.place(array), "numbers", "strings"));
        };
        *bytes += appended.len() as u64;
        out.write_all(appended).map_err(|error| Error::new(ErrorKind::Io(error), place.clone()))
    }

    fn append_strings(&mut self, array: NodeId, strings: &mut dyn StringReader) -> Result<()> {
        let directory = self.directory.spill_directory();
        let Array { place, data: Data::Strings(texts, longest) } = self.array(array)? else {
            return Err(Error::mismatch(self.place(array), "strings", "numbers"));
        };
        *longest = spool_strings(strings, &directory, place, texts)?.max(*longest);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<u64> {
        for Array { place, data } in std::mem::take(&mut self.arrays) {
            let (out, value_type, bytes) = match data {
                Data::Numbers { out, value_type, bytes } => (out, value_type, bytes),
                Data::Strings(texts, longest) => {
                    let shape = [texts.len()];
                    self.write_texts((texts, longest), &shape, &place)?;
                    continue;
                }
            };
            // The header again, with the length.
            let header = header(value_type, bytes / value_type.size() as u64);
            let file = out.into_inner().map_err(io::IntoInnerError::into_error);
            file.and_then(|mut file| file.rewind().and_then(|()| file.write_all(&header)))
                .map_err(|error| Error::new(ErrorKind::Io(error), place))?;
        }
        self.directory.commit()
    }
}
