//! Writing principal components.

use crate::Context;
use std::time::Instant;

use nnz_core::{Axis, MatrixSource, Result, Shape};
use nnz_engine::Transposed;
use nnz_engine::compute::{Pca, PcaOptions, cell_axis, pca as components_of};

use super::Normalization;
use crate::{ConvertOptions, Location};

/// Writes components, and the names and annotations of a matrix whose rows are the observations. Returns the number
/// of bytes written.
pub type PcaWriter<'a> = Box<dyn FnOnce(&dyn MatrixSource, &Pca) -> Result<u64> + 'a>;

/// The result of writing principal components.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PcaSummary {
    /// The number of observations and of features.
    pub shape: Shape,
    /// The variance of each component, as a fraction of the variance of all features.
    pub variance_ratio: Vec<f64>,
    /// The number of bytes written.
    pub bytes: u64,
    /// The time in seconds.
    pub seconds: f64,
    /// What the user should know, as in [`Summary`](crate::Summary).
    pub notes: Vec<String>,
}

/// Computes the first principal components of a matrix, whose features are centred, and writes them.
///
/// An `.npz` file gets the arrays `scores` (a row for each observation), `loadings` (a row for each feature),
/// `singular_values`, `explained_variance`, `explained_variance_ratio` and `mean`, of type `f64`; scores of values of type `f32`
/// are, too. An AnnData file
/// gets, as in scanpy, `obsm/X_pca`, `varm/PCs`, `uns/pca/variance` and `uns/pca/variance_ratio`, names and annotations,
/// but no `X`. Of the conversion options, those about the file and labels apply.
///
/// ```no_run
/// use nnz::compute::{Normalization, PcaOptions, TargetSum, pca};
/// use nnz::{Context, ConvertOptions};
///
/// let how = Normalization::default().target_sum(TargetSum::Sum(1e4)).log1p(true);
/// let (options, convert) = (PcaOptions::default(), ConvertOptions::default());
/// pca("counts.h5ad", "pca.h5ad", &how, &options, &convert, &Context::default())?;
/// # Ok::<(), nnz::Error>(())
/// ```
///
/// # Errors
///
/// Fails if the target's format does not store components, and as [`engine::compute::pca`](crate::engine::compute::pca) and
/// [`convert`](fn@crate::convert).
pub fn pca(
    from: impl Into<Location>,
    to: impl Into<Location>,
    how: &Normalization,
    options: &PcaOptions,
    convert: &ConvertOptions,
    context: &Context,
) -> Result<PcaSummary> {
    let started = Instant::now();
    let (from, to) = (&from.into(), &to.into().resolve_target()?);
    super::refuse_own_source(from, to)?;
    let source = convert.open.open_matrix(from, context)?;
    let write = context.pca_writer(to, convert)?;
    write_components((source, started), (to, write), how, options, convert, context)
}

/// Computes the first principal components of a matrix as [`pca`], and adds them to an AnnData file with the same cells,
/// such as that of the matrix: `obsm/X_pca`, `varm/PCs` and `uns/pca`. All appear at once, or none. Loadings of features of
/// the file that the matrix does not have are 0. Existing arrays are replaced if the options say so.
///
/// # Errors
///
/// Fails as [`pca`] and [`edit`](fn@crate::edit), if the file has other cells, or does not have a feature of the matrix, and
/// if it has components already.
#[cfg(feature = "singlecell")]
pub fn pca_into(
    from: impl Into<Location>,
    file: impl Into<Location>,
    how: &Normalization,
    options: &PcaOptions,
    convert: &ConvertOptions,
    context: &Context,
) -> Result<PcaSummary> {
    let started = Instant::now();
    let file = &file.into();
    let write = crate::formats::components_adder(file, convert, context)?;
    let source = convert.open.open_matrix(&from.into(), context)?;
    write_components((source, started), (file, write), how, options, convert, context)
}

fn write_components(
    (source, started): (Box<dyn MatrixSource>, Instant),
    (to, write): (&Location, PcaWriter<'_>),
    how: &Normalization,
    options: &PcaOptions,
    convert: &ConvertOptions,
    context: &Context,
) -> Result<PcaSummary> {
    // Features have the names that a conversion gives them.
    let given = options.observations.or(how.axis);
    let (source, convert, assumed) = super::stating_cells(source, given, convert);
    let axis = given.unwrap_or_else(|| cell_axis(source.header()));
    let how = how.clone().axis(axis);
    // They name columns of the source.
    let mut notes = super::notes_on_logarithms(&*source, &how, context)?;
    if how.features.is_none() {
        notes.extend(super::note_on_variable(&*source, how.axis, context)?);
    }
    let adapted = context.adapted(&*source, to, &convert)?;
    let source = super::labelled(source, adapted.as_ref().unwrap_or(&convert), context)?;
    let source = how.apply(source, &convert, context)?;
    let options = options.clone().observations(axis);
    let found = components_of(&*source, &options, context)?;
    let source: Box<dyn MatrixSource> = match axis {
        Axis::Rows => source,
        Axis::Cols => Box::new(Transposed::new(source)),
    };
    let bytes = write(&*source, &found)?;
    Ok(PcaSummary {
        shape: source.header().shape,
        variance_ratio: found.explained_variance_ratio(),
        bytes,
        seconds: started.elapsed().as_secs_f64(),
        notes: assumed.into_iter().chain(notes).collect(),
    })
}
