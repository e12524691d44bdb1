//! Whether two places hold equal matrices.

use nnz_core::{AxisKind, Result};

use crate::{Dataset, DiffOptions, Difference, Location, OpenOptions, engine::Transposed};

/// Compares two matrices of any formats and hands the first differences to `each`.
///
/// What is compared is what the matrices mean: every cell, by its number, whatever the type and
/// order it is stored in, and names where both have them. What is stored and is what cells hold
/// that are not (zero, unless the matrix has a fill) equals such a cell, and entries that follow from
/// a symmetry count; with [`stored`](DiffOptions::stored) they do not. Where two matrices differ in
/// what cells hold that are not stored, those that neither stores differ. Where one is cells by features and
/// the other features by cells, cells are compared with cells.
///
/// # Errors
///
/// Fails where one of them cannot be read or is broken.
pub fn diff(
    first: impl Into<Location>,
    second: impl Into<Location>,
    options: &DiffOptions,
    each: &mut dyn FnMut(Difference),
) -> Result<()> {
    let (first, second) = (&first.into(), &second.into());
    let open = OpenOptions::new().memory_limit(options.memory);
    let found = [open.open(first)?, open.open(second)?];
    if let [Dataset::Tensor(a), Dataset::Tensor(b)] = &found
        && !(a.is_vector() && b.is_vector())
    {
        let (a, b) = (a.read(options.memory / 2)?, b.read(options.memory / 2)?);
        if !crate::tensor::mean_the_same(a, b)? {
            each(Difference::Tensor);
        }
        return Ok(());
    }
    let places = [first.source_place(), second.source_place()];
    let [a, b] = found.map(Dataset::into_matrix);
    let opened = [
        a.map_err(|error| error.with_context(&places[0]))?,
        b.map_err(|error| error.with_context(&places[1]))?,
    ];
    let [first, second] = opened.each_ref().map(|matrix| matrix.header().axis_kinds);
    let [rows, cols] = first;
    if rows != cols && rows != AxisKind::Unknown && second == [cols, rows] {
        // Cells are compared with cells, in the places of the first.
        let exchanged = Transposed::new(&*opened[1]);
        return nnz_engine::diff([&*opened[0], &exchanged], places, options, each);
    }
    nnz_engine::diff([&*opened[0], &*opened[1]], places, options, each)
}
