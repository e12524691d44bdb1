//! `.npz` files: arrays of `NumPy` in a zip file.
//!
//! An array of numbers or a list of strings named `N` is the entry `N.npy`, with one dimension; an
//! attribute is an entry with a single string. `docs/formats/numpy.md` describes what is read and
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
mod writer;

#[cfg(feature = "zarr")]
pub(crate) use archive::Archive;
#[cfg(feature = "npz")]
pub use kind::NpzKind;
#[cfg(feature = "npz")]
pub use reader::Npz;
#[cfg(feature = "npz")]
pub use writer::{NpzOptions, NpzWriter};

/// Returns whether a file starts like a zip file, as `.npz` files do.
#[must_use]
pub fn is_npz(first_bytes: &[u8]) -> bool {
    first_bytes.starts_with(b"PK\x03\x04") || first_bytes.starts_with(b"PK\x05\x06")
}
