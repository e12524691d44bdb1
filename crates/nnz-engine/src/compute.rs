//! Computing with the values of a matrix as they are decoded: functions of values, products with dense
//! matrices, principal components.

mod computed;
mod float;
mod lanes;
mod pca;
mod product;
mod small;
mod step;
mod totals;
mod unrepeated;

pub use computed::Computed;
pub use float::Float;
pub use pca::{Pca, PcaOptions, pca};
pub use product::{ProductOptions, multiply};
pub use step::ValueStep;
pub use totals::normalizing_factors;
