//! BPCells matrices, read and written on any nnz container.
//!
//! A BPCells matrix is a compressed sparse matrix in named arrays: `idxptr` says where each major
//! vector starts, `index` holds minor indices and `val` values, the latter two bit-packed in
//! *packed* matrices. The published description is the BPCells article "BPCells matrix formats";
//! where the files of the program differ from it, the files win (see `docs/formats/bpcells.md`).
//!
//! ```no_run
//! use nnz_bpcells::MatrixSource;
//! use nnz_container::directory::Directory;
//! use nnz_core::{Batch, Fields, MatrixSource as _, Values};
//!
//! let directory = Directory::open("pbmc.bpcells".as_ref())?;
//! let matrix = MatrixSource::open(Box::new(directory))?;
//! let header = matrix.header();
//! let mut batch = Batch::new(header.order, Values::new(header.value_type));
//! let mut reader = matrix.batches(0..header.shape.major(header.order), Fields::ALL)?;
//! while reader.next_batch(&mut batch)? {
//!     println!("{} entries", batch.entries());
//! }
//! # Ok::<(), nnz_core::Error>(())
//! ```

mod arrays;
mod matrix;
mod version;

pub use matrix::{MEMBERS, MatrixSink, MatrixSource, NEEDS, SinkOptions, validate};
pub use version::{Generation, Packing, Version};
