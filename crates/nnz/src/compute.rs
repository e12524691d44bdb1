//! Computing with matrices: functions of values, products, sums of groups, principal components and markers.
//!
//! Values are computed as they are decoded; a matrix may be larger than memory. [`normalize`], [`aggregate`], [`pca`] and
//! [`markers`] write results to a location; the functions of [`engine::compute`](crate::engine::compute) work on any
//! source.

mod aggregate;
mod markers;
mod normalize;
mod pca;
mod qc;
mod table;
mod variable;

use crate::Context;
use nnz_core::{Error, MatrixSource, Place, Result};
use nnz_engine::{Labelled, Summed};

use crate::location::is_same;
use crate::output::DuplicatePolicy;
use crate::{ConvertOptions, Location};

pub use aggregate::{AggregateOptions, aggregate};
pub use markers::{MarkersSummary, markers};
pub use nnz_engine::compute::{
    Aggregation, Float, MarkerOptions, MarkerTest, Markers, Pca, PcaOptions, ValueStep,
};
pub use normalize::{Normalization, TargetSum, normalize};
#[cfg(feature = "singlecell")]
pub use pca::pca_into;
pub use pca::{PcaSummary, PcaWriter, pca};
pub use qc::{Qc, QcOptions, qc};
pub use variable::{VariableOptions, batches_by, highly_variable};

/// Refuses to replace the source by a result without its entries.
fn refuse_own_source(from: &Location, to: &Location) -> Result<()> {
    match (from, to) {
        (Location::Path { path: from, .. }, Location::Path { path: to, group: None })
            if from == to || is_same(from, to) =>
        {
            let what = "the target is the source; write the result to another file";
            Err(Error::argument(format!("{}: {what}", Place::path(to))))
        }
        _ => Ok(()),
    }
}

/// Changes names and annotations as the options say.
fn labelled(
    source: Box<dyn MatrixSource>,
    options: &ConvertOptions,
    context: &Context,
) -> Result<Box<dyn MatrixSource>> {
    let place = source.place();
    let labels = [&options.row_labels, &options.col_labels];
    if labels.iter().all(|labels| labels.is_default()) {
        return Ok(source);
    }
    let labelled = Labelled::new(source, labels, context.memory());
    Ok(Box::new(labelled.map_err(|error| error.with_context(&place))?))
}

/// Notes that values are not counts, for what is usually computed from counts.
fn note_on_values(source: &dyn MatrixSource) -> Result<Option<String>> {
    if !nnz_engine::compute::are_no_counts(source)? {
        return Ok(None);
    }
    let beside = nnz_core::readable(source.extras())?.unwrap_or_default();
    let why = match beside.iter().any(|member| member == "uns/log1p") {
        true => "uns/log1p states that they are logarithms",
        false => "some are not whole numbers",
    };
    Ok(Some(format!("values are not counts: {why}")))
}

/// Sums duplicate entries if the options say so.
fn summed(
    source: Box<dyn MatrixSource>,
    options: &ConvertOptions,
    context: &Context,
) -> Box<dyn MatrixSource> {
    match options.duplicates {
        Some(DuplicatePolicy::Sum) => Box::new(Summed::new(source, context)),
        _ => source,
    }
}
