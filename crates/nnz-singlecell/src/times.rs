//! Dates and durations: integers that count a unit. HDF5 has no type for them, so the unit is an attribute there.

use std::ops::Range;

use nnz_container::tree::{ArrayStorage, Attribute, Attributes, ElementType, NdArray, TreeWriter};
use nnz_core::{
    Categorical, Categories, Names, Place, Result, Scalar, TimeType, ValueType, Values, readable,
};

/// The attribute of `int64` arrays with their type in NumPy, such as `datetime64[ns]`.
pub(crate) const ATTRIBUTE: &str = "time-type";

/// Returns the type of an array of dates or durations; `None` for other arrays.
pub(crate) fn of_array(array: &dyn NdArray) -> Result<Option<TimeType>> {
    match array.element_type() {
        ElementType::Time(time) => Ok(Some(*time)),
        ElementType::Number(ValueType::I64) => of_attribute(array),
        _ => Ok(None),
    }
}

/// Returns the type in the attribute of a group or an array.
pub(crate) fn of_attribute<T: Attributes + ?Sized>(element: &T) -> Result<Option<TimeType>> {
    let attribute = readable(element.attribute(ATTRIBUTE))?.flatten();
    let text = attribute.as_ref().and_then(|attribute| attribute.text());
    let time = text.and_then(TimeType::parse);
    Ok(time.filter(|time| text == Some(&*time.to_string())))
}

/// Returns the attribute for a type.
pub(crate) fn attribute(time: TimeType) -> Attribute {
    Attribute::of_text(&time.to_string())
}

/// Returns an array of integers with a unit as dates or durations; `None` for others, and if the target has no such
/// type.
pub(crate) fn as_times<'a>(
    array: &'a dyn NdArray,
    target: &dyn TreeWriter,
) -> Result<Option<Timed<'a>>> {
    if *array.element_type() != ElementType::Number(ValueType::I64) {
        return Ok(None);
    }
    let element = of_attribute(array)?.map(ElementType::Time);
    let element = element.filter(|element| target.supports(element));
    Ok(element.map(|element| Timed { inner: array, element }))
}

/// An array of integers as dates or durations.
#[derive(Debug)]
pub(crate) struct Timed<'a> {
    inner: &'a dyn NdArray,
    element: ElementType,
}

impl Attributes for Timed<'_> {
    fn attributes(&self) -> Result<Vec<String>> {
        let mut names = self.inner.attributes()?;
        names.retain(|name| name != ATTRIBUTE);
        Ok(names)
    }

    fn attribute(&self, name: &str) -> Result<Option<Attribute>> {
        if name == ATTRIBUTE {
            return Ok(None);
        }
        self.inner.attribute(name)
    }
}

impl NdArray for Timed<'_> {
    fn place(&self) -> Place {
        self.inner.place()
    }

    fn shape(&self) -> &[u64] {
        self.inner.shape()
    }

    fn is_null(&self) -> bool {
        self.inner.is_null()
    }

    fn element_type(&self) -> &ElementType {
        &self.element
    }

    fn storage(&self) -> ArrayStorage {
        self.inner.storage()
    }

    fn stored_bytes(&self) -> Result<u64> {
        self.inner.stored_bytes()
    }

    fn is_fully_stored(&self) -> Result<bool> {
        self.inner.is_fully_stored()
    }

    fn missing_chunks(&self) -> Result<u64> {
        self.inner.missing_chunks()
    }

    fn fill_value(&self) -> Result<Option<Scalar>> {
        self.inner.fill_value()
    }

    fn read_bytes(&self, selection: &[Range<u64>], out: &mut [u8]) -> Result<()> {
        self.inner.read_bytes(selection, out)
    }

    fn read_strings(&self, selection: &[Range<u64>]) -> Result<Names<'static>> {
        self.inner.read_strings(selection)
    }

    fn field(&self, name: &str) -> Result<Box<dyn NdArray>> {
        self.inner.field(name)
    }
}

/// Returns integers with `NaT` of NumPy as missing values.
pub(crate) fn with_nat(values: &Values, missing: Option<&[bool]>) -> Values {
    let (Values::I64(numbers), Some(missing)) = (values, missing) else { return values.clone() };
    let pairs = numbers.iter().zip(missing);
    Values::I64(pairs.map(|(n, missing)| if *missing { TimeType::MISSING } else { *n }).collect())
}

/// Returns the dates or durations of categories, of which each row has one.
pub(crate) fn of_categories(categorical: &Categorical) -> Option<Values> {
    let Categories::Numbers(Values::I64(times)) = &categorical.categories else { return None };
    let of = |code: &i32| {
        let code = usize::try_from(*code).ok();
        code.and_then(|code| times.get(code)).copied().unwrap_or(TimeType::MISSING)
    };
    Some(Values::I64(categorical.codes.iter().map(of).collect()))
}
