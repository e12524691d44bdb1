//! The numbers of pictures of a matrix or of fragments, computed in one pass and in bounded memory.

mod bins;
mod density;
mod distribution;
mod fragment_lengths;
mod histogram;
mod lengths;
mod profile;
mod steps;
mod values;

pub use density::{Density, density, density_per_bin};
pub use fragment_lengths::{
    BASES_PER_BIN, ChromosomeLengths, FragmentLengths, MAX_EXACT_LENGTH, fragment_lengths,
};
pub use histogram::ValueHistogram;
pub use lengths::{LengthBins, LengthMeasure, Lengths, lengths};
pub use profile::{Profile, profile};
pub use values::{MAX_EXACT_INTEGER, ValueBin, ValueCounts, values};
