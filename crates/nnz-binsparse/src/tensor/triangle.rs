//! The stored triangle of a matrix with a structure.

use std::cmp::Ordering;

use nnz_core::{At, Error, Place, Result, Scalar, Structure, Values};

use super::write::same;
use super::{Tensor, order};
use crate::Keys;
use crate::structure::{misplaced, named};

/// Returns the stored triangle of a general matrix for which a descriptor declares a structure.
/// Returns `None` if it declares none, or one that is an error later.
///
/// # Errors
///
/// Fails if the entry across the diagonal is missing or does not have the corresponding value, or
/// if elements that are not stored have a value that does not correspond to itself.
pub(super) fn of(tensor: &Tensor, descriptor: &Keys) -> Result<Option<Tensor>> {
    let stated = descriptor.get("structure").and_then(|text| serde_json::from_str(text).ok());
    let structure = stated.and_then(|name: String| named(&name));
    let (Some(structure), Structure::General) = (structure, tensor.structure) else {
        return Ok(None);
    };
    let (&[rows, cols], &[side, other]) = (&*tensor.columns()?, &*tensor.shape) else {
        return Ok(None);
    };
    if side != other {
        return Ok(None);
    }
    let follows = |fill| corresponds(Some(fill), structure.mirrored(true, fill));
    if let Some(fill) = tensor.fill.filter(|&fill| !follows(fill)) {
        let found = format!("the fill value {fill}");
        let expected = format!("a fill value that is valid in a {structure} matrix");
        return Err(Error::mismatch(Place::default(), found, expected));
    }
    // By row, for the matrix and for its transpose.
    let entries = order::sorted(&[rows, cols], tensor.len(), &[side; 2])?;
    let exchanged = order::sorted(&[cols, rows], tensor.len(), &[side; 2])?;
    let mut kept = Vec::new();
    for (entry, mirror) in entries.into_iter().zip(exchanged) {
        let (at, across) = ((rows[entry], cols[entry]), (cols[mirror], rows[mirror]));
        let expected = tensor.values.get(mirror).and_then(|value| structure.mirrored(false, value));
        let found = tensor.values.get(entry);
        match at.cmp(&across) {
            // The entry across the diagonal is missing for one of the two.
            Ordering::Less => return Err(refused(structure, (at.1, at.0), None)),
            Ordering::Greater => return Err(refused(structure, across, None)),
            Ordering::Equal if misplaced(structure, at.0, at.1).is_none() => kept.push(entry),
            Ordering::Equal if corresponds(found, expected) => {}
            Ordering::Equal => return Err(refused(structure, at, found)),
        }
    }
    let list = |from: &[u64]| kept.iter().map(|&entry| from[entry]).collect();
    let values = match &tensor.values {
        Values::Iso(value) => Values::Iso(*value),
        all => {
            let mut values = Values::new(all.value_type());
            kept.iter().filter_map(|&entry| all.get(entry)).for_each(|value| {
                values.push(value);
            });
            values
        }
    };
    let coordinates = vec![list(rows), list(cols)];
    Ok(Some(Tensor { coordinates, values, structure, ..tensor.clone() }))
}

/// Returns whether a value equals the corresponding one. The sign of zeros is ignored: it is rarely
/// intended, and programs that compute a matrix rarely flip it.
fn corresponds(found: Option<Scalar>, expected: Option<Scalar>) -> bool {
    let [found, expected] = [found, expected].map(|value| value.map(without_negative_zero));
    matches!((found, expected), (Some(found), Some(expected)) if same(found, expected))
}

fn without_negative_zero(value: Scalar) -> Scalar {
    let single = |part: f32| if part == 0.0 { 0.0 } else { part };
    let double = |part: f64| if part == 0.0 { 0.0 } else { part };
    match value {
        Scalar::F32(value) => Scalar::F32(single(value)),
        Scalar::F64(value) => Scalar::F64(double(value)),
        Scalar::ComplexF32(parts) => Scalar::ComplexF32(parts.map(single)),
        Scalar::ComplexF64(parts) => Scalar::ComplexF64(parts.map(double)),
        whole => whole,
    }
}

/// Returns the error for an element that does not have the value that corresponds to the one across the
/// diagonal.
fn refused(structure: Structure, (row, col): (u64, u64), found: Option<Scalar>) -> Error {
    let found = found.map_or_else(|| "no entry".to_owned(), |found| found.to_string());
    let expected = format!(
        "the value that corresponds to row {col}, column {row} of a {structure} matrix, both \
         triangles of which must be stored"
    );
    Error::mismatch(Place::default().at(At::Entry { row, col }), found, expected)
}
