//! Writing tables: names of rows, and typed columns.

use std::collections::HashSet;

use nnz_container::tree::ElementType;
use nnz_core::{
    Annotations, Bint8, Categorical, Categories, Column, ColumnInfo, ColumnType, ColumnValues,
    Error, Names, Result, StringList, StringReader, TimeType, ValueType, Values,
};

use super::output::{Group, Output};
use crate::times;

/// Bytes of memory for one column.
pub(crate) const MOST_COLUMN: u64 = 4 << 30;

/// The name of the index of a table, which columns cannot have.
pub(crate) const INDEX: &str = "_index";

/// The reason why a column with this name is not written.
pub(crate) const RESERVED: &str = "a reserved name in AnnData";

/// Returns whether anndata refuses to write a column with a name.
pub(crate) fn is_reserved(name: &str) -> bool {
    name == INDEX
}

/// Returns why each column of a table is not written, unless it is: its name cannot be that of an array, or has that of another
/// column before a slash.
fn refusals(columns: &[ColumnInfo]) -> Vec<Option<&'static str>> {
    let names: HashSet<&str> = columns.iter().map(|column| &*column.name).collect();
    let refusal = |column: &ColumnInfo| {
        let name = &*column.name;
        let mut outer = name.match_indices('/').map(|(at, _)| &name[..at]);
        if is_reserved(name) {
            Some(RESERVED)
        } else if name.split('/').any(|part| matches!(part, "" | "." | "..")) || name.contains('\0')
        {
            Some("a name that HDF5 and Zarr do not allow")
        } else {
            let is_inside = outer.any(|outer| names.contains(outer));
            is_inside.then_some("another column has the name before the slash")
        }
    };
    columns.iter().map(refusal).collect()
}

/// Lists the columns of a table that AnnData does not support. `axis` describes it, such as `row`.
#[must_use]
pub fn unsupported_columns(axis: &str, table: &dyn Annotations) -> Vec<String> {
    let columns = table.columns();
    let refused = columns.iter().zip(refusals(columns));
    let named = |(column, why): (&ColumnInfo, Option<&str>)| {
        Some(format!("the {axis} annotation {:?} ({})", column.name, why?))
    };
    refused.filter_map(named).collect()
}

/// Writes a table of `len` rows, such as `obs`. `index` is the name of the index, unless a column
/// has that name. Columns whose names AnnData does not support are left out.
pub(crate) fn write_table(
    output: &mut Output,
    (parent, name): (Group, &str),
    index: &str,
    len: u64,
    names: Option<Names<'_>>,
    table: Option<&dyn Annotations>,
) -> Result<()> {
    let group = output.group(parent, name)?;
    output.encode(group, "dataframe", "0.2.0")?;
    let columns = table.map_or(&[][..], |table| table.columns());
    let taken = |name: &&str| columns.iter().any(|column| column.name == *name);
    // A column with that name is kept: anndata accepts any name of the index.
    let index = [index, "_index", "index", "names", "_names"].into_iter().find(|name| !taken(name));
    let index = index.unwrap_or("__index");
    output.set_text(group, "_index", index)?;
    let refused = refusals(columns);
    let kept = columns.iter().zip(&refused).filter(|(_, why)| why.is_none());
    let order: Vec<String> = kept.map(|(column, _)| column.name.clone()).collect();
    output.set_texts(group, "column-order", &order)?;
    match names {
        Some(mut names) => output.strings(group, index, len, &mut *names)?,
        None => output.strings(group, index, len, &mut Positions::new(len))?,
    }
    let Some(table) = table else { return Ok(()) };
    for (number, (info, why)) in columns.iter().zip(refused).enumerate() {
        if why.is_some() {
            continue;
        }
        let column = table.read_column(number, MOST_COLUMN)?;
        if column.len() != len {
            let what =
                format!("column {:?} has {} values, expected {len}", info.name, column.len());
            return Err(Error::argument(what));
        }
        // Names with slashes are nested groups, like in anndata.
        let (mut parent, mut name) = (group, &*info.name);
        while let Some((outer, inner)) = name.split_once('/') {
            parent = output.group(parent, outer)?;
            name = inner;
        }
        let time = match info.column_type {
            ColumnType::Time(time) => Some(time),
            _ => None,
        };
        write_column(output, parent, name, column, time)?;
    }
    Ok(())
}

/// Writes a column; `time` is the type of dates or durations.
pub(crate) fn write_column(
    output: &mut Output,
    parent: Group,
    name: &str,
    column: Column,
    time: Option<TimeType>,
) -> Result<()> {
    let Column { values, missing } = column;
    match (values, missing) {
        (ColumnValues::Numbers(values), missing) if time.is_some() => {
            write_times(output, parent, name, (values, missing), time)
        }
        (ColumnValues::Categorical(categorical), _) => {
            write_categorical(output, parent, name, &categorical)
        }
        (ColumnValues::Numbers(values), None) => output.numbers(parent, name, &values),
        (ColumnValues::Numbers(values), Some(missing)) => {
            write_masked(output, parent, name, values, &missing)
        }
        // Strings without missing ones are plain strings, which every version reads.
        (ColumnValues::Strings(list), missing)
            if missing.as_ref().is_none_or(|missing| !missing.contains(&true)) =>
        {
            output.strings(parent, name, list.len(), &mut *list.reader())
        }
        // Versions before 0.11 cannot read strings with missing values, but categories.
        (ColumnValues::Strings(list), missing) => {
            let categorical = categories_of(&list, &missing.unwrap_or_default())?;
            write_categorical(output, parent, name, &categorical)
        }
    }
}

/// Writes dates or durations: as such if the container has a type for them, otherwise as integers with their unit.
fn write_times(
    output: &mut Output,
    parent: Group,
    name: &str,
    (values, missing): (Values, Option<Vec<bool>>),
    time: Option<TimeType>,
) -> Result<()> {
    let Some(time) = time else { return output.numbers(parent, name, &values) };
    // Other programs read integers, of which these are not one.
    let missing = missing.or_else(|| match &values {
        Values::I64(times) if times.contains(&TimeType::MISSING) => {
            Some(times.iter().map(|&time| time == TimeType::MISSING).collect())
        }
        _ => None,
    });
    if output.tree.supports(&ElementType::Time(time)) {
        let values = times::with_nat(&values, missing.as_deref());
        return output.times(parent, name, &values, time);
    }
    let unit = &times::attribute(time);
    match missing {
        None => output.numbers_with(parent, name, &values, (times::ATTRIBUTE, unit)),
        Some(missing) => {
            let group = write_nullable(output, parent, name, &values, &missing)?;
            output.tree.set_attribute(group.0, times::ATTRIBUTE, unit)
        }
    }
}

/// Writes numbers with a mask of missing ones.
fn write_nullable(
    output: &mut Output,
    parent: Group,
    name: &str,
    values: &Values,
    missing: &[bool],
) -> Result<Group> {
    let kind = match values.value_type() {
        ValueType::Bint8 => "nullable-boolean",
        _ => "nullable-integer",
    };
    let group = output.group(parent, name)?;
    output.encode(group, kind, "0.1.0")?;
    output.numbers(group, "values", values)?;
    let mask = missing.iter().map(|&missing| Bint8(missing.into())).collect();
    output.numbers(group, "mask", &Values::Bint8(mask))?;
    Ok(group)
}

/// Writes numbers with missing values: floats as NaN, others with a mask.
fn write_masked(
    output: &mut Output,
    parent: Group,
    name: &str,
    mut values: Values,
    missing: &[bool],
) -> Result<()> {
    match &mut values {
        Values::F32(values) => set_where(values, missing, f32::NAN),
        Values::F64(values) => set_where(values, missing, f64::NAN),
        _ => return write_nullable(output, parent, name, &values, missing).map(drop),
    }
    output.numbers(parent, name, &values)
}

fn set_where<T: Copy>(values: &mut [T], missing: &[bool], to: T) {
    for (value, _) in values.iter_mut().zip(missing).filter(|(_, missing)| **missing) {
        *value = to;
    }
}

fn write_categorical(
    output: &mut Output,
    parent: Group,
    name: &str,
    categorical: &Categorical,
) -> Result<()> {
    let Categorical { codes, categories, ordered } = categorical;
    let group = output.group(parent, name)?;
    output.encode(group, "categorical", "0.2.0")?;
    output.set_boolean(group, "ordered", *ordered)?;
    output.numbers(group, "codes", &narrow(codes, categories.len()))?;
    match categories {
        Categories::Strings(list) => {
            output.strings(group, "categories", list.len(), &mut *list.reader())
        }
        Categories::Numbers(values) => output.numbers(group, "categories", values),
    }
}

/// Returns codes in the smallest type that pandas uses for them.
fn narrow(codes: &[i32], categories: u64) -> Values {
    match categories {
        0..128 => Values::I8(codes.iter().map(|&code| i8::try_from(code).unwrap_or(-1)).collect()),
        128..32_768 => {
            Values::I16(codes.iter().map(|&code| i16::try_from(code).unwrap_or(-1)).collect())
        }
        _ => Values::I32(codes.to_vec()),
    }
}

/// Converts strings with missing values to categories.
fn categories_of(list: &StringList, missing: &[bool]) -> Result<Categorical> {
    let present = || list.iter().zip(missing).filter(|(_, missing)| !**missing);
    let mut sorted: Vec<&[u8]> = present().map(|(string, _)| string).collect();
    sorted.sort_unstable();
    sorted.dedup();
    let mut codes = Vec::with_capacity(missing.len());
    for (string, missing) in list.iter().zip(missing) {
        let code = sorted.binary_search(&string).ok().filter(|_| !missing);
        codes.push(match code.map(i32::try_from) {
            Some(Ok(code)) => code,
            None => -1,
            Some(Err(_)) => return Err(Error::argument("more than 2^31 categories")),
        });
    }
    let categories = Categories::Strings(sorted.into_iter().collect());
    Ok(Categorical { codes, categories, ordered: false })
}

/// Positions as names, counted from 0.
struct Positions {
    next: u64,
    len: u64,
    text: String,
}

impl Positions {
    fn new(len: u64) -> Self {
        Self { next: 0, len, text: String::new() }
    }
}

impl StringReader for Positions {
    fn next_string(&mut self) -> Result<Option<&[u8]>> {
        if self.next == self.len {
            return Ok(None);
        }
        self.text = self.next.to_string();
        self.next += 1;
        Ok(Some(self.text.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_with_missing_values_become_categories() {
        let list: StringList = ["b", "", "a", "b", ""].into_iter().collect();
        let missing = [false, true, false, false, false];
        let made = categories_of(&list, &missing).unwrap();
        assert_eq!(made.codes, [2, -1, 1, 2, 0]);
        assert_eq!(made.categories, Categories::Strings(["", "a", "b"].into_iter().collect()));
    }
}
