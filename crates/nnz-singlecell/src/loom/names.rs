//! Which attribute has the names of rows or columns, by convention.

use nnz_core::Axis;

/// The attribute for names in files that are written.
pub(super) fn written(axis: Axis) -> [&'static str; 2] {
    match axis {
        Axis::Rows => ["Gene", "var_names"],
        Axis::Cols => ["CellID", "obs_names"],
    }
}

/// The attributes that may have names, of which the first is used: those of anndata, of loompy, and
/// of Seurat and SCope. anndata writes its names beside an annotation `Gene`.
pub(super) fn known(axis: Axis) -> &'static [&'static str] {
    match axis {
        Axis::Rows => &["var_names", "Gene", "gene_names", "Accession"],
        Axis::Cols => &["obs_names", "CellID", "cell_names"],
    }
}
