//! A column of a table, in every layout.

use std::collections::HashSet;

use nnz_container::tree::{AttributeValue, Group, NdArray};
use nnz_core::{
    At, Categorical, Categories, Column, ColumnType, ColumnValues, Error, ErrorKind, Place, Result,
    StringList, ValueType, Values,
};

use super::codes::codes;
use super::is_code;
use crate::anndata::element::{Element, Encoding};

/// Bytes of memory for the names of rows if they are a column that is read as a whole.
const MOST_NAMES: u64 = 1 << 30;

/// A column with open arrays of the right length.
pub(super) struct ColumnReader(Stored);

enum Stored {
    /// Numbers, booleans or strings.
    Plain(Box<dyn NdArray>),
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
    pub(super) fn of_group(frame: &dyn Group, name: &str, len: u64) -> Result<Self> {
        let element = Element::open(frame, name)?;
        let (encoding, place) = (element.encoding()?, element.place());
        let stored = match element {
            Element::Array(array) => match array.attribute("categories")? {
                Some(reference) => {
                    // anndata 0.7: the codes are here, and the attribute has the path of the
                    // categories.
                    let path = categories_path(&reference.value, &place)?;
                    let categories = frame.array(&path)?;
                    let ordered = boolean(&*categories, "ordered")?;
                    Stored::Categorical { codes: array, categories, ordered }
                }
                None => Stored::Plain(array),
            },
            Element::Group(group) => Self::encoded(&*group, &encoding, place)?,
        };
        Self(stored).checked(len)
    }

    /// Opens a column that is a group.
    fn encoded(group: &dyn Group, encoding: &Encoding, place: Place) -> Result<Stored> {
        Ok(match &*encoding.kind {
            "categorical" => {
                encoding.check(&["0.2.0"], &place)?;
                let ordered = group.attribute("ordered")?.and_then(|found| found.boolean());
                let missing =
                    || Error::new(ErrorKind::Missing, Place::array(group.path(), "ordered"));
                Stored::Categorical {
                    codes: group.array("codes")?,
                    categories: group.array("categories")?,
                    ordered: ordered.ok_or_else(missing)?,
                }
            }
            "nullable-integer" | "nullable-boolean" | "nullable-string-array" => {
                encoding.check(&["0.1.0"], &place)?;
                Stored::Masked { values: group.array("values")?, mask: group.array("mask")? }
            }
            "" => return Err(Error::mismatch(place, "a group", "a column")),
            other => {
                let what = format!("columns of encoding-type {other:?} are not supported");
                return Err(Error::unsupported(place, what));
            }
        })
    }

    /// Opens a field of a compound array. The categories of codes are in `uns`.
    pub(super) fn of_field(
        root: &dyn Group,
        field: Box<dyn NdArray>,
        name: &str,
        len: u64,
    ) -> Result<Self> {
        let categories = match Element::at(root, &format!("uns/{name}_categories"))? {
            Some(Element::Array(categories))
                if field.element_type().value_type().is_some_and(is_code) =>
            {
                Some(categories)
            }
            _ => None,
        };
        Self(match categories {
            Some(categories) => Stored::Categorical { codes: field, categories, ordered: false },
            None => Stored::Plain(field),
        })
        .checked(len)
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
    fn checked(self, len: u64) -> Result<Self> {
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
        match &self.0 {
            Stored::Plain(array) => check(&**array, plain(&**array), "numbers or strings")?,
            Stored::Categorical { codes, categories, .. } => {
                check(&**codes, number(&**codes).is_some_and(is_code), "integers")?;
                if categories.shape().len() > 1 || !plain(&**categories) {
                    let found = format!("an array of {}", categories.element_type());
                    let expected = "a list of numbers or strings";
                    return Err(Error::mismatch(categories.place(), found, expected));
                }
            }
            Stored::Masked { values, mask } => {
                check(&**values, plain(&**values), "numbers or strings")?;
                check(&**mask, number(&**mask) == Some(ValueType::Bint8), "booleans")?;
            }
        }
        Ok(self)
    }

    /// Returns whether it has a mask of missing values.
    pub(super) fn is_nullable(&self) -> bool {
        matches!(self.0, Stored::Masked { .. })
    }

    pub(super) fn column_type(&self) -> ColumnType {
        match &self.0 {
            Stored::Categorical { ordered, .. } => ColumnType::Categorical { ordered: *ordered },
            Stored::Plain(array) | Stored::Masked { values: array, .. } => {
                match array.element_type().value_type() {
                    Some(value_type) => ColumnType::Number(value_type),
                    None => ColumnType::String,
                }
            }
        }
    }

    /// Reads the column into at most `memory` bytes.
    pub(super) fn read(&self, memory: u64) -> Result<Column> {
        Ok(match &self.0 {
            Stored::Plain(array) => Column { values: plain(&**array, memory)?, missing: None },
            Stored::Masked { values, mask } => {
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
            Stored::Categorical { codes: stored, categories: stored_categories, ordered } => {
                let read = plain(&**stored_categories, memory)?;
                let categories = match read {
                    ColumnValues::Strings(list) => Categories::Strings(list),
                    ColumnValues::Numbers(values) => Categories::Numbers(values),
                    ColumnValues::Categorical(categorical) => categorical.categories,
                };
                check_distinct(&categories, &stored_categories.place())?;
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

/// Reads all elements of an array.
fn plain(array: &dyn NdArray, memory: u64) -> Result<ColumnValues> {
    Ok(if array.element_type().is_string() {
        ColumnValues::Strings(array.strings(&array.all(), memory)?)
    } else {
        ColumnValues::Numbers(array.read(&array.all(), memory)?)
    })
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
                let index = usize::try_from(index).unwrap_or(usize::MAX);
                values.write_text(index, &mut text, "");
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
