//! Matrices, and vectors as matrices of one column.

mod announce;
mod ascending;
mod dense;
mod form;
mod pairs;
mod runs;
mod sink;
mod source;
mod triangle;

pub use sink::{MatrixSink, capabilities};
pub use source::MatrixSource;
