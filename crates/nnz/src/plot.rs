//! Pictures of a matrix or of fragments: their numbers, and figures of them.
//!
//! Each kind has a function that computes numbers in one pass and in bounded memory, and one that makes a
//! [`Figure`](draw::Figure) of them, which [`draw`] draws as SVG, as PNG or in a terminal.
//!
//! ```no_run
//! use nnz::Context;
//! use nnz::plot::{self, draw};
//!
//! let found = plot::density("pbmc.bpcells", [200, 200], &Context::default())?;
//! let figure = plot::spy(&found, "pbmc.bpcells");
//! std::fs::write("spy.svg", draw::svg(&figure, &draw::SvgOptions::default()))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bars;
mod bits;
mod fragments;
mod lengths;
mod names;
mod spy;
mod values;

use crate::Context;
use nnz_core::{Axis, Result};

use crate::open::open_matrix;
use crate::{Location, engine};

pub(crate) use lengths::distributions;
pub(crate) use names::number_text;
pub(crate) use spy::spies;
pub(crate) use values::values_alike;

pub use bits::bits;
pub use fragments::fragment_lengths;
pub use lengths::distribution;
pub use nnz_core::PackedWidths;
pub use nnz_engine::plot::{
    ChromosomeLengths, Density, FragmentLengths, LengthBins, LengthMeasure, Lengths, Profile,
    ValueBin, ValueCounts, ValueHistogram,
};
pub use nnz_plot as draw;
pub use spy::{spy, spy_bins};
pub use values::values;

/// Counts the entries in each bin of a grid of at most `most` rows and columns, in one pass.
///
/// # Errors
///
/// Fails if the matrix cannot be read or is broken.
pub fn density(
    location: impl Into<Location>,
    most: [usize; 2],
    context: &Context,
) -> Result<Density> {
    let location = &location.into();
    let opened = open_matrix(location, context)?;
    engine::plot::density(&*opened, most, context)
}

/// Measures each row or column, in one pass.
///
/// # Errors
///
/// Fails if the matrix cannot be read or is broken, and for sums if its values are complex.
pub fn lengths(
    location: impl Into<Location>,
    axis: Axis,
    measure: LengthMeasure,
    context: &Context,
) -> Result<Lengths> {
    let location = &location.into();
    let opened = open_matrix(location, context)?;
    engine::plot::lengths(&*opened, axis, measure, context)
}

/// Counts the values of the entries by size, in one pass.
///
/// # Errors
///
/// Fails if the matrix cannot be read or is broken, and if its values are complex.
pub fn count_values(location: impl Into<Location>, context: &Context) -> Result<ValueCounts> {
    let location = &location.into();
    let opened = open_matrix(location, context)?;
    engine::plot::values(&*opened, context)
}
