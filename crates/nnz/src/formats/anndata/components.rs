//! Writing principal components as a new file or store, or into an existing one.

use std::collections::HashMap;

use crate::Context;
use nnz_core::{
    Annotations as _, Axis, Error, ErrorKind, MatrixSource, Names, Place, Result, Values,
};
use nnz_singlecell::anndata::{DenseArrays, Item};

use super::target::AnnDataTarget;
use crate::compute::{Pca, PcaWriter};
use crate::edit::Changed;
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
        let loadings = Values::F64(pca.loadings.clone());
        let tables = [source.annotations(Axis::Rows)?, source.annotations(Axis::Cols)?];
        let [rows, cols] = &tables;
        let names = [source.read_names(Axis::Rows)?, source.read_names(Axis::Cols)?];
        let shape = source.header().shape;
        with_arrays(pca, &loadings, |arrays| {
            arrays.write(tree, shape, names, [rows.as_deref(), cols.as_deref()], compression)
        })
    }))
}

/// Starts adding components to a file, which has the cells of the source. Loadings of features that the source does not
/// have are 0, as in scanpy.
pub(crate) fn adder<'a>(
    to: &Location,
    options: &'a ConvertOptions,
    context: &'a Context,
) -> Result<PcaWriter<'a>> {
    let output = context.output(true, options.sync);
    let changed = Changed::open(to, Some(output), context)?;
    changed.check_single()?;
    let Changed { path, file, tree, .. } = changed;
    let Some(tree) = tree else { return Err(Error::argument("the file is not changed")) };
    let exists = |error: Error| error.with_hint("force", "replaces it");
    // Before anything is computed.
    let scores: Item = "obsm/X_pca".parse()?;
    if !options.overwrite && file.contains(&scores)? {
        let place = Place::array(&*path, scores.to_string());
        return Err(exists(Error::new(ErrorKind::Exists, place)));
    }
    Ok(Box::new(move |source, pca| {
        let place = Place::path(path);
        let (obs, var) = (file.obs()?, file.var()?);
        check_cells(source, obs.len(), obs.names()?).map_err(|error| error.with_context(&place))?;
        let memory = context.memory() / 4;
        let positions = positions_of(source, var.len(), var.names()?, memory)
            .map_err(|error| error.with_context(&place))?;
        let width = pca.singular_values.len();
        let loadings = Values::F64(match positions {
            None => pca.loadings.clone(),
            Some(positions) => {
                let all = usize::try_from(var.len()).unwrap_or(usize::MAX).saturating_mul(width);
                let needed = (all as u64).saturating_mul(8);
                if needed > memory {
                    let kind = ErrorKind::Memory { needed, allowed: memory };
                    return Err(Error::new(kind, place));
                }
                let mut spread = vec![0.0; all];
                for (own, at) in pca.loadings.chunks(width.max(1)).zip(positions) {
                    spread[at * width..][..width].copy_from_slice(own);
                }
                spread
            }
        });
        with_arrays(pca, &loadings, |arrays| {
            arrays.add(&file, tree, options.overwrite, options.compress.unwrap_or_default())
        })
        .map_err(|error| match error.kind() {
            ErrorKind::Exists => exists(error),
            _ => error,
        })
    }))
}

/// Passes the arrays of components to a function.
fn with_arrays<T>(
    pca: &Pca,
    loadings: &Values,
    write: impl FnOnce(DenseArrays<'_>) -> Result<T>,
) -> Result<T> {
    let width = pca.singular_values.len() as u64;
    let (variance, ratio) = (pca.explained_variance(), pca.explained_variance_ratio());
    write(DenseArrays {
        obsm: vec![("X_pca", width, &pca.scores)],
        varm: vec![("PCs", width, loadings)],
        uns: vec![("pca", "variance", &variance), ("pca", "variance_ratio", &ratio)],
    })
}

/// Checks that the rows of a source are the cells of a file.
fn check_cells(source: &dyn MatrixSource, len: u64, mut expected: Names<'_>) -> Result<()> {
    let found = source.header().shape.rows;
    if found != len {
        return Err(Error::argument(format!("the source has {found} cells, and the file {len}")));
    }
    let Some(mut names) = source.read_names(Axis::Rows)? else { return Ok(()) };
    let mut number = 0_u64;
    while let Some(name) = names.next_string()? {
        let other = expected.next_string()?.unwrap_or_default();
        if name != other {
            let [name, other] = [name, other].map(String::from_utf8_lossy);
            let what =
                format!("cell {number} of the source is {name:?}, and that of the file {other:?}");
            return Err(Error::argument(what));
        }
        number += 1;
    }
    Ok(())
}

/// Returns the positions of the columns of a source among the features of a file; `None` if they are the same.
fn positions_of(
    source: &dyn MatrixSource,
    len: u64,
    mut there: Names<'_>,
    memory: u64,
) -> Result<Option<Vec<usize>>> {
    let found = source.header().shape.cols;
    let Some(mut names) = source.read_names(Axis::Cols)? else {
        return match found == len {
            true => Ok(None),
            false => Err(Error::argument(format!(
                "the source has {found} features without names, and the file {len}"
            ))),
        };
    };
    let (names, there) = (names.list_with_limit(memory)?, there.list_with_limit(memory)?);
    if names.iter().eq(there.iter()) {
        return Ok(None);
    }
    let mut by_name: HashMap<&[u8], usize> = HashMap::new();
    for (at, name) in there.iter().enumerate() {
        // A name that occurs twice belongs to no feature.
        by_name.entry(name).and_modify(|at| *at = usize::MAX).or_insert(at);
    }
    let positions = names.iter().map(|name| match by_name.get(name) {
        Some(&at) if at != usize::MAX => Ok(at),
        found => {
            let has = if found.is_some() { "has more than one" } else { "does not have the" };
            let name = String::from_utf8_lossy(name);
            Err(Error::argument(format!("the file {has} feature {name:?} of the source")))
        }
    });
    positions.collect::<Result<Vec<_>>>().map(Some)
}
