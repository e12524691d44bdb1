//! Computing with the values of a matrix as they are decoded: functions of values, products with dense
//! matrices, principal components, markers of groups.

mod aggregate;
mod centred;
mod computed;
mod derived;
mod duplicates;
mod entries;
mod float;
mod gram;
mod held;
mod krylov;
mod linear_algebra;
mod lines;
mod markers;
mod packed;
mod pca;
mod pearson;
mod product;
mod quantiles;
mod ranks;
mod regressed;
mod small;
mod step;
mod top;
mod totals;
mod value_kind;

pub use aggregate::{Aggregation, aggregate};
pub use computed::Computed;
pub use float::Float;
pub use held::keep;
pub use markers::{MarkerOptions, MarkerTest, Markers, markers};
pub use pca::{Pca, PcaOptions, pca};
pub use pearson::{PearsonOptions, pearson_residuals};
pub use product::multiply;
pub use quantiles::{QuantileMethod, Quantiles, quantiles};
pub use ranks::ranks;
pub use regressed::regress_out;
pub use step::ValueStep;
pub use top::top_sums;
pub use totals::{cell_axis, normalizing_factors};
pub use value_kind::{ValueKind, value_kind};
