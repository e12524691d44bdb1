//! The writer of new files.

mod attributes;
mod changes;
mod data;

use std::io::{Seek, Write};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use nnz_core::{Error, ErrorKind, Place, Result};

use super::dataset::{ChunkStore, Dataset};
use super::finish::Metadata;
use super::object::{Object, ObjectId, ObjectKind};
use super::output::Output;
use super::spec::DatasetSpec;
use crate::global_heap::GlobalHeap;
use crate::read::file::File;
use crate::superblock;
use nnz_storage::staging::{StagedFile, UpdateLock, WriteOptions};

/// Options for writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileOptions {
    /// The number of threads that compress. The written bytes do not depend on it.
    pub threads: usize,
    /// Whether groups store the creation order of their members, as programs of NetCDF require.
    /// Links are then found by linear search, so this is for groups of at most several thousand
    /// members.
    pub track_order: bool,
}

impl Default for FileOptions {
    /// All cores, without creation order.
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self { threads, track_order: false }
    }
}

/// The time for which the old file remains locked after the exchange. The HDF5 library opens a file and then
/// locks it: a file that it opened before the exchange must not become unlocked in between, because
/// what it writes there would be lost.
const LINGER: Duration = Duration::from_millis(20);

/// A writer of a new HDF5 file: a tree of groups and datasets with attributes.
///
/// Datasets may be appended to alternately. Memory is bounded by a few chunks of each dataset, 12
/// bytes for each written chunk, and the attributes and names of all objects.
///
/// ```
/// use nnz_hdf5::{DatasetSpec, ElementType, FileOptions, FileWriter, ObjectId, Value};
/// use nnz_core::ValueType;
///
/// let mut file = FileWriter::new(std::io::Cursor::new(Vec::new()), FileOptions::default())?;
/// file.set_attribute(ObjectId::ROOT, "encoding-type", Value::text("anndata"))?;
/// let group = file.create_group(ObjectId::ROOT, "X")?;
/// let spec = DatasetSpec::chunked(ElementType::Number(ValueType::F32), &[0], &[1000]).growing();
/// let data = file.create_dataset(group, "data", spec)?;
/// file.append(data, bytemuck::cast_slice(&[1.0_f32, 2.0]))?;
/// let bytes = file.finish()?.into_inner();
/// assert!(bytes.starts_with(b"\x89HDF"));
/// # Ok::<(), nnz_core::Error>(())
/// ```
pub struct FileWriter<W: Write + Seek> {
    output: Output<W>,
    heap: GlobalHeap,
    chunks: ChunkStore,
    objects: Vec<Object>,
    options: FileOptions,
    place: Place,
    /// Whether a write has failed, so that the file cannot be completed.
    failed: bool,
    /// The existing file that is changed.
    existing: Option<Arc<File>>,
    /// The locks of the file that is replaced by its changed copy.
    replaced: Option<UpdateLock>,
    /// The group from which paths start: the root group, or a group of the existing file.
    start: ObjectId,
}

impl FileWriter<StagedFile> {
    /// Starts a file that will be `path` when it is committed.
    ///
    /// # Errors
    ///
    /// Fails as [`StagedFile::create`].
    pub fn create(path: &Path, write: WriteOptions, options: FileOptions) -> Result<Self> {
        Self::at(StagedFile::create(path, &write)?, options, Place::path(path))
    }

    /// Starts a file as [`create`](Self::create), after a user block, whose size must be 512 or a
    /// larger power of two.
    ///
    /// # Errors
    ///
    /// Fails as [`create`](Self::create), or if the user block has another size.
    pub fn create_with_user_block(
        path: &Path,
        block: &[u8],
        write: WriteOptions,
        options: FileOptions,
    ) -> Result<Self> {
        if block.len() < 512 || !block.len().is_power_of_two() {
            let what = format!("a user block of {} bytes", block.len());
            return Err(Error::argument(what));
        }
        let place = Place::path(path);
        let output = Output::with_user_block(StagedFile::create(path, &write)?, block);
        Self::start(output.map_err(|error| error.with_context(&place))?, options, place)
    }

    /// Completes the file, moves it to the target and returns its size in bytes, or by how many bytes an existing one has
    /// grown.
    ///
    /// # Errors
    ///
    /// Fails as [`finish`](Self::finish) and [`StagedFile::commit`].
    pub fn commit(mut self) -> Result<u64> {
        let replaced = self.replaced.take();
        let bytes = self.finish()?.commit()?;
        let Some(replaced) = replaced else { return Ok(bytes) };
        std::thread::sleep(LINGER);
        Ok(bytes.saturating_sub(replaced.version().bytes()))
    }

    /// Keeps the locks of the existing file until its changed copy has replaced it.
    pub(super) fn replacing(mut self, replaced: UpdateLock) -> Self {
        self.replaced = Some(replaced);
        self
    }
}

impl<W: Write + Seek> FileWriter<W> {
    /// Starts a file in an empty target.
    ///
    /// # Errors
    ///
    /// Fails if the target cannot be written.
    pub fn new(target: W, options: FileOptions) -> Result<Self> {
        Self::at(target, options, Place::default())
    }

    /// Starts a file with a location for messages.
    ///
    /// # Errors
    ///
    /// Fails as [`new`](Self::new).
    pub fn at(target: W, options: FileOptions, place: Place) -> Result<Self> {
        Self::start(Output::new(target), options, place)
    }

    fn start(mut output: Output<W>, options: FileOptions, place: Place) -> Result<Self> {
        output.reserve(superblock::LEN).map_err(|error| error.with_context(&place))?;
        Ok(Self {
            output,
            heap: GlobalHeap::default(),
            chunks: ChunkStore::new(options.threads),
            objects: vec![Object::group(String::new())],
            options,
            place,
            failed: false,
            existing: None,
            replaced: None,
            start: ObjectId::ROOT,
        })
    }

    /// Creates a group in a group.
    ///
    /// # Errors
    ///
    /// Fails if the name is invalid or exists, or if `parent` is not a group.
    pub fn create_group(&mut self, parent: ObjectId, name: &str) -> Result<ObjectId> {
        let path = self.check_member(parent, name)?;
        Ok(self.add(parent, name, Object::group(path)))
    }

    /// Returns the group at a path from the root group, or from the group to which something is added, after creating missing
    /// groups.
    ///
    /// # Errors
    ///
    /// Fails if a member on the path is a dataset, or if a name is invalid.
    pub fn group(&mut self, path: &str) -> Result<ObjectId> {
        let mut group = self.start;
        for name in path.split('/').filter(|name| !name.is_empty()) {
            group = match self.member(group, name) {
                Some(member) => member,
                None => self.create_group(group, name)?,
            };
        }
        match self.objects.get(group.0).map(|object| &object.kind) {
            Some(ObjectKind::Group(_) | ObjectKind::Existing(_)) => Ok(group),
            _ => Err(Error::mismatch(self.place_of(group), "a dataset", "a group")),
        }
    }

    /// Creates missing groups along a path, and names all places from the last of them, which is at `place`.
    ///
    /// # Errors
    ///
    /// Fails as [`group`](Self::group).
    pub fn enter(&mut self, path: &str, place: Place) -> Result<ObjectId> {
        let group = self.group(path)?;
        if let Some(Object { path, .. }) = self.objects.get_mut(group.0) {
            path.clear();
        }
        self.place = place;
        Ok(group)
    }

    /// Finds an object by its path, as [`group`](Self::group).
    #[must_use]
    pub fn find(&self, path: &str) -> Option<ObjectId> {
        let mut names = path.split('/').filter(|name| !name.is_empty());
        names.try_fold(self.start, |group, name| self.member(group, name))
    }

    /// Returns the lengths of the axes of a dataset; empty for a scalar.
    #[must_use]
    pub fn shape(&self, dataset: ObjectId) -> Vec<u64> {
        match self.objects.get(dataset.0).map(|object| &object.kind) {
            Some(ObjectKind::Dataset(dataset)) => dataset.shape().to_vec(),
            _ => Vec::new(),
        }
    }

    /// Returns whether any object has a name.
    #[must_use]
    pub fn has_name(&self, name: &str) -> bool {
        self.objects.iter().any(|object| object.path.rsplit('/').next() == Some(name))
    }

    /// Creates a dataset in a group.
    ///
    /// # Errors
    ///
    /// Fails as [`create_group`](Self::create_group), or if the dataset is invalid.
    pub fn create_dataset(
        &mut self,
        parent: ObjectId,
        name: &str,
        spec: DatasetSpec,
    ) -> Result<ObjectId> {
        let path = self.check_member(parent, name)?;
        let place = self.place.clone().with_array(path.clone());
        let dataset = Dataset::new(spec, &mut self.output, &mut self.chunks);
        let dataset = dataset.map_err(|error| error.with_context(&place))?;
        let kind = ObjectKind::Dataset(Box::new(dataset));
        Ok(self.add(parent, name, Object { path, attributes: Vec::new(), kind }))
    }

    /// Completes the file and returns the target.
    ///
    /// # Errors
    ///
    /// Fails if elements of a dataset are missing, or if the file cannot be written now or could
    /// not before.
    pub fn finish(mut self) -> Result<W> {
        if self.failed {
            let error = std::io::Error::other("an earlier write has failed");
            return Err(Error::new(ErrorKind::Io(error), self.place));
        }
        let datasets = (0..self.objects.len()).filter(|&at| {
            matches!(self.objects.get(at), Some(Object { kind: ObjectKind::Dataset(_), .. }))
        });
        for at in datasets.collect::<Vec<_>>() {
            self.finish_dataset(ObjectId(at))?;
        }
        let place = self.place.clone();
        self.write_metadata().map_err(|error| error.with_context(&place))?;
        self.output.finish().map_err(|error| error.with_context(&place))
    }

    fn write_metadata(&mut self) -> Result<()> {
        let Self { output, heap, chunks, objects, options, place, existing, .. } = self;
        chunks.finish(output)?;
        for object in &mut *objects {
            if let ObjectKind::Dataset(dataset) = &mut object.kind {
                dataset.write_index(output, chunks)?;
            }
        }
        let track_order = options.track_order;
        let existing = existing.as_deref();
        Metadata { objects, track_order, place, headers: Vec::new(), existing }.write(output, heap)
    }

    /// Returns a member of a group.
    fn member(&self, group: ObjectId, name: &str) -> Option<ObjectId> {
        match &self.objects.get(group.0)?.kind {
            ObjectKind::Group(members) => members.get(name).copied(),
            ObjectKind::Existing(existing) => {
                existing.members.get(name).or_else(|| existing.opened.get(name)).copied()
            }
            ObjectKind::Dataset(_) => None,
        }
    }

    fn add(&mut self, parent: ObjectId, name: &str, object: Object) -> ObjectId {
        let id = ObjectId(self.objects.len());
        self.objects.push(object);
        if let Some(members) = self.objects.get_mut(parent.0).and_then(Object::members) {
            members.insert(name.to_owned(), id);
        }
        id
    }

    /// Checks that a member can be added to a group, and returns its path.
    fn check_member(&self, parent: ObjectId, name: &str) -> Result<String> {
        let (path, is_there) = match self.objects.get(parent.0) {
            Some(Object { path, kind: ObjectKind::Group(members), .. }) => {
                (path, members.contains_key(name))
            }
            Some(Object { path, kind: ObjectKind::Existing(existing), .. }) => {
                (path, existing.has_member(name)?)
            }
            _ => return Err(Error::mismatch(self.place_of(parent), "a dataset", "a group")),
        };
        let path = if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
        let place = self.place.clone().with_array(path.clone());
        if let Some(what) = invalid_name(name) {
            return Err(Error::new(ErrorKind::Argument(what), place));
        }
        match is_there {
            true => Err(Error::new(ErrorKind::Exists, place)),
            false => Ok(path),
        }
    }

    /// Returns the location of an object for messages.
    #[must_use]
    pub fn place_of(&self, object: ObjectId) -> Place {
        let path = self.objects.get(object.0).map(|object| object.path.clone());
        self.place.clone().with_array(path.filter(|path| !path.is_empty()))
    }
}

impl<W: Write + Seek> std::fmt::Debug for FileWriter<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let objects = self.objects.len();
        f.debug_struct("FileWriter").field("place", &self.place).field("objects", &objects).finish()
    }
}

/// Maximum length of a name in bytes. A link message of 64 KiB has room for it.
const MAX_NAME_LEN: usize = 64_999;

/// Describes why an object cannot have a name; `None` if it can.
#[must_use]
pub fn invalid_name(name: &str) -> Option<String> {
    if name.len() > MAX_NAME_LEN {
        return Some(format!("a name of {} bytes: HDF5 allows at most {MAX_NAME_LEN}", name.len()));
    }
    let bad = name.is_empty() || name == "." || name.contains(['/', '\0']);
    bad.then(|| format!("{name:?} cannot be a name in an HDF5 file"))
}
