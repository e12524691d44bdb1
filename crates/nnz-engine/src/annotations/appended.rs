//! Concatenated tables.

use std::collections::HashMap;

use nnz_core::{
    Annotations, Axis, Categorical, Categories, Column, ColumnInfo, ColumnType, ColumnValues,
    Error, ErrorKind, Place, Result, Rounding, StringList, ValueType, Values,
};

use crate::types;

/// Which columns of several tables are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Join {
    /// The columns that all tables have. The default.
    #[default]
    Inner,
    /// The columns that any table has. They are missing in the others.
    Outer,
}

impl Join {
    /// Describes what a join by name keeps of an axis: so many names, of which so many are in all sources.
    ///
    /// # Errors
    ///
    /// Fails if an inner join keeps nothing.
    pub fn note(self, axis: Axis, kept: u64, in_all: u64, sources: usize) -> Result<String> {
        match self {
            Self::Inner if kept == 0 => {
                let what = format!(
                    "no name of {axis} is in all {sources} sources; some may have ids as names, and others symbols"
                );
                Err(Error::argument(what))
            }
            Self::Inner => Ok(format!("{kept} {axis} are in all {sources} sources")),
            Self::Outer => {
                Ok(format!("{kept} {axis} are in any of {sources} sources, and {in_all} in all"))
            }
        }
    }
}

/// The rows of several tables, with the columns that all or any of them have.
///
/// Columns of compatible types get a type that holds both; other columns are left out. Categories are
/// united.
pub struct Appended<'a> {
    parts: Vec<TableColumns<'a>>,
    columns: Vec<ColumnInfo>,
    dropped: Vec<DroppedColumn>,
}

/// A column that is left out when tables are concatenated.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DroppedColumn {
    /// Its name.
    pub name: String,
    /// The reason.
    pub why: String,
}

/// A table and the positions of its columns.
type TableColumns<'a> = (Box<dyn Annotations + 'a>, Vec<Option<usize>>);

impl std::fmt::Debug for Appended<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Appended").field("columns", &self.columns).finish_non_exhaustive()
    }
}

impl<'a> Appended<'a> {
    /// Concatenates tables.
    #[must_use]
    pub fn new(tables: Vec<Box<dyn Annotations + 'a>>, join: Join) -> Self {
        Self::with(tables, join, common_type)
    }

    /// Concatenates tables with the number types of pandas. Columns whose values are not exact in that type,
    /// and columns with categories of both numbers and strings, are left out; such columns are read to find
    /// out, each in at most `memory` bytes.
    ///
    /// # Errors
    ///
    /// Fails if a column cannot be read.
    pub fn promoted(
        tables: Vec<Box<dyn Annotations + 'a>>,
        join: Join,
        memory: u64,
    ) -> Result<Self> {
        let mut appended = Self::with(tables, join, promoted_type);
        let mut column = 0;
        while let Some(info) = appended.columns.get(column).cloned() {
            if appended.is_uncertain(column)
                && let Err(error) = appended.joined(column, info.column_type, memory)
            {
                let ErrorKind::Unsupported(why) = error.kind() else { return Err(error) };
                appended.dropped.push(DroppedColumn { name: info.name, why: why.clone() });
                appended.columns.remove(column);
                for (_, positions) in &mut appended.parts {
                    positions.remove(column);
                }
                continue;
            }
            column += 1;
        }
        Ok(appended)
    }

    /// Returns whether a column has to be read to find out if it can be concatenated.
    fn is_uncertain(&self, column: usize) -> bool {
        let Some(info) = self.columns.get(column) else { return false };
        let mut types = self.parts.iter().filter_map(|(table, positions)| {
            let position = positions.get(column).copied().flatten()?;
            Some(table.columns().get(position)?.column_type)
        });
        match info.column_type {
            ColumnType::Number(to) => types.any(|own| {
                matches!(own, ColumnType::Number(own) if types::common_type(own, to) != Some(to))
            }),
            ColumnType::Categorical { .. } => types.nth(1).is_some(),
            ColumnType::Time(_) | ColumnType::String => false,
        }
    }

    fn joined(&self, column: usize, column_type: ColumnType, memory: u64) -> Result<Column> {
        let mut joined = ColumnBuilder::new(column_type);
        for (table, positions) in &self.parts {
            match positions.get(column).copied().flatten() {
                Some(position) => joined.push(&table.read_column(position, memory / 2)?)?,
                None => joined.push_missing(table.len())?,
            }
        }
        Ok(joined.finish())
    }

    fn with(
        tables: Vec<Box<dyn Annotations + 'a>>,
        join: Join,
        together: fn(ColumnType, ColumnType) -> Option<ColumnType>,
    ) -> Self {
        let (mut columns, mut dropped) = (Vec::<ColumnInfo>::new(), Vec::<DroppedColumn>::new());
        let mut positions = vec![Vec::new(); tables.len()];
        for (at, table) in tables.iter().enumerate() {
            for info in table.columns() {
                let dropped_before = dropped.iter().map(|column| &column.name);
                let known = columns.iter().map(|column| &column.name).chain(dropped_before);
                if known.into_iter().any(|name| *name == info.name) {
                    continue;
                }
                let found: Vec<_> = tables.iter().map(|table| find(&**table, info)).collect();
                let kept = match join {
                    Join::Inner => at == 0 && found.iter().all(Option::is_some),
                    Join::Outer => true,
                };
                let mut types = found.iter().flatten().map(|(_, column_type)| *column_type);
                let common = match kept {
                    true => types.try_fold(info.column_type, |before, next| {
                        let both = together(before, next);
                        both.ok_or_else(|| format!("{before} in one file and {next} in another"))
                    }),
                    false => Err("not all files have it".to_owned()),
                };
                let column_type = match common {
                    Ok(column_type) => column_type,
                    Err(why) => {
                        dropped.push(DroppedColumn { name: info.name.clone(), why });
                        continue;
                    }
                };
                columns.push(ColumnInfo::new(info.name.clone(), column_type));
                for (positions, found) in positions.iter_mut().zip(found) {
                    positions.push(found.map(|(position, _)| position));
                }
            }
        }
        Self { parts: tables.into_iter().zip(positions).collect(), columns, dropped }
    }

    /// Returns the columns that are left out: columns that some tables do not have, if only columns of all tables are
    /// kept, and columns of incompatible types.
    #[must_use]
    pub fn dropped(&self) -> &[DroppedColumn] {
        &self.dropped
    }
}

/// Returns the position and type of the column of a table with this name.
fn find(table: &dyn Annotations, info: &ColumnInfo) -> Option<(usize, ColumnType)> {
    let position = table.columns().iter().position(|column| column.name == info.name)?;
    Some((position, table.columns().get(position)?.column_type))
}

/// Returns a type that holds the values of both.
fn common_type(a: ColumnType, b: ColumnType) -> Option<ColumnType> {
    use ColumnType::{Categorical, Number, String};
    Some(match (a, b) {
        (Number(ValueType::Bint8), Number(ValueType::Bint8)) => a,
        (Number(ValueType::Bint8), _) | (_, Number(ValueType::Bint8)) => return None,
        (Number(a), Number(b)) => Number(types::common_type(a, b)?),
        (String, String) => String,
        (ColumnType::Time(own), ColumnType::Time(other)) if own == other => a,
        // Whether they are ordered is known when the categories are read.
        (Categorical { ordered: a }, Categorical { ordered: b }) => Categorical { ordered: a && b },
        // Strings, which are categories in only one of the files.
        (String, Categorical { .. }) | (Categorical { .. }, String) => String,
        _ => return None,
    })
}

/// Returns the type of pandas for the values of both; `None` if that is `object`.
fn promoted_type(a: ColumnType, b: ColumnType) -> Option<ColumnType> {
    match (a, b) {
        (ColumnType::Number(ValueType::Bint8), _) | (_, ColumnType::Number(ValueType::Bint8)) => {
            common_type(a, b)
        }
        (ColumnType::Number(a), ColumnType::Number(b)) => {
            Some(ColumnType::Number(types::promoted_type(a, b)))
        }
        _ => common_type(a, b),
    }
}

impl Annotations for Appended<'_> {
    fn columns(&self) -> &[ColumnInfo] {
        &self.columns
    }

    fn len(&self) -> u64 {
        self.parts.iter().map(|(table, _)| table.len()).sum()
    }

    fn read_column(&self, column: usize, memory: u64) -> Result<Column> {
        let Some(info) = self.columns.get(column) else {
            return Err(Error::argument(format!("column {column} does not exist")));
        };
        self.joined(column, info.column_type, memory).map_err(|error| match error.into_parts() {
            (ErrorKind::Unsupported(what), place) => {
                Error::unsupported(place, format!("column {:?}: {what}", info.name))
            }
            (kind, place) => Error::new(kind, place),
        })
    }
}

/// A column that is being concatenated.
struct ColumnBuilder {
    values: ColumnValues,
    /// The positions of categories, by text.
    codes: HashMap<Vec<u8>, i32>,
    missing: Vec<bool>,
    /// Whether values can be missing, at least in one table.
    nullable: bool,
    /// Whether all categories so far were the same, in the same order.
    same: bool,
    begun: bool,
}

impl ColumnBuilder {
    fn new(column_type: ColumnType) -> Self {
        let values = match column_type {
            ColumnType::Number(value_type) => ColumnValues::Numbers(Values::new(value_type)),
            ColumnType::Time(_) => ColumnValues::Numbers(Values::new(ValueType::I64)),
            ColumnType::String => ColumnValues::Strings(StringList::new()),
            ColumnType::Categorical { ordered } => {
                let categories = Categories::Strings(StringList::new());
                ColumnValues::Categorical(Categorical { codes: Vec::new(), categories, ordered })
            }
        };
        Self {
            values,
            codes: HashMap::new(),
            missing: Vec::new(),
            nullable: false,
            same: true,
            begun: false,
        }
    }

    fn push(&mut self, next: &Column) -> Result<()> {
        self.nullable |= next.missing.is_some();
        self.missing.extend((0..next.len()).map(|row| next.is_missing(row)));
        if let (ColumnValues::Categorical(_), ColumnValues::Categorical(values)) =
            (&self.values, &next.values)
        {
            return self.push_categories(values);
        }
        match (&mut self.values, &next.values) {
            (ColumnValues::Numbers(all), ColumnValues::Numbers(values)) => {
                let cast = exactly(values, all.value_type())?;
                all.extend_from(&cast, 0..cast.len().unwrap_or(0));
            }
            (ColumnValues::Strings(all), _) => {
                let mut text = Vec::new();
                for row in 0..next.len() {
                    text.clear();
                    next.write_text(row, &mut text);
                    all.try_push(&text)?;
                }
            }
            _ => return Err(Error::argument("the type of a column changed while reading")),
        }
        Ok(())
    }

    /// Appends rows without values.
    fn push_missing(&mut self, rows: u64) -> Result<()> {
        let too_many = || Error::argument("too many rows for memory");
        let count = usize::try_from(rows).map_err(|_| too_many())?;
        self.missing.extend(std::iter::repeat_n(true, count));
        match &mut self.values {
            ColumnValues::Numbers(values) => {
                let zeros = Values::try_zeroed(values.value_type(), count).ok_or_else(too_many)?;
                values.extend_from(&zeros, 0..count);
            }
            ColumnValues::Strings(list) => {
                (0..rows).try_for_each(|_| list.try_push(b""))?;
            }
            ColumnValues::Categorical(categorical) => {
                categorical.codes.extend(std::iter::repeat_n(-1, count));
            }
        }
        Ok(())
    }

    /// Appends categories, and adds new ones to the list.
    fn push_categories(&mut self, next: &Categorical) -> Result<()> {
        let Self { values, codes: known, same, begun, .. } = self;
        let ColumnValues::Categorical(Categorical { codes, categories: all, .. }) = values else {
            return Ok(());
        };
        let more = &next.categories;
        if !std::mem::replace(begun, true) {
            *all = empty_like(more);
            *same = true;
        } else {
            *same &= all == more;
        }
        let mixed = || {
            Error::unsupported(Place::default(), "categories of numbers and categories of strings")
        };
        if all.is_empty() && !more.is_empty() {
            *all = empty_like(more);
        }
        let strings = |categories: &Categories| matches!(categories, Categories::Strings(_));
        if strings(all) != strings(more) && !more.is_empty() {
            return Err(mixed());
        }
        let cast;
        let more = match (&mut *all, more) {
            (Categories::Numbers(own), Categories::Numbers(other))
                if own.value_type() != other.value_type() =>
            {
                let to = types::promoted_type(own.value_type(), other.value_type());
                *own = exactly(own, to)?;
                cast = Categories::Numbers(exactly(other, to)?);
                // 1 is 1.0.
                known.clear();
                for (code, index) in (0..).zip(0..all.len()) {
                    let mut text = Vec::new();
                    all.write_text(index, &mut text);
                    known.insert(text, code);
                }
                &cast
            }
            _ => more,
        };
        let mut moved = Vec::new();
        for index in 0..more.len() {
            let mut text = Vec::new();
            more.write_text(index, &mut text);
            if let Some(&code) = known.get(&text) {
                moved.push(code);
                continue;
            }
            let code = i32::try_from(all.len()).map_err(|_| mixed())?;
            match (&mut *all, more) {
                (Categories::Strings(all), Categories::Strings(_)) => all.try_push(&text)?,
                (Categories::Numbers(all), Categories::Numbers(more)) => {
                    let value = usize::try_from(index).ok().and_then(|index| more.get(index));
                    if !value.is_some_and(|value| all.push(value)) {
                        return Err(mixed());
                    }
                }
                _ => return Err(mixed()),
            }
            known.insert(text, code);
            moved.push(code);
        }
        let code = |code: &i32| match usize::try_from(*code) {
            Ok(code) => moved.get(code).copied().unwrap_or(-1),
            Err(_) => -1,
        };
        codes.extend(next.codes.iter().map(code));
        Ok(())
    }

    fn finish(mut self) -> Column {
        if let ColumnValues::Categorical(categorical) = &mut self.values {
            categorical.ordered &= self.same;
            return Column { values: self.values, missing: None };
        }
        let missing = (self.nullable || self.missing.contains(&true)).then_some(self.missing);
        Column { values: self.values, missing }
    }
}

/// Casts values of a column; fails if one is not exact in the other type.
fn exactly(values: &Values, to: ValueType) -> Result<Values> {
    let mut cast = Values::new(to);
    values.cast_into(to, Rounding::Refused, &mut cast).map_err(|offender| {
        let what =
            format!("{} cannot be stored exactly as {to}, the type for all files", offender.found);
        Error::unsupported(Place::default(), what)
    })?;
    Ok(cast)
}

fn empty_like(categories: &Categories) -> Categories {
    match categories {
        Categories::Strings(_) => Categories::Strings(StringList::new()),
        Categories::Numbers(values) => Categories::Numbers(Values::new(values.value_type())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn categories(codes: &[i32], names: &[&str], ordered: bool) -> Column {
        let categories = Categories::Strings(names.iter().collect());
        let values = Categorical { codes: codes.to_vec(), categories, ordered };
        Column { values: ColumnValues::Categorical(values), missing: None }
    }

    fn joined(column_type: ColumnType, columns: &[Column]) -> Column {
        let mut joined = ColumnBuilder::new(column_type);
        columns.iter().for_each(|column| joined.push(column).unwrap());
        joined.finish()
    }

    #[test]
    fn categories_are_united_in_order_of_occurrence() {
        let ordered = ColumnType::Categorical { ordered: true };
        let a = categories(&[1, 0, -1], &["T", "B"], true);
        let b = categories(&[0, 1, 2], &["NK", "B", "T"], true);
        let both = joined(ordered, &[a.clone(), b]);
        assert_eq!(both, categories(&[1, 0, -1, 2, 1, 0], &["T", "B", "NK"], false));
        // The same categories stay ordered.
        let same = joined(ordered, &[a.clone(), a.clone()]);
        assert_eq!(same, categories(&[1, 0, -1, 1, 0, -1], &["T", "B"], true));
        let fewer = joined(ordered, &[a, categories(&[0], &["T"], true)]);
        assert_eq!(fewer, categories(&[1, 0, -1, 0], &["T", "B"], false));
    }

    #[test]
    fn outer_joins_fill_missing_columns() {
        struct Table(Vec<ColumnInfo>, Vec<Column>);
        impl Annotations for Table {
            fn columns(&self) -> &[ColumnInfo] {
                &self.0
            }
            fn len(&self) -> u64 {
                self.1[0].len()
            }
            fn read_column(&self, column: usize, _: u64) -> Result<Column> {
                Ok(self.1[column].clone())
            }
        }
        let table = |columns: &[(&str, Column)]| {
            let info =
                columns.iter().map(|(name, column)| ColumnInfo::new(*name, column.column_type()));
            let columns = columns.iter().map(|(_, column)| column.clone()).collect();
            Box::new(Table(info.collect(), columns)) as Box<dyn Annotations>
        };
        let cell_types = categories(&[0, 1], &["T", "B"], false);
        let of = |values| Column { values: ColumnValues::Numbers(values), missing: None };
        let tables = || {
            let first = [("n", of(Values::I8(vec![1, 2]))), ("t", cell_types.clone())];
            vec![
                table(&first),
                table(&[("m", of(Values::F32(vec![3.0]))), ("n", of(Values::I8(vec![4])))]),
            ]
        };
        let inner = Appended::new(tables(), Join::Inner);
        assert_eq!(inner.columns().len(), 1);
        let dropped: Vec<&str> = inner.dropped().iter().map(|column| &*column.name).collect();
        assert_eq!(dropped, ["t", "m"]);
        let outer = Appended::new(tables(), Join::Outer);
        let names: Vec<&str> = outer.columns().iter().map(|info| &*info.name).collect();
        assert_eq!(names, ["n", "t", "m"]);
        let read = |column| outer.read_column(column, 1 << 20).unwrap();
        assert_eq!(read(0), of(Values::I8(vec![1, 2, 4])));
        assert_eq!(read(1), categories(&[0, 1, -1], &["T", "B"], false));
        let missing = Some(vec![true, true, false]);
        assert_eq!(read(2), Column { missing, ..of(Values::F32(vec![0.0, 0.0, 3.0])) });
    }

    #[test]
    fn numbers_get_a_type_that_holds_both() {
        let of = |values| Column { values: ColumnValues::Numbers(values), missing: None };
        let a = Column { missing: Some(vec![true, false]), ..of(Values::I8(vec![0, -1])) };
        let both = joined(ColumnType::Number(ValueType::I64), &[a, of(Values::U32(vec![7]))]);
        assert_eq!(both.values, ColumnValues::Numbers(Values::I64(vec![0, -1, 7])));
        assert_eq!(both.missing, Some(vec![true, false, false]));
        let strings =
            Column { values: ColumnValues::Strings(["x"].into_iter().collect()), missing: None };
        let both = joined(ColumnType::String, &[strings, categories(&[0, -1], &["T"], false)]);
        assert_eq!(both.values, ColumnValues::Strings(["x", "T", ""].into_iter().collect()));
        assert_eq!(both.missing, Some(vec![false, false, true]));
    }
}
