//! Writing trees of groups and arrays.

mod attribute;
mod element;
mod scales;

use std::collections::BTreeSet;
use std::path::Path;

use nnz_core::{Error, ErrorKind, Place, Result, StringReader, full_path};
use nnz_hdf5::{DatasetSpec, FileChange, FileOptions, FileWriter, ObjectId, invalid_name};

use crate::ContainerInfo;
use crate::kinds::{HDF5, NETCDF};
use crate::tree::{ArraySpec, Attribute, ElementType, FieldValues, NodeId, TreeWriter, pack};
use nnz_chunk::Compression;
use nnz_chunk::byte_order;
use nnz_storage::staging::{Expected, StagedFile, WriteOptions, appeared, check_addition};

/// Default number of elements of a chunk, and its maximum size in bytes.
const CHUNK: u64 = 16 << 10;
const CHUNK_BYTES: u64 = 1 << 20;

/// Options for writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hdf5Options {
    /// The number of threads that compress. The written bytes do not depend on it.
    pub threads: usize,
    /// Whether groups of a new file store the creation order of their members.
    pub track_order: bool,
    /// Whether to write for programs of NetCDF, which require creation order: all arrays have dimensions. Arrays of a group share dimensions with
    /// the same name, or of the same length if they have no names. Booleans, complex numbers, compounds and strings
    /// of fixed length are not supported.
    pub netcdf: bool,
}

impl Default for Hdf5Options {
    /// All cores, without creation order, not for NetCDF.
    fn default() -> Self {
        let FileOptions { threads, track_order } = FileOptions::default();
        Self { threads, track_order, netcdf: false }
    }
}

impl Hdf5Options {
    fn of_file(self) -> FileOptions {
        FileOptions { threads: self.threads, track_order: self.track_order || self.netcdf }
    }
}

/// A writer of a tree of groups and datasets in a new HDF5 file, or in a group of an existing one. It appears when it
/// is finished.
///
/// ```
/// use nnz_container::hdf5::{Hdf5Options, Hdf5Writer};
/// use nnz_storage::staging::WriteOptions;
/// use nnz_container::tree::{Attribute, NodeId, TreeWriter};
///
/// let dir = tempfile::tempdir()?;
/// let path = dir.path().join("study.h5");
/// let writer = Hdf5Writer::create(&path, "", WriteOptions::default(), Hdf5Options::default())?;
/// let mut tree: Box<dyn TreeWriter> = Box::new(writer);
/// tree.set_attribute(NodeId::ROOT, "title", &Attribute::of_text("a study"))?;
/// tree.write_array(NodeId::ROOT, "counts", &[2, 3], &[0_u32, 1, 2, 3, 4, 5])?;
/// tree.finish()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Hdf5Writer {
    file: FileWriter<StagedFile>,
    nodes: Vec<Node>,
    /// Whether a write has failed, so that the file cannot be completed.
    failed: bool,
    /// The only member that may be created in the root, which is then a group of an existing file.
    only: Option<String>,
    /// Names that dimensions should not have.
    names_around: BTreeSet<String>,
    is_netcdf: bool,
}

#[derive(Debug)]
struct Node {
    id: ObjectId,
    /// The type of elements; `None` for a group.
    element: Option<ElementType>,
    /// The parent group, and the names of its dimensions.
    parent: ObjectId,
    dimensions: Option<Vec<String>>,
}

impl Hdf5Writer {
    /// Starts writing a group, with or without a leading slash, which is the root of the tree; the root group of the
    /// file has an empty name.
    ///
    /// Missing parent groups are created, and the other contents of an existing file are kept: it is changed in a
    /// copy, which shares blocks with it if the file system supports this, and then replaces it. An existing group is
    /// replaced only with `overwrite`; replacing the root group replaces the file.
    /// [`finish`](TreeWriter::finish) returns the size of a new file, or by how many bytes an existing one has grown.
    ///
    /// # Errors
    ///
    /// Fails if the group may not be replaced, if an existing file is not HDF5 or cannot be added to, or if the file
    /// cannot be written.
    pub fn create(
        path: &Path,
        group: &str,
        write: WriteOptions,
        options: Hdf5Options,
    ) -> Result<Self> {
        let place = Place::path(full_path(path, group));
        let names = names(group, options, &place)?;
        if !names.is_empty() {
            check_addition(path, &write.context)?;
        }
        if names.is_empty() || path.symlink_metadata().is_err() {
            return Self::new_file(path, &names, write, options, place);
        }
        let (mut file, added) = FileChange::add(path, &names, write, (options.of_file(), true))?;
        let root = file.enter(&added.names.join("/"), place)?;
        let names_around = added.names_around.clone();
        Ok(Self { names_around, ..Self::of(file, root, options) })
    }

    /// Starts writing a new file after a user block, whose size is a power of two of at least 512 bytes. The root group of
    /// the file is the root of the tree.
    ///
    /// # Errors
    ///
    /// Fails as [`create`](Self::create), and if the user block has another size.
    pub fn create_with_user_block(
        path: &Path,
        block: &[u8],
        write: WriteOptions,
        options: Hdf5Options,
    ) -> Result<Self> {
        let file = FileWriter::create_with_user_block(path, block, write, options.of_file())?;
        let root = file.start_group();
        Ok(Self::of(file, root, options))
    }

    /// Starts a file.
    fn new_file(
        path: &Path,
        names: &[&str],
        write: WriteOptions,
        options: Hdf5Options,
        place: Place,
    ) -> Result<Self> {
        let mut staged = match StagedFile::create(path, &write) {
            Err(error) if !names.is_empty() => return Err(appeared(error)),
            staged => staged?,
        };
        if !names.is_empty() {
            // A file that appears in between has groups of other programs, and is not replaced.
            staged.expect(Expected::Nothing);
        }
        let mut file = FileWriter::at(staged, options.of_file(), Place::path(path))?;
        if options.netcdf {
            scales::sign(&mut file)?;
        }
        let root = file.enter(&names.join("/"), place)?;
        Ok(Self::of(file, root, options))
    }

    /// Starts adding a group or an array to an existing file, whose other contents are kept.
    /// `member` is its path from the root. The root of the tree is the parent group, which must
    /// exist; only the member may be created in it.
    ///
    /// An existing group or array is replaced only with `overwrite`.
    ///
    /// # Errors
    ///
    /// Fails as [`create`](Self::create), or if the parent group is missing.
    pub fn add(
        path: &Path,
        member: &str,
        write: WriteOptions,
        options: Hdf5Options,
    ) -> Result<Self> {
        let place = Place::path(full_path(path, member));
        let names = names(member, options, &place)?;
        let (file, added) = FileChange::add(path, &names, write, (options.of_file(), false))?;
        let only = added.names.last().cloned();
        let root = file.start_group();
        Ok(Self { only, ..Self::of(file, root, options) })
    }

    /// Starts changing an existing group of a file and the groups in it. The group is the root of the tree; the root group of
    /// the file has an empty name.
    ///
    /// The file is changed in a copy, which replaces it with all changes at once. Objects that are not changed keep
    /// their addresses and bytes. The space of removed objects is not reused.
    /// [`finish`](TreeWriter::finish) returns by how many bytes the file has grown.
    ///
    /// # Errors
    ///
    /// Fails if the group is missing, if the file is not HDF5 or cannot be changed, or if another program writes to it.
    pub fn edit(
        path: &Path,
        group: &str,
        write: WriteOptions,
        options: Hdf5Options,
    ) -> Result<Self> {
        let place = Place::path(full_path(path, group));
        let names = names(group, options, &place)?;
        let file = FileChange::open(path, &names, write, options.of_file())?;
        let root = file.start_group();
        Ok(Self::of(file, root, options))
    }

    pub(crate) fn of(file: FileWriter<StagedFile>, root: ObjectId, options: Hdf5Options) -> Self {
        let nodes = vec![Node { id: root, element: None, parent: root, dimensions: None }];
        let (only, names_around) = (None, BTreeSet::new());
        let is_netcdf = options.netcdf;
        Self { file, nodes, failed: false, only, names_around, is_netcdf }
    }

    /// Checks that a member is the one to add, if the file exists.
    fn check_added(&self, parent: NodeId, name: &str) -> Result<()> {
        match &self.only {
            Some(only) if parent == NodeId::ROOT && only != name => {
                let what = "a member other than the added one".to_owned();
                Err(Error::new(ErrorKind::Argument(what), self.place(parent)))
            }
            _ => Ok(()),
        }
    }

    /// Returns the place of a new member, if it can have its name.
    fn check_name(&self, parent: NodeId, name: &str) -> Result<Place> {
        let mut place = self.place(parent);
        place.array = Some(match place.array {
            Some(path) => format!("{path}/{name}"),
            None => name.to_owned(),
        });
        match invalid_name(name) {
            Some(what) => Err(Error::unsupported(place, what)),
            None => Ok(place),
        }
    }

    fn id(&self, node: NodeId) -> Result<ObjectId> {
        let node = self.nodes.get(node.0);
        node.map(|node| node.id)
            .ok_or_else(|| Error::argument("the group or array belongs to another tree"))
    }

    fn push(&mut self, id: ObjectId, parent: ObjectId, spec: Option<&ArraySpec>) -> NodeId {
        let element = spec.map(|spec| spec.element.clone());
        let dimensions = spec.and_then(|spec| spec.dimensions.clone());
        self.nodes.push(Node { id, element, parent, dimensions });
        NodeId(self.nodes.len() - 1)
    }

    /// Returns the type of elements of an array.
    fn element(&self, array: NodeId) -> Result<(ObjectId, ElementType)> {
        match self.nodes.get(array.0) {
            Some(Node { id, element: Some(element), .. }) => Ok((*id, element.clone())),
            _ => Err(Error::mismatch(self.place(array), "a group", "an array")),
        }
    }

    /// Records a failed write.
    fn check_write<T>(&mut self, check_write: Result<T>) -> Result<T> {
        self.failed |= check_write.is_err();
        check_write
    }

    fn append_packed(&mut self, array: NodeId, bytes: &[u8]) -> Result<()> {
        let (id, element) = self.element(array)?;
        let mut packed = Vec::new();
        pack::pack_bytes(&element, bytes, &self.place(array), &mut packed)?;
        to_little(&element, &mut packed);
        self.file.append(id, &packed)
    }

    fn pack_records(&mut self, array: NodeId, values: &mut [FieldValues<'_>]) -> Result<()> {
        let (id, element) = self.element(array)?;
        let place = self.place(array);
        let ElementType::Compound(fields) = &element else {
            let found = format!("compounds for elements of type {element}");
            return Err(Error::mismatch(place, found, "elements of a compound type"));
        };
        let mut packed = Vec::new();
        let mut store = |string: &[u8]| Ok(self.file.store_string(string)?.to_vec());
        pack::pack_records(fields, values, &mut store, &place, &mut packed)?;
        to_little(&element, &mut packed);
        self.file.append(id, &packed)
    }
}

/// Returns the names on a path.
fn names<'a>(path: &'a str, options: Hdf5Options, place: &Place) -> Result<Vec<&'a str>> {
    let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
    if let Some(what) = names.iter().find_map(|name| invalid_name(name)) {
        return Err(Error::new(ErrorKind::Argument(what), place.clone()));
    }
    if options.netcdf {
        names.iter().try_for_each(|name| scales::check_name(name, place))?;
    }
    Ok(names)
}

/// Converts elements to little-endian.
fn to_little(element: &ElementType, bytes: &mut [u8]) {
    if cfg!(target_endian = "little") {
        return;
    }
    match element {
        ElementType::Number(value_type) => byte_order::to_native(bytes, *value_type, false),
        ElementType::Float16 => byte_order::reorder(bytes, 2, false),
        ElementType::Compound(fields) => {
            let size = |element| pack::element_bytes(element, 16).unwrap_or(1).max(1);
            let record = usize::try_from(size(element)).unwrap_or(usize::MAX);
            for record in bytes.chunks_mut(record) {
                let mut rest = record;
                for field in fields {
                    let count = field.shape.iter().product::<u64>();
                    let bytes = size(&field.element).saturating_mul(count);
                    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX).min(rest.len());
                    let (head, tail) = rest.split_at_mut(bytes);
                    to_little(&field.element, head);
                    rest = tail;
                }
            }
        }
        _ => {}
    }
}

/// Converts the specification of an array.
fn dataset(spec: &ArraySpec) -> Result<Option<DatasetSpec>> {
    let Some(element) = element::stored(&spec.element) else { return Ok(None) };
    if spec.is_null {
        return Ok(Some(DatasetSpec::null(element)));
    }
    let compressed = spec.compression != Compression::None || spec.shuffle;
    let stored = match spec.shape.len() {
        // A scalar is never chunked.
        0 if !spec.growing && !spec.unwritten => DatasetSpec::scalar(element),
        _ if compressed || spec.growing || spec.unwritten || spec.chunk.is_some() => {
            let bytes = element.size().max(1);
            let chunk = spec.chunk_shape((CHUNK_BYTES / bytes).clamp(1, CHUNK))?;
            let chunk: Vec<u32> =
                chunk.into_iter().map(|len| u32::try_from(len).unwrap_or(u32::MAX)).collect();
            let stored = DatasetSpec::chunked(element, &spec.shape, &chunk);
            let stored = stored.compress(spec.compression, spec.shuffle);
            let stored = if spec.unwritten { stored.unwritten() } else { stored };
            let stored = if spec.by_column { stored.by_column() } else { stored };
            let stored = match &spec.max_shape {
                Some(max) => stored.max_shape(max),
                None => stored,
            };
            match (spec.growing, &spec.chunk) {
                (true, _) => stored.growing().fitting(),
                (false, _) => stored,
            }
        }
        _ if spec.by_column || spec.max_shape.is_some() => {
            return Err(Error::argument("arrays by column or of variable shape require chunks"));
        }
        _ => DatasetSpec::contiguous(element, &spec.shape),
    };
    let Some(fill) = spec.fill else { return Ok(Some(stored)) };
    if spec.element != ElementType::Number(fill.value_type()) {
        return Err(Error::argument("the fill value and the elements have different types"));
    }
    let mut bytes = fill.repeat(1).bytes().to_vec();
    byte_order::to_native(&mut bytes, fill.value_type(), false);
    Ok(Some(stored.fill(&bytes)))
}

impl TreeWriter for Hdf5Writer {
    fn info(&self) -> &'static ContainerInfo {
        if self.is_netcdf { &NETCDF } else { &HDF5 }
    }

    fn place(&self, node: NodeId) -> Place {
        let id = self.nodes.get(node.0).map_or(ObjectId::ROOT, |node| node.id);
        self.file.place_of(id)
    }

    fn supports(&self, element: &ElementType) -> bool {
        element::stored(element).is_some() && (!self.is_netcdf || scales::is_held(element))
    }

    fn supports_null(&self) -> bool {
        !self.is_netcdf
    }

    fn usual_compression(&self) -> Compression {
        // Other compressions need a plugin.
        Compression::Gzip(4)
    }

    fn list_spec(&self, spec: ArraySpec, len: Option<u64>) -> ArraySpec {
        // The array stores references into heaps, which are not compressed. If their number is known, they are
        // contiguous as in BPCells.
        match len {
            Some(len) => ArraySpec::new(spec.element, &[len]),
            None => ArraySpec::growing(spec.element, &[]),
        }
    }

    fn create_group(&mut self, parent: NodeId, name: &str) -> Result<NodeId> {
        self.check_name(parent, name)?;
        self.check_added(parent, name)?;
        let parent = self.id(parent)?;
        let id = self.file.create_group(parent, name)?;
        Ok(self.push(id, parent, None))
    }

    fn create_array(&mut self, parent: NodeId, name: &str, spec: &ArraySpec) -> Result<NodeId> {
        let place = self.check_name(parent, name)?;
        self.check_added(parent, name)?;
        let parent = self.id(parent)?;
        let mut spec = spec;
        let growing;
        if self.is_netcdf {
            growing = scales::variable(spec, name, &place)?;
            spec = &growing;
        }
        let stored = dataset(spec).map_err(|error| error.with_context(&place))?;
        let stored = stored.ok_or_else(|| {
            let what = format!("HDF5 datasets of {} are not supported", spec.element);
            Error::unsupported(place, what)
        })?;
        let id = self.file.create_dataset(parent, name, stored)?;
        Ok(self.push(id, parent, Some(spec)))
    }

    fn set_attribute(&mut self, node: NodeId, name: &str, attribute: &Attribute) -> Result<()> {
        if node == NodeId::ROOT && self.only.is_some() {
            let what = "an attribute of an existing group".to_owned();
            return Err(Error::new(ErrorKind::Argument(what), self.place(node)));
        }
        let id = self.id(node)?;
        if self.is_netcdf {
            scales::check_attribute(attribute, name, &self.place(node))?;
        }
        let value = attribute::value(attribute, |path| self.file.find(path)).map_err(|what| {
            let mut place = self.place(node);
            place.array = Some(format!("{}@{name}", place.array.unwrap_or_default()));
            Error::unsupported(place, format!("HDF5 attributes of {what} are not supported"))
        })?;
        self.file.set_attribute(id, name, value)
    }

    fn open_group(&mut self, parent: NodeId, name: &str) -> Result<NodeId> {
        let parent = self.id(parent)?;
        let id = self.file.open_group(parent, name)?;
        Ok(self.push(id, parent, None))
    }

    fn remove(&mut self, parent: NodeId, name: &str) -> Result<()> {
        let parent = self.id(parent)?;
        self.file.remove(parent, name)
    }

    fn remove_attribute(&mut self, group: NodeId, name: &str) -> Result<()> {
        let group = self.id(group)?;
        self.file.remove_attribute(group, name)
    }

    fn append_bytes(&mut self, array: NodeId, bytes: &[u8]) -> Result<()> {
        let (id, element) = self.element(array)?;
        let plain = pack::is_plain(&element) && cfg!(target_endian = "little");
        let appended = match plain {
            true => self.file.append(id, bytes),
            false => self.append_packed(array, bytes),
        };
        self.check_write(appended)
    }

    fn append_strings(&mut self, array: NodeId, strings: &mut dyn StringReader) -> Result<()> {
        let (id, element) = self.element(array)?;
        if !element.is_string() {
            let found = format!("strings for elements of type {element}");
            return Err(Error::mismatch(self.place(array), found, "numbers"));
        }
        let mut append = || {
            while let Some(string) = strings.next_string()? {
                self.file.append_strings(id, [string])?;
            }
            Ok(())
        };
        let appended = append();
        self.check_write(appended)
    }

    fn append_records(&mut self, array: NodeId, fields: &mut [FieldValues<'_>]) -> Result<()> {
        let appended = self.pack_records(array, fields);
        self.check_write(appended)
    }

    fn finish_array(&mut self, array: NodeId) -> Result<()> {
        let (id, _) = self.element(array)?;
        let finished = self.file.finish_dataset(id);
        self.check_write(finished)
    }

    fn finish(mut self: Box<Self>) -> Result<u64> {
        if self.failed {
            let error = std::io::Error::other("an earlier write has failed");
            return Err(Error::new(ErrorKind::Io(error), self.place(NodeId::ROOT)));
        }
        if self.is_netcdf {
            self.attach_scales()?;
        }
        self.file.commit()
    }
}
