//! MuData: several AnnData ("modalities"), such as RNA and proteins of the same cells, with common tables, in an HDF5
//! file (`.h5mu`) or a Zarr store.
//!
//! The common tables `obs` and `var` list the cells and features of all modalities. For each modality there is a map
//! from the rows of a common table to its own: `obsmap` and `varmap`. [`MuData`] is an open file, and [`Item`] the
//! location of a matrix in it, such as `mod/rna/X` or `obsm/X_umap`.
//!
//! ```no_run
//! use nnz_singlecell::mudata::MuData;
//!
//! let file = MuData::open(nnz_container::tree::open("cite.h5mu".as_ref(), "")?)?;
//! for (name, modality) in file.modalities() {
//!     println!("{name}: {} cells", modality.tables()?.header().shape.rows);
//! }
//! # Ok::<(), nnz_core::Error>(())
//! ```

mod columns;
mod common;
mod concat;
mod file;
mod item;
mod maps;
mod validate;
mod write;

pub use file::{CompareModalities, MuData, user_block};
pub use item::Item;
