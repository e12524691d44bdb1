//! Matrices of R: classes of its package Matrix, and plain matrices.
//!
//! `dgCMatrix` and similar classes are S4 objects with the arrays of a sparse matrix in their
//! slots; a plain matrix is a vector with the attribute `dim`. Like R, this module reads a file
//! into memory as a whole.

mod class;
mod numbers;
mod parse;
mod reader;
mod sink;
mod slots;
mod source;

pub use parse::is_matrix;
pub use sink::{CAPABILITIES, RMatrixSink, create};
pub use source::{RMatrixSource, from_document, open};
