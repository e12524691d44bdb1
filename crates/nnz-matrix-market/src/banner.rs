//! The banner, which is the first line: what kind of matrix follows.

use std::fmt;
use std::str::FromStr;

use super::fault::{Expected, Fault};
use super::number::skip_blanks;

/// The layout of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One entry per line: row, column, value.
    Coordinate,
    /// One value per line: every element, by column.
    Array,
}

impl FromStr for Layout {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "coordinate" => Ok(Self::Coordinate),
            "array" => Ok(Self::Array),
            _ => Err("expected coordinate or array"),
        }
    }
}

/// The type of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Integers, read as int64.
    Integer,
    /// Unsigned integers, read as uint64. SciPy writes `unsigned-integer`.
    Unsigned,
    /// Floats, read as float64. `double` is a synonym.
    Real,
    /// Pairs of floats, read as `complex[float64]`.
    Complex,
    /// No values: entries are only present or not. Read as one shared bint8 value of 1.
    Pattern,
}

/// How elements that are not stored follow from stored ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// They are zero.
    General,
    /// They mirror the lower triangle.
    Symmetric,
    /// They mirror the triangle below the diagonal, with the opposite sign.
    SkewSymmetric,
    /// They mirror the conjugates of the lower triangle.
    Hermitian,
}

/// The first line of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Banner {
    pub(crate) layout: Layout,
    pub(crate) field: Field,
    pub(crate) symmetry: Symmetry,
}

const START: &[u8] = b"%%MatrixMarket";

/// Returns whether these are the first bytes of a Matrix Market file.
///
/// ```
/// assert!(nnz_matrix_market::looks_like(b"%%matrixmarket matrix coordinate"));
/// ```
#[must_use]
pub fn looks_like(first_bytes: &[u8]) -> bool {
    first_bytes.get(..START.len()).is_some_and(|start| start.eq_ignore_ascii_case(START))
}

impl Banner {
    /// Parses the banner. Its words are case-insensitive.
    pub(crate) fn parse(line: &[u8]) -> Result<Self, Fault> {
        let mut words = Words { line, at: 0 };
        words.next(&[("%%MatrixMarket", ())], Expected::Banner)?;
        words.next(&[("matrix", ())], Expected::Object)?;
        let layouts = [("coordinate", Layout::Coordinate), ("array", Layout::Array)];
        let (layout, _) = words.next(&layouts, Expected::Layout)?;
        let fields = [
            ("real", Field::Real),
            ("double", Field::Real),
            ("integer", Field::Integer),
            ("unsigned-integer", Field::Unsigned),
            ("complex", Field::Complex),
            ("pattern", Field::Pattern),
        ];
        let (field, field_at) = words.next(&fields, Expected::Field)?;
        let symmetries = [
            ("general", Symmetry::General),
            ("symmetric", Symmetry::Symmetric),
            ("skew-symmetric", Symmetry::SkewSymmetric),
            ("hermitian", Symmetry::Hermitian),
        ];
        let (symmetry, symmetry_at) = words.next(&symmetries, Expected::Symmetry)?;
        words.end()?;

        let fault = |at, expected| Err(Fault { at, expected });
        match (layout, field, symmetry) {
            (Layout::Array, Field::Pattern, _) => fault(field_at, Expected::ArrayField),
            (_, Field::Pattern | Field::Unsigned, Symmetry::SkewSymmetric) => {
                fault(symmetry_at, Expected::SymmetryOfField)
            }
            (_, field, Symmetry::Hermitian) if field != Field::Complex => {
                fault(symmetry_at, Expected::HermitianField)
            }
            _ => Ok(Self { layout, field, symmetry }),
        }
    }
}

/// Parses the words of a line one by one.
pub(super) struct Words<'a> {
    pub(super) line: &'a [u8],
    pub(super) at: usize,
}

impl Words<'_> {
    /// Parses one of some words and returns its meaning and its position.
    fn next<T: Copy>(
        &mut self,
        known: &[(&str, T)],
        expected: Expected,
    ) -> Result<(T, usize), Fault> {
        let at = match self.at {
            // The banner starts the file, without a blank before it.
            0 => 0,
            after => skip_blanks(self.line, after),
        };
        let rest = self.line.get(at..).unwrap_or(&[]);
        let len = rest.iter().take_while(|b| !b.is_ascii_whitespace()).count();
        let word = &rest[..len];
        let mut known = known.iter();
        match known.find(|(name, _)| word.eq_ignore_ascii_case(name.as_bytes())) {
            Some(&(_, meaning)) => {
                self.at = at + len;
                Ok((meaning, at))
            }
            None => Err(Fault { at, expected }),
        }
    }

    /// Checks that there are no more words.
    pub(super) fn end(&self) -> Result<(), Fault> {
        let at = skip_blanks(self.line, self.at);
        match self.line.get(at..) {
            None | Some([] | b"\n" | b"\r\n") => Ok(()),
            Some(_) => Err(Fault { at, expected: Expected::EndOfLine }),
        }
    }
}

impl fmt::Display for Banner {
    /// Writes the words after `%%MatrixMarket matrix`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.layout, self.field, self.symmetry)
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Coordinate => "coordinate",
            Self::Array => "array",
        })
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Integer => "integer",
            Self::Unsigned => "unsigned-integer",
            Self::Real => "real",
            Self::Complex => "complex",
            Self::Pattern => "pattern",
        })
    }
}

impl fmt::Display for Symmetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::General => "general",
            Self::Symmetric => "symmetric",
            Self::SkewSymmetric => "skew-symmetric",
            Self::Hermitian => "hermitian",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_case_insensitive_and_separated_by_any_blanks() {
        let line = b"%%mAtRiXmArKeT\tMATRIX  Coordinate REAL  Skew-Symmetric \r\n";
        assert_eq!(
            Banner::parse(line),
            Ok(Banner {
                layout: Layout::Coordinate,
                field: Field::Real,
                symmetry: Symmetry::SkewSymmetric,
            })
        );
    }

    #[test]
    fn banners_round_trip() {
        for text in [
            "coordinate pattern symmetric",
            "coordinate unsigned-integer general",
            "array complex hermitian",
            "array integer skew-symmetric",
        ] {
            let banner = Banner::parse(format!("%%MatrixMarket matrix {text}\n").as_bytes());
            assert_eq!(banner.map(|b| b.to_string()), Ok(text.to_owned()));
        }
    }

    #[test]
    fn the_first_wrong_word_is_reported_with_its_position() {
        let cases: [(&[u8], usize, Expected); 11] = [
            (b"", 0, Expected::Banner),
            (b" %%MatrixMarket matrix", 0, Expected::Banner),
            (b"%MatrixMarket matrix", 0, Expected::Banner),
            (b"%%MatrixMarket\n", 14, Expected::Object),
            (b"%%MatrixMarket vector", 15, Expected::Object),
            (b"%%MatrixMarket matrix sparse", 22, Expected::Layout),
            (b"%%MatrixMarket matrix array reals", 28, Expected::Field),
            (b"%%MatrixMarket matrix array pattern general", 28, Expected::ArrayField),
            (b"%%MatrixMarket matrix array real hermitian", 33, Expected::HermitianField),
            (
                b"%%MatrixMarket matrix coordinate pattern skew-symmetric",
                41,
                Expected::SymmetryOfField,
            ),
            (b"%%MatrixMarket matrix array real general 1", 41, Expected::EndOfLine),
        ];
        for (line, at, expected) in cases {
            assert_eq!(Banner::parse(line), Err(Fault { at, expected }));
        }
    }
}
