//! Writing a tensor with a given descriptor.

use nnz_container::NamedArraysWriter;
use nnz_core::{Error, Place, Result, Rounding, Scalar, Structure, ValueType, Values};
use serde_json::json;

use super::Tensor;
use super::output::Arrays;
use super::triangle;
use super::write::{check_structure, same, walk};
use crate::descriptor::{DESCRIPTOR, DIAGONAL, Descriptor};
use crate::output::write_fill;
use crate::store::zero;
use crate::structure::value_bits;
use crate::{DataType, Keys, Options, Version};

/// Writes a tensor into a container according to a descriptor. The caller finishes the container.
///
/// `descriptor` is the object `binsparse`, or the object that contains it together with keys of
/// the user. Everything but the format may be missing. What it has is kept literally. What is
/// missing is derived from the tensor: a fill value if the tensor has one, its types, indices as
/// `int64` and pointers as `uint64`. Values are converted exactly to their declared type, or to
/// `iso[...]` if all are the same. For a general tensor the descriptor may declare a structure:
/// then both triangles must agree, and one of them is written.
///
/// ```
/// # use nnz_container::memory::Memory;
/// # use nnz_core::{Structure, Values};
/// # let tensor = nnz_binsparse::Tensor {
/// #     shape: vec![2], coordinates: vec![vec![1]], values: Values::F64(vec![2.0]),
/// #     structure: Structure::General, fill: None,
/// # };
/// let memory = Memory::new();
/// let mut writer = memory.writer();
/// let descriptor = r#"{"format": "CVEC", "data_types": {"values": "iso[int8]"}}"#;
/// nnz_binsparse::write_with_descriptor(&mut writer, &tensor, descriptor)?;
/// writer.finish()?;
/// # Ok::<(), nnz_core::Error>(())
/// ```
///
/// # Errors
///
/// Fails if the descriptor is wrong or not fully understood, if a value does not fit its type, if a
/// dense level has elements without an entry, or if the container refuses.
pub fn write_with_descriptor(
    container: &mut NamedArraysWriter,
    tensor: &Tensor,
    descriptor: &str,
) -> Result<()> {
    let mut keys = Keys::parse(descriptor)?;
    let mut user = Keys::default();
    if let Some(inner) = keys.remove(DESCRIPTOR) {
        user = std::mem::replace(&mut keys, Keys::parse(&inner)?);
    }
    let triangle = triangle::of(tensor, &keys)?;
    let tensor = triangle.as_ref().unwrap_or(tensor);
    let keys = complete(keys, tensor)?;
    let mut outer = Keys::default();
    outer.set(DESCRIPTOR, &keys.to_string())?;
    outer.extend(&user);
    let text = outer.to_string();
    let descriptor = Descriptor::parse(&text, &Place::default())?;
    check(&descriptor, tensor)?;
    let stored = Tensor { structure: descriptor.structure, ..tensor.clone() };
    check_structure(&stored, &descriptor.layout)?;
    let (walk, count) = walk(&stored, &descriptor.layout)?;
    if count.missing > 0 {
        let found = format!("{} elements of a dense level without an entry", count.missing);
        return Err(Error::mismatch(Place::default(), found, "an entry in each"));
    }
    let values = values(&stored.values, &descriptor)?;
    // Fill values have to fit the type of the values, whether they are stored or not.
    if let Some(fill) = stored.fill.filter(|_| descriptor.fill) {
        exactly(fill, values.value_type(), FILL)?;
    }
    let iso = match values {
        Values::Iso(value) => Some(value),
        _ => None,
    };
    let background = zero(values.value_type());
    let integers = descriptor.data_types.iter().filter(|(_, data_type)| !data_type.iso);
    let options = Options {
        types: integers.map(|(name, data_type)| (name.clone(), data_type.value_type)).collect(),
        ..Options::default()
    };
    let mut written: Vec<(String, DataType)> = Vec::new();
    let extents = descriptor.extents();
    let values = (&values, iso.is_some());
    let chosen = (&count, &options);
    let mut arrays =
        Arrays::create(container, &walk, &extents, chosen, values, background, &mut written)?;
    walk.visit(&mut arrays)?;
    arrays.finish(iso)?;
    if let Some(stated) = descriptor.data_type(FILL) {
        let fill = stored.fill.unwrap_or(background);
        written.push(write_fill(container, exactly(fill, stated.value_type, FILL)?)?);
    }
    if let Some((name, stated)) =
        descriptor.data_types.iter().find(|known| !written.contains(known))
    {
        let found = format!("an array {name:?} of type {stated}");
        return Err(Error::mismatch(Place::default(), found, "only arrays of the format"));
    }
    container.set_attribute(DESCRIPTOR, &text)
}

const FILL: &str = "fill_value";

/// Adds what is missing in a descriptor.
fn complete(mut keys: Keys, tensor: &Tensor) -> Result<Keys> {
    let absent = |keys: &Keys, key: &str| keys.get(key).is_none();
    if absent(&keys, "version") {
        keys.set_string("version", &Version::semantic().to_string())?;
    }
    if absent(&keys, "shape") {
        keys.set("shape", &json!(tensor.shape).to_string())?;
    }
    if absent(&keys, "number_of_stored_values") {
        keys.set("number_of_stored_values", &tensor.len().to_string())?;
    }
    if absent(&keys, "fill") && tensor.fill.is_some() {
        keys.set("fill", "true")?;
    }
    let mut types = Keys::parse(keys.get("data_types").unwrap_or("{}"))?;
    let layout = Descriptor::layout_of(&keys, tensor.shape.len())?;
    for name in layout.arrays() {
        let value_type = match name.split('_').next() {
            Some("pointers") => ValueType::U64,
            Some("indices") => ValueType::I64,
            _ => tensor.value_type(),
        };
        if absent(&types, &name) {
            types.set_string(&name, value_type.name())?;
        }
    }
    if let Some(fill) = tensor.fill.filter(|_| absent(&types, FILL)) {
        types.set_string(FILL, fill.value_type().name())?;
    }
    keys.set("data_types", &types.to_string())?;
    Ok(keys)
}

/// Checks that the descriptor matches the tensor.
fn check(descriptor: &Descriptor, tensor: &Tensor) -> Result<()> {
    let key = |name: &str| Place::default().with_array(format!("{DESCRIPTOR}.{name}"));
    if descriptor.shape != tensor.shape {
        let found = format!("{:?}", descriptor.shape);
        let expected = format!("{:?}, the shape of the tensor", tensor.shape);
        return Err(Error::mismatch(key("shape"), found, expected));
    }
    if usize::try_from(descriptor.stored) != Ok(tensor.len()) {
        let expected = format!("{}, the number of entries", tensor.len());
        return Err(Error::mismatch(key("number_of_stored_values"), descriptor.stored, expected));
    }
    if descriptor.fill && descriptor.data_type(FILL).is_none() {
        return Err(Error::mismatch(key("fill"), "true", "false: the tensor has none"));
    }
    if tensor.structure != Structure::General && tensor.structure != descriptor.structure {
        return Err(Error::mismatch(key("structure"), descriptor.structure, tensor.structure));
    }
    check_diagonal(descriptor, tensor)?;
    if let Some(fill) = tensor.fill {
        let positive_zero = value_bits(fill).iter().all(|&byte| byte == 0);
        if !descriptor.fill && !positive_zero {
            let expected = format!("true: elements that are not stored have the value {fill}");
            return Err(Error::mismatch(key("fill"), "false", expected));
        }
    }
    let fill = descriptor.data_type(FILL).filter(|stated| stated.iso);
    fill.map_or(Ok(()), |stated| {
        let place = key("data_types.fill_value");
        Err(Error::mismatch(place, stated, "a type without iso"))
    })
}

/// Checks the number of entries on the diagonal, if it is given.
fn check_diagonal(descriptor: &Descriptor, tensor: &Tensor) -> Result<()> {
    let (Some(stated), [rows, cols]) = (descriptor.attributes.get(DIAGONAL), &*tensor.coordinates)
    else {
        return Ok(());
    };
    let diagonal = rows.iter().zip(cols).filter(|(row, col)| row == col).count() as u64;
    if descriptor.diagonal() == Some(diagonal) {
        return Ok(());
    }
    let array = Some(format!("{DESCRIPTOR}.attributes.{DIAGONAL}"));
    let expected = format!("{diagonal}, the number of entries on the diagonal");
    Err(Error::mismatch(Place::default().with_array(array), stated, expected))
}

/// Returns the values in their declared type; a single one if they are declared as iso.
fn values(values: &Values, descriptor: &Descriptor) -> Result<Values> {
    let Some(stated) = descriptor.data_type("values") else {
        return Ok(values.clone());
    };
    let mut cast = Values::new(stated.value_type);
    values
        .cast_into(stated.value_type, Rounding::Refused, &mut cast)
        .map_err(|offender| unfit("values", offender.found, stated.value_type))?;
    if !stated.iso {
        let many = match cast {
            Values::Iso(value) => value.repeat(usize::try_from(descriptor.stored).unwrap_or(0)),
            many => many,
        };
        return Ok(many);
    }
    let first = cast.get(0).unwrap_or_else(|| zero(stated.value_type));
    let other = (1..cast.len().unwrap_or(0))
        .find_map(|at| cast.get(at).filter(|&value| !same(value, first)));
    match other {
        Some(other) => {
            let place = Place::default().with_array("values".to_owned());
            let expected = format!("{first} for all, since they are {stated}");
            Err(Error::mismatch(place, other, expected))
        }
        None => Ok(Values::Iso(first)),
    }
}

fn exactly(value: Scalar, value_type: ValueType, array: &str) -> Result<Scalar> {
    value.cast(value_type, Rounding::Refused).map_err(|_| unfit(array, value, value_type))
}

fn unfit(array: &str, value: Scalar, value_type: ValueType) -> Error {
    let place = Place::default().with_array(array.to_owned());
    Error::mismatch(place, value, format!("a value that fits into {value_type}"))
}
