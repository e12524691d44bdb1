//! Writing `.npz` files.

use std::io::{self, BufWriter};
use std::path::Path;

use nnz_core::{Error, ErrorKind, Place, Result, StringReader, ValueType};

use super::output::{Head, Output};
use crate::compress::Compression;
use crate::npy::{Element, Header, check_text, spool_strings, write_string, write_strings};
use crate::{ArrayId, ContainerWriter};
use nnz_storage::staging::{StagedFile, WriteOptions};
use nnz_storage::{Spool, Texts};

/// Size of the write buffer.
const BUFFER: usize = 256 << 10;

/// Options for writing `.npz` files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NpzOptions {
    /// The compression of entries. `NumPy` supports deflate, but not Zstandard.
    pub compress: Compression,
}

/// A writer of an `.npz` file, which appears when it is finished.
///
/// Entries of a zip file are contiguous, so arrays are kept in unnamed files next to the target
/// until then.
pub struct NpzWriter {
    staged: StagedFile,
    level: Option<u32>,
    members: Vec<(String, NewMember)>,
}

enum NewMember {
    Numbers(ValueType, Spool),
    Texts(Texts, u64),
    Text(Vec<u8>),
}

impl NpzWriter {
    /// Starts a file that will be `path`.
    ///
    /// # Errors
    ///
    /// Fails if options are invalid, or if the target may not be replaced or cannot be written.
    pub fn create(path: &Path, write: WriteOptions, options: NpzOptions) -> Result<Self> {
        let level = options.compress.gzip_level("npz")?;
        let staged = StagedFile::create(path, write)?;
        Ok(Self { staged, level, members: Vec::new() })
    }

    fn place(&self, name: &str) -> Place {
        Place::array(self.staged.path(), name)
    }

    fn add(&mut self, name: &str, member: NewMember) -> Result<ArrayId> {
        if name.is_empty() || name.contains('\0') || name.len() > 60_000 {
            let what = "not a valid name of a zip entry".to_owned();
            return Err(Error::new(ErrorKind::Argument(what), self.place(name)));
        }
        if self.members.iter().any(|(taken, _)| taken == name) {
            return Err(Error::new(ErrorKind::Exists, self.place(name)));
        }
        self.members.push((name.to_owned(), member));
        Ok(ArrayId(self.members.len() - 1))
    }
}

impl ContainerWriter for NpzWriter {
    fn set_attribute(&mut self, name: &str, text: &str) -> Result<()> {
        let text = check_text(text.as_bytes(), &self.place(name), 0)?;
        self.add(name, NewMember::Text(write_string(text))).map(drop)
    }

    fn create_array(&mut self, name: &str, value_type: ValueType) -> Result<ArrayId> {
        self.add(name, NewMember::Numbers(value_type, Spool::default()))
    }

    fn append_bytes(&mut self, array: ArrayId, bytes: &[u8]) -> Result<()> {
        if let Some((name, NewMember::Numbers(_, spool))) = self.members.get_mut(array.0) {
            spool.append(bytes, self.staged.parent()).map_err(|error| {
                Error::new(ErrorKind::Io(error), Place::array(self.staged.path(), &**name))
            })?;
        }
        Ok(())
    }

    fn copy_strings(&mut self, name: &str, strings: &mut dyn StringReader) -> Result<()> {
        let (texts, longest) = spool_strings(strings, self.staged.parent(), &self.place(name))?;
        self.add(name, NewMember::Texts(texts, longest)).map(drop)
    }

    fn finish(self: Box<Self>) -> Result<u64> {
        let Self { staged, level, members, .. } = *self;
        let path = staged.path().to_path_buf();
        let mut output = Output::new(BufWriter::with_capacity(BUFFER, staged));
        for (name, member) in members {
            member
                .write(&name, level, &mut output)
                .map_err(|error| Error::new(ErrorKind::Io(error), Place::array(&*path, &*name)))?;
        }
        let out = output.finish().map_err(|error| Error::io(&path, error))?;
        let staged = out.into_inner().map_err(|error| Error::io(&path, error.into_error()))?;
        staged.commit()
    }
}

impl NewMember {
    fn write(
        self,
        name: &str,
        level: Option<u32>,
        output: &mut Output<BufWriter<StagedFile>>,
    ) -> io::Result<()> {
        let name = &format!("{name}.npy");
        match self {
            Self::Text(array) => {
                let head = Head { name, bytes: array.len() as u64, level };
                output.entry(&head, |out| out.write_all(&array))
            }
            Self::Numbers(value_type, spool) => {
                let big = cfg!(target_endian = "big");
                let len = spool.len() / value_type.size() as u64;
                let header = Header::write(Element::Number { value_type, big }, Some(len));
                let head = Head { name, bytes: header.len() as u64 + spool.len(), level };
                output.entry(&head, |out| {
                    out.write_all(&header)?;
                    spool.drain(|bytes| out.write_all(bytes))
                })
            }
            Self::Texts(texts, longest) => {
                let bytes = strings_bytes(texts.len(), longest);
                let bytes = bytes.ok_or_else(|| io::Error::other("strings beyond 2^64 bytes"))?;
                let head = Head { name, bytes, level };
                output.entry(&head, |out| write_strings(texts, longest, out))
            }
        }
    }
}

/// Returns the size of an array of strings, which have the length of the longest.
fn strings_bytes(len: u64, longest: u64) -> Option<u64> {
    let element = Element::Unicode { length: longest.max(1), big: false };
    let header = Header::write(element, Some(len)).len() as u64;
    element.size()?.checked_mul(len)?.checked_add(header)
}

impl std::fmt::Debug for NpzWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("NpzWriter").field(&self.staged.path()).finish()
    }
}
