//! Comparing columns of tables.

use nnz_core::{Categories, Column, ColumnValues, Scalar};

use super::{DiffOptions, ElementChange, same_value};

/// A number or text of a table or list.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum ElementValue<'a> {
    /// A number.
    Number(Scalar),
    /// A text.
    Text(&'a [u8]),
}

impl ElementValue<'_> {
    /// Returns whether two values, which may be missing, are equal. NaN is missing, too, unless values are compared as
    /// they are stored.
    #[must_use]
    pub fn are_equal(pair: [Option<ElementValue<'_>>; 2], stored: bool) -> bool {
        let none = |value: Option<ElementValue<'_>>| match value {
            None => true,
            Some(ElementValue::Number(Scalar::F32(value))) => !stored && value.is_nan(),
            Some(ElementValue::Number(Scalar::F64(value))) => !stored && value.is_nan(),
            Some(_) => false,
        };
        match pair {
            [Some(ElementValue::Number(a)), Some(ElementValue::Number(b))] if same_value(a, b) => {
                true
            }
            [Some(ElementValue::Text(a)), Some(ElementValue::Text(b))] => a == b,
            pair => pair.into_iter().all(none),
        }
    }

    /// Formats a value; `-` for a missing one.
    #[must_use]
    pub fn text(value: Option<ElementValue<'_>>) -> String {
        match value {
            None => "-".to_owned(),
            Some(ElementValue::Number(value)) => value.to_string(),
            Some(ElementValue::Text(text)) => String::from_utf8_lossy(text).into_owned(),
        }
    }
}

/// Compares two columns of equal length, and passes the first differences to `each`.
pub fn diff_columns(
    columns: [&Column; 2],
    options: &DiffOptions,
    each: &mut dyn FnMut(ElementChange),
) {
    let types = columns.map(Column::column_type);
    let texts = columns.map(is_text);
    if texts[0] != texts[1] || (options.stored && types[0] != types[1]) {
        let [first, second] = types.map(|found| found.to_string());
        return each(ElementChange::Kind { first, second });
    }
    let mut reported = 0;
    for (row, at) in (0..columns[0].len()).zip(0..) {
        let pair = columns.map(|column| value(column, row, at));
        if reported < options.max_diffs && !ElementValue::are_equal(pair, options.stored) {
            reported += 1;
            let [first, second] = pair.map(ElementValue::text);
            each(ElementChange::Value { position: Some(row), first, second });
        }
    }
}

fn is_text(column: &Column) -> bool {
    match &column.values {
        ColumnValues::Numbers(_) => false,
        ColumnValues::Strings(_) => true,
        ColumnValues::Categorical(categorical) => {
            matches!(categorical.categories, Categories::Strings(_))
        }
    }
}

fn value(column: &Column, row: u64, at: usize) -> Option<ElementValue<'_>> {
    if column.is_missing(row) {
        return None;
    }
    match &column.values {
        ColumnValues::Numbers(values) => values.get(at).map(ElementValue::Number),
        ColumnValues::Strings(list) => list.get(row).map(ElementValue::Text),
        ColumnValues::Categorical(categorical) => {
            let code = categorical.codes.get(at).copied()?;
            match &categorical.categories {
                Categories::Strings(list) => {
                    list.get(u64::try_from(code).ok()?).map(ElementValue::Text)
                }
                Categories::Numbers(values) => {
                    values.get(usize::try_from(code).ok()?).map(ElementValue::Number)
                }
            }
        }
    }
}
