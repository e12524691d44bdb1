//! Element types in metadata.

use nnz_core::{Scalar, TimeType, ValueType};
use serde_json::{Value, json};

use super::options::ZarrVersion;
use crate::npy;
use crate::tree::pack::element_bytes;
use crate::tree::{ElementType, Field, StringEncoding};

/// Maximum size of a compound, whose fill value is part of the metadata.
const LARGEST: u64 = 1 << 20;

/// The description of an element type.
#[derive(Clone, Debug)]
pub(super) struct ElementDescription {
    /// Stored size of an element in bytes; 0 for strings of variable length.
    pub(super) bytes: usize,
    /// Its name in metadata.
    pub(super) name: Value,
    /// The fill value.
    pub(super) fill: Value,
    /// Whether elements are strings of variable length.
    pub(super) is_text: bool,
    /// Whether the byte order is stored.
    pub(super) has_order: bool,
}

/// Whether native byte order, in which elements are stored, is big-endian.
pub(super) const BIG: bool = cfg!(target_endian = "big");

impl ElementDescription {
    /// Describes an element type; `None` if the version of Zarr does not support it.
    pub(super) fn new(element: &ElementType, version: ZarrVersion) -> Option<Self> {
        let bytes = usize::try_from(element_bytes(element, 0)?).ok()?;
        let is_text = *element == ElementType::String;
        let name = match version {
            ZarrVersion::V2 if is_text => json!("|O"),
            ZarrVersion::V2 => dtype(element)?,
            ZarrVersion::V3 => data_type(element)?,
        };
        let fill = match element {
            ElementType::Number(value_type) => zero(*value_type),
            ElementType::Float16 => json!(0.0),
            // As zarr-python writes them.
            ElementType::Time(_) => json!(TimeType::MISSING),
            ElementType::Compound(_) => base64_zeros(bytes),
            _ => json!(""),
        };
        let has_order = match element {
            ElementType::Number(value_type) => value_type.size() > 1,
            ElementType::FixedString { encoding, .. } => *encoding == StringEncoding::Utf32,
            ElementType::String => false,
            _ => true,
        };
        Some(Self { bytes, name, fill, is_text, has_order })
    }

    /// Sets the fill value.
    pub(super) fn with_fill(mut self, fill: Scalar, version: ZarrVersion) -> Self {
        self.fill = number(fill, version);
        self
    }
}

fn zero(value_type: ValueType) -> Value {
    match value_type {
        ValueType::Bint8 => json!(false),
        ValueType::F32 | ValueType::F64 => json!(0.0),
        ValueType::ComplexF32 | ValueType::ComplexF64 => json!([0.0, 0.0]),
        _ => json!(0),
    }
}

/// Returns a fill value as in metadata.
fn number(fill: Scalar, version: ZarrVersion) -> Value {
    let wide = |value: f64| match value {
        value if value.is_nan() => {
            let plain = value.to_bits() == f64::NAN.to_bits() || version == ZarrVersion::V2;
            if plain { json!("NaN") } else { json!(format!("{:#018x}", value.to_bits())) }
        }
        f64::INFINITY => json!("Infinity"),
        f64::NEG_INFINITY => json!("-Infinity"),
        value => json!(value),
    };
    let single = |value: f32| match value {
        value if value.is_nan() => {
            let plain = value.to_bits() == f32::NAN.to_bits() || version == ZarrVersion::V2;
            if plain { json!("NaN") } else { json!(format!("{:#010x}", value.to_bits())) }
        }
        value => wide(value.into()),
    };
    match fill {
        Scalar::U8(value) => json!(value),
        Scalar::U16(value) => json!(value),
        Scalar::U32(value) => json!(value),
        Scalar::U64(value) => json!(value),
        Scalar::I8(value) => json!(value),
        Scalar::I16(value) => json!(value),
        Scalar::I32(value) => json!(value),
        Scalar::I64(value) => json!(value),
        Scalar::Bint8(value) => json!(value.0 != 0),
        Scalar::F32(value) => single(value),
        Scalar::F64(value) => wide(value),
        Scalar::ComplexF32([re, im]) => json!([single(re), single(im)]),
        Scalar::ComplexF64([re, im]) => json!([wide(re), wide(im)]),
    }
}

/// Returns zeros in base 64.
fn base64_zeros(bytes: usize) -> Value {
    let end = ["", "AA==", "AAA="][bytes % 3];
    Value::from("AAAA".repeat(bytes / 3) + end)
}

/// Returns the name of an element type in version 2, as in NumPy.
fn dtype(element: &ElementType) -> Option<Value> {
    let order = if BIG { '>' } else { '<' };
    Some(match element {
        ElementType::Number(value_type) => {
            json!(npy::Element::Number { value_type: *value_type, big: BIG }.descr())
        }
        ElementType::Float16 => json!(format!("{order}f2")),
        ElementType::Time(time) => json!(format!("{order}{}", time.code())),
        ElementType::FixedString { bytes: 1.., encoding } => json!(fixed(element, *encoding)?),
        ElementType::Compound(fields) => {
            check_size(element)?;
            let field = |Field { name, element, shape }: &Field| {
                let dtype = dtype(element)?;
                Some(match shape.is_empty() {
                    true => json!([name, dtype]),
                    false => json!([name, dtype, shape]),
                })
            };
            fields.iter().map(field).collect::<Option<Vec<_>>>()?.into()
        }
        _ => return None,
    })
}

fn fixed(element: &ElementType, encoding: StringEncoding) -> Option<String> {
    let length = element_bytes(element, 0)?;
    let element = match encoding {
        StringEncoding::Bytes => npy::Element::Bytes { length },
        StringEncoding::Utf32 if length.is_multiple_of(4) => {
            npy::Element::Unicode { length: length / 4, big: BIG }
        }
        StringEncoding::Utf32 => return None,
    };
    Some(element.descr())
}

/// Returns the name of an element type in version 3.
fn data_type(element: &ElementType) -> Option<Value> {
    Some(match element {
        ElementType::Number(ValueType::Bint8) => json!("bool"),
        ElementType::Number(ValueType::ComplexF32) => json!("complex64"),
        ElementType::Number(ValueType::ComplexF64) => json!("complex128"),
        ElementType::Number(value_type) => json!(value_type.name()),
        ElementType::Float16 => json!("float16"),
        ElementType::Time(time) => {
            let name = if time.is_duration() { "numpy.timedelta64" } else { "numpy.datetime64" };
            let configuration = json!({"unit": time.unit(), "scale_factor": time.count()});
            json!({"name": name, "configuration": configuration})
        }
        ElementType::String => json!("string"),
        ElementType::FixedString { bytes: bytes @ 1.., encoding } => {
            let name = match encoding {
                StringEncoding::Bytes => "null_terminated_bytes",
                StringEncoding::Utf32 if bytes.is_multiple_of(4) => "fixed_length_utf32",
                StringEncoding::Utf32 => return None,
            };
            json!({"name": name, "configuration": {"length_bytes": bytes}})
        }
        ElementType::Compound(fields) => {
            check_size(element)?;
            // Arrays in compounds have no name.
            let field = |Field { name, element, shape }: &Field| {
                Some(json!([name, data_type(element).filter(|_| shape.is_empty())?]))
            };
            let fields = fields.iter().map(field).collect::<Option<Vec<_>>>()?;
            json!({"name": "structured", "configuration": {"fields": fields}})
        }
        _ => return None,
    })
}

/// Refuses compounds that are large, or have strings of variable length or arrays of compounds.
fn check_size(element: &ElementType) -> Option<()> {
    let ElementType::Compound(fields) = element else { return Some(()) };
    let is_held = |field: &Field| match field.element {
        ElementType::String => false,
        ElementType::Compound(_) => field.shape.is_empty(),
        _ => true,
    };
    let bytes = element_bytes(element, 0)?;
    (fields.iter().all(is_held) && (1..=LARGEST).contains(&bytes)).then_some(())
}
