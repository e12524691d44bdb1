//! Rows and columns, and which of them are selected.

use std::ffi::OsStr;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args as Group, ValueEnum};
use nnz::{Axis, Error, Header, Selection, matrix::AxisKind};

use super::values::{Selected, selected};

/// Which rows and columns are selected.
#[derive(Debug, Group)]
pub(crate) struct Selecting {
    /// Rows: ranges, positions, names, or @FILE with a name a line; or a condition, such as cell_type=B,T or
    /// n_counts>=500. Given again, all have to hold [default: all]
    #[arg(long, value_name = "LIST", value_parser = selection())]
    rows: Vec<Selected>,

    /// Columns, likewise [default: all]
    #[arg(long, value_name = "LIST", value_parser = selection())]
    cols: Vec<Selected>,

    /// Cells, likewise: rows or columns, whatever they are in this file
    #[arg(long, value_name = "LIST", value_parser = selection())]
    cells: Vec<Selected>,

    /// Features, likewise
    #[arg(long, value_name = "LIST", value_parser = selection())]
    features: Vec<Selected>,

    /// Select none where a list in a file is empty, instead of refusing it
    #[arg(long)]
    allow_empty: bool,
}

/// Reads rows or columns that are selected; the name of a file with them need not be UTF-8.
fn selection() -> impl TypedValueParser<Value = Selected> {
    OsStringValueParser::new().try_map(|text| selected(&text))
}

impl Selecting {
    /// Returns what is selected of rows and columns, where anything is said of them.
    pub(crate) fn of_axes(
        &self,
        header: impl FnOnce() -> Result<Header, Error>,
    ) -> Result<[Option<Selection>; 2], Error> {
        let list = |all: &[Selected]| Selected::all(all, self.allow_empty);
        let mut axes = [list(&self.rows)?, list(&self.cols)?];
        if self.cells.is_empty() && self.features.is_empty() {
            return Ok(axes);
        }
        let header = header()?;
        for (kind, given) in
            [(AxisKind::Cells, list(&self.cells)?), (AxisKind::Features, list(&self.features)?)]
        {
            let Some(given) = given else { continue };
            let given = given.of_kind(kind);
            let axis = axis_of(kind, &header, "--rows or --cols")?;
            let both = &mut axes[usize::from(axis == Axis::Cols)];
            *both = Some(match both.take() {
                Some(before) => before.and(given),
                None => given,
            });
        }
        Ok(axes)
    }

    /// Returns whether nothing is said of any axis.
    pub(crate) fn is_empty(&self) -> bool {
        self.all().next().is_none()
    }

    fn all(&self) -> impl Iterator<Item = &Selected> {
        [&self.rows, &self.cols, &self.cells, &self.features].into_iter().flatten()
    }

    /// Returns the texts of lists that are no files.
    pub(super) fn texts(&self) -> Vec<&OsStr> {
        self.all().filter_map(Selected::text).collect()
    }
}

/// An axis of a matrix, by itself or by what lies along it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AxisArg {
    Rows,
    Cols,
    /// Whichever has cells
    Cells,
    /// Whichever has features
    Features,
}

impl AxisArg {
    /// Returns the axis of a matrix.
    pub(crate) fn axis(
        self,
        header: impl FnOnce() -> Result<Header, Error>,
    ) -> Result<Axis, Error> {
        const OTHER: &str = "--axis rows or --axis cols";
        match self {
            Self::Rows => Ok(Axis::Rows),
            Self::Cols => Ok(Axis::Cols),
            Self::Cells => axis_of(AxisKind::Cells, &header()?, OTHER),
            Self::Features => axis_of(AxisKind::Features, &header()?, OTHER),
        }
    }
}

/// Finds the axis of cells or features; `other` is what is given where the file does not say.
fn axis_of(kind: AxisKind, header: &Header, other: &str) -> Result<Axis, Error> {
    match header.axis_kinds.map(|found| found == kind) {
        [true, false] => Ok(Axis::Rows),
        [false, true] => Ok(Axis::Cols),
        _ => {
            let what = format!("the file does not say which axis has {kind}: give {other}");
            Err(Error::argument(what))
        }
    }
}
