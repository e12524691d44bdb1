//! Arguments from R.

use nnz::{Axis, Error};
use savvy::{ListSexp, NotAvailableValue as _, Sexp, TypedSexp};

use crate::error::Failure;

/// Whole numbers above this are not exact in R's numbers.
const LARGEST: f64 = 9_007_199_254_740_992.0;

/// The arguments of a function, by position.
pub(crate) struct Args<'a>(&'a ListSexp);

impl<'a> Args<'a> {
    pub(crate) fn new(list: &'a ListSexp) -> Self {
        Self(list)
    }

    /// Returns an argument; `None` if it is `NULL` or missing.
    fn get(&self, at: usize) -> Option<Sexp> {
        self.0.get_by_index(at).filter(|value| !value.is_null())
    }

    fn wrong(at: usize, expected: &str) -> Failure {
        Error::argument(format!("argument {}: expected {expected}", at + 1)).into()
    }

    /// Returns strings.
    pub(crate) fn optional_texts(&self, at: usize) -> Result<Option<Vec<&'a str>>, Failure> {
        match self.get(at).map(Sexp::into_typed) {
            None => Ok(None),
            Some(TypedSexp::String(texts)) => {
                if texts.iter().any(|text| text.is_na()) {
                    return Err(Self::wrong(at, "strings that are not NA"));
                }
                Ok(Some(texts.to_vec()))
            }
            Some(_) => Err(Self::wrong(at, "strings")),
        }
    }

    /// Returns strings.
    pub(crate) fn texts(&self, at: usize) -> Result<Vec<&'a str>, Failure> {
        self.optional_texts(at)?.ok_or_else(|| Self::wrong(at, "strings"))
    }

    /// Returns a string.
    pub(crate) fn optional_text(&self, at: usize) -> Result<Option<&'a str>, Failure> {
        match self.optional_texts(at)?.as_deref() {
            None => Ok(None),
            Some([text]) => Ok(Some(text)),
            Some(_) => Err(Self::wrong(at, "a string")),
        }
    }

    /// Returns a string.
    pub(crate) fn text(&self, at: usize) -> Result<&'a str, Failure> {
        self.optional_text(at)?.ok_or_else(|| Self::wrong(at, "a string"))
    }

    /// Returns numbers.
    pub(crate) fn optional_numbers(&self, at: usize) -> Result<Option<Vec<f64>>, Failure> {
        match self.get(at).map(Sexp::into_typed) {
            None => Ok(None),
            Some(TypedSexp::Real(numbers)) => Ok(Some(numbers.to_vec())),
            Some(TypedSexp::Integer(numbers)) => {
                let missing = |number: &i32| *number == i32::MIN;
                if numbers.iter().any(missing) {
                    return Err(Self::wrong(at, "numbers that are not NA"));
                }
                Ok(Some(numbers.iter().map(|&number| f64::from(number)).collect()))
            }
            Some(_) => Err(Self::wrong(at, "numbers")),
        }
    }

    /// Returns numbers.
    pub(crate) fn numbers(&self, at: usize) -> Result<Vec<f64>, Failure> {
        self.optional_numbers(at)?.ok_or_else(|| Self::wrong(at, "numbers"))
    }

    /// Returns a number.
    pub(crate) fn optional_number(&self, at: usize) -> Result<Option<f64>, Failure> {
        match self.optional_numbers(at)?.as_deref() {
            None => Ok(None),
            Some([number]) => Ok(Some(*number)),
            Some(_) => Err(Self::wrong(at, "a number")),
        }
    }

    /// Returns a whole number.
    pub(crate) fn optional_whole(&self, at: usize) -> Result<Option<u64>, Failure> {
        self.optional_number(at)?.map(|number| Self::to_whole(at, number)).transpose()
    }

    /// Returns a whole number.
    pub(crate) fn whole(&self, at: usize) -> Result<u64, Failure> {
        self.optional_whole(at)?.ok_or_else(|| Self::wrong(at, "a whole number"))
    }

    /// Returns a whole number for counts in memory.
    pub(crate) fn size(&self, at: usize) -> Result<usize, Failure> {
        usize::try_from(self.whole(at)?).map_err(|_| Self::wrong(at, "a smaller number"))
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range is checked before"
    )]
    fn to_whole(at: usize, number: f64) -> Result<u64, Failure> {
        if (0.0..=LARGEST).contains(&number) && number.fract() == 0.0 {
            return Ok(number as u64);
        }
        Err(Self::wrong(at, "a whole number that is not negative"))
    }

    /// Returns positions, which R counts from 1, counted from 0.
    pub(crate) fn optional_positions(&self, at: usize) -> Result<Option<Vec<u64>>, Failure> {
        let Some(numbers) = self.optional_numbers(at)? else { return Ok(None) };
        let position = |number: f64| {
            let position = Self::to_whole(at, number)?.checked_sub(1);
            position.ok_or_else(|| Self::wrong(at, "positions from 1"))
        };
        numbers.into_iter().map(position).collect::<Result<_, _>>().map(Some)
    }

    /// Returns integers.
    pub(crate) fn integers(&self, at: usize) -> Result<Vec<i32>, Failure> {
        match self.get(at).map(Sexp::into_typed) {
            Some(TypedSexp::Integer(numbers)) => Ok(numbers.to_vec()),
            _ => Err(Self::wrong(at, "integers")),
        }
    }

    /// Returns codes of groups: `None` for NA.
    pub(crate) fn codes(&self, at: usize) -> Result<Vec<Option<u32>>, Failure> {
        match self.get(at).map(Sexp::into_typed) {
            Some(TypedSexp::Integer(codes)) => {
                // R counts from 1, and NA is negative.
                let code =
                    |code: &i32| u32::try_from(*code).ok().and_then(|code| code.checked_sub(1));
                Ok(codes.iter().map(code).collect())
            }
            _ => Err(Self::wrong(at, "the codes of a factor")),
        }
    }

    /// Returns a logical value.
    pub(crate) fn flag(&self, at: usize) -> Result<bool, Failure> {
        match self.get(at).map(Sexp::into_typed) {
            Some(TypedSexp::Logical(flags)) => match flags.as_slice_raw() {
                [0] => Ok(false),
                [1] => Ok(true),
                _ => Err(Self::wrong(at, "TRUE or FALSE")),
            },
            _ => Err(Self::wrong(at, "TRUE or FALSE")),
        }
    }

    /// Returns an axis.
    pub(crate) fn axis(&self, at: usize) -> Result<Axis, Failure> {
        match self.text(at)? {
            "rows" => Ok(Axis::Rows),
            "cols" => Ok(Axis::Cols),
            _ => Err(Self::wrong(at, "\"rows\" or \"cols\"")),
        }
    }
}
