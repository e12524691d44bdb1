//! Writing `.npz` files.

use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use nnz_core::{Error, ErrorKind, Place, Result, StringReader};
use nnz_storage::staging::{StagedFile, WriteOptions};
use nnz_storage::{Spool, Texts};

use super::output::{EntryHeader, Output};
use crate::ContainerInfo;
use crate::kinds::NPZ;
use crate::npy::{Element, header, spool_strings, unicode, write_strings};
use crate::tree::{ArraySpec, ElementType, NodeId, StringEncoding, TreeWriter, pack};
use nnz_chunk::Compression;
use nnz_chunk::product;

/// Size of the write buffer.
const BUFFER: usize = 256 << 10;

/// Size of strings that are packed at once.
const PIECE: usize = 1 << 20;

/// Options for writing `.npz` files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NpzOptions {
    /// The compression of entries. `NumPy` supports deflate, but not Zstandard.
    pub compress: Compression,
}

/// A writer of an `.npz` file, which appears when it is finished: a tree whose root has arrays and texts, but no
/// groups.
///
/// Entries of a zip file are contiguous, so elements are kept until the file is finished, in memory or in an
/// unnamed file next to the target if there are many.
pub struct NpzWriter {
    staged: StagedFile,
    level: Option<u32>,
    entries: Vec<Entry>,
    /// Whether a write has failed, so that the file cannot be completed.
    failed: bool,
}

struct Entry {
    name: String,
    element: ElementType,
    data: Data,
    shape: Vec<u64>,
    growing: bool,
    level: Option<u32>,
    finished: bool,
}

enum Data {
    /// Elements of a fixed size.
    Fixed(Element, Spool),
    /// Strings and the number of code points of the longest.
    Strings(Texts, u64),
}

impl NpzWriter {
    /// Starts a file that will be `path`.
    ///
    /// # Errors
    ///
    /// Fails if options are invalid, or if the target may not be replaced or cannot be written.
    pub fn create(path: &Path, write: WriteOptions, options: NpzOptions) -> Result<Self> {
        let level = options.compress.gzip_level("npz")?;
        let staged = StagedFile::create(path, &write)?;
        Ok(Self { staged, level, entries: Vec::new(), failed: false })
    }

    /// Returns an array; the root is number 0.
    fn entry(&mut self, array: NodeId) -> Result<(&mut Entry, Place, PathBuf)> {
        let place = self.place(array);
        let entry = array.0.checked_sub(1).and_then(|at| self.entries.get_mut(at));
        match entry {
            Some(entry) => Ok((entry, place, self.staged.spill_directory())),
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
        append: impl FnOnce(&mut Entry, &Path, &Place) -> Result<()>,
    ) -> Result<()> {
        let (entry, place, directory) = self.entry(array)?;
        let appended = append(entry, &directory, &place);
        self.check_write(appended)
    }
}

impl Entry {
    fn append(&mut self, bytes: &[u8], directory: &Path, place: &Place) -> Result<()> {
        let room = self.room(place)?;
        let Data::Fixed(element, spool) = &mut self.data else {
            return Err(Error::mismatch(place.clone(), "numbers", "strings"));
        };
        let most = room.saturating_mul(size(*element));
        if spool.len().checked_add(bytes.len() as u64).is_none_or(|end| end > most) {
            return Err(too_many(place));
        }
        let appended = spool.append(bytes, directory);
        appended.map_err(|error| Error::new(ErrorKind::Io(error), place.clone()))
    }

    /// Appends all strings.
    fn append_strings(
        &mut self,
        strings: &mut dyn StringReader,
        directory: &Path,
        place: &Place,
    ) -> Result<()> {
        let room = self.room(place)?;
        let Data::Strings(texts, longest) = &mut self.data else {
            return self.append_padded(strings, directory, place);
        };
        *longest = spool_strings(strings, directory, place, texts)?.max(*longest);
        if texts.len() > room { Err(too_many(place)) } else { Ok(()) }
    }

    /// Appends strings of a fixed length.
    fn append_padded(
        &mut self,
        strings: &mut dyn StringReader,
        directory: &Path,
        place: &Place,
    ) -> Result<()> {
        let ElementType::FixedString { bytes, encoding } = self.element else {
            let found = format!("strings for elements of type {}", self.element);
            return Err(Error::mismatch(place.clone(), found, "numbers"));
        };
        loop {
            let mut packed = Vec::new();
            let (form, first) = ((bytes, encoding), self.len());
            if pack::pack_strings(strings, form, PIECE, first, place, &mut packed)? == 0 {
                return Ok(());
            }
            self.append(&packed, directory, place)?;
        }
    }

    /// Returns the number of elements.
    fn len(&self) -> u64 {
        match &self.data {
            Data::Fixed(element, spool) => spool.len() / size(*element),
            Data::Strings(texts, _) => texts.len(),
        }
    }

    /// Returns how many elements it can have.
    fn room(&self, place: &Place) -> Result<u64> {
        match (self.finished, self.growing) {
            (true, _) => Err(too_many(place)),
            (false, true) => Ok(u64::MAX),
            (false, false) => product(self.shape.iter().copied()),
        }
    }

    fn finish(&mut self, place: &Place) -> Result<()> {
        if std::mem::replace(&mut self.finished, true) {
            return Ok(());
        }
        if self.growing {
            let row = product(self.shape.iter().skip(1).copied())?;
            let rows = self.len().checked_div(row).unwrap_or(0);
            self.shape.iter_mut().take(1).for_each(|len| *len = rows);
        }
        if product(self.shape.iter().copied())? == self.len() {
            return Ok(());
        }
        let found = format!("{} elements", self.len());
        Err(Error::mismatch(place.clone(), found, "as many elements as the shape has"))
    }

    fn write(self, output: &mut Output<BufWriter<StagedFile>>) -> io::Result<()> {
        let name = &format!("{}.npy", self.name);
        let stored = match self.data {
            Data::Fixed(element, _) => element,
            Data::Strings(_, longest) => unicode(longest),
        };
        let header = header::write(stored, &self.shape);
        let bytes = stored.size().and_then(|size| size.checked_mul(self.len()));
        let bytes = bytes.and_then(|bytes| bytes.checked_add(header.len() as u64));
        let bytes = bytes.ok_or_else(|| io::Error::other("strings beyond 2^64 bytes"))?;
        output.entry(&EntryHeader { name, bytes, level: self.level }, |out| match self.data {
            Data::Strings(texts, longest) => write_strings((texts, longest), &self.shape, out),
            Data::Fixed(_, spool) => {
                out.write_all(&header)?;
                spool.drain(|bytes| out.write_all(bytes))
            }
        })
    }
}

fn size(element: Element) -> u64 {
    element.size().unwrap_or(1).max(1)
}

fn too_many(place: &Place) -> Error {
    Error::mismatch(place.clone(), "more elements", "as many elements as the shape has")
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

impl TreeWriter for NpzWriter {
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
        // Strings of any length are stored, but become strings of the length of the longest.
        stored(element).is_some()
    }

    fn supports_unwritten(&self) -> bool {
        false
    }

    fn usual_compression(&self) -> Compression {
        Compression::Gzip(6)
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
        let data = match (&spec.element, stored(&spec.element)) {
            (_, Some(element)) => Data::Fixed(element, Spool::default()),
            (ElementType::String, None) => Data::Strings(Texts::default(), 0),
            (element, None) => {
                return Err(refused(&format!("npz arrays of {element} are not supported")));
            }
        };
        if spec.is_null {
            return Err(refused("npz arrays without a value are not supported"));
        }
        if spec.unwritten {
            return Err(refused("npz arrays whose elements are not written are not supported"));
        }
        spec.check_by_row()?;
        let level = spec.compression.gzip_level("npz")?.or(self.level);
        spec.chunk_shape(u64::MAX)?;
        if spec.fill.is_some_and(|fill| spec.element != ElementType::Number(fill.value_type())) {
            return Err(Error::argument("the fill value and the elements have different types"));
        }
        if self.entries.iter().any(|entry| entry.name == name) {
            return Err(Error::new(ErrorKind::Exists, place));
        }
        let entry = Entry {
            name: name.to_owned(),
            element: spec.element.clone(),
            data,
            shape: spec.shape.clone(),
            growing: spec.growing,
            level,
            finished: false,
        };
        let bytes = match &entry.data {
            Data::Fixed(element, _) => size(*element),
            Data::Strings(..) => 4,
        };
        product(entry.shape.iter().copied().chain([bytes]))
            .map_err(|error| error.with_context(&place))?;
        self.entries.push(entry);
        Ok(NodeId(self.entries.len()))
    }

    fn set_text(&mut self, group: NodeId, name: &str, text: &str) -> Result<()> {
        let spec = ArraySpec::scalar(ElementType::String);
        let array = self.create_array(group, name, &spec)?;
        (self as &mut dyn TreeWriter).append_list(array, [text])
    }

    fn append_bytes(&mut self, array: NodeId, bytes: &[u8]) -> Result<()> {
        self.append(array, |entry, directory, place| {
            if pack::is_plain(&entry.element) {
                return entry.append(bytes, directory, place);
            }
            let mut packed = Vec::new();
            pack::pack_bytes(&entry.element, bytes, place, &mut packed)?;
            entry.append(&packed, directory, place)
        })
    }

    fn append_strings(&mut self, array: NodeId, strings: &mut dyn StringReader) -> Result<()> {
        self.append(array, |entry, directory, place| {
            entry.append_strings(strings, directory, place)
        })
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

impl std::fmt::Debug for NpzWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NpzWriter").field("path", &self.staged.path()).finish_non_exhaustive()
    }
}
