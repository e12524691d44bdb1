//! Groups of HDF5 files.
//!
//! A tag or text is a string attribute of the group, an array of numbers or a list of strings a dataset of
//! one dimension. Names, types and the places of chunks are found by the crate `hdf5-reader`;
//! reading and decoding what is stored is done here, on all cores and outside any lock. Reading
//! never writes to a file and never locks it. `docs/formats/hdf5.md` says what is read and written.

mod attribute;
mod chunk_table;
mod container;
mod dataset;
mod datatype;
mod filters;
mod find;
mod heap;
mod layout;
mod numbers;
mod opened;
mod pieces;
mod read;
mod strings;
mod writer;

pub use attribute::{Attribute, AttributeValue};
pub use container::Hdf5;
pub use find::{Tagged, groups_with};
pub use writer::{Hdf5Options, Hdf5Writer};

use crate::chunk_cache;
pub use crate::compress::Compress;

/// Returns whether a file that starts with these bytes is an HDF5 file.
///
/// A file whose HDF5 part starts later, behind a block of the user's, is not seen by this.
#[must_use]
pub fn is_hdf5(first_bytes: &[u8]) -> bool {
    first_bytes.starts_with(b"\x89HDF\r\n\x1a\n")
}
