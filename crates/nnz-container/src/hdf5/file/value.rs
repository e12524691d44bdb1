//! What an attribute holds.

use nnz_core::{Element, Error, Result, ValueType};

use super::dataspace::Dataspace;
use super::element::{CharacterSet, ElementType, Field, StringPadding};
use super::object::ObjectId;

/// What an attribute holds: elements of one type, in some shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    pub(super) element: ElementType,
    pub(super) space: Dataspace,
    pub(super) data: Data,
}

/// The elements of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Data {
    /// As they are stored.
    Bytes(Vec<u8>),
    /// Strings, to be stored in the heap.
    Strings(Vec<String>),
    /// Objects whose addresses are stored.
    References(Vec<ObjectId>),
    /// Lists of such objects, to be stored in the heap.
    ReferenceLists(Vec<Vec<ObjectId>>),
    /// Objects and an axis of each, as dimension scales list what they are attached to.
    Axes(Vec<(ObjectId, i32)>),
}

impl Value {
    /// Makes a string of variable length in UTF-8, as h5py writes one.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        let data = Data::Strings(vec![text.into()]);
        Self { element: ElementType::TEXT, space: Dataspace::Scalar, data }
    }

    /// Makes a list of strings of variable length in UTF-8.
    #[must_use]
    pub fn texts<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Self {
        let texts: Vec<String> = texts.into_iter().map(Into::into).collect();
        let space = Dataspace::simple(&[texts.len() as u64]);
        Self { element: ElementType::TEXT, space, data: Data::Strings(texts) }
    }

    /// Makes a string of its own length, without variable storage.
    ///
    /// # Errors
    ///
    /// Fails where it has 4 GiB or more.
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

    /// Makes one number.
    #[must_use]
    pub fn number<T: Element>(number: T) -> Self {
        Self { space: Dataspace::Scalar, ..Self::numbers(&[number]) }
    }

    /// Makes a list of numbers.
    #[must_use]
    pub fn numbers<T: Element>(numbers: &[T]) -> Self {
        let mut bytes = bytemuck::cast_slice(numbers).to_vec();
        // From the machine's byte order to the file's is the way back, too.
        crate::byte_order::to_native(&mut bytes, T::TYPE, false);
        let space = Dataspace::simple(&[numbers.len() as u64]);
        Self { element: ElementType::Number(T::TYPE), space, data: Data::Bytes(bytes) }
    }

    /// Makes a boolean, as h5py writes one.
    #[must_use]
    pub fn boolean(value: bool) -> Self {
        let element = ElementType::Number(ValueType::Bint8);
        Self { element, space: Dataspace::Scalar, data: Data::Bytes(vec![value.into()]) }
    }

    /// Makes a reference to an object.
    #[must_use]
    pub fn reference(object: ObjectId) -> Self {
        Self { space: Dataspace::Scalar, ..Self::references(&[object]) }
    }

    /// Makes a list of references to objects.
    #[must_use]
    pub fn references(objects: &[ObjectId]) -> Self {
        let space = Dataspace::simple(&[objects.len() as u64]);
        let data = Data::References(objects.to_vec());
        Self { element: ElementType::Reference, space, data }
    }

    /// Makes a value without elements.
    #[must_use]
    pub fn null(element: ElementType) -> Self {
        Self { element, space: Dataspace::Null, data: Data::Bytes(Vec::new()) }
    }

    /// Makes a value of elements as they are stored, little-endian. Strings of variable length are what
    /// [`FileWriter::store_string`](super::FileWriter::store_string) returns for them.
    ///
    /// # Errors
    ///
    /// Fails where they are not as many as the shape has.
    pub fn bytes(element: ElementType, space: Dataspace, bytes: Vec<u8>) -> Result<Self> {
        if space.elements()?.checked_mul(element.size()) != Some(bytes.len() as u64) {
            return Err(Error::argument("an attribute of another size than its shape and type"));
        }
        Ok(Self { element, space, data: Data::Bytes(bytes) })
    }

    /// Gives the elements another shape.
    ///
    /// # Errors
    ///
    /// Fails where it has another number of elements.
    pub fn reshape(mut self, space: Dataspace) -> Result<Self> {
        if space.elements()? != self.space.elements()? {
            return Err(Error::argument("a shape of another number of elements"));
        }
        self.space = space;
        Ok(self)
    }

    /// Makes the list that says which scales each axis of a dataset has (`DIMENSION_LIST`).
    pub(in crate::hdf5) fn scales_of_axes(axes: Vec<Vec<ObjectId>>) -> Self {
        let space = Dataspace::simple(&[axes.len() as u64]);
        let data = Data::ReferenceLists(axes);
        Self { element: ElementType::ReferenceList, space, data }
    }

    /// Makes the list that says which axes of which datasets a scale is attached to
    /// (`REFERENCE_LIST`).
    pub(in crate::hdf5) fn axes_of_scale(axes: Vec<(ObjectId, i32)>) -> Self {
        let field = |name: &str, element| Field { name: name.to_owned(), element };
        let element = ElementType::Compound(vec![
            field("dataset", ElementType::Reference),
            field("dimension", ElementType::Number(ValueType::I32)),
        ]);
        let space = Dataspace::simple(&[axes.len() as u64]);
        Self { element, space, data: Data::Axes(axes) }
    }
}
