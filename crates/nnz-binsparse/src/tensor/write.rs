//! Writing a tensor with any levels.

use nnz_container::NamedArraysWriter;
use nnz_core::{Error, Narrowest, Place, Result, Rounding, Scalar, Structure, Values};

use super::output::Arrays;
use super::walk::{Count, Walk, WalkLevel};
use super::{Tensor, order};
use crate::descriptor::{DESCRIPTOR, DIAGONAL, Descriptor};
use crate::layout::LevelKind;
use crate::output::write_fill;
use crate::structure::{self, value_bits};
use crate::{Keys, Layout, Options};

/// Writes a tensor into a container. The caller finishes the container.
///
/// Elements of a dense level without an entry are set to the fill value of the tensor, or zero.
///
/// # Errors
///
/// Fails if the layout has a different number of dimensions, if entries are out of range, at the
/// same position, or in the triangle that the structure leaves out, if a type of the options is too
/// small, or if the container refuses.
pub fn write_tensor(
    container: &mut NamedArraysWriter,
    tensor: &Tensor,
    layout: &Layout,
    options: &Options,
) -> Result<()> {
    let (walk, count) = walk(tensor, layout)?;
    let extents = layout.stored(&tensor.shape);
    let diagonal = check_structure(tensor, layout)?;
    let (values, background) = values(tensor, options)?;
    let stored = count
        .entries
        .checked_add(count.missing)
        .ok_or_else(|| Error::unsupported(Place::default(), "more than 2^64 - 1 elements"))?;

    let iso = match &values {
        Values::Iso(value) if count.missing == 0 || same(*value, background) => Some(*value),
        _ => None,
    };
    let mut data_types = Vec::new();
    let chosen = (&count, options);
    let mut arrays = Arrays::create(
        container,
        &walk,
        &extents,
        chosen,
        (&values, iso.is_some()),
        background,
        &mut data_types,
    )?;
    walk.visit(&mut arrays)?;
    arrays.finish(iso)?;
    if tensor.fill.is_some() {
        data_types.push(write_fill(container, background)?);
    }
    let mut attributes = options.attributes.clone();
    if tensor.structure != Structure::General {
        attributes.set(DIAGONAL, &diagonal.to_string())?;
    }
    let descriptor = Descriptor {
        version: options.version.clone(),
        format: layout.format(),
        layout: layout.clone(),
        shape: tensor.shape.clone(),
        stored,
        fill: tensor.fill.is_some(),
        structure: tensor.structure,
        data_types,
        attributes,
        unknown: Keys::default(),
        user: options.user.clone(),
    };
    container.set_attribute(DESCRIPTOR, &descriptor.to_json()?)
}

/// Sorts the entries of a tensor for a layout, and counts what is stored.
pub(super) fn walk<'a>(tensor: &'a Tensor, layout: &Layout) -> Result<(Walk<'a>, Count)> {
    if layout.rank() != tensor.shape.len() {
        let found = format!("{layout}, of {} dimensions", layout.rank());
        let expected = format!("{} dimensions", tensor.shape.len());
        return Err(Error::mismatch(Place::default(), found, expected));
    }
    let columns = tensor.columns()?;
    let (columns, extents) = (layout.stored(&columns), layout.stored(&tensor.shape));
    let order = order::sorted(&columns, tensor.len(), &extents)?;
    let walk = Walk { levels: WalkLevel::list(layout, &extents)?, columns, order };
    let mut count = Count { slices: vec![0; walk.levels.len()], entries: 0, missing: 0 };
    walk.visit(&mut count)?;
    Ok((walk, count))
}

pub(super) fn same(a: Scalar, b: Scalar) -> bool {
    value_bits(a) == value_bits(b)
}

/// Returns values and background in the type in which they are written.
fn values(tensor: &Tensor, options: &Options) -> Result<(Values, Scalar)> {
    let background = tensor.background();
    if background.value_type() != tensor.value_type() {
        let what = "the fill value and the values have different types";
        return Err(Error::argument(what));
    }
    if !options.minimize {
        return Ok((tensor.values.clone(), background));
    }
    let mut narrowest = Narrowest::new(tensor.value_type());
    narrowest.add(&tensor.values);
    narrowest.add(&Values::Iso(background));
    let target = narrowest.value_type();
    let mut values = Values::new(target);
    let cast = tensor.values.cast_into(target, Rounding::Refused, &mut values);
    match (cast, background.cast(target, Rounding::Refused)) {
        (Ok(()), Ok(background)) => Ok((values, background)),
        // The conversion has been checked.
        _ => Ok((tensor.values.clone(), background)),
    }
}

/// Checks that the entries fit the structure, and counts those on the diagonal.
pub(super) fn check_structure(tensor: &Tensor, layout: &Layout) -> Result<u64> {
    let structure = tensor.structure;
    if structure == Structure::General {
        return Ok(0);
    }
    let refuse = |what: String| Err(Error::unsupported(Place::default(), what));
    match tensor.shape[..] {
        [rows, cols] if rows == cols => {}
        _ => return refuse(format!("a shape of {:?} cannot be {structure}", tensor.shape)),
    }
    if layout.levels().last().is_some_and(|level| level.kind == LevelKind::Dense) {
        return refuse(format!("{layout} cannot be written with one triangle only"));
    }
    if matches!(structure, Structure::Hermitian(_)) && !tensor.value_type().is_complex() {
        return refuse(format!("{} values cannot be {structure}", tensor.value_type()));
    }
    let mut diagonal = 0;
    for (entry, (&row, &col)) in
        tensor.coordinates[0].iter().zip(&tensor.coordinates[1]).enumerate()
    {
        let wrong = structure::misplaced(structure, row, col).map(str::to_owned).or_else(|| {
            let value = tensor.values.get(entry).filter(|_| row == col)?;
            structure::diagonal(structure, value).map(|expected| format!("not {expected}"))
        });
        if let Some(wrong) = wrong {
            let place = Place::default().at(nnz_core::At::Entry { row, col });
            let expected = format!("a value that is valid in a {structure} matrix");
            return Err(Error::mismatch(place, wrong, expected));
        }
        diagonal += u64::from(row == col);
    }
    Ok(diagonal)
}
