//! Options of reading that several formats have.

use std::fmt;
use std::str::FromStr;

/// The number that the first row, column or node has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// 0.
    Zero,
    /// 1.
    One,
}

impl Base {
    pub(crate) fn number(self) -> u64 {
        match self {
            Self::Zero => 0,
            Self::One => 1,
        }
    }
}

impl FromStr for Base {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "0" => Ok(Self::Zero),
            "1" => Ok(Self::One),
            _ => Err("expected 0 or 1".to_owned()),
        }
    }
}

/// A shape that a file does not state: `ROWSxCOLS`, of which one may be left out, or one number for both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// The number of rows.
    pub rows: Option<u64>,
    /// The number of columns.
    pub cols: Option<u64>,
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || "expected ROWSxCOLS, such as 100x200 or x200, or one number".to_owned();
        let side = |text: &str| match text.parse::<u64>() {
            Ok(side) if side <= i64::MAX.unsigned_abs() => Ok(Some(side)),
            _ if text.is_empty() => Ok(None),
            _ => Err(expected()),
        };
        let size = match text.split_once('x') {
            Some((rows, cols)) => Self { rows: side(rows)?, cols: side(cols)? },
            None => side(text).map(|both| Self { rows: both, cols: both })?,
        };
        // At least one of them.
        if size == Self::default() { Err(expected()) } else { Ok(size) }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |side: Option<u64>| side.map_or_else(String::new, |side| side.to_string());
        write!(f, "{}x{}", side(self.rows), side(self.cols))
    }
}
