//! Tables of annotations as columns of R.

use std::sync::Arc;

use nnz_container::rds::{
    ArraySpool, NA_INTEGER, NA_REAL_BITS, NewObject, NewTexts, NewValue, SpooledArray,
};
use nnz_core::{
    Annotations, Categorical, Categories, Column, ColumnInfo, ColumnType, ColumnValues, Element,
    Place, Result, Scalar, StringList, TimeType, ValueType, Values,
};

use super::slots::{factor, integers};

/// The column with the names that features or cells had before they were changed.
const ORIGINAL_NAME: &str = crate::ORIGINAL_NAME;

/// The columns of a table.
#[derive(Clone, Debug, Default)]
pub struct NewTable {
    pub(super) columns: Vec<(String, NewObject)>,
    /// The number of rows.
    pub(super) len: u64,
    /// Columns that are stored as another type, for a note.
    pub notes: Vec<String>,
}

/// Lists columns that R does not support, with the reason. `table` is the name of the table in messages.
///
/// # Errors
///
/// Fails if times cannot be read.
pub fn unsupported_columns(
    table: &str,
    columns: &dyn Annotations,
    memory: u64,
) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for (at, info) in columns.columns().iter().enumerate() {
        let why = why_unsupported(columns, (at, info), memory)?;
        found.extend(why.map(|why| format!("{table}/{} ({why})", info.name)));
    }
    Ok(found)
}

/// Returns the reason why R does not support a column, if it does not.
fn why_unsupported(
    columns: &dyn Annotations,
    (at, info): (usize, &ColumnInfo),
    memory: u64,
) -> Result<Option<&'static str>> {
    Ok(match info.column_type {
        _ if info.name.contains('\0') => Some("a name with a zero byte"),
        ColumnType::Number(number) if number.is_complex() => Some("complex numbers"),
        ColumnType::Time(time) => match unit_of(time) {
            None => Some("times of this unit"),
            Some(unit) if unit.1 == 1 => None,
            Some((_, parts)) => {
                let column = columns.read_column(at, memory)?;
                let times = times(&column);
                let is_whole = |&time: &i64| time == TimeType::MISSING || time % parts == 0;
                (!times.iter().all(is_whole)).then_some("times with fractions of a second")
            }
        },
        _ => None,
    })
}

/// Returns the class of a type of dates or durations in R, and how many of them are one unit of it.
fn unit_of(time: TimeType) -> Option<(TimeClass, i64)> {
    if time.count() != 1 {
        return None;
    }
    let class = |date| match time.is_duration() {
        true => TimeClass::Difference(date),
        false => TimeClass::Instant,
    };
    Some(match time.unit() {
        "D" if !time.is_duration() => (TimeClass::Date, 1),
        "D" => (class("days"), 1),
        "W" if time.is_duration() => (class("weeks"), 1),
        "h" if time.is_duration() => (class("hours"), 1),
        "m" if time.is_duration() => (class("mins"), 1),
        "s" => (class("secs"), 1),
        "ms" => (class("secs"), 1_000),
        "us" => (class("secs"), 1_000_000),
        "ns" => (class("secs"), 1_000_000_000),
        _ => return None,
    })
}

#[derive(Clone, Copy)]
enum TimeClass {
    Date,
    Instant,
    Difference(&'static str),
}

fn times(column: &Column) -> &[i64] {
    match &column.values {
        ColumnValues::Numbers(Values::I64(times)) => times,
        _ => &[],
    }
}

/// Which columns of a table are written, and where errors are.
struct Input<'a> {
    spool: &'a ArraySpool,
    place: &'a Place,
}

impl NewTable {
    /// Creates a table without columns.
    #[must_use]
    pub fn empty(len: u64) -> Self {
        Self { len, ..Self::default() }
    }

    /// Reads the columns of a table, one at a time, except those that R does not support and those of `skip`. `name` is the
    /// name of the table in messages.
    ///
    /// # Errors
    ///
    /// Fails if a column cannot be read, takes more than `memory` bytes, or has a string that R does not support.
    pub fn read(
        table: &dyn Annotations,
        (name, skip): (&str, &[&str]),
        (spool, memory): (&ArraySpool, u64),
        place: &Place,
    ) -> Result<Self> {
        let mut read = Self::empty(table.len());
        let input = Input { spool, place };
        for (at, info) in table.columns().iter().enumerate() {
            let is_skipped = skip.contains(&&*info.name);
            if is_skipped || why_unsupported(table, (at, info), memory)?.is_some() {
                continue;
            }
            let column = table.read_column(at, memory)?;
            let (object, note) = match info.column_type {
                ColumnType::Time(time) => (input.time(&column, time)?, None),
                _ => input.column(&column)?,
            };
            read.notes.extend(note.map(|note| format!("{name}/{} ({note})", info.name)));
            read.columns.push((info.name.clone(), object));
        }
        Ok(read)
    }

    /// Adds the previous names, in the place of a column of this name.
    #[must_use]
    pub fn with_original_names(self, names: Option<&Arc<StringList>>) -> Self {
        match names {
            Some(names) => self
                .with_column(ORIGINAL_NAME, NewObject::new(NewValue::Strings(Arc::clone(names)))),
            None => self,
        }
    }

    /// Adds a column at the end, in the place of a column of this name.
    #[must_use]
    pub fn with_column(mut self, name: &str, column: NewObject) -> Self {
        self.columns.retain(|(other, _)| other != name);
        self.columns.push((name.to_owned(), column));
        self
    }

    /// Renames the columns with names that R does not allow here, and lists them for a note.
    pub(super) fn rename(&mut self, reserved: &[&str]) -> Vec<String> {
        let mut renamed = Vec::new();
        for at in 0..self.columns.len() {
            let name = &self.columns[at].0;
            if reserved.contains(&&**name) {
                let free = |name: &String| self.columns.iter().all(|(taken, _)| taken != name);
                let new = (1..).map(|number| format!("{name}.{number}")).find(free);
                let new = new.unwrap_or_default();
                renamed.push(format!("{name} is {new}"));
                self.columns[at].0 = new;
            }
        }
        renamed
    }

    /// Adds the columns of another table whose names do not exist, with a prefix.
    pub fn extend(&mut self, other: Self, prefix: &str) {
        for (name, column) in other.columns {
            let name = format!("{prefix}{name}");
            if !self.columns.iter().any(|(taken, _)| *taken == name) {
                self.columns.push((name, column));
            }
        }
        self.notes.extend(other.notes);
    }

    /// Returns the table as a data frame, whose rows have names or are counted.
    pub(super) fn data_frame(&self, rows: Option<&Arc<StringList>>) -> NewObject {
        let rows = match rows {
            Some(rows) => NewObject::new(NewValue::Strings(Arc::clone(rows))),
            // The short form of 1 to n.
            None => integers(&[NA_INTEGER, -super::slots::length(self.len)]),
        };
        NewObject::named_list(self.columns.clone())
            .with("class", NewObject::texts(["data.frame"]))
            .with("row.names", rows)
    }

    /// Returns the table as a list of columns.
    pub(super) fn list(&self) -> NewObject {
        NewObject::named_list(self.columns.clone())
    }

    /// Creates a factor of the categories of a column, or of its different values in ascending order.
    ///
    /// # Errors
    ///
    /// Fails if R does not support a category.
    pub fn factor(column: &Column, spool: &ArraySpool, place: &Place) -> Result<NewObject> {
        let input = Input { spool, place };
        if let ColumnValues::Categorical(categorical) = &column.values {
            return input.categorical(categorical);
        }
        let mut text = Vec::new();
        let mut values = Vec::new();
        for row in 0..column.len() {
            text.clear();
            column.write_text(row, &mut text);
            values.push((!column.is_missing_or_nan(row)).then(|| text.clone()));
        }
        let mut levels: Vec<&Vec<u8>> = values.iter().flatten().collect();
        levels.sort_unstable();
        levels.dedup();
        let code = |value: &Option<Vec<u8>>| {
            let found = value.as_ref().and_then(|value| levels.binary_search(&value).ok());
            found.and_then(|at| i32::try_from(at).ok()).unwrap_or(-1)
        };
        let codes = values.iter().map(code).collect();
        let categories = Categories::Strings(levels.iter().collect());
        input.categorical(&Categorical { codes, categories, ordered: false })
    }

    /// Creates a vector of values that belong to no table.
    ///
    /// # Errors
    ///
    /// Fails if R does not support a string, or if the temporary file cannot be written.
    pub fn vector(column: &Column, spool: &ArraySpool, place: &Place) -> Result<NewObject> {
        Ok(Input { spool, place }.column(column)?.0)
    }

    /// Creates a factor with one level.
    ///
    /// # Errors
    ///
    /// Fails if the temporary file cannot be written.
    pub fn constant_factor(level: &str, len: u64, spool: &ArraySpool) -> Result<NewObject> {
        let mut codes = SpooledArray::new(spool);
        let block = [1_i32; 1024];
        let mut left = len;
        while left > 0 {
            let now = usize::try_from(left).unwrap_or(block.len()).min(block.len());
            codes.extend(&block[..now])?;
            left -= now as u64;
        }
        let codes = NewValue::SpooledIntegers(Arc::new(codes));
        Ok(factor(codes, NewObject::texts([level]), false))
    }
}

impl Input<'_> {
    fn spooled<T: Element>(&self, all: &[T]) -> Result<Arc<SpooledArray>> {
        let mut array = SpooledArray::new(self.spool);
        array.extend(all)?;
        Ok(Arc::new(array))
    }

    fn categorical(&self, categorical: &Categorical) -> Result<NewObject> {
        let Categorical { codes, categories, ordered } = categorical;
        let codes: Vec<i32> = codes
            .iter()
            .map(|&code| if code < 0 { NA_INTEGER } else { code.saturating_add(1) })
            .collect();
        let mut levels = NewTexts::new(self.spool);
        let mut text = Vec::new();
        for at in 0..categories.len() {
            text.clear();
            match categories {
                // As R converts them to text.
                Categories::Numbers(Values::Bint8(flags)) => {
                    let is_true = usize::try_from(at).is_ok_and(|at| flags[at].0 != 0);
                    text.extend_from_slice(if is_true { b"TRUE" } else { b"FALSE" });
                }
                _ => categories.write_text(at, &mut text),
            }
            levels.push(Some(&text), self.place)?;
        }
        let codes = NewValue::SpooledIntegers(self.spooled(&codes)?);
        Ok(factor(codes, NewObject::new(NewValue::Texts(Arc::new(levels))), *ordered))
    }

    /// Returns dates, times or durations.
    fn time(&self, column: &Column, time: TimeType) -> Result<NewObject> {
        let (class, parts) = unit_of(time).unwrap_or((TimeClass::Instant, 1));
        #[expect(clippy::cast_precision_loss, reason = "times far from now are rounded")]
        let value = |(&time, row): (&i64, u64)| match time {
            TimeType::MISSING => f64::from_bits(NA_REAL_BITS),
            _ if column.is_missing(row) => f64::from_bits(NA_REAL_BITS),
            time => (time / parts) as f64,
        };
        let values: Vec<f64> = times(column).iter().zip(0..).map(value).collect();
        let object = NewObject::new(NewValue::SpooledReals(vec![self.spooled(&values)?]));
        Ok(match class {
            TimeClass::Date => object.with("class", NewObject::texts(["Date"])),
            TimeClass::Instant => object
                .with("class", NewObject::texts(["POSIXct", "POSIXt"]))
                .with("tzone", NewObject::texts(["UTC"])),
            TimeClass::Difference(units) => object
                .with("class", NewObject::texts(["difftime"]))
                .with("units", NewObject::texts([units])),
        })
    }

    /// Returns a column, and a note if it has another type than before.
    fn column(&self, column: &Column) -> Result<(NewObject, Option<&'static str>)> {
        let values = match &column.values {
            ColumnValues::Categorical(categorical) => {
                return Ok((self.categorical(categorical)?, None));
            }
            ColumnValues::Strings(list) => {
                let mut texts = NewTexts::new(self.spool);
                for (text, row) in list.iter().zip(0..) {
                    texts.push((!column.is_missing(row)).then_some(text), self.place)?;
                }
                return Ok((NewObject::new(NewValue::Texts(Arc::new(texts))), None));
            }
            ColumnValues::Numbers(values) => values,
        };
        let len = column.len();
        let numbers = || (0..len).map(|row| (column.is_missing(row), column.number(row)));
        let is_real = matches!(values.value_type(), ValueType::F32 | ValueType::F64);
        if let Values::Bint8(flags) = values {
            let flag = |(flag, row): (&nnz_core::Bint8, u64)| match column.is_missing(row) {
                true => NA_INTEGER,
                false => i32::from(flag.0 != 0),
            };
            let flags: Vec<i32> = flags.iter().zip(0..).map(flag).collect();
            return Ok((NewObject::new(NewValue::Logicals(self.spooled(&flags)?)), None));
        }
        let of_text = |scalar: Scalar| {
            let mut one = Values::new(values.value_type());
            one.push(scalar);
            let mut text = Vec::new();
            one.write_text(0, &mut text, " ");
            text
        };
        if !is_real {
            // The smallest integer is a missing one in R.
            let small = |(missing, number): (bool, Option<Scalar>)| match number {
                _ if missing => Some(NA_INTEGER),
                Some(number) => {
                    let number = exact(number)?;
                    let is_small = number.abs() <= f64::from(i32::MAX);
                    #[expect(clippy::cast_possible_truncation, reason = "checked")]
                    let small = number as i32;
                    is_small.then_some(small)
                }
                None => None,
            };
            if let Some(all) = numbers().map(small).collect::<Option<Vec<i32>>>() {
                return Ok((NewObject::new(NewValue::SpooledIntegers(self.spooled(&all)?)), None));
            }
        }
        let real = |(missing, number): (bool, Option<Scalar>)| match number {
            _ if missing => Some(f64::from_bits(NA_REAL_BITS)),
            number => exact(number?),
        };
        if let Some(all) = numbers().map(real).collect::<Option<Vec<f64>>>() {
            let note = (!is_real).then_some("as doubles: some integers have more than 32 bits");
            let array = self.spooled(&all)?;
            return Ok((NewObject::new(NewValue::SpooledReals(vec![array])), note));
        }
        let mut texts = NewTexts::new(self.spool);
        for (missing, number) in numbers() {
            let text = number.filter(|_| !missing).map(of_text);
            texts.push(text.as_deref(), self.place)?;
        }
        let note = "as text: some integers have more than 53 bits";
        Ok((NewObject::new(NewValue::Texts(Arc::new(texts))), Some(note)))
    }
}

/// Returns a number as a double, if it is exact.
pub(super) fn exact(number: Scalar) -> Option<f64> {
    const MOST: u64 = 1 << 53;
    match number {
        Scalar::I64(number) if number.unsigned_abs() > MOST => None,
        Scalar::U64(number) if number > MOST => None,
        number => number.to_f64(),
    }
}
