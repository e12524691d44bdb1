//! Computing with the values of a matrix as they are decoded: functions of values, products with dense
//! matrices, principal components, markers of groups.

mod aggregate;
mod computed;
mod duplicates;
mod entries;
mod float;
mod gram;
mod held;
mod krylov;
mod linear_algebra;
mod markers;
mod packed;
mod pca;
mod product;
mod small;
mod step;
mod top;
mod totals;
mod whole;

pub use aggregate::{Aggregation, aggregate};
pub use computed::Computed;
pub use float::Float;
pub use held::keep;
pub use markers::{MarkerOptions, MarkerTest, Markers, markers};
pub use pca::{Pca, PcaOptions, pca};
pub use product::multiply;
pub use step::ValueStep;
pub use top::top_sums;
pub use totals::{cell_axis, normalizing_factors};
pub use whole::are_no_counts;
