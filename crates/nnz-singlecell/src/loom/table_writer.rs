//! Writing names and annotations as attributes.
//!
//! Loom has numbers and strings only: booleans become `uint8`, categories their values, and missing values NaN or
//! empty strings.

use nnz_core::{
    Annotations, Axis, Categorical, Categories, Column, ColumnInfo, ColumnType, ColumnValues,
    Error, MatrixSource, Names, Result, Rounding, Scalar, StringList, ValueType, Values,
};

use super::attributes::group_of;
use super::output::Output;
use super::{Item, names};

/// Bytes of memory for one column.
const MOST_COLUMN: u64 = 4 << 30;

/// Returns the attribute for the names of an axis with these columns; `None` if there are columns of all possible
/// names.
fn names_attribute(axis: Axis, columns: &[ColumnInfo]) -> Option<&'static str> {
    let taken = |name: &&str| columns.iter().any(|column| column.name == *name);
    names::written(axis).into_iter().find(|name| !taken(name))
}

/// Returns whether loompy accepts the name of an attribute, a layer or a graph.
pub(super) fn is_name(name: &str) -> bool {
    !(name.is_empty() || name == "." || name == ".." || name.contains(['/', '\0']))
}

/// Returns the reason why a matrix cannot be stored beside a main matrix with names and annotations, if it cannot.
///
/// # Errors
///
/// Fails if annotations cannot be read.
pub fn refusal(item: &Item, main: &dyn MatrixSource) -> Result<Option<&'static str>> {
    let (name, axis) = match item {
        Item::Matrix => return Ok(None),
        Item::Layer(name) | Item::RowGraph(name) | Item::ColGraph(name) => (name, None),
        Item::RowAttribute(name) => (name, Some(Axis::Rows)),
        Item::ColAttribute(name) => (name, Some(Axis::Cols)),
    };
    if !is_name(name) {
        return Ok(Some("the name is not allowed"));
    }
    let Some(axis) = axis else { return Ok(None) };
    let table = main.annotations(axis)?;
    let columns = table.as_ref().map_or(&[][..], |table| table.columns());
    let taken = columns.iter().any(|column| column.name == *name)
        || names::written(axis).contains(&&**name);
    Ok(taken.then_some("names or an annotation have this name"))
}

/// Returns the reason why a column cannot be an attribute of an axis, if it cannot.
fn column_refusal(axis: Axis, column: &ColumnInfo, has_names: bool) -> Option<&'static str> {
    let name = &*column.name;
    let [_, exact] = names::written(axis);
    if !is_name(name) {
        return Some("the name is not allowed");
    }
    if has_names && name == exact {
        return Some("names are stored as this attribute");
    }
    match column.column_type {
        ColumnType::Number(value_type) if value_type.is_complex() => Some("complex numbers"),
        _ => None,
    }
}

/// Annotations that the attributes of an axis do not keep as they are.
#[derive(Debug, Default)]
pub struct TableLosses {
    /// Columns that are not stored, and missing texts, which are read back as empty texts.
    pub dropped: Vec<String>,
    /// Columns that are written as another type, each with both types.
    pub retyped: Vec<String>,
}

/// Returns what the attributes of an axis do not keep of annotations.
///
/// # Errors
///
/// Fails if the columns cannot be read.
pub fn table_losses(axis: Axis, table: &dyn Annotations, has_names: bool) -> Result<TableLosses> {
    let mut losses = TableLosses::default();
    let columns = table.columns();
    losses.dropped.extend(unsupported_columns(axis, columns, has_names));
    for (number, info) in columns.iter().enumerate() {
        let is_float =
            matches!(info.column_type, ColumnType::Number(ValueType::F32 | ValueType::F64));
        if is_float || column_refusal(axis, info, has_names).is_some() {
            continue;
        }
        let column = table.read_column(number, MOST_COLUMN)?;
        let missing = (0..column.len()).filter(|row| column.is_missing(*row)).count();
        let path = format!("{}/{}", group_of(axis), info.name);
        let written = match &column.values {
            ColumnValues::Numbers(_)
            | ColumnValues::Categorical(Categorical {
                categories: Categories::Numbers(_), ..
            }) => match info.column_type {
                _ if missing > 0 => Some("float64"),
                ColumnType::Number(ValueType::Bint8) => Some("uint8"),
                ColumnType::Categorical { .. } => Some("numbers"),
                _ => None,
            },
            ColumnValues::Strings(_) | ColumnValues::Categorical(_) => {
                if missing > 0 {
                    let values = if missing == 1 { "value" } else { "values" };
                    let what =
                        format!("{missing} missing {values} of {path} (written as empty text)");
                    losses.dropped.push(what);
                }
                matches!(info.column_type, ColumnType::Categorical { .. }).then_some("string")
            }
        };
        if let Some(written) = written {
            losses.retyped.push(format!("{path} ({} as {written})", info.column_type));
        }
    }
    Ok(losses)
}

/// Lists the columns of an axis that Loom does not support.
fn unsupported_columns(axis: Axis, columns: &[ColumnInfo], has_names: bool) -> Vec<String> {
    let refused = columns.iter().filter_map(|column| {
        let named = format!("the {} annotation {:?}", axis.singular(), column.name);
        match (column_refusal(axis, column, has_names), column.column_type) {
            (Some(why), _) => Some(format!("{named} ({why})")),
            // The integers are stored.
            (None, ColumnType::Time(time)) => Some(format!("the unit of {named} ({time})")),
            (None, _) => None,
        }
    });
    refused.collect()
}

impl Output {
    /// Writes the attributes of an axis of length `len`.
    pub(super) fn table(
        &mut self,
        axis: Axis,
        len: u64,
        names: Option<Names<'_>>,
        table: Option<&dyn Annotations>,
    ) -> Result<()> {
        let group = self.groups.tables[usize::from(axis == Axis::Cols)];
        let columns = table.map_or(&[][..], |table| table.columns());
        let has_names = names.is_some();
        let supported: Vec<(usize, &ColumnInfo)> = columns
            .iter()
            .enumerate()
            .filter(|(_, column)| column_refusal(axis, column, has_names).is_none())
            .collect();
        if let Some(mut names) = names {
            let written: Vec<ColumnInfo> =
                supported.iter().map(|(_, column)| (*column).clone()).collect();
            let [_, exact] = names::written(axis);
            let name = names_attribute(axis, &written).unwrap_or(exact);
            self.strings(group, name, len, &mut *names)?;
        }
        let Some(table) = table else { return Ok(()) };
        for (number, info) in supported {
            let column = table.read_column(number, MOST_COLUMN)?;
            if column.len() != len {
                let what =
                    format!("column {:?} has {} values, expected {len}", info.name, column.len());
                return Err(Error::argument(what));
            }
            match plain(column, &info.name)? {
                Plain::Numbers(values) => self.numbers(group, &info.name, &values)?,
                Plain::Strings(list) => {
                    self.strings(group, &info.name, len, &mut *list.reader())?;
                }
            }
        }
        Ok(())
    }
}

/// A column without missing values and categories.
#[derive(Debug, PartialEq)]
enum Plain {
    Numbers(Values),
    Strings(StringList),
}

fn plain(column: Column, name: &str) -> Result<Plain> {
    let is_missing: Vec<bool> = match column.missing {
        Some(_) => (0..column.len()).map(|row| column.is_missing(row)).collect(),
        None => Vec::new(),
    };
    match column.values {
        ColumnValues::Numbers(values) => {
            with_missing(values, |row| is_missing.get(row) == Some(&true), name).map(Plain::Numbers)
        }
        ColumnValues::Strings(list) => {
            let mut strings = StringList::new();
            for (row, string) in list.iter().enumerate() {
                let is_missing = is_missing.get(row) == Some(&true);
                strings.try_push(if is_missing { b"" } else { string })?;
            }
            Ok(Plain::Strings(strings))
        }
        ColumnValues::Categorical(Categorical { codes, categories, .. }) => match categories {
            Categories::Strings(list) => {
                let mut strings = StringList::new();
                for code in codes {
                    let category = u64::try_from(code).ok().and_then(|code| list.get(code));
                    strings.try_push(category.unwrap_or_default())?;
                }
                Ok(Plain::Strings(strings))
            }
            Categories::Numbers(numbers) => {
                let zero = Values::try_zeroed(numbers.value_type(), 1).and_then(|zero| zero.get(0));
                let mut values = Values::new(numbers.value_type());
                for code in &codes {
                    let category = usize::try_from(*code).ok().and_then(|code| numbers.get(code));
                    if let Some(category) = category.or(zero) {
                        values.push(category);
                    }
                }
                let is_missing = |row: usize| codes.get(row).is_some_and(|code| *code < 0);
                with_missing(values, is_missing, name).map(Plain::Numbers)
            }
        },
    }
}

/// Makes missing numbers NaN; other types than floats become `float64` for this.
fn with_missing(values: Values, is_missing: impl Fn(usize) -> bool, name: &str) -> Result<Values> {
    let len = values.len().unwrap_or(0);
    let missing: Vec<usize> = (0..len).filter(|row| is_missing(*row)).collect();
    let mut values = match values {
        values if missing.is_empty() => return Ok(unsigned(values)),
        Values::F32(values) => Values::F32(values),
        values => floats(&values, name)?,
    };
    for row in missing {
        match &mut values {
            Values::F32(values) => {
                values.iter_mut().skip(row).take(1).for_each(|value| *value = f32::NAN)
            }
            Values::F64(values) => {
                values.iter_mut().skip(row).take(1).for_each(|value| *value = f64::NAN)
            }
            _ => {}
        }
    }
    Ok(values)
}

/// Returns booleans as `uint8`, and all other values as they are.
fn unsigned(values: Values) -> Values {
    match values {
        Values::Bint8(flags) => Values::U8(flags.iter().map(|flag| flag.0).collect()),
        values => values,
    }
}

/// Converts numbers to `float64` exactly.
fn floats(values: &Values, name: &str) -> Result<Values> {
    let exact = |row: usize| match values.get(row)?.cast(ValueType::F64, Rounding::default()) {
        Ok(Scalar::F64(value)) => Some(value),
        _ => None,
    };
    let floats: Option<Vec<f64>> = (0..values.len().unwrap_or(0)).map(exact).collect();
    floats.map(Values::F64).ok_or_else(|| {
        Error::argument(format!(
            "the annotation {name:?} has missing values, and numbers that float64 does not represent exactly"
        ))
    })
}

#[cfg(test)]
mod tests {
    use nnz_core::Bint8;

    use super::*;

    fn numbers(values: Values, missing: Option<Vec<bool>>) -> Plain {
        plain(Column { values: ColumnValues::Numbers(values), missing }, "n").unwrap()
    }

    #[test]
    fn booleans_and_missing_numbers_are_converted() {
        let flags = Values::Bint8(vec![Bint8(1), Bint8(0)]);
        assert_eq!(numbers(flags.clone(), None), Plain::Numbers(Values::U8(vec![1, 0])));
        let Plain::Numbers(Values::F64(found)) = numbers(flags, Some(vec![false, true])) else {
            panic!("expected float64");
        };
        assert!(found[0] == 1.0 && found[1].is_nan());
        let Plain::Numbers(Values::F32(found)) =
            numbers(Values::F32(vec![1.5, 2.5]), Some(vec![true, false]))
        else {
            panic!("expected float32");
        };
        assert!(found[0].is_nan() && found[1] == 2.5);
        let wide = Values::I64(vec![(1 << 53) + 1, 0]);
        assert_eq!(numbers(wide.clone(), None), Plain::Numbers(wide.clone()));
        let column =
            Column { values: ColumnValues::Numbers(wide), missing: Some(vec![false, true]) };
        assert!(plain(column, "n").is_err());
    }

    #[test]
    fn categories_become_their_values() {
        let of = |categories| {
            let values = Categorical { codes: vec![1, -1, 0], categories, ordered: false };
            let values = ColumnValues::Categorical(values);
            plain(Column { values, missing: None }, "c").unwrap()
        };
        let text = of(Categories::Strings(["T", "B"].into_iter().collect()));
        assert_eq!(text, Plain::Strings(["B", "", "T"].into_iter().collect()));
        let Plain::Numbers(Values::F64(found)) = of(Categories::Numbers(Values::I8(vec![5, 6])))
        else {
            panic!("expected float64");
        };
        assert!(found[0] == 6.0 && found[1].is_nan() && found[2] == 5.0);
    }

    #[test]
    fn names_are_gene_and_cellid_unless_a_column_is() {
        let column = |name: &str| ColumnInfo::new(name, ColumnType::Number(ValueType::I8));
        assert_eq!(names_attribute(Axis::Rows, &[column("a")]), Some("Gene"));
        assert_eq!(names_attribute(Axis::Rows, &[column("Gene")]), Some("var_names"));
        assert_eq!(names_attribute(Axis::Cols, &[column("Gene")]), Some("CellID"));
        let columns = ["a/b", "", "obs_names", "a"].map(column);
        assert_eq!(unsupported_columns(Axis::Cols, &columns, true).len(), 3);
        assert_eq!(unsupported_columns(Axis::Cols, &columns, false).len(), 2);
    }
}
