//! Matrices: dense and sparse ones, in one block or many.

mod about;
mod columns;
mod options;
mod sink;
mod source;
mod unit;
mod units;

pub(crate) use about::about;
pub use options::{Options, capabilities};
pub use sink::MatrixSink;
pub use source::MatrixSource;
pub(crate) use source::reads_dense;
pub(crate) use units::Units;
