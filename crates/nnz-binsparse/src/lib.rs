//! Binsparse matrices and tensors: a JSON descriptor and named arrays, in any container.
//!
//! Matrices and vectors are read and written by [`MatrixSource`] and [`MatrixSink`], which
//! implement the traits of all formats. The entries of a tensor of any number of dimensions are
//! read by an [`EntryReader`], or into memory as a [`Tensor`].
//!
//! ```
//! use nnz_binsparse::{Format, Options, Tensor, read_tensor, write_tensor};
//! use nnz_container::memory::Memory;
//! use nnz_core::{Structure, Values};
//!
//! let tensor = Tensor {
//!     shape: vec![2, 3],
//!     coordinates: vec![vec![0, 1], vec![2, 0]],
//!     values: Values::F32(vec![1.5, -2.0]),
//!     structure: Structure::General,
//!     fill: None,
//! };
//! let memory = Memory::new();
//! let mut writer = memory.writer();
//! write_tensor(&mut writer, &tensor, &Format::Csc.layout(), &Options::default())?;
//! writer.finish()?;
//! assert!(read_tensor(&memory.arrays(), 1 << 20)?.same(&tensor)?);
//! # Ok::<(), nnz_core::Error>(())
//! ```

mod about;
mod copy;
mod data_type;
mod descriptor;
mod deviation;
mod entries;
mod format;
mod keys;
mod layout;
mod matrix;
mod options;
mod output;
mod store;
mod structure;
mod tensor;
mod validate;
mod version;

pub use copy::copy;
pub use data_type::DataType;
pub use descriptor::{DESCRIPTOR, Descriptor};
pub use entries::{EntryReader, for_each_entry};
pub use format::Format;
pub use keys::Keys;
pub use layout::{Layout, Level, LevelKind, MAX_DIMENSIONS};
pub use matrix::{MatrixSink, MatrixSource, capabilities};
pub use options::Options;
pub use tensor::{Tensor, read_tensor, write_tensor, write_with_descriptor};
pub use validate::validate;
pub use version::Version;

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
