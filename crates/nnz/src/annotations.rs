//! Tables that describe the rows and columns of a matrix.

pub use nnz_core::{
    Annotations, Categorical, Categories, Column, ColumnInfo, ColumnType, ColumnValues,
};
pub use nnz_engine::{AnnotationText, write_annotations};
