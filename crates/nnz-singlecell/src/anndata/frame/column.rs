//! A column of a table, in every layout.

use std::collections::HashSet;

use nnz_container::tree::{AttributeValue, ElementType, Group, NdArray};
use nnz_core::{
    At, Categorical, Categories, Column, ColumnType, ColumnValues, Error, ErrorKind, Place, Result,
    Scalar, StringList, TimeType, ValueType, Values,
};

use super::codes::codes;
use super::is_code;
use crate::anndata::element::{Element, Encoding};
use crate::enumeration::Enumeration;
use crate::times;

/// Bytes of memory for the names of rows if they are a column that is read as a whole.
const MOST_NAMES: u64 = 1 << 30;

/// The end of messages about what is not supported.
pub(super) const NOT_SUPPORTED: &str = " are not supported";

/// A column with open arrays of the right length.
pub(super) struct ColumnReader {
    stored: ColumnData,
    /// The type of dates or durations.
    time: Option<TimeType>,
}

/// A column, or the type of one that is not supported.
pub(super) enum OpenedColumn {
    Column(ColumnReader),
    Unread(String),
}

enum ColumnData {
    /// Numbers, booleans or strings.
    Plain(Box<dyn NdArray>),
    /// A factor or a logical vector of R.
    Named(Enumeration),
    Categorical {
        codes: Box<dyn NdArray>,
        categories: Box<dyn NdArray>,
        ordered: bool,
    },
    /// Values, and a mask of missing ones.
    Masked {
        values: Box<dyn NdArray>,
        mask: Box<dyn NdArray>,
    },
}

impl ColumnReader {
    /// Opens a column in a group.
    pub(super) fn of_group(frame: &dyn Group, name: &str, len: u64) -> Result<OpenedColumn> {
        let element = Element::open(frame, name)?;
        let place = element.place();
        let stored = match element {
            Element::Array(array) => match array.attribute("categories")? {
                Some(reference) => {
                    // anndata 0.7: the codes are here, and the attribute has the path of the
                    // categories.
                    let path = categories_path(&reference.value, &place)?;
                    let categories = frame.array(&path)?;
                    let ordered = boolean(&*categories, "ordered")?;
                    ColumnData::Categorical { codes: array, categories, ordered }
                }
                None => match Self::of_array(array, len)? {
                    Ok(stored) => stored,
                    Err(what) => return Ok(OpenedColumn::Unread(what)),
                },
            },
            Element::Group(group) => return Self::of_encoded(&*group, len),
        };
        Self { stored, time: None }.checked(len)
    }

    /// Opens a column that is a group.
    pub(super) fn of_encoded(group: &dyn Group, len: u64) -> Result<OpenedColumn> {
        let encoding = Encoding::of(group, &Place::path(group.path()))?;
        match Self::encoded(group, &encoding)? {
            Ok(stored) => Self { stored, time: times::of_attribute(group)? }.checked(len),
            Err(what) => Ok(OpenedColumn::Unread(what)),
        }
    }

    /// Opens a column that is an array, or returns a type that is not supported.
    fn of_array(
        array: Box<dyn NdArray>,
        len: u64,
    ) -> Result<std::result::Result<ColumnData, String>> {
        let shape = array.shape();
        // One of another length is damaged.
        if array.is_null() || shape.first() != Some(&len) {
            return Ok(Ok(ColumnData::Plain(array)));
        }
        let element = array.element_type();
        if shape.len() > 1 {
            return Ok(Err(format!("{element} of shape {shape:?}")));
        }
        if let Some(named) = Enumeration::of(&*array)? {
            return Ok(Ok(ColumnData::Named(named)));
        }
        let is_plain = element.value_type().is_some() || element.is_string();
        Ok(if is_plain { Ok(ColumnData::Plain(array)) } else { Err(element.to_string()) })
    }

    /// Opens a column that is a group, or returns a type that is not supported.
    fn encoded(
        group: &dyn Group,
        encoding: &Encoding,
    ) -> Result<std::result::Result<ColumnData, String>> {
        let place = Place::path(group.path());
        Ok(Ok(match &*encoding.kind {
            "categorical" => {
                encoding.check(&["0.2.0"], &place)?;
                let ordered = group.attribute("ordered")?.and_then(|found| found.boolean());
                let missing =
                    || Error::new(ErrorKind::Missing, Place::array(group.path(), "ordered"));
                ColumnData::Categorical {
                    codes: group.array("codes")?,
                    categories: group.array("categories")?,
                    ordered: ordered.ok_or_else(missing)?,
                }
            }
            "nullable-integer" | "nullable-boolean" | "nullable-string-array" => {
                encoding.check(&["0.1.0"], &place)?;
                let values = group.array("values")?;
                check_values(&encoding.kind, &*values)?;
                ColumnData::Masked { values, mask: group.array("mask")? }
            }
            "" => return Ok(Err("a group".to_owned())),
            other => return Ok(Err(other.to_owned())),
        }))
    }

    /// Opens a field of a compound array. The categories of codes are in `uns`.
    pub(super) fn of_field(
        root: &dyn Group,
        field: Box<dyn NdArray>,
        name: &str,
        len: u64,
    ) -> Result<OpenedColumn> {
        let categories = match Element::at(root, &format!("uns/{name}_categories"))? {
            Some(Element::Array(categories))
                if field.element_type().value_type().is_some_and(is_code) =>
            {
                Some(categories)
            }
            _ => None,
        };
        let stored = match categories {
            Some(categories) => {
                ColumnData::Categorical { codes: field, categories, ordered: false }
            }
            None => match Self::of_array(field, len)? {
                Ok(stored) => stored,
                Err(what) => return Ok(OpenedColumn::Unread(what)),
            },
        };
        Self { stored, time: None }.checked(len)
    }

    /// Returns the length of a column.
    pub(super) fn len_of(frame: &dyn Group, name: &str) -> Result<u64> {
        let array = match Element::open(frame, name)? {
            Element::Array(array) => array,
            Element::Group(group) => match group.array("codes") {
                Err(error) if matches!(error.kind(), ErrorKind::Missing) => {
                    group.array("values")?
                }
                codes => codes?,
            },
        };
        match array.shape() {
            [len] => Ok(*len),
            other => {
                let found = format!("{} dimensions", other.len());
                Err(Error::mismatch(array.place(), found, "one dimension"))
            }
        }
    }

    /// Checks lengths and types.
    fn checked(mut self, len: u64) -> Result<OpenedColumn> {
        let check = |array: &dyn NdArray, fits: bool, expected: &str| {
            if array.shape() != [len] {
                let found = format!("an array of shape {:?}", array.shape());
                return Err(Error::mismatch(array.place(), found, format!("{len} elements")));
            }
            if !fits {
                let found = format!("elements of type {}", array.element_type());
                return Err(Error::mismatch(array.place(), found, expected));
            }
            Ok(())
        };
        let number = |array: &dyn NdArray| array.element_type().value_type();
        let plain =
            |array: &dyn NdArray| number(array).is_some() || array.element_type().is_string();
        match &self.stored {
            // It has the right length.
            ColumnData::Named(_) => {}
            ColumnData::Plain(array) => check(&**array, plain(&**array), "numbers or strings")?,
            ColumnData::Categorical { codes, categories, .. } => {
                check(&**codes, number(&**codes).is_some_and(is_code), "integers")?;
                let is_list = categories.shape().len() <= 1 && !categories.is_null();
                if !is_list || !plain(&**categories) {
                    let found = format!("an array of {}", categories.element_type());
                    let expected = "a list of numbers or strings";
                    return Err(Error::mismatch(categories.place(), found, expected));
                }
            }
            ColumnData::Masked { values, mask } => {
                check(&**values, plain(&**values), "numbers or strings")?;
                check(&**mask, number(&**mask) == Some(ValueType::Bint8), "booleans")?;
            }
        }
        self.time = match &self.stored {
            ColumnData::Plain(array) => times::of_array(&**array)?,
            ColumnData::Categorical { categories, .. } => times::of_array(&**categories)?,
            ColumnData::Masked { values, .. } => {
                let is_plain = *values.element_type() == ElementType::Number(ValueType::I64);
                self.time.filter(|_| is_plain)
            }
            ColumnData::Named(_) => None,
        };
        Ok(OpenedColumn::Column(self))
    }

    /// Returns whether dates or durations are stored as integers with their unit.
    pub(super) fn has_unit_apart(&self) -> bool {
        let array = match &self.stored {
            ColumnData::Named(_) => return false,
            ColumnData::Plain(array) | ColumnData::Masked { values: array, .. } => array,
            ColumnData::Categorical { categories, .. } => categories,
        };
        self.time.is_some() && !matches!(array.element_type(), ElementType::Time(_))
    }

    /// Returns whether it has a mask of missing values.
    pub(super) fn is_nullable(&self) -> bool {
        match &self.stored {
            ColumnData::Masked { .. } => true,
            ColumnData::Named(named) => named.is_nullable(),
            _ => false,
        }
    }

    pub(super) fn column_type(&self) -> ColumnType {
        if let Some(time) = self.time {
            return ColumnType::Time(time);
        }
        match &self.stored {
            ColumnData::Named(named) => named.column_type(),
            ColumnData::Categorical { ordered, .. } => {
                ColumnType::Categorical { ordered: *ordered }
            }
            ColumnData::Plain(array) | ColumnData::Masked { values: array, .. } => {
                match array.element_type().value_type() {
                    Some(value_type) => ColumnType::Number(value_type),
                    None => ColumnType::String,
                }
            }
        }
    }

    /// Reads the column into at most `memory` bytes.
    pub(super) fn read(&self, memory: u64) -> Result<Column> {
        let column = self.read_stored(memory)?;
        let Some(_) = self.time else { return Ok(column) };
        // Each row has its date: the type of categories cannot be kept otherwise.
        let times = match &column.values {
            ColumnValues::Categorical(categorical) => times::of_categories(categorical),
            _ => None,
        };
        let column = match times {
            Some(times) => Column { values: ColumnValues::Numbers(times), missing: None },
            None => column,
        };
        Ok(column.with_missing_times())
    }

    fn read_stored(&self, memory: u64) -> Result<Column> {
        Ok(match &self.stored {
            ColumnData::Named(named) => named.read(memory)?,
            ColumnData::Plain(array) => Column { values: plain(&**array, memory)?, missing: None },
            ColumnData::Masked { values, mask } => {
                let flags = mask.read(&mask.all(), memory)?;
                let Values::Bint8(flags) = flags else {
                    return Err(Error::mismatch(
                        mask.place(),
                        "values of another type",
                        "booleans",
                    ));
                };
                let values = plain(&**values, memory.saturating_sub(flags.len() as u64))?;
                let missing = flags.iter().map(|flag| flag.0 != 0).collect();
                Column { values, missing: Some(missing) }
            }
            ColumnData::Categorical { codes: stored, categories: stored_categories, ordered } => {
                let categories = categories_of(&**stored_categories, memory)?;
                // Codes are converted to wider integers.
                let values = stored.read(&stored.all(), memory / 4)?;
                let codes = codes(&values, categories.len(), 0, &stored.place())?;
                let ordered = *ordered;
                let values = Categorical { codes, categories, ordered };
                Column { values: ColumnValues::Categorical(values), missing: None }
            }
        })
    }

    /// Reads the column as text, for names.
    pub(super) fn read_text(&self, len: u64) -> Result<StringList> {
        let column = self.read(MOST_NAMES)?;
        let mut list = StringList::new();
        let mut text = Vec::new();
        for row in 0..len {
            text.clear();
            column.write_text(row, &mut text);
            list.try_push(&text)?;
            if list.bytes() > MOST_NAMES {
                let kind = ErrorKind::Memory { needed: list.bytes(), allowed: MOST_NAMES };
                return Err(Error::new(kind, Place::default()));
            }
        }
        Ok(list)
    }
}

/// Fails if the values of a nullable column have another type than its encoding.
fn check_values(kind: &str, values: &dyn NdArray) -> Result<()> {
    let element = values.element_type();
    let (fits, expected) = match (kind, element.value_type()) {
        ("nullable-integer", found) => (found.is_some_and(is_code), "integers"),
        ("nullable-boolean", found) => (found == Some(ValueType::Bint8), "booleans"),
        _ => (element.is_string(), "strings"),
    };
    if fits {
        return Ok(());
    }
    let found = format!("elements of type {element}");
    Err(Error::mismatch(values.place(), found, expected))
}

/// Reads all elements of an array.
fn plain(array: &dyn NdArray, memory: u64) -> Result<ColumnValues> {
    Ok(if array.element_type().is_string() {
        ColumnValues::Strings(array.strings(&array.all(), memory)?)
    } else {
        ColumnValues::Numbers(array.read(&array.all(), memory)?)
    })
}

/// Reads categories, which have to be distinct.
fn categories_of(array: &dyn NdArray, memory: u64) -> Result<Categories> {
    let categories = match plain(array, memory)? {
        ColumnValues::Strings(list) => Categories::Strings(list),
        ColumnValues::Numbers(values) => Categories::Numbers(values),
        ColumnValues::Categorical(categorical) => categorical.categories,
    };
    check_distinct(&categories, &array.place())?;
    Ok(categories)
}

/// Fails if categories are not distinct, or one is no value: anndata does not open such a file.
pub(in crate::anndata) fn check_categories(array: &dyn NdArray, memory: u64) -> Result<()> {
    let element = array.element_type();
    if array.is_null() {
        return Err(Error::mismatch(array.place(), "nothing", "a list of numbers or strings"));
    }
    match element.is_string() || element.value_type().is_some() {
        true => categories_of(array, memory).map(drop),
        // Elements that are not supported are another error.
        false => Ok(()),
    }
}

/// Checks that no category is listed twice: anndata does not open such a file.
fn check_distinct(categories: &Categories, place: &Place) -> Result<()> {
    let mut seen = HashSet::new();
    for index in 0..categories.len() {
        let mut text = Vec::new();
        match categories {
            Categories::Strings(list) => {
                text.extend_from_slice(list.get(index).unwrap_or_default())
            }
            Categories::Numbers(values) => {
                // It is less than the number of values in memory.
                let at = usize::try_from(index).unwrap_or(usize::MAX);
                let is_nan = match values.get(at) {
                    Some(Scalar::F32(value)) => value.is_nan(),
                    Some(Scalar::F64(value)) => value.is_nan(),
                    _ => false,
                };
                if is_nan {
                    let place = place.clone().at(At::Element(index));
                    return Err(Error::mismatch(place, "NaN", "a category"));
                }
                values.write_text(at, &mut text, "");
            }
        }
        if let Some(again) = seen.replace(text) {
            let found = format!("the category \"{}\" again", again.escape_ascii());
            let place = place.clone().at(At::Element(index));
            return Err(Error::mismatch(place, found, "distinct categories"));
        }
    }
    Ok(())
}

/// Returns the path from the table to the categories of a column of anndata 0.7.
fn categories_path(value: &AttributeValue, place: &Place) -> Result<String> {
    const FOLDER: &str = "__categories/";
    let path = match value {
        AttributeValue::References(paths) => paths.first().cloned().flatten(),
        AttributeValue::Strings(list) => {
            list.iter().next().and_then(|path| String::from_utf8(path.to_vec()).ok())
        }
        _ => None,
    };
    let found = path.as_deref().and_then(|path| path.rfind(FOLDER).map(|at| &path[at..]));
    found.map(ToOwned::to_owned).ok_or_else(|| {
        let found = format!("categories at {:?}", path.unwrap_or_default());
        Error::mismatch(place.clone(), found, format!("a path in {FOLDER}"))
    })
}

fn boolean(array: &dyn NdArray, name: &str) -> Result<bool> {
    Ok(array.attribute(name)?.and_then(|attribute| attribute.boolean()).unwrap_or(false))
}
