//! Counting cells in regions: a matrix.

mod regions;
mod source;
mod sweep;
mod tally;

pub use regions::{Regions, Tiles};
pub use source::{CountMode, Counts};
