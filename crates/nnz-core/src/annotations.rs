//! Tables of annotations: one row for each row or column of a matrix, and typed columns.

use std::fmt;
use std::ops::Range;

use crate::{Result, Scalar, StringList, TimeType, ValueType, Values};

/// The name of the column with the position that each row or column had before it was reordered.
pub const ORIGINAL_POSITION: &str = "original_position";

/// The type of a column of annotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// Numbers; booleans are [`ValueType::Bint8`].
    Number(ValueType),
    /// Dates or durations, which are read as `int64`.
    Time(TimeType),
    /// Strings.
    String,
    /// Values from a list of categories.
    Categorical {
        /// Whether the categories have an order.
        ordered: bool,
    },
}

impl fmt::Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(ValueType::Bint8) => f.write_str("bool"),
            Self::Number(value_type) => write!(f, "{value_type}"),
            Self::Time(time) => write!(f, "{time}"),
            Self::String => f.write_str("string"),
            Self::Categorical { ordered: false } => f.write_str("categorical"),
            Self::Categorical { ordered: true } => f.write_str("ordered categorical"),
        }
    }
}

/// The name and type of a column of annotations.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ColumnInfo {
    /// The name, unique in the table.
    pub name: String,
    /// The type.
    pub column_type: ColumnType,
}

impl ColumnInfo {
    /// Describes a column.
    #[must_use]
    pub fn new(name: impl Into<String>, column_type: ColumnType) -> Self {
        Self { name: name.into(), column_type }
    }
}

/// A column of annotations in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// A value for each row of the table, including missing ones.
    pub values: ColumnValues,
    /// Whether each value is missing, or `None` if none is. Missing categories have the code -1.
    pub missing: Option<Vec<bool>>,
}

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnValues {
    /// Numbers or booleans.
    Numbers(Values),
    /// Strings.
    Strings(StringList),
    /// Categories.
    Categorical(Categorical),
}

/// Values from a list of categories.
#[derive(Clone, Debug, PartialEq)]
pub struct Categorical {
    /// The index of each value in the categories; -1 if it is missing.
    pub codes: Vec<i32>,
    /// The categories, which are unique and may be unused.
    pub categories: Categories,
    /// Whether the categories are ordered, by their position in the list.
    pub ordered: bool,
}

/// The categories of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Categories {
    /// Strings.
    Strings(StringList),
    /// Numbers or booleans.
    Numbers(Values),
}

impl Categories {
    /// Returns the number of categories.
    #[must_use]
    pub fn len(&self) -> u64 {
        match self {
            Self::Strings(list) => list.len(),
            Self::Numbers(values) => values.len().unwrap_or(0) as u64,
        }
    }

    /// Returns whether there are no categories.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes a category as text.
    pub fn write_text(&self, index: u64, out: &mut Vec<u8>) {
        match self {
            Self::Strings(list) => out.extend_from_slice(list.get(index).unwrap_or_default()),
            Self::Numbers(values) => write_number(values, index, out),
        }
    }
}

/// Writes a number as text; booleans are `true` and `false`.
fn write_number(values: &Values, index: u64, out: &mut Vec<u8>) {
    let Ok(index) = usize::try_from(index) else { return };
    match values {
        Values::Bint8(values) => {
            let truth = values.get(index).is_some_and(|value| value.0 != 0);
            out.extend_from_slice(if truth { b"true" } else { b"false" });
        }
        _ => values.write_text(index, out, " "),
    }
}

impl Column {
    /// Marks the missing values of a column of dates or durations.
    #[must_use]
    pub fn with_missing_times(self) -> Self {
        let ColumnValues::Numbers(Values::I64(values)) = &self.values else { return self };
        let known = self.missing.as_deref().unwrap_or_default();
        let is_missing = |(row, value): (usize, &i64)| {
            *value == TimeType::MISSING || known.get(row) == Some(&true)
        };
        let missing: Vec<bool> = values.iter().enumerate().map(is_missing).collect();
        let missing = missing.contains(&true).then_some(missing);
        Self { missing, ..self }
    }

    /// Returns the number of values.
    #[must_use]
    pub fn len(&self) -> u64 {
        match &self.values {
            ColumnValues::Numbers(values) => values.len().unwrap_or(0) as u64,
            ColumnValues::Strings(list) => list.len(),
            ColumnValues::Categorical(categorical) => categorical.codes.len() as u64,
        }
    }

    /// Returns whether there are no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the type; dates and durations are `int64`.
    #[must_use]
    pub fn column_type(&self) -> ColumnType {
        match &self.values {
            ColumnValues::Numbers(values) => ColumnType::Number(values.value_type()),
            ColumnValues::Strings(_) => ColumnType::String,
            ColumnValues::Categorical(categorical) => {
                ColumnType::Categorical { ordered: categorical.ordered }
            }
        }
    }

    /// Returns the values of ranges of rows, in the order given. Rows past the end are omitted.
    #[must_use]
    pub fn picked(&self, ranges: &[Range<u64>]) -> Self {
        let len = self.len();
        let ranges = ranges.iter().map(|range| range.start.min(len)..range.end.min(len));
        let ranges: Vec<Range<usize>> = ranges
            .filter_map(|Range { start, end }| {
                Some(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
            })
            .filter(|range| range.start < range.end)
            .collect();
        let values = match &self.values {
            ColumnValues::Numbers(values) => {
                let mut picked = Values::new(values.value_type());
                for range in &ranges {
                    picked.extend_from(values, range.clone());
                }
                ColumnValues::Numbers(picked)
            }
            ColumnValues::Strings(list) => ColumnValues::Strings(
                ranges
                    .iter()
                    .flat_map(|range| range.clone())
                    .filter_map(|row| list.get(row as u64))
                    .collect(),
            ),
            ColumnValues::Categorical(Categorical { codes, categories, ordered }) => {
                let picked = ranges.iter().flat_map(|range| &codes[range.clone()]);
                ColumnValues::Categorical(Categorical {
                    codes: picked.copied().collect(),
                    categories: categories.clone(),
                    ordered: *ordered,
                })
            }
        };
        let missing = self.missing.as_ref().map(|missing| {
            let at = ranges.iter().flat_map(|range| range.clone());
            at.map(|row| missing.get(row) == Some(&true)).collect::<Vec<_>>()
        });
        Self { values, missing }
    }

    /// Returns the values of the given rows, in that order; `None` and rows past the end give
    /// missing values.
    ///
    /// # Errors
    ///
    /// Fails if there is not enough memory for strings.
    pub fn gathered(&self, rows: &[Option<u64>]) -> Result<Self> {
        let len = self.len();
        let place = |row: &Option<u64>| row.filter(|row| *row < len);
        let at = |row: &Option<u64>| place(row).and_then(|row| usize::try_from(row).ok());
        let missing = rows.iter().map(|row| place(row).is_none_or(|row| self.is_missing(row)));
        let missing: Vec<bool> = missing.collect();
        let values = match &self.values {
            ColumnValues::Numbers(values) => {
                let mut gathered = Values::new(values.value_type());
                let nothing = match values.value_type() {
                    ValueType::F32 => Some(Scalar::F32(f32::NAN)),
                    ValueType::F64 => Some(Scalar::F64(f64::NAN)),
                    other => Values::try_zeroed(other, 1).and_then(|zero| zero.get(0)),
                };
                for row in rows {
                    if let Some(value) = at(row).and_then(|at| values.get(at)).or(nothing) {
                        gathered.push(value);
                    }
                }
                ColumnValues::Numbers(gathered)
            }
            ColumnValues::Strings(list) => {
                let mut gathered = StringList::new();
                for row in rows {
                    gathered.try_push(row.and_then(|row| list.get(row)).unwrap_or_default())?;
                }
                ColumnValues::Strings(gathered)
            }
            ColumnValues::Categorical(Categorical { codes, categories, ordered }) => {
                let code = |row| at(row).and_then(|at| codes.get(at)).copied().unwrap_or(-1);
                let codes = rows.iter().map(code).collect();
                let (categories, ordered) = (categories.clone(), *ordered);
                let values = Categorical { codes, categories, ordered };
                return Ok(Self { values: ColumnValues::Categorical(values), missing: None });
            }
        };
        let nullable = self.missing.is_some() || missing.contains(&true);
        Ok(Self { values, missing: nullable.then_some(missing) })
    }

    /// Returns whether a value is missing.
    #[must_use]
    pub fn is_missing(&self, row: u64) -> bool {
        let Ok(index) = usize::try_from(row) else { return false };
        match &self.values {
            ColumnValues::Categorical(categorical) => {
                categorical.codes.get(index).is_some_and(|&code| code < 0)
            }
            _ => self.missing.as_ref().is_some_and(|missing| missing.get(index) == Some(&true)),
        }
    }

    /// Returns whether a value is missing or NaN.
    #[must_use]
    pub fn is_missing_or_nan(&self, row: u64) -> bool {
        let value = self.number(row).and_then(Scalar::to_f64);
        self.is_missing(row) || value.is_some_and(f64::is_nan)
    }

    /// Returns a value, or a category, that is a number.
    #[must_use]
    pub fn number(&self, row: u64) -> Option<Scalar> {
        let row = usize::try_from(row).ok()?;
        match &self.values {
            ColumnValues::Numbers(values) => values.get(row),
            ColumnValues::Categorical(Categorical {
                codes,
                categories: Categories::Numbers(values),
                ..
            }) => values.get(usize::try_from(*codes.get(row)?).ok()?),
            _ => None,
        }
    }

    /// Writes a value as text: numbers as [`write_scalar`](crate::write_scalar), booleans as `true`
    /// and `false`, and nothing if it is missing.
    pub fn write_text(&self, row: u64, out: &mut Vec<u8>) {
        if self.is_missing(row) {
            return;
        }
        match &self.values {
            ColumnValues::Numbers(values) => write_number(values, row, out),
            ColumnValues::Strings(list) => out.extend_from_slice(list.get(row).unwrap_or_default()),
            ColumnValues::Categorical(Categorical { codes, categories, .. }) => {
                let code = usize::try_from(row).ok().and_then(|row| codes.get(row));
                if let Some(code) = code.and_then(|&code| u64::try_from(code).ok()) {
                    categories.write_text(code, out);
                }
            }
        }
    }
}

/// A table with a row for each row, or each column, of a matrix.
///
/// Columns are read one at a time.
pub trait Annotations: Send + Sync {
    /// Returns the columns, in order, without the names of rows.
    fn columns(&self) -> &[ColumnInfo];

    /// Returns the number of rows.
    fn len(&self) -> u64;

    /// Returns whether there are no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads a column, given by its index, into at most `memory` bytes.
    ///
    /// # Errors
    ///
    /// Fails if there is no such column, or if it cannot be read, is invalid or takes more memory.
    fn read_column(&self, column: usize, memory: u64) -> Result<Column>;

    /// Returns whether a column, given by its index, is stored with a flag for each row whether its value is missing.
    fn is_nullable(&self, column: usize) -> bool {
        let _ = column;
        false
    }

    /// Describes rows that a column, given by its index, does not cover, such as cells that are not in the table it comes
    /// from. By default it covers all.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be found, or if that takes more than `memory` bytes.
    fn uncovered(&self, column: usize, memory: u64) -> Result<Option<String>> {
        let _ = (column, memory);
        Ok(None)
    }
}

/// A shared table.
impl<T: Annotations + ?Sized> Annotations for &T {
    fn columns(&self) -> &[ColumnInfo] {
        (**self).columns()
    }

    fn len(&self) -> u64 {
        (**self).len()
    }

    fn read_column(&self, column: usize, memory: u64) -> Result<Column> {
        (**self).read_column(column, memory)
    }

    fn is_nullable(&self, column: usize) -> bool {
        (**self).is_nullable(column)
    }

    fn uncovered(&self, column: usize, memory: u64) -> Result<Option<String>> {
        (**self).uncovered(column, memory)
    }
}

/// Suggests the columns of a table that have a name after a prefix, such as `rna:leiden` for `leiden`, to end a message; nothing
/// if there is none.
#[must_use]
pub fn suggest_prefixed(columns: &[ColumnInfo], name: &str) -> String {
    let is_prefixed = |info: &&ColumnInfo| {
        info.name.strip_suffix(name).is_some_and(|prefix| prefix.ends_with(':'))
    };
    let found: Vec<_> =
        columns.iter().filter(is_prefixed).map(|info| format!("{:?}", info.name)).collect();
    match found.is_empty() {
        true => String::new(),
        false => format!(" (did you mean {}?)", found.join(" or ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bint8;

    fn text(column: &Column) -> Vec<String> {
        let one = |row| {
            let mut out = Vec::new();
            column.write_text(row, &mut out);
            String::from_utf8(out).unwrap()
        };
        (0..column.len()).map(one).collect()
    }

    #[test]
    fn gathering_no_row_gives_a_missing_value() {
        let of = |values| Column { values: ColumnValues::Numbers(values), missing: None };
        let column = of(Values::I8(vec![5, 6])).gathered(&[Some(1), None, Some(9)]).unwrap();
        assert_eq!(column.values, ColumnValues::Numbers(Values::I8(vec![6, 0, 0])));
        assert_eq!(column.missing, Some(vec![false, true, true]));
        let all = of(Values::I8(vec![5, 6])).gathered(&[Some(1), Some(0)]).unwrap();
        assert_eq!(all, of(Values::I8(vec![6, 5])));
        let categories = Categories::Strings(["x", "y"].into_iter().collect());
        let of = |codes: &[i32]| {
            let (codes, categories) = (codes.to_vec(), categories.clone());
            let values = Categorical { codes, categories, ordered: false };
            Column { values: ColumnValues::Categorical(values), missing: None }
        };
        assert_eq!(of(&[0, 1]).gathered(&[None, Some(1)]).unwrap(), of(&[-1, 1]));
    }

    #[test]
    fn missing_values_are_written_as_nothing() {
        let numbers = Column {
            values: ColumnValues::Numbers(Values::I64(vec![1, -2, 3])),
            missing: Some(vec![false, true, false]),
        };
        assert_eq!(text(&numbers), ["1", "", "3"]);
        let flags = Values::Bint8(vec![Bint8(1), Bint8(0)]);
        let flags = Column { values: ColumnValues::Numbers(flags), missing: None };
        assert_eq!(text(&flags), ["true", "false"]);
        assert_eq!(flags.column_type().to_string(), "bool");
        let categories = Categories::Strings(["T", "B"].into_iter().collect());
        let categorical = Categorical { codes: vec![1, -1, 0], categories, ordered: true };
        let column = Column { values: ColumnValues::Categorical(categorical), missing: None };
        assert_eq!(text(&column), ["B", "", "T"]);
        assert!(column.is_missing(1) && !column.is_missing(0) && !column.is_missing(9));
        assert_eq!(column.column_type().to_string(), "ordered categorical");
    }
}
