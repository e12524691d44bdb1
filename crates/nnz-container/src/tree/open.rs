//! Opening a tree in any kind of container.

use std::num::NonZeroUsize;
use std::path::Path;

use nnz_core::Result;
use nnz_storage::Opened;

use super::group::Group;
use crate::kind::other_kind;
use crate::kinds::KINDS;

/// Options for opening trees.
///
/// ```no_run
/// use nnz_container::tree::OpenOptions;
///
/// let study = OpenOptions::new().threads(2).open("study.h5ad".as_ref(), "obs")?;
/// for child in study.children()? {
///     println!("{}", child.name);
/// }
/// # Ok::<(), nnz_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenOptions {
    threads: Option<NonZeroUsize>,
}

impl OpenOptions {
    /// Creates the default options: all cores decode.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the number of threads that decode the chunks of a large read.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = NonZeroUsize::new(threads);
        self
    }

    /// Opens a group, with or without a leading slash; the root group has an empty name.
    ///
    /// # Errors
    ///
    /// Fails if `path` is not a known kind of container, or has no such group.
    pub fn open(self, path: &Path, group: &str) -> Result<Box<dyn Group>> {
        self.open_in(&Opened::local(path)?, group)
    }

    /// Opens a group of an opened path, as [`open`](Self::open).
    ///
    /// # Errors
    ///
    /// Fails as [`open`](Self::open).
    pub fn open_in(self, opened: &Opened, group: &str) -> Result<Box<dyn Group>> {
        let threads = self.threads.or_else(|| std::thread::available_parallelism().ok());
        let threads = threads.map_or(1, NonZeroUsize::get);
        for kind in KINDS {
            if kind.matches(opened)? {
                return kind.open(opened)?.group(group, threads);
            }
        }
        let by_name = KINDS.iter().find(|kind| kind.info().is_extension_of(opened.path()));
        Err(other_kind(
            opened,
            by_name.map_or("HDF5, Zarr, NetCDF, npz or .npy files", |kind| kind.info().name),
        ))
    }
}

/// Opens a group of a container with default options.
///
/// # Errors
///
/// Fails as [`OpenOptions::open`].
pub fn open(path: &Path, group: &str) -> Result<Box<dyn Group>> {
    OpenOptions::new().open(path, group)
}
