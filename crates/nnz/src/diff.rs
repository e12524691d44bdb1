//! Whether two places hold equal matrices.

use nnz_core::Result;

use crate::{Dataset, DiffOptions, Difference, Location, OpenOptions};

/// Compares two matrices of any formats and hands the first differences to `each`.
///
/// What is compared is what the matrices mean: every cell, by its number, whatever the type and
/// order it is stored in, and names where both have them. What is stored and is what cells hold
/// that are not (zero, unless the matrix has a fill) equals such a cell, and entries that follow from
/// a symmetry count; with [`stored`](DiffOptions::stored) they do not. Where two matrices differ in
/// what cells hold that are not stored, those that neither stores differ.
///
/// # Errors
///
/// Fails where one of them cannot be read or is broken.
pub fn diff(
    first: &Location,
    second: &Location,
    options: &DiffOptions,
    each: &mut dyn FnMut(Difference),
) -> Result<()> {
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
    nnz_engine::diff([&*opened[0], &*opened[1]], places, options, each)
}
