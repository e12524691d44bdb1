//! Values for R, made on any thread.

use nnz::Values;
use nnz::matrix::{Minors, StringList};
use savvy::{
    OwnedIntegerSexp, OwnedListSexp, OwnedLogicalSexp, OwnedRealSexp, OwnedStringSexp, Sexp,
};

/// A value for R. Vectors of one element are numbers and strings.
#[derive(Debug)]
pub(crate) enum Value {
    Null,
    /// Logical values; `None` is NA.
    Flags(Vec<Option<bool>>),
    /// `i32::MIN` is NA.
    Integers(Vec<i32>),
    Reals(Vec<f64>),
    /// Values of types that numbers of R hold.
    Numbers(Values),
    /// Rows, below 2^31.
    Rows(Minors),
    /// `None` is NA.
    Texts(Vec<Option<String>>),
    /// Names, of which none is missing.
    Names(StringList),
    /// A list with names.
    List(Vec<(String, Value)>),
    /// A list without names.
    Elements(Vec<Value>),
    /// A list with names and a class.
    Object(&'static str, Vec<(String, Value)>),
}

impl Value {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Texts(vec![Some(text.into())])
    }

    pub(crate) fn optional_text(text: Option<impl Into<String>>) -> Self {
        text.map_or(Self::Null, Self::text)
    }

    pub(crate) fn flag(flag: bool) -> Self {
        Self::Flags(vec![Some(flag)])
    }

    pub(crate) fn number(number: f64) -> Self {
        Self::Reals(vec![number])
    }

    /// Returns a whole number, rounded above 2^53.
    pub(crate) fn whole(number: u64) -> Self {
        Self::number(real(number))
    }

    pub(crate) fn list<const N: usize>(members: [(&str, Value); N]) -> Self {
        Self::List(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// Converts it; only on R's thread.
    pub(crate) fn into_r(self) -> savvy::Result<Sexp> {
        match self {
            Self::Null => Ok(savvy::NullSexp.into()),
            Self::Flags(flags) => {
                let mut made = OwnedLogicalSexp::new(flags.len())?;
                for (at, flag) in flags.into_iter().enumerate() {
                    match flag {
                        Some(flag) => made.set_elt(at, flag)?,
                        None => made.set_na(at)?,
                    }
                }
                Ok(made.into())
            }
            Self::Integers(numbers) => Ok(OwnedIntegerSexp::try_from_slice(&numbers)?.into()),
            Self::Reals(numbers) => Ok(OwnedRealSexp::try_from_slice(&numbers)?.into()),
            Self::Numbers(values) => numbers(values),
            Self::Rows(Minors::U32(rows)) => integers(rows.into_iter().map(u32::cast_signed)),
            Self::Rows(Minors::U64(rows) | Minors::Spans(rows)) => {
                integers(rows.into_iter().map(|row| i32::try_from(row).unwrap_or(i32::MIN)))
            }
            Self::Texts(texts) => {
                let mut made = OwnedStringSexp::new(texts.len())?;
                for (at, text) in texts.iter().enumerate() {
                    match text {
                        Some(text) => made.set_elt(at, text)?,
                        None => made.set_na(at)?,
                    }
                }
                Ok(made.into())
            }
            Self::Names(names) => {
                let count = usize::try_from(names.len()).map_err(savvy::Error::new)?;
                let mut made = OwnedStringSexp::new(count)?;
                for (at, name) in names.iter().enumerate() {
                    made.set_elt(at, &String::from_utf8_lossy(name))?;
                }
                Ok(made.into())
            }
            Self::List(members) => Ok(named(members)?.into()),
            Self::Object(class, members) => {
                let mut made = named(members)?;
                made.set_class([class])?;
                Ok(made.into())
            }
            Self::Elements(elements) => {
                let mut made = OwnedListSexp::new(elements.len(), false)?;
                for (at, element) in elements.into_iter().enumerate() {
                    made.set_value(at, element.into_r()?)?;
                }
                Ok(made.into())
            }
        }
    }
}

/// Converts values where R has allocated them.
fn numbers(values: Values) -> savvy::Result<Sexp> {
    match values {
        Values::F64(values) => Ok(OwnedRealSexp::try_from_slice(&values)?.into()),
        Values::F32(values) => reals(values.into_iter().map(f64::from)),
        Values::Bint8(values) => reals(values.into_iter().map(|value| f64::from(value.0))),
        Values::U8(values) => reals(values.into_iter().map(f64::from)),
        Values::U16(values) => reals(values.into_iter().map(f64::from)),
        Values::U32(values) => reals(values.into_iter().map(f64::from)),
        Values::I8(values) => reals(values.into_iter().map(f64::from)),
        Values::I16(values) => reals(values.into_iter().map(f64::from)),
        Values::I32(values) => reals(values.into_iter().map(f64::from)),
        _ => Err(savvy::Error::new("values of this type are no numbers of R")),
    }
}

fn reals(numbers: impl ExactSizeIterator<Item = f64>) -> savvy::Result<Sexp> {
    let mut made = OwnedRealSexp::new(numbers.len())?;
    made.as_mut_slice().iter_mut().zip(numbers).for_each(|(place, number)| *place = number);
    Ok(made.into())
}

fn integers(numbers: impl ExactSizeIterator<Item = i32>) -> savvy::Result<Sexp> {
    let mut made = OwnedIntegerSexp::new(numbers.len())?;
    made.as_mut_slice().iter_mut().zip(numbers).for_each(|(place, number)| *place = number);
    Ok(made.into())
}

fn named(members: Vec<(String, Value)>) -> savvy::Result<OwnedListSexp> {
    let mut made = OwnedListSexp::new(members.len(), true)?;
    for (at, (name, value)) in members.into_iter().enumerate() {
        made.set_name(at, &name)?;
        made.set_value(at, value.into_r()?)?;
    }
    Ok(made)
}

/// Converts a whole number, rounded above 2^53.
#[expect(clippy::cast_precision_loss, reason = "R has no larger whole numbers")]
pub(crate) fn real(number: u64) -> f64 {
    number as f64
}
