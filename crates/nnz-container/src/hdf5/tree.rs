//! Groups of HDF5 files as trees.

mod array;
mod attribute;
mod compound;
mod element;
mod group;
mod references;
mod texts;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

pub use group::Hdf5Group;

use super::opened::Opened;

/// A file that groups and arrays of one tree share.
pub(super) struct Shared {
    opened: Arc<Opened>,
    path: PathBuf,
    threads: usize,
    /// The paths of all objects, found when the first reference is resolved.
    paths: OnceLock<references::Paths>,
}
