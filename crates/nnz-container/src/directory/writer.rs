//! Writing directories of array files.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use nnz_core::{Error, ErrorKind, Place, Result, StringReader, ValueType};

use super::{header, lines, replaced};
use crate::ContainerInfo;
use crate::kinds::DIRECTORY;
use crate::tree::{ArraySpec, ElementType, NodeId, TreeWriter};
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
    /// The type of numbers; `None` for lines.
    value_type: Option<ValueType>,
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
            StagedDirectory::create(target, &options, members)?.refusing(replaced::refusal)?;
        Ok(Self { directory, arrays: Vec::new() })
    }

    fn file_place(&self, name: &str) -> Place {
        Place::array(self.directory.path(), name)
    }

    fn array(&mut self, array: NodeId) -> Result<&mut Array> {
        match array.0.checked_sub(1) {
            Some(at) if at < self.arrays.len() => Ok(&mut self.arrays[at]),
            _ => Err(Error::mismatch(self.place(array), "a group", "an array")),
        }
    }

    fn create_file(&mut self, name: &str) -> Result<File> {
        if name.is_empty() || name.contains(['/', '\0']) || name == "." || name == ".." {
            let what = format!("{name:?} cannot be the name of an array");
            return Err(Error::new(ErrorKind::Argument(what), self.file_place("")));
        }
        self.directory.create_file(name)
    }
}

impl TreeWriter for DirectoryWriter {
    fn info(&self) -> &'static ContainerInfo {
        &DIRECTORY
    }

    fn place(&self, node: NodeId) -> Place {
        match node.0.checked_sub(1).and_then(|at| self.arrays.get(at)) {
            Some(array) => array.place.clone(),
            None => Place::path(self.directory.path()),
        }
    }

    fn create_array(&mut self, _: NodeId, name: &str, spec: &ArraySpec) -> Result<NodeId> {
        let place = self.file_place(name);
        let mut buffer = Vec::with_capacity(BUFFER);
        let value_type = match spec.list_element(&place)? {
            ElementType::String => None,
            element => {
                let of_number = match element {
                    ElementType::Number(value_type) => {
                        header::of(*value_type).zip(Some(*value_type))
                    }
                    _ => None,
                };
                let Some((header, value_type)) = of_number else {
                    let what = format!("array files do not support {element}");
                    return Err(Error::unsupported(place, what));
                };
                buffer.extend_from_slice(header);
                Some(value_type)
            }
        };
        let file = self.create_file(name)?;
        self.arrays.push(Array { place, file, value_type, buffer });
        Ok(NodeId(self.arrays.len()))
    }

    fn set_text(&mut self, group: NodeId, name: &str, text: &str) -> Result<()> {
        let lines = ArraySpec::growing(ElementType::String, &[]);
        let lines = self.create_array(group, name, &lines)?;
        (self as &mut dyn TreeWriter).append_list(lines, [text])
    }

    fn append_bytes(&mut self, array: NodeId, bytes: &[u8]) -> Result<()> {
        self.array(array)?.append(bytes)
    }

    fn append_strings(&mut self, array: NodeId, strings: &mut dyn StringReader) -> Result<()> {
        let array = self.array(array)?;
        while let Some(string) = strings.next_string()? {
            // Otherwise it would be read back as different strings.
            if string.contains(&b'\n') || string.ends_with(b"\r") {
                let found = format!("the name \"{}\"", string.escape_ascii());
                let expected = "names without line breaks, as text files require";
                return Err(Error::mismatch(array.place.clone(), found, expected));
            }
            if string.len() > lines::MAX_LEN {
                let found = format!("a name of {} bytes", string.len());
                let expected = format!("names of at most {} bytes", lines::MAX_LEN);
                return Err(Error::mismatch(array.place.clone(), found, expected));
            }
            array.append(string)?;
            array.append(b"\n")?;
        }
        Ok(())
    }

    fn finish_array(&mut self, array: NodeId) -> Result<()> {
        self.array(array)?.flush()
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
            let size = self.value_type.map_or(1, ValueType::size);
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
