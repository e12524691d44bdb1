//! AnnData: a matrix of cells by genes with layers, embeddings, graphs and tables, in an HDF5 file
//! (`.h5ad`) or a Zarr store.
//!
//! Every layout from anndata 0.5 to 0.13 is read. [`AnnData`] is an open file, and [`Item`] the
//! location of a matrix in it, such as `X`, `layers/counts` or `obsm/X_pca`. Rows and columns are
//! as in the file: rows of `X` are cells.
//!
//! ```no_run
//! use nnz_core::MatrixSource as _;
//! use nnz_singlecell::anndata::AnnData;
//!
//! let file = AnnData::open(nnz_container::tree::open("study.h5ad".as_ref(), "")?)?;
//! for item in file.items()? {
//!     println!("{item}");
//! }
//! let counts = file.matrix(&"layers/counts".parse()?)?;
//! println!("{} cells", counts.header().shape.rows);
//! # Ok::<(), nnz_core::Error>(())
//! ```

pub(crate) mod columns;
mod dense_arrays;
mod edit;
pub(crate) mod element;
mod encode;
mod file;
mod file_writer;
mod frame;
pub(crate) mod item;
mod item_writer;
mod matrix;
mod matrix_writer;
pub(crate) mod output;
mod sink;
pub(crate) mod validate;
pub(crate) mod whole;

pub use columns::unsupported_columns;
pub use dense_arrays::DenseArrays;
pub use edit::{AddedColumns, Changes, Edit};
pub use file::AnnData;
pub use file_writer::FileWriter;
pub use frame::DataFrame;
pub use item::Item;
pub use matrix::MatrixSource;
pub use sink::{CAPABILITIES, DENSE_CAPABILITIES, MatrixSink};
pub use whole::{ConcatFilesOptions, FileOptions, Report};
