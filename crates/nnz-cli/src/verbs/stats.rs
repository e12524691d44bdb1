//! `nnz stats`.

use std::borrow::Cow;
use std::io::Write;

use clap::{Args as Group, ValueEnum};
use nnz::compute::TargetSum;
use nnz::engine::compute::{QuantileMethod, quantiles};
use nnz::{
    Axis, Context, ConvertOptions, Error, Location, MatrixSource, StatsOptions,
    engine::{Measures, Moments, Number, Observed, Slice, Spread, Total},
};
use serde::Serialize;

use super::Run;
use super::compute::normalization;
use crate::Outcome;
use crate::args::{AxisArg, Memory, Selecting, Threads, location, reading};
use crate::output::{failed, print_json, print_notes, with_stdout};

/// Print sum, mean, variance, minimum and maximum of a matrix, or of each row or column
///
/// Elements that are not stored count as zeros; nnz is the number of stored entries, in a dense matrix of
/// nonzero elements. The variance is the sample variance, with n - 1 in the denominator. With --rows or
/// --cols, only the selected rows and columns are included; they are printed with their position in the
/// source, in file order. Ranges may extend past the end.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz stats pbmc.bpcells
  nnz stats pbmc.bpcells --axis rows > genes.tsv
  nnz stats pbmc.bpcells --axis rows --cols @tumor.txt > genes.tsv
  nnz stats pbmc.bpcells --axis cols --measures sums > depth.tsv
  nnz stats pbmc.bpcells --axis cells --quantiles 0.5,0.99 > quantiles.tsv
  nnz stats pbmc.bpcells --axis features --target-sum 1e4 --log1p > variances.tsv")]
pub(crate) struct Stats {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    #[command(flatten)]
    pub(crate) selecting: Selecting,

    /// Print a table with a line for each row or column; repeat it for both, in one pass
    #[arg(long, value_name = "AXIS")]
    pub(crate) axis: Vec<AxisArg>,

    /// Measures to compute; fewer are faster, because unused data is not decoded
    #[arg(long, value_name = "WHAT", default_value = "all")]
    pub(crate) measures: MeasuresArg,

    /// Also print these quantiles of each row or column, such as 0.25,0.5,0.75
    #[arg(long, value_name = "Q,...", value_delimiter = ',', requires = "axis")]
    pub(crate) quantiles: Vec<f64>,

    /// First scale each cell to this sum: a number, or median [default: values as they are]
    #[arg(long, value_name = "SUM")]
    pub(crate) target_sum: Option<TargetSum>,

    /// First replace each value x by ln(1 + x), after scaling
    #[arg(long)]
    pub(crate) log1p: bool,

    /// Axis of the cells that are scaled, in SRC: rows or cols [default: as SRC states, otherwise rows, or columns of .rds]
    #[arg(long, value_name = "AXIS", requires = "target_sum")]
    pub(crate) cell_axis: Option<AxisArg>,

    /// Print comma-separated values, for one axis at most
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) reading: reading::SourceFormat,

    #[command(flatten)]
    pub(crate) threads: Threads,

    #[command(flatten)]
    pub(crate) resources: Memory,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MeasuresArg {
    /// The number of stored entries, in a dense matrix of nonzero elements
    Nnz,
    /// nnz, sum and mean
    Sums,
    /// nnz, sum, mean, variance, minimum and maximum
    All,
}

impl From<MeasuresArg> for Measures {
    fn from(measures: MeasuresArg) -> Self {
        match measures {
            MeasuresArg::Nnz => Self::Nnz,
            MeasuresArg::Sums => Self::Sums,
            MeasuresArg::All => Self::All,
        }
    }
}

/// The output, with the keys of JSON. Numbers that JSON does not have are null.
#[derive(Serialize)]
struct Report {
    whole: Line,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<Vec<AxisLine>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cols: Option<Vec<AxisLine>>,
}

/// A row or column, with its position in the file.
#[derive(Serialize)]
struct AxisLine {
    position: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(flatten)]
    line: Line,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    quantiles: Vec<f64>,
}

#[derive(Serialize)]
struct Line {
    nnz: u64,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    total: Option<TotalLine>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    spread: Option<SpreadLine>,
}

#[derive(Serialize)]
struct TotalLine {
    sum: Json,
    mean: f64,
}

#[derive(Serialize)]
struct SpreadLine {
    variance: f64,
    min: Option<Json>,
    max: Option<Json>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Json {
    Integer(i128),
    Float(f64),
}

impl From<Number> for Json {
    fn from(number: Number) -> Self {
        match number {
            Number::Integer(number) => Self::Integer(number),
            Number::Float(number) => Self::Float(number),
        }
    }
}

impl From<&Moments> for Line {
    fn from(moments: &Moments) -> Self {
        let total =
            moments.total.map(|Total { sum, mean, .. }| TotalLine { sum: sum.into(), mean });
        let spread = moments.spread.map(|Spread { variance, min, max, .. }| {
            let (min, max) = (min.map(Into::into), max.map(Into::into));
            SpreadLine { variance, min, max }
        });
        Self { nnz: moments.nnz, total, spread }
    }
}

impl Run for Stats {
    /// Prints sums and statistics based on them.
    fn run(&self, quiet: bool, context: &Context) -> Result<Outcome, Error> {
        let dataset = self.reading.set().open(&self.source, context)?;
        let opened = dataset.into_matrix()?;
        let opened = match self.target_sum {
            Some(_) => {
                let header = || Ok(opened.header().clone());
                let given = self.cell_axis.map(|axis| axis.axis(&self.source, header));
                let given = given.transpose()?;
                let (opened, _, note) =
                    nnz::compute::stating_cells(opened, given, &ConvertOptions::default());
                if !quiet {
                    print_notes(note.map(|note| note.replace("; axis ", "; cell_axis ")));
                }
                opened
            }
            None => opened,
        };
        if self.log1p && !quiet {
            print_notes(nnz::compute::note_on_log1p(&*opened)?);
        }
        let how = normalization(self.target_sum, self.log1p);
        let opened = how.apply(opened, &ConvertOptions::default(), context)?;
        let header = || Ok(opened.header().clone());
        let axes = self
            .axis
            .iter()
            .map(|axis| axis.axis(&self.source, header))
            .collect::<Result<Vec<_>, _>>()?;
        if self.csv && axes.contains(&Axis::Rows) && axes.contains(&Axis::Cols) {
            return Err(Error::argument("--csv supports one axis only"));
        }
        let options = StatsOptions::default()
            .rows(axes.contains(&Axis::Rows))
            .cols(axes.contains(&Axis::Cols))
            .measures(self.measures.into());
        let [rows, cols] = self.selecting.of_axes(&self.source, header)?;
        let matrix = match (rows, cols) {
            (None, None) => Matrix::Whole(opened),
            (rows, cols) => {
                let (rows, cols) = (rows.unwrap_or_default(), cols.unwrap_or_default());
                Matrix::Part(Slice::in_source_order(opened, &rows, &cols)?)
            }
        };
        let observed = Observed::new(matrix.source(), "reading", context.progress());
        let found = nnz::engine::stats(&observed, &options, context)?;
        let found = Found {
            quantiles: [
                self.quantiles_of(&matrix, Axis::Rows, found.rows.is_some(), context)?,
                self.quantiles_of(&matrix, Axis::Cols, found.cols.is_some(), context)?,
            ],
            stats: found,
        };
        if self.json {
            let lines = |axis| found.of(axis).map(|list| labelled(&matrix, axis, list)).transpose();
            let report = Report {
                whole: Line::from(&found.stats.whole),
                rows: lines(Axis::Rows)?,
                cols: lines(Axis::Cols)?,
            };
            print_json("nnz-stats/1", &report)?;
            return Ok(Outcome::Good);
        }
        with_stdout(|out| {
            if self.axis.is_empty() {
                let heading = heading(self.measures.into()).join(separator(self));
                let line = fields(&found.stats.whole, self.csv).join(separator(self));
                return write!(out, "{heading}\n{line}\n").map_err(failed);
            }
            for axis in [Axis::Rows, Axis::Cols] {
                if let Some(list) = found.of(axis) {
                    table(self, &matrix, axis, list, out)?;
                }
            }
            Ok(())
        })?;
        Ok(Outcome::Good)
    }
}

impl Stats {
    /// Returns a list of each quantile, if an axis is requested.
    fn quantiles_of(
        &self,
        matrix: &Matrix,
        axis: Axis,
        is_requested: bool,
        context: &Context,
    ) -> Result<Vec<Vec<f64>>, Error> {
        if self.quantiles.is_empty() || !is_requested {
            return Ok(Vec::new());
        }
        let (source, method) = (matrix.source(), QuantileMethod::default());
        Ok(quantiles(source, axis, &self.quantiles, method, context)?.values)
    }
}

/// The computed statistics and quantiles.
struct Found {
    stats: nnz::Stats,
    /// Of rows and of columns.
    quantiles: [Vec<Vec<f64>>; 2],
}

/// Statistics of each row or column, and its quantiles.
type Each<'a> = (&'a [Moments], &'a [Vec<f64>]);

impl Found {
    fn of(&self, axis: Axis) -> Option<Each<'_>> {
        let (list, quantiles) = match axis {
            Axis::Rows => (&self.stats.rows, &self.quantiles[0]),
            Axis::Cols => (&self.stats.cols, &self.quantiles[1]),
        };
        Some((list.as_deref()?, quantiles))
    }
}

/// The matrix, or a selection.
enum Matrix {
    Whole(Box<dyn MatrixSource>),
    Part(Slice<'static>),
}

impl Matrix {
    fn source(&self) -> &dyn MatrixSource {
        match self {
            Self::Whole(source) => &**source,
            Self::Part(slice) => slice,
        }
    }

    /// Returns the position in the file of a row or column of the selection.
    fn position(&self, axis: Axis, number: u64) -> u64 {
        match self {
            Self::Whole(_) => number,
            Self::Part(slice) => slice.origin(axis, number).unwrap_or(number),
        }
    }
}

/// Prints one line per row or column, with its name if there are names.
fn table(
    args: &Stats,
    matrix: &Matrix,
    axis: Axis,
    (list, quantiles): Each<'_>,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let mut names = matrix.source().read_names(axis)?;
    let separator = separator(args);
    let mut columns = vec![match axis {
        Axis::Rows => "row",
        Axis::Cols => "col",
    }];
    if names.is_some() {
        columns.push("name");
    }
    columns.extend(heading(args.measures.into()));
    let of_quantiles: Vec<String> = args.quantiles.iter().map(|one| format!("q{one}")).collect();
    columns.extend(of_quantiles.iter().map(String::as_str));
    writeln!(out, "{}", columns.join(separator)).map_err(failed)?;
    for (number, moments) in (0..).zip(list) {
        write!(out, "{}{separator}", matrix.position(axis, number)).map_err(failed)?;
        let name = names.as_mut().map_or(Ok(None), |names| names.next_string())?;
        if let Some(name) = name {
            let name = if args.csv {
                quoted(name)
            } else {
                nnz::engine::check_one_line(name, matrix.position(axis, number)).map_err(
                    |error| {
                        let array = Some(format!("names of {axis}"));
                        let place = args.source.source_place().with_array(array);
                        error.with_context(&place).with_hint("csv", "quotes it")
                    },
                )?;
                Cow::Borrowed(name)
            };
            out.write_all(&name)
                .and_then(|()| out.write_all(separator.as_bytes()))
                .map_err(failed)?;
        }
        let mut fields = fields(moments, args.csv);
        let of_one = quantiles_at(quantiles, number);
        fields.extend(of_one.into_iter().map(|value| Number::Float(value).to_string()));
        writeln!(out, "{}", fields.join(separator)).map_err(failed)?;
    }
    Ok(())
}

/// Returns the quantiles of a row or column.
fn quantiles_at(quantiles: &[Vec<f64>], number: u64) -> Vec<f64> {
    let at = usize::try_from(number).unwrap_or(usize::MAX);
    quantiles.iter().filter_map(|values| values.get(at).copied()).collect()
}

/// Returns rows or columns with their positions and names.
fn labelled(
    matrix: &Matrix,
    axis: Axis,
    (list, quantiles): Each<'_>,
) -> Result<Vec<AxisLine>, Error> {
    let mut names = matrix.source().read_names(axis)?;
    let mut lines = Vec::with_capacity(list.len());
    for (number, moments) in (0..).zip(list) {
        let name = names.as_mut().map_or(Ok(None), |names| names.next_string())?;
        lines.push(AxisLine {
            position: matrix.position(axis, number),
            name: name.map(|name| String::from_utf8_lossy(name).into_owned()),
            line: Line::from(moments),
            quantiles: quantiles_at(quantiles, number),
        });
    }
    Ok(lines)
}

fn separator(args: &Stats) -> &'static str {
    if args.csv { "," } else { "\t" }
}

/// Quotes a field of a CSV file if necessary.
fn quoted(field: &[u8]) -> Cow<'_, [u8]> {
    if !field.iter().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r')) {
        return Cow::Borrowed(field);
    }
    let mut quoted = vec![b'"'];
    for &byte in field {
        if byte == b'"' {
            quoted.push(b'"');
        }
        quoted.push(byte);
    }
    quoted.push(b'"');
    Cow::Owned(quoted)
}

fn heading(measures: Measures) -> Vec<&'static str> {
    match measures {
        Measures::Nnz | Measures::Nonzero => vec!["nnz"],
        Measures::Sums => vec!["nnz", "sum", "mean"],
        _ => vec!["nnz", "sum", "mean", "variance", "min", "max"],
    }
}

/// Formats the numbers. A missing one is `-`, or empty in CSV.
fn fields(moments: &Moments, csv: bool) -> Vec<String> {
    let none = if csv { "" } else { "-" };
    let float = |number: f64| Number::Float(number).to_string();
    let extreme = |number: Option<Number>| number.map_or(none.to_owned(), |n| n.to_string());
    let mut fields = vec![moments.nnz.to_string()];
    if let Some(Total { sum, mean, .. }) = moments.total {
        fields.extend([sum.to_string(), float(mean)]);
    }
    if let Some(Spread { variance, min, max, .. }) = moments.spread {
        fields.extend([float(variance), extreme(min), extreme(max)]);
    }
    fields
}
