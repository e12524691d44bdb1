//! The values of attributes.

use nnz_core::{Element, Error, Result, ValueType};

use super::object::ObjectId;
use crate::dataspace::Dataspace;
use crate::element::{CharacterSet, ElementType, Field, StringPadding};

/// The value of an attribute: elements of one type, with a shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    pub(crate) element: ElementType,
    pub(crate) space: Dataspace,
    pub(crate) data: Data,
}

/// The elements of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Data {
    /// In stored form.
    Bytes(Vec<u8>),
    /// Strings, to store in the heap.
    Strings(Vec<String>),
    /// Objects, to store as addresses.
    References(Vec<ObjectId>),
    /// Sequences of objects, to store in the heap.
    ReferenceLists(Vec<Vec<ObjectId>>),
    /// Pairs of an object and an axis, by which dimension scales list the datasets they are
    /// attached to.
    Axes(Vec<(ObjectId, i32)>),
}

impl Value {
    /// Creates a string of variable length in UTF-8, as written by h5py.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        let data = Data::Strings(vec![text.into()]);
        Self { element: ElementType::TEXT, space: Dataspace::Scalar, data }
    }

    /// Creates a list of strings of variable length in UTF-8.
    #[must_use]
    pub fn texts<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Self {
        let texts: Vec<String> = texts.into_iter().map(Into::into).collect();
        let space = Dataspace::simple(&[texts.len() as u64]);
        Self { element: ElementType::TEXT, space, data: Data::Strings(texts) }
    }

    /// Creates a string of fixed length.
    ///
    /// # Errors
    ///
    /// Fails if it has 4 GiB or more.
    pub fn fixed_text(text: &str, padding: StringPadding, set: CharacterSet) -> Result<Self> {
        let mut bytes = text.as_bytes().to_vec();
        if padding == StringPadding::NullTerminated || bytes.is_empty() {
            bytes.push(0);
        }
        let len = u32::try_from(bytes.len());
        let len = len.map_err(|_| Error::argument("a string of 4 GiB or more"))?;
        let element = ElementType::FixedString { bytes: len, padding, character_set: set };
        Ok(Self { element, space: Dataspace::Scalar, data: Data::Bytes(bytes) })
    }

    /// Creates a number.
    #[must_use]
    pub fn number<T: Element>(number: T) -> Self {
        Self { space: Dataspace::Scalar, ..Self::numbers(&[number]) }
    }

    /// Creates a list of numbers.
    #[must_use]
    pub fn numbers<T: Element>(numbers: &[T]) -> Self {
        let mut bytes = bytemuck::cast_slice(numbers).to_vec();
        // The conversion to native byte order is its own inverse.
        nnz_chunk::byte_order::to_native(&mut bytes, T::TYPE, false);
        let space = Dataspace::simple(&[numbers.len() as u64]);
        Self { element: ElementType::Number(T::TYPE), space, data: Data::Bytes(bytes) }
    }

    /// Creates a boolean, as written by h5py.
    #[must_use]
    pub fn boolean(value: bool) -> Self {
        let element = ElementType::Number(ValueType::Bint8);
        Self { element, space: Dataspace::Scalar, data: Data::Bytes(vec![value.into()]) }
    }

    /// Creates a reference to an object.
    #[must_use]
    pub fn reference(object: ObjectId) -> Self {
        Self { space: Dataspace::Scalar, ..Self::references(&[object]) }
    }

    /// Creates a list of references to objects.
    #[must_use]
    pub fn references(objects: &[ObjectId]) -> Self {
        let space = Dataspace::simple(&[objects.len() as u64]);
        let data = Data::References(objects.to_vec());
        Self { element: ElementType::Reference, space, data }
    }

    /// Creates a value without elements.
    #[must_use]
    pub fn null(element: ElementType) -> Self {
        Self { element, space: Dataspace::Null, data: Data::Bytes(Vec::new()) }
    }

    /// Creates a value from elements in stored form, little-endian. Strings of variable length are
    /// given by the IDs that [`FileWriter::store_string`](crate::FileWriter::store_string) returns.
    ///
    /// # Errors
    ///
    /// Fails if their number does not match the shape.
    pub fn bytes(element: ElementType, space: Dataspace, bytes: Vec<u8>) -> Result<Self> {
        if space.elements()?.checked_mul(element.size()) != Some(bytes.len() as u64) {
            return Err(Error::argument(
                "the size of the attribute does not match its shape and type",
            ));
        }
        Ok(Self { element, space, data: Data::Bytes(bytes) })
    }

    /// Changes the shape.
    ///
    /// # Errors
    ///
    /// Fails if the new shape has another number of elements.
    pub fn reshape(mut self, space: Dataspace) -> Result<Self> {
        if space.elements()? != self.space.elements()? {
            return Err(Error::argument("the shape does not match the number of elements"));
        }
        self.space = space;
        Ok(self)
    }

    /// Creates the list of the scales of each axis of a dataset (`DIMENSION_LIST`).
    #[must_use]
    pub fn scales_of_axes(axes: Vec<Vec<ObjectId>>) -> Self {
        let space = Dataspace::simple(&[axes.len() as u64]);
        let data = Data::ReferenceLists(axes);
        Self { element: ElementType::ReferenceList, space, data }
    }

    /// Creates the list of the datasets and axes that a scale is attached to (`REFERENCE_LIST`).
    #[must_use]
    pub fn axes_of_scale(axes: Vec<(ObjectId, i32)>) -> Self {
        let field = |name: &str, element| Field { name: name.to_owned(), element };
        let element = ElementType::Compound(vec![
            field("dataset", ElementType::Reference),
            field("dimension", ElementType::Number(ValueType::I32)),
        ]);
        let space = Dataspace::simple(&[axes.len() as u64]);
        Self { element, space, data: Data::Axes(axes) }
    }
}
