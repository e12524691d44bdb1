//! A location whose format is detected.

use crate::Context;
use std::cell::{OnceCell, RefCell};
use std::path::Path;
use std::sync::Arc;

use nnz_container::kinds;
use nnz_container::rds::{self, Document, Limits};
use nnz_container::tree::Group;
use nnz_container::{ContainerKind, NamedArrays, OpenContainer};
use nnz_core::{BYTE_ORDER_MARK, Error, ErrorKind, GIT_LFS, Place, Result, is_git_lfs_pointer};
use nnz_lines::Compression;
use nnz_storage::{InputDirectory, InputFile, Opened};

use crate::container_target::ends_in_rds;
use crate::{Location, OpenOptions};

/// Refuses a pointer of Git LFS, which text formats could read.
fn refuse_pointer(opened: &Opened) -> Result<()> {
    /// Pointers are smaller.
    const LARGEST: u64 = 1024;
    match opened.file().filter(|file| file.len() < LARGEST) {
        Some(file) if is_git_lfs_pointer(&file.start(START)?) => {
            let [found, expected] = GIT_LFS;
            Err(Error::mismatch(file.place(), found, expected))
        }
        _ => Ok(()),
    }
}

/// Bytes at the start of a file that are read for detection.
const START: usize = 512;

/// A location whose format is detected. What was read and opened for one format is kept for the
/// next, and for the one that opens it.
pub struct Probe {
    location: Location,
    context: Context,
    /// The elements to leave out.
    dropped: Vec<String>,
    /// The opened file or directory; `None` for standard input.
    opened: Option<Opened>,
    /// The first bytes of a file.
    start: Vec<u8>,
    kind: Option<&'static dyn ContainerKind>,
    kinds: Vec<&'static dyn ContainerKind>,
    /// The group of the container, without a leading slash; empty for the root.
    group: String,
    open: OnceCell<Arc<dyn OpenContainer>>,
    arrays: OnceCell<NamedArrays>,
    tree: OnceCell<Box<dyn Group>>,
    root: OnceCell<Arc<dyn Group>>,
    document: RefCell<Object>,
    #[cfg(feature = "robjects")]
    r_file: OnceCell<Option<Arc<nnz_robjects::RFile>>>,
    /// Whether layers of R objects that have parts of the cells are joined.
    #[cfg(feature = "robjects")]
    joins_layers: bool,
}

/// Returns the error for a URL of a scheme that is not supported, and that is not a path either.
fn other_scheme(path: &Path) -> Option<Error> {
    let (scheme, _) = path.to_str()?.split_once("://")?;
    let is_scheme = !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_scheme && !nnz_core::is_url(path)).then(|| {
        let what =
            "URLs of this scheme are not supported; expected s3://, gs://, az:// or https://";
        Error::new(ErrorKind::Argument(what.to_owned()), Place::path(path))
    })
}

/// An R object in a file.
enum Object {
    Unread,
    Absent,
    Read(Document),
}

impl Probe {
    /// Opens a location, which may be a container; `attributes` are those by which formats
    /// mark groups. The context limits the memory of an R object in it.
    pub(super) fn new(
        location: &Location,
        context: &Context,
        attributes: &[&str],
        options: &OpenOptions,
    ) -> Result<Self> {
        let mut probe = Self::unknown(location, context, options)?;
        let Some(opened) = &probe.opened else { return Ok(probe) };
        if let Some(file) = opened.file() {
            probe.start = file.start(START)?;
            if probe.start.starts_with(BYTE_ORDER_MARK) {
                probe.start.drain(..BYTE_ORDER_MARK.len());
            }
        }
        // Every format looks up some names.
        let names = opened.directory().map(InputDirectory::names).transpose()?;
        let is_text = probe.is_zipped_text()?;
        for &kind in context.registry().containers() {
            if !is_text && kind.matches(opened)? {
                probe.kind = Some(kind);
                break;
            }
        }
        if probe.kind.is_none() && matches!(names, Some(None)) {
            'kinds: for &kind in context.registry().containers() {
                for name in attributes {
                    if kind.has_attribute(opened, name)? {
                        probe.kind = Some(kind);
                        break 'kinds;
                    }
                }
            }
        }
        Ok(probe)
    }

    /// Returns whether it is a zip file of texts, which is no container: by the name of its first member, or its own.
    fn is_zipped_text(&self) -> Result<bool> {
        let file = self.opened.as_ref().and_then(Opened::file);
        let Some(file) = file.filter(|_| Compression::of(&self.start) == Compression::Zip) else {
            return Ok(false);
        };
        let is_zip = file.path().extension().is_some_and(|name| name.eq_ignore_ascii_case("zip"));
        let mut formats = self.context.registry().formats().iter();
        if is_zip && formats.any(|format| format.info().is_extension_of(file.path())) {
            return Ok(true);
        }
        #[cfg(feature = "matrix-market")]
        return nnz_matrix_market::archive::is_zip(file);
        #[cfg(not(feature = "matrix-market"))]
        Ok(false)
    }

    /// Returns the name after `::` if the location is no container with groups.
    #[must_use]
    pub fn member(&self) -> Option<&str> {
        (self.group_name().is_none() && !self.group.is_empty()).then_some(&*self.group)
    }

    /// Returns the error for a [member](Self::member) of a format without members.
    pub(super) fn refused_member(&self) -> Option<Error> {
        let what = format!("has no groups, so there is no {:?}", self.member()?);
        let place = self.path().map_or_else(Place::default, Place::path);
        Some(Error::new(ErrorKind::Unrecognized(what), place))
    }

    /// Opens a location for a given format, without detection.
    pub(super) fn unknown(
        location: &Location,
        context: &Context,
        options: &OpenOptions,
    ) -> Result<Self> {
        let (opened, group) = match location {
            Location::Stream => (None, None),
            Location::Path { path, group } => {
                let opened = Opened::new(context, path);
                let opened = opened.map_err(|error| other_scheme(path).unwrap_or(error))?;
                refuse_pointer(&opened)?;
                (Some(opened), group.as_ref())
            }
        };
        Ok(Self {
            location: location.clone(),
            context: context.clone(),
            dropped: options.format_options.all(super::DROP).to_vec(),
            opened,
            start: Vec::new(),
            kind: None,
            kinds: context.registry().containers().to_vec(),
            group: group.cloned().unwrap_or_default(),
            open: OnceCell::new(),
            arrays: OnceCell::new(),
            tree: OnceCell::new(),
            root: OnceCell::new(),
            document: RefCell::new(Object::Unread),
            #[cfg(feature = "robjects")]
            r_file: OnceCell::new(),
            #[cfg(feature = "robjects")]
            joins_layers: options.format_options.flag(super::JOIN_LAYERS)?,
        })
    }

    /// Returns the context in which it was opened.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Returns the elements to leave out, which are given by the option `drop`.
    pub(crate) fn dropped(&self) -> &[String] {
        &self.dropped
    }

    /// Returns whether the group of the location does not exist.
    pub(super) fn lacks_group(&self) -> Result<bool> {
        match self.container() {
            Err(error) if matches!(error.kind(), ErrorKind::Missing) => Ok(true),
            Err(error) if error.is_system() => Err(error),
            _ => Ok(false),
        }
    }

    /// Continues with another group of the same file.
    pub(super) fn into_group(mut self, name: &str) -> Self {
        if self.group != name {
            name.clone_into(&mut self.group);
            self.arrays = OnceCell::new();
            self.tree = OnceCell::new();
        }
        self
    }

    /// Returns a probe of a group of the same container, which is opened once.
    pub(super) fn group_of_it(&self, name: &str) -> Result<Self> {
        // Whatever is read of the container is kept for all groups.
        let _ = self.group()?;
        Ok(Self {
            location: self.location.inside(name),
            context: self.context.clone(),
            dropped: Vec::new(),
            opened: self.opened.clone(),
            start: self.start.clone(),
            kind: self.kind,
            kinds: self.kinds.clone(),
            group: name.to_owned(),
            open: self.open.clone(),
            arrays: OnceCell::new(),
            tree: OnceCell::new(),
            root: self.root.clone(),
            document: RefCell::new(Object::Unread),
            #[cfg(feature = "robjects")]
            r_file: OnceCell::new(),
            #[cfg(feature = "robjects")]
            joins_layers: self.joins_layers,
        })
    }

    /// Returns the container and the group, if it has groups.
    ///
    /// # Errors
    ///
    /// Fails if the container is broken or cannot be read.
    pub fn group(&self) -> Result<Option<(&dyn OpenContainer, &str)>> {
        match self.kind.filter(|kind| kind.info().groups) {
            Some(kind) => Ok(Some((self.open(kind)?, &self.group))),
            None => Ok(None),
        }
    }

    /// Returns the name of the group, if the location is a container with groups.
    pub(super) fn group_name(&self) -> Option<&str> {
        self.kind.filter(|kind| kind.info().groups).map(|_| self.group.as_str())
    }

    /// Returns whether the location is a known kind of container, or a group in one.
    pub(super) fn has_kind(&self) -> bool {
        self.kind.is_some()
    }

    /// Returns whether the location is a Zarr store, or a group in one.
    pub(crate) fn is_zarr(&self) -> bool {
        self.kind.is_some_and(|kind| *kind.info() == kinds::ZARR)
    }

    /// Returns the location as it was given.
    #[must_use]
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// Returns the opened file or directory; `None` for standard input.
    #[must_use]
    pub fn opened(&self) -> Option<&Opened> {
        self.opened.as_ref()
    }

    /// Returns the path of the file or directory; `None` for standard input.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.opened.as_ref().map(Opened::path)
    }

    /// Returns whether it can be read only once: standard input, a pipe, a device.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        matches!(self.opened, None | Some(Opened::Special(..)))
    }

    /// Returns a directory that is not a container with groups, such as a Zarr store.
    #[must_use]
    pub fn directory(&self) -> Option<&InputDirectory> {
        self.opened.as_ref()?.directory().filter(|_| self.group_name().is_none())
    }

    /// Returns a regular file that is not a container with groups, and its first 512 bytes.
    #[must_use]
    pub fn file(&self) -> Option<(&InputFile, &[u8])> {
        let file = self.opened.as_ref()?.file().filter(|_| self.group_name().is_none())?;
        Some((file, &self.start))
    }

    /// Returns the first bytes of a file of any kind.
    #[cfg(feature = "matlab")]
    pub(super) fn start(&self) -> &[u8] {
        &self.start
    }

    /// Opens the named arrays of the location, once; `None` if there is no container.
    ///
    /// # Errors
    ///
    /// Fails if the container is broken or cannot be read.
    pub fn container(&self) -> Result<Option<&NamedArrays>> {
        if self.arrays.get().is_none()
            && let Some(kind) = self.kind
        {
            let arrays = NamedArrays::from(self.open(kind)?.group(&self.group, 1)?);
            return Ok(Some(self.arrays.get_or_init(|| arrays)));
        }
        Ok(self.arrays.get())
    }

    /// Opens the group of the location as a tree, once; `None` if there is no container, or it has no
    /// trees.
    ///
    /// # Errors
    ///
    /// Fails if the container is broken or cannot be read.
    pub fn tree(&self) -> Result<Option<&dyn Group>> {
        if self.tree.get().is_none()
            && let Some(kind) = self.kind.filter(|kind| kind.info().typed)
        {
            // Units are already decoded by many threads.
            let tree = self.open(kind)?.group(&self.group, 1)?;
            return Ok(Some(&**self.tree.get_or_init(|| tree)));
        }
        Ok(self.tree.get().map(|group| &**group))
    }

    /// Opens the tree at the root of a file or store with groups, once; `None` if there is none.
    /// Chunks are decoded by the thread that reads them.
    ///
    /// # Errors
    ///
    /// Fails if the file or store is broken or cannot be read.
    pub fn root(&self) -> Result<Option<&Arc<dyn Group>>> {
        if self.root.get().is_none()
            && let Some(kind) = self.grouped()?
        {
            let root = self.open(kind)?.group("", 1)?;
            return Ok(Some(self.root.get_or_init(|| root.into())));
        }
        Ok(self.root.get())
    }

    /// Returns the kind of a file or store with groups, also if the format is given.
    fn grouped(&self) -> Result<Option<&'static dyn ContainerKind>> {
        let groups = |kind: &&'static dyn ContainerKind| kind.info().groups;
        let (None, Some(opened)) = (self.kind, &self.opened) else {
            return Ok(self.kind.filter(groups));
        };
        for &kind in self.kinds.iter().filter(|kind| groups(kind)) {
            if kind.matches(opened)? {
                return Ok(Some(kind));
            }
        }
        Ok(None)
    }

    fn open(&self, kind: &dyn ContainerKind) -> Result<&dyn OpenContainer> {
        let found = match (self.open.get(), &self.opened) {
            (Some(open), _) => open,
            (None, Some(opened)) => {
                let open = kind.open(opened)?;
                self.open.get_or_init(|| open)
            }
            // A stream is no container.
            (None, None) => return Err(Error::new(ErrorKind::Missing, Place::default())),
        };
        Ok(&**found)
    }

    /// Returns the container, to read from it.
    pub(super) fn into_container(self) -> Result<Option<NamedArrays>> {
        self.container().map(|opened| opened.cloned())
    }

    /// Sets the container of the R object.
    pub(super) fn set_container(&self, container: NamedArrays) {
        // It is not set yet: a file is either an R object or a container.
        let _ = self.arrays.set(container);
    }

    /// Reads the R object of a file, once, and applies `f` to it; `None` if there is none, or it
    /// was taken.
    pub(super) fn document<T>(&self, f: impl FnOnce(&Document) -> T) -> Result<Option<T>> {
        if matches!(*self.document.borrow(), Object::Unread) {
            let read = self.read_document()?.map_or(Object::Absent, Object::Read);
            *self.document.borrow_mut() = read;
        }
        Ok(match &*self.document.borrow() {
            Object::Read(document) => Some(f(document)),
            _ => None,
        })
    }

    fn read_document(&self) -> Result<Option<Document>> {
        let Some((file, start)) = self.file() else { return Ok(None) };
        // Opening a broken object, or one with an unsupported compression, gives the error.
        let named = || ends_in_rds(file.path()) && !start.is_empty() && self.kind.is_none();
        if !rds::is_rds(file)? && !named() {
            return Ok(None);
        }
        rds::read(file, Limits { memory: self.context.memory() }).map(Some)
    }

    /// Returns the objects of R in the file, unless they are of another format; they are read once.
    #[cfg(feature = "robjects")]
    pub(super) fn r_file(&self) -> Result<Option<Arc<nnz_robjects::RFile>>> {
        if let Some(file) = self.r_file.get() {
            return Ok(file.clone());
        }
        let may_read = self.document(nnz_robjects::RFile::may_read)?.unwrap_or(false);
        let document = if may_read { self.take_document() } else { None };
        let file = match (self.file(), document) {
            (Some((file, _)), Some(document)) => Some(nnz_robjects::RFile::new(file, document)?),
            _ => None,
        };
        let file = file.map(|mut file| {
            if self.joins_layers {
                file.join_layers();
            }
            Arc::new(file)
        });
        Ok(self.r_file.get_or_init(|| file).clone())
    }

    /// Takes the R object.
    pub(super) fn take_document(&self) -> Option<Document> {
        match self.document.replace(Object::Absent) {
            Object::Read(document) => Some(document),
            _ => None,
        }
    }
}

impl std::fmt::Debug for Probe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Probe").field("location", &self.location).finish_non_exhaustive()
    }
}
