//! The triangle that is stored of a matrix whose other triangle follows from it.

use std::cmp::Ordering;

use nnz_core::{At, Error, Place, Result, Scalar, Structure, Values};

use super::write::same;
use super::{Tensor, order};
use crate::Keys;
use crate::structure::{misplaced, named};

/// Returns the triangle that is stored, where a description says of a matrix with both of them what
/// structure it has; `None` where it says nothing, or something that is refused later.
///
/// # Errors
///
/// Fails where an entry has none across the diagonal with the value that follows, or cells that are
/// not stored hold what does not follow from itself.
pub(super) fn of(tensor: &Tensor, description: &Keys) -> Result<Option<Tensor>> {
    let stated = description.get("structure").and_then(|text| serde_json::from_str(text).ok());
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
    let follows = |fill| alike(Some(fill), structure.across(true, fill));
    if let Some(fill) = tensor.fill.filter(|&fill| !follows(fill)) {
        let found = format!("{fill} in cells that are not stored");
        let expected = format!("what the cells of a {structure} matrix can hold");
        return Err(Error::mismatch(Place::default(), found, expected));
    }
    // Row after row, of the matrix and of the one with rows and columns exchanged.
    let entries = order::sorted(&[rows, cols], tensor.len(), &[side; 2])?;
    let exchanged = order::sorted(&[cols, rows], tensor.len(), &[side; 2])?;
    let mut kept = Vec::new();
    for (entry, mirror) in entries.into_iter().zip(exchanged) {
        let (at, across) = ((rows[entry], cols[entry]), (cols[mirror], rows[mirror]));
        let wanted = tensor.values.get(mirror).and_then(|value| structure.across(false, value));
        let found = tensor.values.get(entry);
        match at.cmp(&across) {
            // Its mirror is missing, or it is where an entry has its mirror.
            Ordering::Less => return Err(refused(structure, (at.1, at.0), None)),
            Ordering::Greater => return Err(refused(structure, across, None)),
            Ordering::Equal if misplaced(structure, at.0, at.1).is_none() => kept.push(entry),
            Ordering::Equal if alike(found, wanted) => {}
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

/// Whether a value is the one that follows. Zeros of either sign are: which one there is says nothing
/// of what was meant, and what computes a matrix seldom turns it.
fn alike(found: Option<Scalar>, wanted: Option<Scalar>) -> bool {
    let [found, wanted] = [found, wanted].map(|value| value.map(without_negative_zero));
    matches!((found, wanted), (Some(found), Some(wanted)) if same(found, wanted))
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

/// Says that a cell does not hold what follows from the one across the diagonal.
fn refused(structure: Structure, (row, col): (u64, u64), found: Option<Scalar>) -> Error {
    let found = found.map_or_else(|| "no entry".to_owned(), |found| found.to_string());
    let expected = format!(
        "what follows from row {col}, column {row} of a {structure} matrix, whose triangles both \
         have to be there"
    );
    Error::mismatch(Place::default().at(At::Entry { row, col }), found, expected)
}
