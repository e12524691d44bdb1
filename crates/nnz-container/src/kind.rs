//! Kinds of container: how each is recognised, opened and written.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use nnz_core::{Error, ErrorKind, Place, Result};
use nnz_storage::Opened;
use nnz_storage::staging::WriteOptions;

use crate::tree::Group;
use crate::{Compression, Container, ContainerWriter, FoundGroup};

/// Describes a kind of container.
#[derive(Clone, Copy, Debug)]
pub struct ContainerInfo {
    /// The name, such as `HDF5`.
    pub name: &'static str,
    /// Extensions of files and directories that are written as this kind, without the leading dot.
    pub extensions: &'static [&'static str],
    /// Whether it has groups in groups. Otherwise all arrays are in the root.
    pub groups: bool,
}

impl ContainerInfo {
    /// Returns whether a path has one of the extensions, in any letter case.
    #[must_use]
    pub fn is_extension_of(&self, path: &Path) -> bool {
        let extension = path.extension();
        let is = |known: &&str| extension.is_some_and(|found| found.eq_ignore_ascii_case(known));
        self.extensions.iter().any(is)
    }
}

/// How arrays are written.
#[derive(Clone, Copy, Debug)]
pub struct CreateOptions {
    /// How arrays are compressed; the default of the kind unless set.
    pub compress: Option<Compression>,
    /// Threads that compress.
    pub threads: usize,
    /// Whether something may be replaced, and is synced.
    pub write: WriteOptions,
    /// The names of all members, where the format has a fixed list of them: a directory is replaced only
    /// if it holds no others.
    pub members: &'static [&'static str],
}

/// A kind of container. It has no state: what is opened is an [`OpenContainer`].
pub trait ContainerKind: Send + Sync + fmt::Debug {
    /// Describes the kind.
    fn info(&self) -> &'static ContainerInfo;

    /// Returns whether something that was opened is of this kind, judging by as little as possible: a
    /// signature, or the names of files.
    ///
    /// # Errors
    ///
    /// Fails where it cannot be read.
    fn matches(&self, opened: &Opened) -> Result<bool>;

    /// Takes something of this kind that was opened. No arrays are read.
    ///
    /// # Errors
    ///
    /// Fails where it is broken, or of another kind.
    fn open(&self, opened: &Opened) -> Result<Arc<dyn OpenContainer>>;

    /// Checks that a group may be written at a path, before any work is done. The root group has no
    /// name.
    ///
    /// # Errors
    ///
    /// Fails where something there may not be replaced, or the place cannot be written.
    fn check(&self, path: &Path, group: &str, options: &CreateOptions) -> Result<()> {
        self.create(path, group, options).map(drop)
    }

    /// Starts writing a group at a path. Dropped unfinished, it leaves nothing behind.
    ///
    /// # Errors
    ///
    /// Fails as [`check`](Self::check), and where the kind is not written.
    fn create(
        &self,
        path: &Path,
        group: &str,
        options: &CreateOptions,
    ) -> Result<Box<dyn ContainerWriter>> {
        let _ = (group, options);
        let what = format!("{} is read only", self.info().name);
        Err(Error::unsupported(Place::path(path), what))
    }
}

/// A container that was opened once: its groups are opened without looking at its name again.
pub trait OpenContainer: Send + Sync {
    /// Names it with an article, such as `an HDF5 file`.
    fn description(&self) -> &'static str;

    /// Opens the arrays of a group, which are read by one thread each. The root group has no name.
    ///
    /// # Errors
    ///
    /// Fails where there is no such group.
    fn group(&self, name: &str) -> Result<Arc<dyn Container>>;

    /// Opens a group as a tree, and sets how many threads decode the chunks of one large read; `None`
    /// where such containers are no trees.
    ///
    /// # Errors
    ///
    /// Fails where there is no such group.
    fn tree(&self, name: &str, threads: usize) -> Result<Option<Box<dyn Group>>> {
        let _ = (name, threads);
        Ok(None)
    }

    /// Lists the groups that have an attribute of one of the given names, outermost first.
    ///
    /// # Errors
    ///
    /// Fails where there are more groups than are searched, or nothing is found and something could not
    /// be read.
    fn groups_with(&self, attributes: &[&str]) -> Result<Vec<FoundGroup>> {
        let _ = attributes;
        Ok(Vec::new())
    }
}

/// Refuses to compress what is stored as it is.
pub(crate) fn uncompressed(options: &CreateOptions) -> Result<()> {
    match options.compress {
        None | Some(Compression::None) => Ok(()),
        Some(_) => Err(Error::argument("neither text nor a plain directory is compressed so")),
    }
}

/// Makes the error for something that is not of the kind it was opened as.
pub(crate) fn other_kind(opened: &Opened, expected: &str) -> Error {
    Error::mismatch(Place::path(opened.path()), "something else", expected)
}

/// Refuses the name of a group where there is none but the root.
pub(crate) fn only_root(path: &Path, group: &str) -> Result<()> {
    if group.trim_matches('/').is_empty() {
        return Ok(());
    }
    let what = format!("holds no groups, so there is no {group:?} in it");
    Err(Error::new(ErrorKind::Unrecognized(what), Place::path(path)))
}
