//! Groups of HDF5 files as trees.

mod array;
mod attribute;
mod compound;
pub(super) mod element;
mod group;
mod references;
mod texts;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

pub use group::{Hdf5File, Hdf5Group};

use super::opened::Opened;

/// The file that groups and arrays of a tree share.
pub(super) struct Shared {
    opened: Arc<Opened>,
    path: PathBuf,
    threads: usize,
    /// The paths of all objects, read when the first reference is resolved.
    paths: OnceLock<references::Paths>,
}
