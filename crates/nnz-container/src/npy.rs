//! Arrays of `NumPy`: `.npy` files in a directory.
//!
//! An array of numbers or a list of strings named `N` is `N.npy`, with one dimension. An attribute
//! that is a JSON object is `N.json`; any other attribute is `N.npy` with a single string. Single
//! files may have arrays of any number of dimensions: [`read_array`], [`write_array`].
//! `docs/formats/numpy.md` describes what is read and written.

mod dict;
mod element;
mod file;
mod file_writer;
pub(crate) mod header;
mod kind;
mod nd;
mod reader;
mod strings;
mod tree;
mod writer;

pub use file::{NpyFile, is_npy};
pub use file_writer::NpyFileWriter;
pub use kind::NpyKind;
pub use nd::{NdArray, read_array, read_array_from, write_array};
pub use reader::{NpyDirectory, is_npy_directory};
pub use writer::NpyDirectoryWriter;

pub(crate) use element::Element;
pub(crate) use header::{MAGIC, MAX_LEN, PREAMBLE};
pub(crate) use strings::{check_text, decode, spool_strings, unicode, write_strings};
pub(crate) use tree::{FlatGroup, ReadAt};
