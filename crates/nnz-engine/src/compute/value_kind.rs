//! Whether values look like counts.

use nnz_core::{Batch, MatrixSource, Projection, Result, ValueType, Values};

use crate::stages::expanded_type;

/// Entries that are looked at.
const FIRST: usize = 10_000;

/// The greatest logarithm of a count, to any usual base.
const GREATEST_LOGARITHM: f64 = 32.0;

/// What values look like.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ValueKind {
    /// Whole numbers, none of them negative.
    Counts,
    /// Some are not whole numbers, and none is negative.
    Fractions,
    /// Some are not whole numbers, none is negative, and this is the greatest, which is too large for the logarithm of a count.
    Large(f64),
    /// Some are negative, of which this is the least.
    Negative(f64),
}

/// Returns what the first values look like. Only a few entries are read: none of integers, and none of a matrix that can only be read
/// once; both are taken for counts.
///
/// ```
/// use nnz_core::{Order, Shape};
/// use nnz_engine::compute::{ValueKind, value_kind};
///
/// let shape = Shape { rows: 1, cols: 2 };
/// let matrix = |value: f32| {
///     nnz_engine::CsMatrix::from_parts(shape, Order::Row, vec![0, 1], vec![0_u32], vec![value])?.into_source()
/// };
/// assert_eq!(value_kind(&*matrix(0.7)?)?, ValueKind::Fractions);
/// assert_eq!(value_kind(&*matrix(7.0)?)?, ValueKind::Counts);
/// assert_eq!(value_kind(&*matrix(70.5)?)?, ValueKind::Large(70.5));
/// assert_eq!(value_kind(&*matrix(-0.5)?)?, ValueKind::Negative(-0.5));
/// # Ok::<(), nnz_core::Error>(())
/// ```
///
/// # Errors
///
/// Fails if the matrix cannot be read or is broken.
pub fn value_kind(source: &dyn MatrixSource) -> Result<ValueKind> {
    let header = source.header();
    let is_float = matches!(header.value_type, ValueType::F32 | ValueType::F64);
    if !is_float || !source.rereadable() {
        return Ok(ValueKind::Counts);
    }
    let mut units = source.units(0..header.shape.major(header.order), Projection::ALL)?;
    let mut batch = Batch::new(header.order, Values::new(expanded_type(header)));
    let (mut seen, mut least, mut greatest, mut is_whole) = (0, 0.0_f64, 0.0_f64, true);
    while seen < FIRST
        && let Some(unit) = units.next_unit()?
    {
        unit.decode(&mut batch)?;
        let entries = batch.entries();
        units.on_decoded(entries as u64)?;
        let values = (0..entries.min(FIRST)).filter_map(|entry| batch.values.get(entry)?.to_f64());
        for number in values {
            is_whole &= number.fract() == 0.0;
            least = least.min(number);
            greatest = greatest.max(number);
        }
        seen += entries;
    }
    Ok(match is_whole {
        _ if least < 0.0 => ValueKind::Negative(least),
        true => ValueKind::Counts,
        false if greatest > GREATEST_LOGARITHM => ValueKind::Large(greatest),
        false => ValueKind::Fractions,
    })
}
