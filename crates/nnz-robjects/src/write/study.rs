//! The parts of a new object.

use std::sync::Arc;

use nnz_container::rds::NewObject;
use nnz_core::StringList;

use super::{AxisNames, NewRanges, NewTable, SpooledMatrix};

/// Matrices of features and cells, tables of both, and what belongs to cells.
#[derive(Debug)]
pub struct NewStudy {
    /// The name of the assay, or of the experiment.
    pub name: String,
    /// The names of features.
    pub features: AxisNames,
    /// The table of features.
    pub feature_table: NewTable,
    /// The ranges of features, which are not in their table, in a `SingleCellExperiment`.
    pub ranges: Option<NewRanges>,
    /// The positions of variable features, from the first rank.
    pub variable: Vec<u64>,
    /// The names of cells.
    pub cells: AxisNames,
    /// The table of cells.
    pub cell_table: NewTable,
    /// The identity of each cell in Seurat, a factor.
    pub idents: Option<NewObject>,
    /// The matrices of features by cells, with their names.
    pub layers: Vec<(String, SpooledMatrix)>,
    /// Some numbers for each cell.
    pub reductions: Vec<NewReduction>,
    /// Graphs of cells, with their names.
    pub graphs: Vec<NewGraph>,
    /// The name of the project of a Seurat object.
    pub project: Option<String>,
    /// Further objects, with their names.
    pub misc: Vec<(String, NewObject)>,
    /// Other assays, or experiments, of the same cells.
    pub others: Vec<NewStudy>,
}

/// Some numbers for each cell, such as principal components.
#[derive(Debug)]
pub struct NewReduction {
    /// The name.
    pub name: String,
    /// The name of the assay that it was computed from, if it is not the first one.
    pub assay: Option<String>,
    /// The number of rows is that of cells.
    pub embeddings: SpooledMatrix,
    /// How they depend on features.
    pub loadings: Option<NewLoadings>,
}

/// A graph of cells.
#[derive(Debug)]
pub struct NewGraph {
    /// The name.
    pub name: String,
    /// The name of the assay that it was computed from, if it is not the first one.
    pub assay: Option<String>,
    /// Rows and columns are cells.
    pub matrix: SpooledMatrix,
}

/// How reduced dimensions depend on features.
#[derive(Debug)]
pub struct NewLoadings {
    /// The names of the features, if they have any.
    pub features: Option<Arc<StringList>>,
    /// A row for each of these features.
    pub matrix: SpooledMatrix,
}
