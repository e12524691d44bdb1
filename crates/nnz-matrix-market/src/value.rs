//! The kinds of values, and how each is parsed at a position of a line.

use nnz_core::{Bint8, Element, Scalar, Values};

use super::fault::{Expected, Fault};
use super::number::{integer, real, skip_separator, unsigned};
use super::window::Window;

/// A value of an entry.
pub(crate) trait Value: Copy {
    /// Whether values are in the text: patterns have none.
    const WRITTEN: bool = true;
    /// Whether lines with it often have more than 32 bytes.
    const LONG: bool = false;
    /// The initial value of elements in a vector.
    const EMPTY: Self;

    /// Parses the value and the line end at the position after the indices; returns the position
    /// after them. Returns `None` if [`parse`](Self::parse) is needed.
    fn quick(window: Window<'_>, at: usize) -> Option<(Self, usize)>;

    /// Parses the value at a position, and returns it with the position after it.
    fn parse(text: &[u8], at: usize) -> Result<(Self, usize), Fault>;

    /// Returns the position of an imaginary part that is not zero.
    fn imaginary(self, text: &[u8], at: usize) -> Option<usize> {
        let _ = (text, at);
        None
    }

    /// Calls `fill` with the vector of a batch, which may have any content.
    fn fill<R>(values: &mut Values, fill: impl FnOnce(&mut Vec<Self>) -> R) -> R;
}

impl Value for i64 {
    const EMPTY: Self = 0;

    #[inline(always)]
    fn quick(window: Window<'_>, at: usize) -> Option<(Self, usize)> {
        window.integer(at)
    }

    #[inline]
    fn parse(text: &[u8], at: usize) -> Result<(Self, usize), Fault> {
        integer(text, at)
    }

    fn fill<R>(values: &mut Values, fill: impl FnOnce(&mut Vec<Self>) -> R) -> R {
        fill(Self::vec_mut(values))
    }
}

impl Value for u64 {
    const EMPTY: Self = 0;

    #[inline(always)]
    fn quick(window: Window<'_>, at: usize) -> Option<(Self, usize)> {
        window.unsigned(at)
    }

    #[inline]
    fn parse(text: &[u8], at: usize) -> Result<(Self, usize), Fault> {
        unsigned(text, at)
    }

    fn fill<R>(values: &mut Values, fill: impl FnOnce(&mut Vec<Self>) -> R) -> R {
        fill(Self::vec_mut(values))
    }
}

impl Value for f64 {
    const LONG: bool = true;
    const EMPTY: Self = 0.0;

    #[inline(always)]
    fn quick(window: Window<'_>, at: usize) -> Option<(Self, usize)> {
        window.real(at)
    }

    #[inline]
    fn parse(text: &[u8], at: usize) -> Result<(Self, usize), Fault> {
        real(text, at, Expected::Real)
    }

    fn fill<R>(values: &mut Values, fill: impl FnOnce(&mut Vec<Self>) -> R) -> R {
        fill(Self::vec_mut(values))
    }
}

impl Value for [f64; 2] {
    const EMPTY: Self = [0.0; 2];

    #[inline(always)]
    fn quick(_: Window<'_>, _: usize) -> Option<(Self, usize)> {
        None
    }

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
        fill(Self::vec_mut(values))
    }
}

/// The entry is present: a pattern has no other information.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PatternValue;

impl Value for PatternValue {
    const WRITTEN: bool = false;
    const EMPTY: Self = Self;

    #[inline(always)]
    fn quick(window: Window<'_>, at: usize) -> Option<(Self, usize)> {
        Some((Self, window.line_end(at)?))
    }

    #[inline]
    fn parse(_: &[u8], at: usize) -> Result<(Self, usize), Fault> {
        Ok((Self, at))
    }

    fn fill<R>(values: &mut Values, fill: impl FnOnce(&mut Vec<Self>) -> R) -> R {
        *values = Values::Iso(Scalar::Bint8(Bint8(1)));
        // It has size 0, so the vector takes no memory.
        fill(&mut Vec::new())
    }
}
