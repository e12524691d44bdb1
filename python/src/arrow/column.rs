//! Columns in the memory layout of Arrow.

use nnz::annotations::{Categorical, Categories, Column, ColumnValues};
use nnz::matrix::StringList;
use nnz::{Error, Place, Result, ValueType, Values};

use super::abi::{DICTIONARY_ORDERED, NULLABLE};

/// The type of a column.
#[derive(Clone)]
pub(crate) struct Field {
    pub(super) name: String,
    pub(super) format: &'static str,
    pub(super) flags: i64,
    pub(super) children: Vec<Field>,
    pub(super) dictionary: Option<Box<Field>>,
}

/// The values of a column.
pub(crate) struct ArrayData {
    pub(super) length: usize,
    pub(super) nulls: usize,
    pub(super) buffers: Vec<Option<Buffer>>,
    pub(super) children: Vec<ArrayData>,
    pub(super) dictionary: Option<Box<ArrayData>>,
}

/// A buffer, aligned for its type.
pub(super) enum Buffer {
    Values(Values),
    Offsets(Vec<i64>),
    Codes(Vec<i32>),
    Bytes(Vec<u8>),
}

impl Buffer {
    pub(super) fn as_ptr(&self) -> *const u8 {
        match self {
            Self::Values(values) => values.bytes().as_ptr(),
            Self::Offsets(offsets) => offsets.as_ptr().cast(),
            Self::Codes(codes) => codes.as_ptr().cast(),
            Self::Bytes(bytes) => bytes.as_ptr(),
        }
    }
}

/// Returns the format string of a type; `None` for complex numbers.
pub(super) fn format(value_type: ValueType) -> Option<&'static str> {
    Some(match value_type {
        ValueType::I8 => "c",
        ValueType::U8 => "C",
        ValueType::I16 => "s",
        ValueType::U16 => "S",
        ValueType::I32 => "i",
        ValueType::U32 => "I",
        ValueType::I64 => "l",
        ValueType::U64 => "L",
        ValueType::F32 => "f",
        ValueType::F64 => "g",
        ValueType::Bint8 => "b",
        ValueType::ComplexF32 | ValueType::ComplexF64 => return None,
    })
}

impl Field {
    /// Describes a column of numbers.
    pub(crate) fn numbers(name: &str, value_type: ValueType) -> Result<Self> {
        let format = format(value_type).ok_or_else(|| {
            let what = format!("column {name:?}: Arrow has no type for {value_type}");
            Error::unsupported(Place::default(), what)
        })?;
        Ok(Self::new(name, format))
    }

    /// Describes a struct of columns.
    pub(crate) fn rows(children: Vec<Self>) -> Self {
        Self { children, ..Self::new("", "+s") }
    }

    fn new(name: &str, format: &'static str) -> Self {
        let name = name.to_owned();
        Self { name, format, flags: 0, children: Vec::new(), dictionary: None }
    }
}

impl ArrayData {
    /// Converts numbers.
    pub(crate) fn numbers(values: Values) -> Self {
        let length = values.len().unwrap_or(0);
        let values = match values {
            Values::Bint8(truth) => Buffer::Bytes(bits(truth.iter().map(|one| one.0 != 0), length)),
            values => Buffer::Values(values),
        };
        Self::flat(length, vec![None, Some(values)])
    }

    /// Converts a struct of columns.
    pub(crate) fn rows(length: usize, children: Vec<Self>) -> Self {
        Self { children, ..Self::flat(length, vec![None]) }
    }

    fn flat(length: usize, buffers: Vec<Option<Buffer>>) -> Self {
        Self { length, nulls: 0, buffers, children: Vec::new(), dictionary: None }
    }

    /// Sets the validity bitmap.
    fn without(mut self, missing: &[bool]) -> Self {
        self.nulls = missing.iter().filter(|missing| **missing).count();
        if let Some(first) = self.buffers.first_mut().filter(|_| self.nulls > 0) {
            *first =
                Some(Buffer::Bytes(bits(missing.iter().map(|missing| !missing), missing.len())));
        }
        self
    }
}

/// Converts a column of annotations.
pub(crate) fn annotations(name: &str, column: Column) -> Result<(Field, ArrayData)> {
    let (mut field, mut data) = match column.values {
        ColumnValues::Numbers(values) => {
            (Field::numbers(name, values.value_type())?, ArrayData::numbers(values))
        }
        ColumnValues::Strings(list) => strings(name, &list)?,
        ColumnValues::Categorical(Categorical { codes, categories, ordered }) => {
            let (labels, dictionary) = match categories {
                Categories::Strings(list) => strings(name, &list)?,
                Categories::Numbers(values) => {
                    (Field::numbers("", values.value_type())?, ArrayData::numbers(values))
                }
            };
            let missing: Vec<bool> = codes.iter().map(|code| *code < 0).collect();
            let codes: Vec<i32> = codes.into_iter().map(|code| code.max(0)).collect();
            let mut field = Field::new(name, "i");
            field.dictionary = Some(Box::new(labels));
            field.flags = if ordered { DICTIONARY_ORDERED } else { 0 };
            let data = ArrayData::flat(codes.len(), vec![None, Some(Buffer::Codes(codes))]);
            (field, ArrayData { dictionary: Some(Box::new(dictionary)), ..data.without(&missing) })
        }
    };
    if let Some(missing) = &column.missing
        && data.dictionary.is_none()
    {
        data = data.without(missing);
    }
    field.flags |= NULLABLE;
    Ok((field, data))
}

/// Converts strings, which must be UTF-8 in Arrow.
pub(crate) fn strings(name: &str, list: &StringList) -> Result<(Field, ArrayData)> {
    let mut offsets = vec![0_i64];
    let mut bytes = Vec::new();
    for (row, string) in list.iter().enumerate() {
        if std::str::from_utf8(string).is_err() {
            let what = format!("column {name:?}: row {row} is not UTF-8, which Arrow requires");
            return Err(Error::unsupported(Place::default(), what));
        }
        bytes.extend_from_slice(string);
        offsets.push(i64::try_from(bytes.len()).unwrap_or(i64::MAX));
    }
    let length = offsets.len() - 1;
    let buffers = vec![None, Some(Buffer::Offsets(offsets)), Some(Buffer::Bytes(bytes))];
    Ok((Field::new(name, "U"), ArrayData::flat(length, buffers)))
}

/// Packs booleans into bits, least significant first.
fn bits(truth: impl Iterator<Item = bool>, count: usize) -> Vec<u8> {
    let mut bytes = vec![0_u8; count.div_ceil(8)];
    for (at, truth) in truth.enumerate() {
        bytes[at / 8] |= u8::from(truth) << (at % 8);
    }
    bytes
}
