//! Dates and durations: integers that count a unit. HDF5 has no type for them, so the unit is an attribute there.

use nnz_container::tree::{Attribute, Attributes, ElementType, NdArray};
use nnz_core::{
    Categorical, Categories, Column, ColumnValues, Result, TimeType, ValueType, Values, readable,
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

/// Marks missing dates or durations of a column.
pub(crate) fn with_missing(column: Column) -> Column {
    let ColumnValues::Numbers(Values::I64(values)) = &column.values else { return column };
    let known = column.missing.as_deref().unwrap_or_default();
    let is_missing =
        |(row, value): (usize, &i64)| *value == TimeType::MISSING || known.get(row) == Some(&true);
    let missing: Vec<bool> = values.iter().enumerate().map(is_missing).collect();
    let missing = missing.contains(&true).then_some(missing);
    Column { missing, ..column }
}

/// Returns integers in which missing values are those of NumPy.
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
