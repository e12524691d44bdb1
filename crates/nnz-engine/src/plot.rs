//! The numbers of pictures of a matrix or of fragments, computed in one pass and in bounded memory.

mod bins;
mod density;
mod distribution;
mod fragment_lengths;
mod lengths;
mod profile;
mod steps;
mod values;

use crate::{Cancellation, default_memory};

pub use density::{Density, density};
pub use fragment_lengths::{
    BASES_PER_BIN, ChromosomeLengths, FragmentLengths, LONGEST, fragment_lengths,
};
pub use lengths::{LengthBins, LengthMeasure, Lengths, lengths};
pub use profile::{Profile, profile};
pub use values::{SMALL, ValueBin, ValueCounts, values};

/// Options of the functions of this module.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlotOptions {
    /// Memory in bytes for numbers of each row or column.
    pub memory: u64,
    /// Number of threads.
    pub threads: usize,
    /// Cancels the operation.
    pub cancellation: Option<Cancellation>,
}

nnz_core::setters! {
    PlotOptions {
        memory: u64,
        threads: usize,
        cancellation: Option<Cancellation>,
    }
}

/// The [default memory](default_memory) and all cores.
impl Default for PlotOptions {
    fn default() -> Self {
        Self { memory: default_memory(), threads: crate::default_threads(), cancellation: None }
    }
}
