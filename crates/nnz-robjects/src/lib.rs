//! Objects of R, read and written without R: matrices of the package Matrix, and objects of Seurat and Bioconductor.
//!
//! [`RFile`] is a file with any object. What is in it has a path, as in R: `assays/RNA/layers/counts` in a Seurat object,
//! `assays/counts` in a `SummarizedExperiment`, names of members in a list.

mod bioconductor;
mod column;
mod delayed;
mod frame;
mod joined;
pub mod matrix;
mod objects;
mod seurat;
mod source;
mod study;
mod svt;
mod tree;
mod vector;
pub mod write;

pub use delayed::{ExternalKind, ExternalMatrix};
pub use frame::{Frame, positions};
pub use source::{ORIGINAL_NAME, ObjectMatrixSource};
pub use study::{
    AxisTable, Experiment, Graph, Layer, LayerAxis, LayerData, MatrixObject, OpenExternal,
    Reduction, Study, StudyKind, StudyMatrix, table_source,
};
pub use tree::{Node, ObjectRef, RFile};
pub use vector::NamedVector;
