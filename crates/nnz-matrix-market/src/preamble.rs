//! The lines before the entries: banner, comments, sizes.

use std::path::Path;

use nnz_core::{At, Error, Place, Result, Shape, Structure, Triangle};

use super::LARGEST_SIZE;
use super::banner::{Banner, Layout, Symmetry, Words};
use super::fault::{Expected, Fault};
use super::number::{skip_blanks, unsigned};
use nnz_lines::Lines;

/// The contents of these lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Preamble {
    pub(crate) banner: Banner,
    pub(crate) shape: Shape,
    /// The number of lines with an entry or a value.
    pub(crate) stored: u64,
}

impl Preamble {
    /// Parses everything up to the line of sizes.
    pub(crate) fn read(lines: &mut Lines, path: &Path) -> Result<Self> {
        let Some(block) = lines.next_line()? else {
            let at = At::Line { line: 1, column: 1 };
            let place = Place::path(path).at(at);
            return Err(Error::mismatch(place, "an empty file", Expected::Banner));
        };
        let banner = Banner::parse(block.text).map_err(|fault| fault.report(path, block))?;
        let Some(block) = lines.next_content()? else {
            let at = At::Line { line: lines.line(), column: 1 };
            let place = Place::path(path).at(at);
            let expected = match banner.layout {
                Layout::Coordinate => "numbers of rows, columns and entries",
                Layout::Array => "numbers of rows and columns",
            };
            return Err(Error::mismatch(place, "the end of the file", expected));
        };
        Self::sizes(banner, block.text).map_err(|fault| fault.report(path, block))
    }

    /// Parses the line of sizes.
    fn sizes(banner: Banner, line: &[u8]) -> Result<Self, Fault> {
        let mut words = Words { line, at: 0 };
        let rows_at = skip_blanks(line, 0);
        let rows = words.size("rows")?;
        let cols_at = skip_blanks(line, words.at);
        let cols = words.size("columns")?;
        let shape = Shape { rows, cols };
        if banner.symmetry != Symmetry::General && rows != cols {
            return Err(Fault { at: cols_at, expected: Expected::Square(rows) });
        }
        let stored = match banner.layout {
            Layout::Coordinate => words.size("entries")?,
            Layout::Array => elements(banner.symmetry, shape)
                .ok_or(Fault { at: rows_at, expected: Expected::Elements })?,
        };
        words.end()?;
        Ok(Self { banner, shape, stored })
    }
}

impl Words<'_> {
    fn size(&mut self, what: &'static str) -> Result<u64, Fault> {
        let at = skip_blanks(self.line, self.at);
        match unsigned(self.line, at) {
            Ok((size, end)) if size <= LARGEST_SIZE => {
                self.at = end;
                Ok(size)
            }
            _ => Err(Fault { at, expected: Expected::Size(what) }),
        }
    }
}

/// Returns the number of elements that an array stores, if that fits into 64 bits.
fn elements(symmetry: Symmetry, shape: Shape) -> Option<u64> {
    // Sides are less than 2^63, so 128 bits do not overflow.
    let side = u128::from(shape.rows);
    let elements = match symmetry {
        Symmetry::General => shape.elements(),
        Symmetry::Symmetric | Symmetry::Hermitian => side * (side + 1) / 2,
        Symmetry::SkewSymmetric => side * side.saturating_sub(1) / 2,
    };
    u64::try_from(elements).ok()
}

impl Symmetry {
    /// Returns the structure of the matrix. The lower triangle is stored.
    pub(crate) fn structure(self) -> Structure {
        match self {
            Self::General => Structure::General,
            Self::Symmetric => Structure::Symmetric(Triangle::Lower),
            Self::SkewSymmetric => Structure::SkewSymmetric(Triangle::Lower),
            Self::Hermitian => Structure::Hermitian(Triangle::Lower),
        }
    }

    /// Returns the symmetry of a structure, whichever triangle it stores.
    pub(crate) fn of(structure: Structure) -> Self {
        match structure {
            Structure::General => Self::General,
            Structure::Symmetric(_) => Self::Symmetric,
            Structure::SkewSymmetric(_) => Self::SkewSymmetric,
            Structure::Hermitian(_) => Self::Hermitian,
        }
    }

    /// Returns the first row of a column that an array stores.
    pub(crate) fn first_row(self, col: u64) -> u64 {
        match self {
            Self::General => 0,
            Self::Symmetric | Self::Hermitian => col,
            Self::SkewSymmetric => col + 1,
        }
    }
}
