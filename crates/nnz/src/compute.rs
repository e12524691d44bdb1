//! Computing with matrices: functions of values, products, sums of groups and principal components.
//!
//! Values are computed as they are decoded; a matrix may be larger than memory. [`normalize`], [`aggregate`] and
//! [`pca`] write results to a location. The items of [`nnz_engine::compute`], which work on any
//! [`MatrixSource`](crate::MatrixSource), are here as well.

mod aggregate;
mod normalize;
mod pca;

use nnz_core::{Error, Result};

use crate::Location;

pub use aggregate::{AggregateOptions, aggregate};
pub use nnz_engine::compute::{
    Aggregation, Computed, Float, Pca, PcaOptions, ProductOptions, ValueStep, cell_axis, multiply,
    normalizing_factors,
};
pub use nnz_engine::compute::{aggregate as aggregate_source, pca as pca_of};
pub use normalize::{Normalization, TargetSum, normalize};
pub(crate) use pca::no_components;
pub use pca::{PcaSummary, PcaWriter, pca};

/// Refuses to replace the source by a result without its entries.
fn refuse_own_source(from: &Location, to: &Location) -> Result<()> {
    let (Location::Path { path: from, .. }, Location::Path { path: to, group: None }) = (from, to)
    else {
        return Ok(());
    };
    let is_same = from == to
        || matches!((from.canonicalize(), to.canonicalize()), (Ok(one), Ok(other)) if one == other);
    match is_same {
        true => {
            let what = "the result would replace the source, whose entries it does not have";
            Err(Error::argument(format!("{}: {what}", nnz_core::Place::path(to))))
        }
        false => Ok(()),
    }
}
