//! Kinds of containers: detection, opening and writing.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use nnz_core::{Error, ErrorKind, Place, Result};
use nnz_storage::Opened;
use nnz_storage::staging::WriteOptions;

use crate::tree::{Group, TreeWriter};
use crate::{Capabilities, Compression, FoundGroup};

/// Describes a kind of container.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ContainerInfo {
    /// The name, such as `HDF5`.
    pub name: &'static str,
    /// The name of a container in messages, such as `an HDF5 file`.
    pub description: &'static str,
    /// Extensions of files and directories that are written in this kind, without the dot.
    pub extensions: &'static [&'static str],
    /// Whether it has groups. Otherwise all arrays are in the root.
    pub groups: bool,
    /// Whether members have types. The files of a directory are what they are read as.
    pub typed: bool,
    /// The types of numbers, and the texts, that can be stored.
    pub capabilities: Capabilities,
}

/// Kinds have different names.
impl PartialEq for ContainerInfo {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for ContainerInfo {}

nnz_core::setters! {
    const ContainerInfo { groups: bool, typed: bool, capabilities: Capabilities }
}

impl ContainerInfo {
    /// Describes a container without groups that supports all types of numbers, and texts in UTF-8.
    #[must_use]
    pub const fn new(
        name: &'static str,
        description: &'static str,
        extensions: &'static [&'static str],
    ) -> Self {
        let capabilities = Capabilities::TEXTS;
        Self { name, description, extensions, groups: false, typed: true, capabilities }
    }

    /// Returns whether a path has one of the extensions, ignoring case.
    #[must_use]
    pub fn is_extension_of(&self, path: &Path) -> bool {
        let extension = path.extension();
        let is = |known: &&str| extension.is_some_and(|found| found.eq_ignore_ascii_case(known));
        self.extensions.iter().any(is)
    }
}

/// Options for writing arrays.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CreateOptions {
    /// The compression; the default of the kind unless set.
    pub compress: Option<Compression>,
    /// Whether to replace an existing target, and to sync it. Its context has the threads for compression.
    pub write: WriteOptions,
    /// The names of all members, if the format has a fixed list. An existing directory is replaced
    /// only if it has no others.
    pub members: &'static [&'static str],
}

impl CreateOptions {
    /// Options without a fixed list of members.
    #[must_use]
    pub const fn new(compress: Option<Compression>, write: WriteOptions) -> Self {
        Self { compress, write, members: &[] }
    }

    /// Sets [`members`](#structfield.members).
    #[must_use]
    pub fn members(mut self, members: &'static [&'static str]) -> Self {
        self.members = members;
        self
    }
}

/// A kind of container. It has no state; an opened container is an [`OpenContainer`].
pub trait ContainerKind: Send + Sync + fmt::Debug {
    /// Describes the kind.
    fn info(&self) -> &'static ContainerInfo;

    /// Returns whether an opened path is of this kind, from as little as possible: a signature, or
    /// the names of files.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read.
    fn matches(&self, opened: &Opened) -> Result<bool>;

    /// Returns whether a directory that cannot be listed, as on a web server, is of this kind, judging by an
    /// attribute of its root that a format has. By default it is not.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read.
    fn has_attribute(&self, opened: &Opened, name: &str) -> Result<bool> {
        let _ = (opened, name);
        Ok(false)
    }

    /// Opens a container of this kind. No arrays are read.
    ///
    /// # Errors
    ///
    /// Fails if it is invalid, or of another kind.
    fn open(&self, opened: &Opened) -> Result<Arc<dyn OpenContainer>>;

    /// Checks that a group can be written at a path, before any work is done. The root group has an
    /// empty name.
    ///
    /// # Errors
    ///
    /// Fails if something there may not be replaced, or if the target cannot be written.
    fn check(&self, path: &Path, group: &str, options: &CreateOptions) -> Result<()> {
        self.create(path, group, options).map(drop)
    }

    /// Starts writing a group at a path, which is the root of the tree. Dropped unfinished, the writer leaves no
    /// output.
    ///
    /// # Errors
    ///
    /// Fails as [`check`](Self::check), or if the kind does not support writing.
    fn create(
        &self,
        path: &Path,
        group: &str,
        options: &CreateOptions,
    ) -> Result<Box<dyn TreeWriter>> {
        let _ = (group, options);
        let what = format!("{} is read-only", self.info().name);
        Err(Error::unsupported(Place::path(path), what))
    }

    /// Starts changing a group of a container at a path, which is the root of the tree. See [`edit`](crate::tree::edit).
    ///
    /// # Errors
    ///
    /// Fails if there is no such group, or if the kind does not support changes.
    fn edit(&self, path: &Path, group: &str, write: WriteOptions) -> Result<Box<dyn TreeWriter>> {
        let _ = (group, write);
        let what = format!("changing {} is not supported", self.info().description);
        Err(Error::unsupported(Place::path(path), what))
    }
}

/// An opened container. Its groups are opened without resolving its path again.
pub trait OpenContainer: Send + Sync {
    /// Describes the kind of container.
    fn info(&self) -> &'static ContainerInfo;

    /// Opens a group, with `threads` threads that decode the chunks of a large read. The root group has an empty name.
    ///
    /// # Errors
    ///
    /// Fails if there is no such group.
    fn group(&self, name: &str, threads: usize) -> Result<Box<dyn Group>>;

    /// Returns the groups that have an attribute with one of the given names, outermost first.
    ///
    /// # Errors
    ///
    /// Fails if there are more groups than the search limit, or if nothing is found and something
    /// could not be read.
    fn groups_with(&self, attributes: &[&str]) -> Result<Vec<FoundGroup>> {
        let _ = attributes;
        Ok(Vec::new())
    }
}

/// A group without groups is a container of its own.
impl<G: Group + Clone + 'static> OpenContainer for G {
    fn info(&self) -> &'static ContainerInfo {
        Group::info(self)
    }

    fn group(&self, name: &str, _: usize) -> Result<Box<dyn Group>> {
        only_root(self.path(), name)?;
        Ok(Box::new(self.clone()))
    }
}

/// Refuses compression.
pub(crate) fn uncompressed(options: &CreateOptions) -> Result<()> {
    match options.compress {
        None | Some(Compression::None) => Ok(()),
        Some(_) => Err(Error::argument("compression does not apply to directories of arrays")),
    }
}

/// Creates the error that a path is of another kind than expected.
pub(crate) fn other_kind(opened: &Opened, expected: &str) -> Error {
    let found = match opened.file() {
        Some(file) if file.is_empty() => "an empty file",
        Some(_) => "a file of another format",
        None if opened.directory().is_some() => "a directory",
        None => "a special file",
    };
    Error::mismatch(Place::path(opened.path()), found, expected)
}

/// Refuses a group other than the root.
pub(crate) fn only_root(path: &Path, group: &str) -> Result<()> {
    if group.trim_matches('/').is_empty() {
        return Ok(());
    }
    let what = format!("has no groups, so there is no {group:?}");
    Err(Error::new(ErrorKind::Unrecognized(what), Place::path(path)))
}
