//! Writing arrays of any number of dimensions to an `.npz` file.

use std::io::{self, BufWriter};
use std::path::Path;

use nnz_core::{Error, ErrorKind, Place, Result, StringReader};
use nnz_storage::Spool;
use nnz_storage::staging::{StagedFile, WriteOptions};

use super::output::{Head, Output};
use crate::ContainerInfo;
use crate::compress::Compression;
use crate::kinds::NPZ;
use crate::npy::{Element, NdHeader};
use crate::product::product;
use crate::tree::{
    ArraySpec, Attribute, ElementType, FieldValues, NodeId, StringEncoding, TreeWriter, pack,
};

/// Size of the write buffer.
const BUFFER: usize = 256 << 10;

/// Size of strings that are packed at once.
const PIECE: usize = 1 << 20;

/// A writer of an `.npz` file as a tree: the root has arrays, but no groups or attributes.
///
/// Elements are kept until the file is finished, in memory or in a temporary file if there are
/// many. Strings have a fixed length.
pub struct NpzTreeWriter {
    staged: StagedFile,
    entries: Vec<Entry>,
    /// Whether a write has failed, so that the file cannot be completed.
    failed: bool,
}

struct Entry {
    name: String,
    element: ElementType,
    stored: Element,
    shape: Vec<u64>,
    growing: bool,
    level: Option<u32>,
    spool: Spool,
    finished: bool,
}

impl NpzTreeWriter {
    /// Starts a file.
    ///
    /// # Errors
    ///
    /// Fails if the target may not be replaced, or if the file cannot be written.
    pub fn create(path: &Path, write: WriteOptions) -> Result<Self> {
        let staged = StagedFile::create(path, write)?;
        Ok(Self { staged, entries: Vec::new(), failed: false })
    }

    /// Returns an array; the root is number 0.
    fn entry(&mut self, array: NodeId) -> Result<(&mut Entry, Place, &Path)> {
        let place = self.place(array);
        let entry = array.0.checked_sub(1).and_then(|at| self.entries.get_mut(at));
        match entry {
            Some(entry) => Ok((entry, place, self.staged.parent())),
            None => Err(Error::mismatch(place, "a group", "an array")),
        }
    }

    fn check_write(&mut self, check_write: Result<()>) -> Result<()> {
        self.failed |= check_write.is_err();
        check_write
    }

    fn append(
        &mut self,
        array: NodeId,
        fill: impl FnOnce(&Entry, &Place, &mut Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        let (entry, place, directory) = self.entry(array)?;
        let mut packed = Vec::new();
        fill(entry, &place, &mut packed)?;
        entry.append(&packed, directory, &place)
    }
}

impl Entry {
    fn append(&mut self, bytes: &[u8], directory: &Path, place: &Place) -> Result<()> {
        let end = self.spool.len().checked_add(bytes.len() as u64);
        let room = if self.growing { u64::MAX } else { self.bytes()? };
        if self.finished || end.is_none_or(|end| end > room) {
            let expected = "as many elements as the shape has";
            return Err(Error::mismatch(place.clone(), "more elements", expected));
        }
        let appended = self.spool.append(bytes, directory);
        appended.map_err(|error| Error::new(ErrorKind::Io(error), place.clone()))
    }

    fn size(&self) -> u64 {
        self.stored.size().unwrap_or(1).max(1)
    }

    fn bytes(&self) -> Result<u64> {
        product(self.shape.iter().copied().chain([self.size()]))
    }

    fn finish(&mut self, place: &Place) -> Result<()> {
        if std::mem::replace(&mut self.finished, true) {
            return Ok(());
        }
        if self.growing {
            let row = product(self.shape.iter().skip(1).copied().chain([self.size()]))?;
            let rows = self.spool.len().checked_div(row).unwrap_or(0);
            self.shape.iter_mut().take(1).for_each(|len| *len = rows);
        }
        if self.bytes()? == self.spool.len() {
            return Ok(());
        }
        let found = format!("{} bytes of elements", self.spool.len());
        Err(Error::mismatch(place.clone(), found, "as many elements as the shape has"))
    }

    fn write(self, output: &mut Output<BufWriter<StagedFile>>) -> io::Result<()> {
        let header = NdHeader::write(self.stored, &self.shape);
        let name = &format!("{}.npy", self.name);
        let head = Head { name, bytes: header.len() as u64 + self.spool.len(), level: self.level };
        output.entry(&head, |out| {
            out.write_all(&header)?;
            self.spool.drain(|bytes| out.write_all(bytes))
        })
    }
}

/// Converts an element type; `None` if it is not supported.
fn stored(element: &ElementType) -> Option<Element> {
    let big = cfg!(target_endian = "big");
    match element {
        ElementType::Number(value_type) => Some(Element::Number { value_type: *value_type, big }),
        ElementType::FixedString { bytes: length @ 1.., encoding: StringEncoding::Bytes } => {
            Some(Element::Bytes { length: *length })
        }
        ElementType::FixedString { bytes: bytes @ 1.., .. } if bytes.is_multiple_of(4) => {
            Some(Element::Unicode { length: bytes / 4, big })
        }
        _ => None,
    }
}

impl TreeWriter for NpzTreeWriter {
    fn info(&self) -> &'static ContainerInfo {
        &NPZ
    }

    fn place(&self, node: NodeId) -> Place {
        match node.0.checked_sub(1).and_then(|at| self.entries.get(at)) {
            Some(entry) => Place::array(self.staged.path(), &*entry.name),
            None => Place::path(self.staged.path()),
        }
    }

    fn supports(&self, element: &ElementType) -> bool {
        stored(element).is_some()
    }

    fn supports_unwritten(&self) -> bool {
        false
    }

    fn usual_compression(&self) -> Compression {
        Compression::Gzip(6)
    }

    fn create_group(&mut self, _: NodeId, name: &str) -> Result<NodeId> {
        let place = Place::array(self.staged.path(), name);
        Err(Error::unsupported(place, "npz files have no groups"))
    }

    fn create_array(&mut self, parent: NodeId, name: &str, spec: &ArraySpec) -> Result<NodeId> {
        let place = Place::array(self.staged.path(), name);
        if parent != NodeId::ROOT {
            return Err(Error::mismatch(self.place(parent), "an array", "a group"));
        }
        if name.is_empty() || name == "." || name.contains(['/', '\0']) || name.len() > 60_000 {
            let what = format!("{name:?} cannot be a name in an npz file");
            return Err(Error::unsupported(place, what));
        }
        let refused = |what: &str| Error::unsupported(place.clone(), what);
        let stored = stored(&spec.element)
            .ok_or_else(|| refused(&format!("npz arrays of {}", spec.element)))?;
        if spec.is_null {
            return Err(refused("npz arrays without a value"));
        }
        if spec.unwritten {
            return Err(refused("npz arrays whose elements are not stored"));
        }
        spec.check_by_row()?;
        let level = spec.compression.gzip_level("npz")?;
        spec.chunk_shape(u64::MAX)?;
        if spec.fill.is_some_and(|fill| spec.element != ElementType::Number(fill.value_type())) {
            return Err(Error::argument("a fill value of another type than the elements"));
        }
        if self.entries.iter().any(|entry| entry.name == name) {
            return Err(Error::new(ErrorKind::Exists, place));
        }
        let entry = Entry {
            name: name.to_owned(),
            element: spec.element.clone(),
            stored,
            shape: spec.shape.clone(),
            growing: spec.growing,
            level,
            spool: Spool::default(),
            finished: false,
        };
        entry.bytes().map_err(|error| error.with_context(&place))?;
        self.entries.push(entry);
        Ok(NodeId(self.entries.len()))
    }

    fn set_attribute(&mut self, node: NodeId, _: &str, _: &Attribute) -> Result<()> {
        Err(Error::unsupported(self.place(node), "npz files have no attributes"))
    }

    fn append_bytes(&mut self, array: NodeId, bytes: &[u8]) -> Result<()> {
        let appended = self.append(array, |entry, place, packed| {
            pack::pack_bytes(&entry.element, bytes, place, packed)
        });
        self.check_write(appended)
    }

    fn append_strings(&mut self, array: NodeId, strings: &mut dyn StringReader) -> Result<()> {
        loop {
            let mut count = 0;
            let appended = self.append(array, |entry, place, packed| {
                let ElementType::FixedString { bytes, encoding } = entry.element else {
                    let found = format!("strings for elements of type {}", entry.element);
                    return Err(Error::mismatch(place.clone(), found, "numbers"));
                };
                let first = entry.spool.len() / entry.size();
                let form = (bytes, encoding);
                count = pack::pack_strings(strings, form, PIECE, first, place, packed)?;
                Ok(())
            });
            self.check_write(appended)?;
            if count == 0 {
                return Ok(());
            }
        }
    }

    fn append_records(&mut self, array: NodeId, _: &mut [FieldValues<'_>]) -> Result<()> {
        Err(Error::mismatch(self.place(array), "compounds", "other elements"))
    }

    fn finish_array(&mut self, array: NodeId) -> Result<()> {
        let (entry, place, _) = self.entry(array)?;
        let finished = entry.finish(&place);
        self.check_write(finished)
    }

    fn finish(mut self: Box<Self>) -> Result<u64> {
        let path = self.staged.path().to_path_buf();
        if self.failed {
            let error = io::Error::other("an earlier write has failed");
            return Err(Error::io(&path, error));
        }
        for entry in &mut self.entries {
            entry.finish(&Place::array(&*path, &*entry.name))?;
        }
        let Self { staged, entries, .. } = *self;
        let mut output = Output::new(BufWriter::with_capacity(BUFFER, staged));
        for entry in entries {
            let place = Place::array(&*path, &*entry.name);
            let written = entry.write(&mut output);
            written.map_err(|error| Error::new(ErrorKind::Io(error), place))?;
        }
        let out = output.finish().map_err(|error| Error::io(&path, error))?;
        let staged = out.into_inner().map_err(|error| Error::io(&path, error.into_error()))?;
        staged.commit()
    }
}

impl std::fmt::Debug for NpzTreeWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NpzTreeWriter").field("path", &self.staged.path()).finish_non_exhaustive()
    }
}
