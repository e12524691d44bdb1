//! Matrices of R: classes of its package Matrix, and plain matrices.
//!
//! `dgCMatrix` and similar classes are S4 objects with the arrays of a sparse matrix in their
//! slots; a plain matrix is a vector with the attribute `dim`. Long vectors are read as they are needed.

mod class;
mod numbers;
mod parse;
mod reader;
mod sink;
mod slots;
mod source;
mod special;

pub(crate) use numbers::Numbers;
pub use parse::is_matrix;
pub(crate) use parse::{Parts, Places, is_matrix_object};
pub use sink::{CAPABILITIES, RMatrixSink, create};
pub(crate) use slots::AxisNames;
pub use source::{RMatrixSource, from_document, open};
pub(crate) use source::{from_object, from_parts};
