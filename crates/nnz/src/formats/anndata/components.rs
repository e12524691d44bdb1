//! Writing principal components as a new file or store.

use crate::Context;
use nnz_core::{Axis, Result, Values};
use nnz_singlecell::anndata::DenseArrays;

use super::target::AnnDataTarget;
use crate::compute::PcaWriter;
use crate::{ConvertOptions, Location};

/// Starts writing components with the names that scanpy uses.
pub(super) fn writer<'a>(
    to: &'a Location,
    options: &'a ConvertOptions,
    context: &Context,
) -> Result<PcaWriter<'a>> {
    let tree = AnnDataTarget::new(to, options, context)?.tree()?;
    let compression = options.compress.unwrap_or_default();
    Ok(Box::new(move |source, pca| {
        let width = pca.singular_values.len() as u64;
        let loadings = Values::F64(pca.loadings.clone());
        let (variance, ratio) = (pca.explained_variance(), pca.explained_variance_ratio());
        let arrays = DenseArrays {
            obsm: vec![("X_pca", width, &pca.scores)],
            varm: vec![("PCs", width, &loadings)],
            uns: vec![("pca", "variance", &variance), ("pca", "variance_ratio", &ratio)],
        };
        let tables = [source.annotations(Axis::Rows)?, source.annotations(Axis::Cols)?];
        let [rows, cols] = &tables;
        let names = [source.read_names(Axis::Rows)?, source.read_names(Axis::Cols)?];
        let shape = source.header().shape;
        arrays.write(tree, shape, names, [rows.as_deref(), cols.as_deref()], compression)
    }))
}
