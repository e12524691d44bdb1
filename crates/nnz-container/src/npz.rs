//! `.npz` files: arrays as `NumPy` stores them, in a zip file.
//!
//! An array of numbers or a list of strings named `N` is the entry `N.npy`, of one dimension; an
//! attribute is an entry with a single string. `docs/formats/numpy.md` says what is read and
//! written.

#[cfg(feature = "zarr")]
mod archive;
mod directory;
mod entry;
mod inflated;
#[cfg(feature = "npz")]
mod kind;
#[cfg(feature = "npz")]
mod output;
#[cfg(feature = "npz")]
mod reader;
#[cfg(feature = "npz")]
mod tree;
#[cfg(feature = "npz")]
mod tree_writer;
#[cfg(feature = "npz")]
mod writer;

#[cfg(feature = "zarr")]
pub(crate) use archive::Archive;
#[cfg(feature = "npz")]
pub use kind::NpzKind;
#[cfg(feature = "npz")]
pub use reader::Npz;
#[cfg(feature = "npz")]
pub use tree::NpzGroup;
#[cfg(feature = "npz")]
pub use tree_writer::NpzTreeWriter;
#[cfg(feature = "npz")]
pub use writer::{NpzOptions, NpzWriter};

/// Returns whether a file that starts with these bytes is a zip file, as `.npz` files are.
#[must_use]
pub fn is_npz(first_bytes: &[u8]) -> bool {
    first_bytes.starts_with(b"PK\x03\x04") || first_bytes.starts_with(b"PK\x05\x06")
}
