//! The four kinds of values, each read from where it stands in a line.

use nnz_core::{Bint8, Element, Scalar, Values};

use super::fault::{Expected, Fault};
use super::number::{integer, real, skip_separator, unsigned};

/// A value that a line holds.
pub(crate) trait Value: Copy {
    /// Whether the format gives it a place at all: patterns have none.
    const WRITTEN: bool = true;

    /// Reads the value at a position, and returns it with the position after it.
    fn parse(text: &[u8], at: usize) -> Result<(Self, usize), Fault>;

    /// Returns the position of an imaginary part that is not zero.
    fn imaginary(self, text: &[u8], at: usize) -> Option<usize> {
        let _ = (text, at);
        None
    }

    /// Runs `fill` on the emptied vector of a batch.
    fn fill<R>(values: &mut Values, fill: impl FnOnce(&mut Vec<Self>) -> R) -> R;
}

/// Empties the vector of one type of element and hands it to `fill`.
fn fill_elements<T: Element, R>(values: &mut Values, fill: impl FnOnce(&mut Vec<T>) -> R) -> R {
    let values = T::vec_mut(values);
    values.clear();
    fill(values)
}

impl Value for i64 {
    #[inline]
    fn parse(text: &[u8], at: usize) -> Result<(Self, usize), Fault> {
        integer(text, at)
    }

    fn fill<R>(values: &mut Values, fill: impl FnOnce(&mut Vec<Self>) -> R) -> R {
        fill_elements(values, fill)
    }
}

impl Value for u64 {
    #[inline]
    fn parse(text: &[u8], at: usize) -> Result<(Self, usize), Fault> {
        unsigned(text, at)
    }

    fn fill<R>(values: &mut Values, fill: impl FnOnce(&mut Vec<Self>) -> R) -> R {
        fill_elements(values, fill)
    }
}

impl Value for f64 {
    #[inline]
    fn parse(text: &[u8], at: usize) -> Result<(Self, usize), Fault> {
        real(text, at, Expected::Real)
    }

    fn fill<R>(values: &mut Values, fill: impl FnOnce(&mut Vec<Self>) -> R) -> R {
        fill_elements(values, fill)
    }
}

impl Value for [f64; 2] {
    #[inline]
    fn parse(text: &[u8], at: usize) -> Result<(Self, usize), Fault> {
        let (re, at) = real(text, at, Expected::RealPart)?;
        let (im, at) = real(text, skip_separator(text, at), Expected::ImaginaryPart)?;
        Ok(([re, im], at))
    }

    fn imaginary(self, text: &[u8], at: usize) -> Option<usize> {
        // A NaN is not zero either.
        let zero = self[1] == 0.0;
        let (_, end) = real(text, at, Expected::RealPart).ok().filter(|_| !zero)?;
        Some(skip_separator(text, end))
    }

    fn fill<R>(values: &mut Values, fill: impl FnOnce(&mut Vec<Self>) -> R) -> R {
        fill_elements(values, fill)
    }
}

/// The entry is there: all a pattern says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Present;

impl Value for Present {
    const WRITTEN: bool = false;

    #[inline]
    fn parse(_: &[u8], at: usize) -> Result<(Self, usize), Fault> {
        Ok((Self, at))
    }

    fn fill<R>(values: &mut Values, fill: impl FnOnce(&mut Vec<Self>) -> R) -> R {
        *values = Values::Iso(Scalar::Bint8(Bint8(1)));
        // Of no size, it takes no memory.
        fill(&mut Vec::new())
    }
}
