//! Copying the elements of an array.

use std::ops::Range;

use nnz_core::{Error, Result, ValueType, Values};

use super::super::array::NdArray;
use super::super::element::{ElementType, Field, StringEncoding};
use super::super::pack::element_bytes;
use super::super::selection::{blocks, count};
use super::super::spec::ArraySpec;
use super::super::writer::{FieldValues, NodeId};
use super::{ChangeKind, Copy, supported};
use crate::Compression;

/// Minimum and maximum size of elements that are copied at once.
const MIN_COPY: u64 = 64 << 10;
const MAX_COPY: u64 = 32 << 20;

/// Size up to which no stored data is required, and the maximum ratio of a larger array to its
/// stored size.
const UNPROVEN: u64 = 64 << 30;
const MAX_RATIO: u64 = 1 << 14;

impl Copy<'_> {
    /// Copies an array to a group.
    pub(super) fn array(
        &mut self,
        from: &dyn NdArray,
        parent: NodeId,
        name: &str,
        path: &str,
    ) -> Result<Option<NodeId>> {
        let found = from.element_type();
        let Some(element) = self.supported_element(from)? else {
            let (kind, what) = (self.to.info().name, found.to_string());
            self.drop(path, None, format!("elements of type {what} in {kind}"));
            return Ok(None);
        };
        let spec = self.spec(from, &element)?;
        let array = match supported(self.to.create_array(parent, name, &spec))? {
            Ok(array) => array,
            Err(reason) => {
                self.drop(path, None, reason);
                return Ok(None);
            }
        };
        if element != *found {
            self.note(ChangeKind::Converted, path, None, conversion(found, &element));
        }
        if spec.is_null && !self.to.supports_null() {
            let what = "an array without a value is stored as a scalar that is not written";
            self.note(ChangeKind::Converted, path, None, what);
        }
        self.report.arrays += 1;
        self.attributes(from, array, path)?;
        if !(spec.is_null || spec.unwritten) {
            self.elements(from, array, &element)?;
        }
        self.to.finish_array(array)?;
        Ok(Some(array))
    }

    /// Returns the type for storing elements; `None` if there is none.
    fn supported_element(&self, from: &dyn NdArray) -> Result<Option<ElementType>> {
        let found = from.element_type();
        if self.to.supports(found) {
            return Ok(Some(found.clone()));
        }
        let other = self.substitute(found, &mut |path| {
            let Some((first, rest)) = path.split_first() else { return longest(from) };
            let mut field = from.field(first)?;
            for name in rest {
                field = field.field(name)?;
            }
            longest(&*field)
        })?;
        Ok(other.filter(|other| self.to.supports(other)))
    }

    /// Finds a type that has the same values. `longest` returns the number of code points of the
    /// longest string.
    fn substitute(
        &self,
        found: &ElementType,
        longest: &mut dyn FnMut(&[&str]) -> Result<u64>,
    ) -> Result<Option<ElementType>> {
        self.substitute_at(found, &mut Vec::new(), longest)
    }

    fn substitute_at<'f>(
        &self,
        found: &'f ElementType,
        path: &mut Vec<&'f str>,
        longest: &mut dyn FnMut(&[&str]) -> Result<u64>,
    ) -> Result<Option<ElementType>> {
        let number = |value_type| Some(ElementType::Number(value_type));
        Ok(match found {
            _ if path.is_empty() && self.to.supports(found) => Some(found.clone()),
            ElementType::Float16 => number(ValueType::F32),
            ElementType::Time(_) => number(ValueType::I64),
            ElementType::Number(ValueType::Bint8) => number(ValueType::U8),
            ElementType::FixedString { .. } if self.to.supports(&ElementType::String) => {
                Some(ElementType::String)
            }
            ElementType::FixedString { encoding: StringEncoding::Utf32, .. } => None,
            ElementType::String | ElementType::FixedString { .. } => {
                let bytes = longest(path)?.max(1).saturating_mul(4);
                Some(ElementType::FixedString { bytes, encoding: StringEncoding::Utf32 })
            }
            ElementType::Compound(fields) => {
                let mut all = Vec::with_capacity(fields.len());
                for Field { name, element, shape } in fields {
                    let inner = ElementType::Compound(vec![Field {
                        name: name.clone(),
                        element: element.clone(),
                        shape: shape.clone(),
                    }]);
                    path.push(name);
                    // A field may be supported although its type alone is not, and vice versa.
                    let element = match self.to.supports(&inner) {
                        true => Some(element.clone()),
                        false => self.field_substitute(element, path, longest)?,
                    };
                    path.pop();
                    let Some(element) = element else { return Ok(None) };
                    all.push(Field { name: name.clone(), element, shape: shape.clone() });
                }
                Some(ElementType::Compound(all))
            }
            _ => None,
        })
    }

    fn field_substitute<'f>(
        &self,
        found: &'f ElementType,
        path: &mut Vec<&'f str>,
        longest: &mut dyn FnMut(&[&str]) -> Result<u64>,
    ) -> Result<Option<ElementType>> {
        let supported_as_field = |element: &ElementType| {
            let (name, shape) = ("f".to_owned(), Vec::new());
            let field = Field { name, element: element.clone(), shape };
            self.to.supports(&ElementType::Compound(vec![field]))
        };
        match found {
            ElementType::FixedString { .. } if supported_as_field(&ElementType::String) => {
                Ok(Some(ElementType::String))
            }
            ElementType::String => {
                let bytes = longest(path)?.max(1).saturating_mul(4);
                Ok(Some(ElementType::FixedString { bytes, encoding: StringEncoding::Utf32 }))
            }
            found => self.substitute_at(found, path, longest),
        }
    }

    /// Returns the specification of the array: like the source, as far as memory allows.
    fn spec(&self, from: &dyn NdArray, element: &ElementType) -> Result<ArraySpec> {
        if from.is_null() {
            return Ok(ArraySpec::null(element.clone()));
        }
        let shape = from.shape();
        let storage = from.storage();
        let all = count(&from.all(), shape, &from.place())?;
        let bytes = element_bytes(element, 16).unwrap_or(1).max(1);
        let mut spec = ArraySpec::new(element.clone(), shape);
        let chunk = storage.chunk_shape.as_ref().filter(|chunk| chunk.len() == shape.len());
        if let Some(chunk) = chunk.filter(|_| !shape.is_empty()) {
            let most = (self.options.memory / 4).max(MIN_COPY);
            spec = spec.chunk(&shrink_chunk(shape, chunk, bytes, most));
        }
        let filters = &storage.filters;
        let compression =
            self.options.compression.unwrap_or_else(|| match is_compressed(filters) {
                true => self.to.usual_compression(),
                false => Compression::None,
            });
        if !shape.is_empty() {
            spec = spec.compress(compression);
            if compression != Compression::None && filters.iter().any(|name| name == "shuffle") {
                spec = spec.shuffle();
            }
        }
        if let (ElementType::Number(_), Some(fill)) = (element, from.fill_value()?) {
            spec = spec.fill(fill);
        }
        if all == 0 || from.is_fully_stored()? {
            return Ok(spec);
        }
        let stored = from.stored_bytes()?;
        let unwritten = stored == 0 && matches!(element, ElementType::Number(_));
        if unwritten && self.to.supports_unwritten() && !shape.is_empty() {
            return Ok(spec.unwritten());
        }
        if all.saturating_mul(bytes) > UNPROVEN.max(stored.saturating_mul(MAX_RATIO)) {
            let found = format!("{all} elements, most of which are not stored");
            return Err(Error::mismatch(from.place(), found, "an array that is mostly stored"));
        }
        Ok(spec)
    }

    /// Copies all elements.
    fn elements(&mut self, from: &dyn NdArray, to: NodeId, element: &ElementType) -> Result<()> {
        if element.is_string() {
            self.to.append_strings(to, &mut *from.read_strings(&from.all())?)?;
            return self.progressed(count(&from.all(), from.shape(), &from.place())?);
        }
        let storage = from.storage();
        let chunk = storage.chunk_shape.as_deref().filter(|by| by.len() == from.shape().len());
        let bytes = read_bytes(from.element_type());
        let block = (self.options.memory / 4).clamp(MIN_COPY, MAX_COPY);
        for block in blocks(&from.all(), chunk, (block / bytes).max(1)) {
            let count = count(&block, from.shape(), &from.place())?;
            match element {
                ElementType::Compound(_) => {
                    let buffer = FieldBuffer::read(from, &block)?;
                    if let FieldValues::Records(mut fields) = buffer.values()? {
                        self.to.append_records(to, &mut fields)?;
                    }
                }
                _ => self.to.append_bytes(to, read(from, &block)?.bytes())?,
            }
            self.progressed(count)?;
        }
        Ok(())
    }

    fn progressed(&self, elements: u64) -> Result<()> {
        self.options.progress.map_or(Ok(()), |progress| progress(elements))
    }
}

/// Returns the size of an element in memory, assuming short strings.
fn read_bytes(element: &ElementType) -> u64 {
    match element {
        ElementType::Float16 => 4,
        element => element_bytes(element, 64).unwrap_or(1).max(1),
    }
}

/// Reads numbers of a block of limited size.
fn read(from: &dyn NdArray, block: &[Range<u64>]) -> Result<Values> {
    from.read(block, u64::MAX)
}

/// The values of the fields of compounds.
enum FieldBuffer {
    Numbers(Values),
    Strings(Box<dyn NdArray>, Vec<Range<u64>>),
    Records(Vec<FieldBuffer>),
}

impl FieldBuffer {
    /// Reads numbers, and opens strings.
    fn read(from: &dyn NdArray, block: &[Range<u64>]) -> Result<Self> {
        let ElementType::Compound(fields) = from.element_type() else {
            return Ok(Self::Numbers(read(from, block)?));
        };
        let inner = |field: &Field| {
            let array = from.field(&field.name)?;
            let mut block = block.to_vec();
            block.extend(field.shape.iter().map(|&length| 0..length));
            match array.element_type().is_string() {
                true => Ok(Self::Strings(array, block)),
                false => Self::read(&*array, &block),
            }
        };
        Ok(Self::Records(fields.iter().map(inner).collect::<Result<_>>()?))
    }

    fn values(&self) -> Result<FieldValues<'_>> {
        Ok(match self {
            Self::Numbers(values) => FieldValues::Bytes(values.bytes()),
            Self::Strings(array, block) => FieldValues::Strings(array.read_strings(block)?),
            Self::Records(fields) => {
                FieldValues::Records(fields.iter().map(Self::values).collect::<Result<_>>()?)
            }
        })
    }
}

/// Returns the number of code points of the longest string.
fn longest(from: &dyn NdArray) -> Result<u64> {
    let mut strings = from.read_strings(&from.all())?;
    let mut longest = 0;
    while let Some(string) = strings.next_string()? {
        let points = match std::str::from_utf8(string) {
            Ok(text) => text.chars().count(),
            Err(_) => string.len(),
        };
        longest = longest.max(points as u64);
    }
    Ok(longest)
}

/// Returns whether one of the filters is a compressor.
fn is_compressed(filters: &[String]) -> bool {
    let compressing = |filter: &String| {
        let name = filter.strip_prefix("numcodecs.").unwrap_or(filter);
        !matches!(name, "shuffle" | "fletcher32" | "crc32c" | "delta")
    };
    filters.iter().any(compressing)
}

/// Describes how two types differ.
fn conversion(from: &ElementType, to: &ElementType) -> String {
    if let (ElementType::Compound(from), ElementType::Compound(to)) = (from, to) {
        let pairs = from.iter().zip(to).filter(|(from, to)| from != to);
        let fields: Vec<String> = pairs
            .map(|(from, to)| {
                format!("the field {:?}: {}", from.name, conversion(&from.element, &to.element))
            })
            .collect();
        return fields.join("; ");
    }
    format!("elements of type {from} are stored as {to}")
}

/// Shrinks chunks, the first dimensions first, until a row of adjacent chunks fits in `most` bytes.
fn shrink_chunk(shape: &[u64], chunk: &[u64], bytes: u64, most: u64) -> Vec<u64> {
    let mut chunk: Vec<u64> =
        chunk.iter().zip(shape).map(|(by, len)| (*by).clamp(1, (*len).max(1))).collect();
    for at in 0..chunk.len() {
        let row = shape[at + 1..].iter().fold(bytes, |all, len| all.saturating_mul((*len).max(1)));
        if chunk[at].saturating_mul(row) <= most {
            break;
        }
        chunk[at] = (most / row).clamp(1, chunk[at]);
        if chunk[at] > 1 {
            break;
        }
    }
    chunk
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_chunks_fit_in_memory() {
        assert_eq!(shrink_chunk(&[100, 10], &[10, 5], 4, 400), [10, 5]);
        assert_eq!(shrink_chunk(&[100, 10], &[10, 5], 4, 399), [9, 5]);
        assert_eq!(shrink_chunk(&[100, 10], &[10, 5], 4, 39), [1, 5]);
        assert_eq!(shrink_chunk(&[100, 10], &[10, 5], 4, 19), [1, 4]);
        assert_eq!(shrink_chunk(&[3, 0], &[3, 7], 4, 19), [3, 1]);
    }
}
