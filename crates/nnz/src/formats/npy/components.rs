//! Writing principal components as arrays of an `.npz` file.

use crate::Context;
use nnz_container::npz::{NpzOptions, NpzWriter};
use nnz_container::tree::{NodeId, TreeWriter};
use nnz_core::{Error, Result, Shape, Values};

use crate::compute::PcaWriter;
use crate::formats::target::without_group;
use crate::{ConvertOptions, Location};

/// Starts writing components.
pub(super) fn writer<'a>(
    to: &'a Location,
    options: &'a ConvertOptions,
    context: &Context,
) -> Result<PcaWriter<'a>> {
    let path = without_group(to, "npz")?;
    if options.compress.is_some() {
        return Err(Error::argument("the option compress does not apply to components in .npz"));
    }
    let mut tree: Box<dyn TreeWriter> =
        Box::new(NpzWriter::create(path, options.output(context), NpzOptions::default())?);
    Ok(Box::new(move |source, pca| {
        let Shape { rows, cols } = source.header().shape;
        let width = pca.singular_values.len() as u64;
        match &pca.scores {
            Values::F32(scores) => {
                tree.write_array(NodeId::ROOT, "scores", &[rows, width], scores)?
            }
            Values::F64(scores) => {
                tree.write_array(NodeId::ROOT, "scores", &[rows, width], scores)?
            }
            _ => return Err(Error::argument("scores are floats")),
        };
        let arrays: [(&str, &[u64], &[f64]); 5] = [
            ("loadings", &[cols, width], &pca.loadings),
            ("singular_values", &[width], &pca.singular_values),
            ("explained_variance", &[width], &pca.explained_variance()),
            ("explained_variance_ratio", &[width], &pca.explained_variance_ratio()),
            ("mean", &[cols], &pca.mean),
        ];
        for (name, shape, elements) in arrays {
            tree.write_array(NodeId::ROOT, name, shape, elements)?;
        }
        tree.finish()
    }))
}
