//! Loom files, versions 2 and 3: a dense matrix of genes x cells in HDF5, layers of the same shape,
//! attributes of genes and cells, and graphs of both.

mod attributes;
mod file;
mod graph_writer;
mod item;
mod matrix;
mod names;
mod output;
mod references;
mod sink;
mod spec;
mod table_writer;
mod validate;
mod whole;

pub use attributes::Attributes;
pub use file::Loom;
pub use item::Item;
pub use matrix::MatrixSource;
pub use sink::{CAPABILITIES, COMPRESSION, MatrixSink};
pub use table_writer::{TableLosses, refusal, table_losses};
pub use whole::FileWriter;
