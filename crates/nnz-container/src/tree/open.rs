//! Opening a tree, whatever kind of container it is in.

use std::num::NonZeroUsize;
use std::path::Path;

use nnz_core::{Error, Place, Result};
use nnz_storage::Opened;

use super::group::Group;
use crate::kinds::KINDS;

/// How a tree is opened.
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
    /// Makes the usual options: all cores decode.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how many threads decode the chunks of one large read.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = NonZeroUsize::new(threads);
        self
    }

    /// Opens a group, named with or without a slash before it; the root group has no name.
    ///
    /// # Errors
    ///
    /// Fails where there is no container of a kind that is known at `path`, or no such group in it.
    pub fn open(self, path: &Path, group: &str) -> Result<Box<dyn Group>> {
        self.open_in(&Opened::local(path)?, group)
    }

    /// Opens a group of what was opened, as [`open`](Self::open) does.
    ///
    /// # Errors
    ///
    /// Fails as [`open`](Self::open).
    pub fn open_in(self, opened: &Opened, group: &str) -> Result<Box<dyn Group>> {
        let threads = self.threads.or_else(|| std::thread::available_parallelism().ok());
        let threads = threads.map_or(1, NonZeroUsize::get);
        for kind in KINDS {
            if kind.matches(opened)?
                && let Some(tree) = kind.open(opened)?.tree(group, threads)?
            {
                return Ok(tree);
            }
        }
        Err(unknown(opened.path()))
    }
}

/// Opens a group of a container with the usual options.
///
/// # Errors
///
/// Fails as [`OpenOptions::open`].
pub fn open(path: &Path, group: &str) -> Result<Box<dyn Group>> {
    OpenOptions::new().open(path, group)
}

fn unknown(path: &Path) -> Error {
    let expected = "an HDF5, Zarr, NetCDF or npz file or store, or a directory of npy files";
    Error::mismatch(Place::path(path), "something else", expected)
}
