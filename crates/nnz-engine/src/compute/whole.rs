//! Whether values look like counts.

use nnz_core::{Batch, MatrixSource, Projection, Result, Scalar, ValueType, Values};

use crate::stages::expanded_type;

/// Entries that are looked at.
const FIRST: usize = 10_000;

/// Returns whether one of the first values is not a whole number, or negative, so that the values are not counts. Only a few
/// entries are read.
///
/// ```
/// use nnz_core::{Order, Shape};
/// use nnz_engine::compute::are_no_counts;
///
/// let shape = Shape { rows: 1, cols: 2 };
/// let matrix = |value: f32| {
///     nnz_engine::CsMatrix::from_parts(shape, Order::Row, vec![0, 1], vec![0_u32], vec![value])?.into_source()
/// };
/// assert!(are_no_counts(&*matrix(0.7)?)?);
/// assert!(!are_no_counts(&*matrix(7.0)?)?);
/// # Ok::<(), nnz_core::Error>(())
/// ```
///
/// # Errors
///
/// Fails if the matrix cannot be read or is broken.
pub fn are_no_counts(source: &dyn MatrixSource) -> Result<bool> {
    let header = source.header();
    let is_float = matches!(header.value_type, ValueType::F32 | ValueType::F64);
    if !is_float || !source.rereadable() {
        return Ok(false);
    }
    let mut units = source.units(0..header.shape.major(header.order), Projection::ALL)?;
    let mut batch = Batch::new(header.order, Values::new(expanded_type(header)));
    let mut seen = 0;
    while seen < FIRST
        && let Some(unit) = units.next_unit()?
    {
        unit.decode(&mut batch)?;
        let entries = batch.entries();
        units.on_decoded(entries as u64)?;
        let is_count = |value: Scalar| {
            value.to_f64().is_none_or(|number| number >= 0.0 && number.fract() == 0.0)
        };
        let mut values = (0..entries.min(FIRST)).filter_map(|entry| batch.values.get(entry));
        if !values.all(is_count) {
            return Ok(true);
        }
        seen += entries;
    }
    Ok(false)
}
