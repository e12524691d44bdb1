//! Writing Seurat and Bioconductor objects.
//!
//! A [`NewStudy`] has matrices of features and cells, which [`spool_matrix`] put into the temporary file of a
//! [`NewFile`](nnz_container::rds::NewFile), and tables of both. [`seurat`] and [`experiment`] make the object of it, with all
//! slots that R demands.

mod axes;
mod bioconductor;
mod lines;
mod names;
mod part;
mod ranges;
mod seurat;
mod slots;
mod sparse;
mod study;
mod table;

pub use axes::{NewAxes, ObjectClass};
pub use bioconductor::experiment;
pub use names::{AxisNames, NameRules};
pub use part::{
    MOST, MatrixForm, SpooledMatrix, SpooledSink, SpooledTarget, capabilities, check_size,
    spool_matrix,
};
pub use ranges::NewRanges;
pub(crate) use seurat::PROJECT;
pub use seurat::{PROJECT_NAME, SeuratVersion, seurat};
pub use study::{NewGraph, NewLoadings, NewReduction, NewStudy};
pub use table::{NewTable, unsupported_columns};
