//! Options of reading.

use std::fmt;
use std::str::FromStr;

/// The separator of the fields of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator {
    /// One byte.
    Byte(u8),
    /// One or more spaces or tabs, as written by R.
    Blanks,
}

impl fmt::Display for Separator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Byte(b',') => f.write_str("comma"),
            Self::Byte(b'\t') => f.write_str("tab"),
            Self::Byte(b';') => f.write_str("semicolon"),
            Self::Byte(byte) => write!(f, "{}", char::from(*byte)),
            Self::Blanks => f.write_str("blanks"),
        }
    }
}

impl FromStr for Separator {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "comma" => Ok(Self::Byte(b',')),
            "tab" | "\\t" => Ok(Self::Byte(b'\t')),
            "semicolon" => Ok(Self::Byte(b';')),
            "blanks" | " " => Ok(Self::Blanks),
            _ => match *text.as_bytes() {
                [byte] if byte == b'\t' || (byte.is_ascii_punctuation() && is_free(byte)) => {
                    Ok(Self::Byte(byte))
                }
                _ => Err("expected comma, tab, semicolon, blanks or a character such as |"),
            },
        }
    }
}

/// Returns whether a byte is not part of numbers or quotes.
fn is_free(byte: u8) -> bool {
    !matches!(byte, b'"' | b'.' | b'-' | b'+')
}

/// The character before the fraction of a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Decimal {
    /// A point. The default.
    #[default]
    Point,
    /// A comma, as written by `write.csv2` of R.
    Comma,
}

impl FromStr for Decimal {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "." | "point" => Ok(Self::Point),
            "," | "comma" => Ok(Self::Comma),
            _ => Err("expected a point or a comma"),
        }
    }
}

/// How a table is read. What is not given is detected.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The text of missing values, which are read as NaN; by default there are none.
    pub na: Option<String>,
    /// The character before the fraction of a number.
    pub decimal: Decimal,
    /// The separator of fields.
    pub separator: Option<Separator>,
    /// Whether the first line has the names of the columns.
    pub header: Option<bool>,
    /// The number of columns of names before the numbers. The first are the names of the rows, the
    /// others annotations.
    pub id_columns: Option<usize>,
    /// The bytes of numbers that are kept, so that the text is not read again.
    pub keep: usize,
}
