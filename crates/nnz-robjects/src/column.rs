//! Columns of tables of R.

use std::sync::Arc;

use nnz_container::rds::{NA_INTEGER, Object, Reals, Value};
use nnz_core::{
    Bint8, Categorical, Categories, Column, ColumnType, ColumnValues, Error, ErrorKind, Result,
    StringList, TimeType, ValueType, Values,
};

use crate::objects::{FileInfo, classes, describe, integers, is_a, slot};

/// A column, whose values are read when they are needed.
#[derive(Clone, Debug)]
pub(crate) struct RColumn {
    object: Arc<Object>,
    kind: ColumnKind,
    /// Of a run-length encoding: how often each value is repeated.
    runs: Option<Arc<[u64]>>,
    len: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum ColumnKind {
    Factor {
        ordered: bool,
    },
    Logical,
    Integer,
    Real,
    /// Doubles with the bits of 64-bit integers, as the package bit64 has them.
    Integer64,
    Texts,
    Bytes,
    /// Dates or durations in whole units.
    Time(TimeType),
}

impl RColumn {
    /// Wraps a vector, or returns the description of what is no column.
    pub(crate) fn new(info: &FileInfo, object: Object, path: &str) -> Result<Result<Self, String>> {
        if object.is_s4() && is_a(&object, "Rle") {
            return Self::run_lengths(info, object, path);
        }
        if let Some(dim) = slot(&object, "dim")
            && matches!(&dim.value, Value::Integer(sides) if sides.len() > 1)
        {
            return Ok(Err(match classes(&object).first() {
                Some(class) => format!("an object of class {class}"),
                None => "a matrix".to_owned(),
            }));
        }
        // Vectors that R stores as three numbers may have any length.
        let len = match &object.value {
            Value::Integer(all) => all.len(),
            Value::Real(all) => all.len(),
            Value::Character(all) => all.len(),
            _ => 0,
        };
        if info.check_memory(len, 4, path).is_err() {
            return Ok(Err(format!("a vector of {len} elements")));
        }
        let (kind, len) = match &object.value {
            Value::Integer(all) if is_a(&object, "factor") => {
                let ordered = is_a(&object, "ordered");
                (ColumnKind::Factor { ordered }, all.len())
            }
            Value::Logical(all) => (ColumnKind::Logical, all.len() as u64),
            Value::Integer(all) => {
                (time_of(info, &object).map_or(ColumnKind::Integer, ColumnKind::Time), all.len())
            }
            Value::Real(all) if is_a(&object, "integer64") => (ColumnKind::Integer64, all.len()),
            Value::Real(all) => {
                let time = time_of(info, &object);
                let time = match time {
                    Some(time) if all_whole(info, all, path)? => Some(time),
                    _ => None,
                };
                (time.map_or(ColumnKind::Real, ColumnKind::Time), all.len())
            }
            Value::Character(all) => (ColumnKind::Texts, all.len()),
            Value::Raw(all) => (ColumnKind::Bytes, all.len() as u64),
            _ => return Ok(Err(describe(&object))),
        };
        Ok(Ok(Self { object: Arc::new(object), kind, runs: None, len }))
    }

    /// Wraps a run-length encoding.
    fn run_lengths(
        info: &FileInfo,
        mut object: Object,
        path: &str,
    ) -> Result<Result<Self, String>> {
        let refused = || Ok(Err("a run-length encoding (Rle) of an unknown kind".to_owned()));
        let lengths = crate::objects::take(&mut object, "lengths");
        let values = crate::objects::take(&mut object, "values");
        let (Some(lengths), Some(values)) = (lengths, values) else { return refused() };
        let Some(lengths) = integers(info, &lengths, path)? else { return refused() };
        let lengths: Option<Arc<[u64]>> =
            lengths.into_iter().map(|length| u64::try_from(length).ok()).collect();
        let (Some(lengths), Ok(inner)) = (lengths, Self::new(info, values, path)?) else {
            return refused();
        };
        if inner.runs.is_some() || inner.len != lengths.len() as u64 {
            return refused();
        }
        let len = lengths.iter().fold(0, |sum: u64, length| sum.saturating_add(*length));
        Ok(Ok(Self { runs: Some(lengths), len, ..inner }))
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    pub(crate) fn column_type(&self) -> ColumnType {
        match self.kind {
            ColumnKind::Factor { ordered } => ColumnType::Categorical { ordered },
            ColumnKind::Logical => ColumnType::Number(ValueType::Bint8),
            ColumnKind::Integer => ColumnType::Number(ValueType::I32),
            ColumnKind::Real => ColumnType::Number(ValueType::F64),
            ColumnKind::Integer64 => ColumnType::Number(ValueType::I64),
            ColumnKind::Bytes => ColumnType::Number(ValueType::U8),
            ColumnKind::Texts => ColumnType::String,
            ColumnKind::Time(time) => ColumnType::Time(time),
        }
    }

    /// Returns whether some value is missing, other than a missing number of type double.
    pub(crate) fn has_missing(&self) -> bool {
        match &self.object.value {
            Value::Logical(all) => all.contains(&NA_INTEGER),
            Value::Integer(all) if !matches!(self.kind, ColumnKind::Factor { .. }) => {
                let mut missing = false;
                let read = all.for_each_block(|_, block| {
                    missing = block.contains(&NA_INTEGER);
                    !missing
                });
                // Whoever reads the column gets the error.
                missing || read.is_err()
            }
            Value::Real(all) if matches!(self.kind, ColumnKind::Time(_)) => {
                let mut missing = false;
                let read = all.for_each_block(|_, block| {
                    missing = block.iter().any(|number| !number.is_finite());
                    !missing
                });
                missing || read.is_err()
            }
            Value::Character(all) => {
                all.try_for_each(|text| if text.is_none() { Err(()) } else { Ok(()) }).is_err()
            }
            _ => false,
        }
    }

    /// Reads the values, in at most `memory` bytes.
    pub(crate) fn read(&self, info: &FileInfo, path: &str, memory: u64) -> Result<Column> {
        let each = if self.runs.is_some() { 32 } else { 9 };
        let (needed, allowed) = (self.len.saturating_mul(each), memory.min(info.memory));
        if needed > allowed {
            return Err(Error::new(ErrorKind::Memory { needed, allowed }, info.place(path)));
        }
        let column = self.read_stored(info, path)?;
        let Some(runs) = &self.runs else { return Ok(column) };
        let mut rows = Vec::new();
        for (row, &count) in runs.iter().enumerate() {
            rows.extend(std::iter::repeat_n(Some(row as u64), usize::try_from(count).unwrap_or(0)));
        }
        let repeated = column.gathered(&rows)?;
        // What is not missing anywhere needs no flags.
        let missing = repeated.missing.filter(|missing| missing.contains(&true));
        Ok(Column { missing, ..repeated })
    }

    fn read_stored(&self, info: &FileInfo, path: &str) -> Result<Column> {
        let of = |values, missing: Option<Vec<bool>>| {
            let missing = missing.filter(|missing| missing.contains(&true));
            Column { values, missing }
        };
        let numbers = |values| ColumnValues::Numbers(values);
        let whole = |error| Error::new(ErrorKind::Io(error), info.place(path));
        Ok(match (&self.object.value, self.kind) {
            (Value::Logical(all), _) => {
                let missing = all.iter().map(|&flag| flag == NA_INTEGER).collect();
                let flags =
                    all.iter().map(|&flag| Bint8(u8::from(flag != 0 && flag != NA_INTEGER)));
                of(numbers(Values::Bint8(flags.collect())), Some(missing))
            }
            (Value::Integer(all), ColumnKind::Factor { ordered }) => {
                let read = crate::objects::read_integers(info, all, path)?;
                self.factor(info, path, (&read, ordered))?
            }
            (Value::Integer(all), kind) => {
                let mut read = crate::objects::read_integers(info, all, path)?;
                if let ColumnKind::Time(_) = kind {
                    let time = |&value: &i32| match value {
                        NA_INTEGER => TimeType::MISSING,
                        value => i64::from(value),
                    };
                    let times = numbers(Values::I64(read.iter().map(time).collect()));
                    return Ok(of(times, None).with_missing_times());
                }
                let missing: Vec<bool> = read.iter().map(|&value| value == NA_INTEGER).collect();
                if missing.contains(&true) {
                    for value in read.iter_mut().filter(|value| **value == NA_INTEGER) {
                        *value = 0;
                    }
                }
                of(numbers(Values::I32(read)), Some(missing))
            }
            (Value::Real(all), kind) => {
                let mut read = Vec::new();
                let done = all.for_each_block(|_, block| {
                    read.extend_from_slice(block);
                    true
                });
                done.map_err(whole)?;
                match kind {
                    ColumnKind::Integer64 => {
                        let bits = read.iter().map(|value| value.to_bits().cast_signed());
                        let values: Vec<i64> = bits.collect();
                        // The smallest integer is missing.
                        let missing = values.iter().map(|&value| value == i64::MIN).collect();
                        of(numbers(Values::I64(values)), Some(missing))
                    }
                    ColumnKind::Time(_) => {
                        #[expect(clippy::cast_possible_truncation, reason = "whole and small")]
                        let time = |&value: &f64| match value.is_finite() {
                            true => value as i64,
                            false => TimeType::MISSING,
                        };
                        let times = numbers(Values::I64(read.iter().map(time).collect()));
                        of(times, None).with_missing_times()
                    }
                    _ => of(numbers(Values::F64(read)), None),
                }
            }
            (Value::Raw(all), _) => of(numbers(Values::U8(all.clone())), None),
            (Value::Character(all), _) => {
                let (mut list, mut missing) = (StringList::new(), Vec::new());
                info.each_text(all, path, |text| {
                    missing.push(text.is_none());
                    list.try_push(text.unwrap_or_default().as_bytes())
                })?;
                of(ColumnValues::Strings(list), Some(missing))
            }
            (other, _) => {
                return Err(Error::mismatch(info.place(path), other.kind(), "a vector"));
            }
        })
    }

    fn factor(
        &self,
        info: &FileInfo,
        path: &str,
        (read, ordered): (&[i32], bool),
    ) -> Result<Column> {
        let mut levels = StringList::new();
        // The code of each level without those that are missing, as `addNA` makes them.
        let mut known = Vec::new();
        match slot(&self.object, "levels").map(|levels| &levels.value) {
            Some(Value::Character(all)) => info.each_text(all, path, |text| {
                known.push(match text {
                    Some(_) => i32::try_from(levels.len()).unwrap_or(-1),
                    None => -1,
                });
                text.map_or(Ok(()), |text| levels.try_push(text.as_bytes()))
            })?,
            None => {}
            Some(other) => {
                return Err(Error::mismatch(info.place(path), other.kind(), "levels as strings"));
            }
        }
        let mut codes = Vec::with_capacity(read.len());
        for (&code, element) in read.iter().zip(0..) {
            let level = usize::try_from(code).ok().and_then(|code| known.get(code.checked_sub(1)?));
            codes.push(match level {
                Some(&level) => level,
                None if code == NA_INTEGER => -1,
                None => {
                    let place = info.place(path).at(nnz_core::At::Element(element));
                    let expected = format!("a level from 1 to {}", known.len());
                    return Err(Error::mismatch(place, code, expected));
                }
            });
        }
        let categories = Categories::Strings(levels);
        let values = ColumnValues::Categorical(Categorical { codes, categories, ordered });
        Ok(Column { values, missing: None })
    }
}

/// Returns the type of dates, times and durations, by their class.
fn time_of(info: &FileInfo, object: &Object) -> Option<TimeType> {
    if is_a(object, "Date") {
        return TimeType::new(false, 1, "D");
    }
    if is_a(object, "POSIXct") {
        return TimeType::new(false, 1, "s");
    }
    if !is_a(object, "difftime") {
        return None;
    }
    let unit = match &*info.string(slot(object, "units")?)? {
        "secs" => "s",
        "mins" => "m",
        "hours" => "h",
        "days" => "D",
        "weeks" => "W",
        _ => return None,
    };
    TimeType::new(true, 1, unit)
}

/// Returns whether all numbers are whole, or missing, and exact as integers.
fn all_whole(info: &FileInfo, all: &Reals, path: &str) -> Result<bool> {
    const MOST: f64 = 9_007_199_254_740_992.0;
    let mut whole = true;
    let read = all.for_each_block(|_, block| {
        whole = block
            .iter()
            .all(|&number| number.is_nan() || (number.fract() == 0.0 && number.abs() <= MOST));
        whole
    });
    read.map_err(|error| Error::new(ErrorKind::Io(error), info.place(path)))?;
    Ok(whole)
}
