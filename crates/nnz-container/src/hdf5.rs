//! Groups of HDF5 files, read and written by the crate `nnz-hdf5`. `docs/formats/hdf5.md` describes what is read and
//! written.

mod find;
pub(crate) mod kind;
mod tree;
mod writer;

pub use find::groups_with;
pub use kind::Hdf5Kind;
pub use nnz_chunk::Compression;
pub use nnz_hdf5::is_hdf5;
pub use tree::{Hdf5File, Hdf5Group};
pub use writer::{Hdf5Options, Hdf5Writer};
