//! Options that select rows and columns.

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args as Group, ValueEnum};
use nnz::{Axis, Error, ErrorKind, Header, Location, Selection, matrix::AxisKind};

use super::values::{SelectionArg, selected};

/// Other names of features, in genomics and in AnnData.
pub(crate) const FEATURES: [&str; 2] = ["genes", "var"];

/// Selections of rows and columns.
#[derive(Debug, Group)]
pub(crate) struct Selecting {
    /// Rows: ranges, positions, names, or @FILE with one name or position per line; or a condition such as
    /// cell_type=B,T or n_counts>=500. Repeated options are combined with AND [default: all]
    #[arg(long, value_name = "LIST", value_parser = selection(), allow_negative_numbers = true)]
    rows: Vec<SelectionArg>,

    /// Columns, like --rows [default: all]
    #[arg(long, value_name = "LIST", value_parser = selection(), allow_negative_numbers = true)]
    cols: Vec<SelectionArg>,

    /// Cells: like --rows or --cols, for the axis that has cells
    #[arg(long, alias = "obs", value_name = "LIST", value_parser = selection(), allow_negative_numbers = true)]
    cells: Vec<SelectionArg>,

    /// Features: like --rows or --cols, for the axis that has features
    #[arg(long, aliases = FEATURES, value_name = "LIST", value_parser = selection(), allow_negative_numbers = true)]
    features: Vec<SelectionArg>,

    /// Allow a selection of nothing, such as an empty @FILE
    #[arg(long)]
    allow_empty: bool,
}

/// Combines selections of rows and columns with selections of cells and features. The location of the matrix is for
/// messages.
pub(crate) fn by_axis<T>(
    mut axes: [Option<T>; 2],
    kinds: [Option<T>; 2],
    (source, header): (&Location, impl FnOnce() -> Result<Header, Error>),
    of_kind: fn(T, AxisKind) -> T,
    and: fn(T, T) -> T,
) -> Result<[Option<T>; 2], Error> {
    if kinds.iter().all(Option::is_none) {
        return Ok(axes);
    }
    let header = header()?;
    for (kind, given) in [AxisKind::Cells, AxisKind::Features].into_iter().zip(kinds) {
        let Some(given) = given else { continue };
        let given = of_kind(given, kind);
        let axis = axis_of(kind, source, &header, "--rows or --cols")?;
        let both = &mut axes[usize::from(axis == Axis::Cols)];
        *both = Some(match both.take() {
            Some(before) => and(before, given),
            None => given,
        });
    }
    Ok(axes)
}

/// Parses a selection; the name of its file need not be UTF-8.
pub(crate) fn selection() -> impl TypedValueParser<Value = SelectionArg> {
    OsStringValueParser::new().try_map(|text| selected(&text))
}

impl Selecting {
    /// Returns the selections of rows and columns, if any.
    pub(crate) fn of_axes(
        &self,
        source: &Location,
        header: impl FnOnce() -> Result<Header, Error>,
    ) -> Result<[Option<Selection>; 2], Error> {
        let list = |all: &[SelectionArg]| SelectionArg::all(all, self.allow_empty);
        let axes = [list(&self.rows)?, list(&self.cols)?];
        let kinds = [list(&self.cells)?, list(&self.features)?];
        let found = by_axis(axes, kinds, (source, header), Selection::of_kind, Selection::and)?;
        Ok(found.map(|found| found.map(|one| one.allow_empty(self.allow_empty))))
    }

    /// Returns whether no option is given.
    pub(crate) fn is_empty(&self) -> bool {
        self.all().next().is_none()
    }

    fn all(&self) -> impl Iterator<Item = &SelectionArg> {
        [&self.rows, &self.cols, &self.cells, &self.features].into_iter().flatten()
    }
}

/// An axis of a matrix, by its name or by its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AxisArg {
    Rows,
    Cols,
    /// The axis that has cells
    #[value(alias = "obs")]
    Cells,
    /// The axis that has features
    #[value(aliases = FEATURES)]
    Features,
}

impl AxisArg {
    /// Returns the axis of a matrix. The location of the matrix is for messages.
    pub(crate) fn axis(
        self,
        source: &Location,
        header: impl FnOnce() -> Result<Header, Error>,
    ) -> Result<Axis, Error> {
        const OTHER: &str = "rows or cols";
        match self {
            Self::Rows => Ok(Axis::Rows),
            Self::Cols => Ok(Axis::Cols),
            Self::Cells => axis_of(AxisKind::Cells, source, &header()?, OTHER),
            Self::Features => axis_of(AxisKind::Features, source, &header()?, OTHER),
        }
    }
}

/// Finds the axis of cells or features; `other` is the argument to use if the file does not state
/// it.
fn axis_of(kind: AxisKind, source: &Location, header: &Header, other: &str) -> Result<Axis, Error> {
    match header.axis_kinds.map(|found| found == kind) {
        [true, false] => Ok(Axis::Rows),
        [false, true] => Ok(Axis::Cols),
        _ => {
            let what = format!("does not state which axis has {kind}; use {other}");
            Err(Error::new(ErrorKind::Argument(what), source.source_place()))
        }
    }
}
