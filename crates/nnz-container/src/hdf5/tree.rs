//! Groups of HDF5 files as trees.

mod array;
mod attribute;
mod element;
mod group;
mod references;
mod texts;

use std::sync::{Arc, OnceLock};

use nnz_core::{Error, Place};
use nnz_hdf5::File;

pub use group::{Hdf5File, Hdf5Group};

/// The file that groups and arrays of a tree share.
pub(super) struct Shared {
    file: Arc<File>,
    threads: usize,
    /// The paths of all objects, read when the first reference is resolved.
    paths: OnceLock<references::Paths>,
}

/// Sets the location of an error, but not the position.
fn placed(error: Error, place: &Place) -> Error {
    let mut place = place.clone();
    place.at.clone_from(&error.place().at);
    error.with_place(place)
}
