//! `nnz filter`.

use std::path::PathBuf;

use clap::Args as Group;
use clap::builder::{OsStringValueParser, TypedValueParser};
use nnz::engine::{Filter as Conditions, FilterResult, FilteredAxis};
use nnz::{Axis, Context, Error, Header, Location};

use super::Run;
use super::write::{self, counted};
use super::written::Written;
use crate::Outcome;
use crate::args::selecting::{FEATURES, by_axis};
use crate::args::values::{TextOrFile, listed, read_list};
use crate::args::{Writing, location, reading};
use crate::output::{failed, print_message, with_stdout};

/// Write the rows and columns that meet conditions
///
/// A condition compares a measure of nnz stats (nnz, nonzero, sum, mean, variance, min or max) of a row or column with
/// a number, by =, !=, <, <=, > or >=. sum(rows=REGEX), for columns, only includes the rows whose names match a
/// regular expression (or, if none does, whose text annotations match), and / divides two measures. NaN meets no
/// condition. Anything else is a selection as in nnz slice: ranges, positions, names, @FILE, or a condition on a column
/// of annotations; column(nnz) is a column that is named like a measure.
///
/// Measures of both axes are computed on the whole matrix, and its order is kept. Entries are read twice, or three
/// times if nonzero and other measures are used. Of AnnData and Loom files, everything that belongs to the rows
/// and columns is written.
#[derive(Debug, Group)]
#[command(after_help = "\
Examples:
  nnz filter pbmc.bpcells kept.bpcells --cols \"nnz>=200\" --rows \"nnz>=3\"
  nnz filter study.h5ad kept.h5ad --cells \"sum(features=^MT-)/sum<0.2\" --cells \"batch=A\"
  nnz filter study.h5ad --dry-run --cells \"sum<=50000\" --by-layer counts")]
pub(crate) struct Filter {
    /// The matrix
    #[arg(value_name = "SRC", value_parser = location())]
    pub(crate) source: Location,

    /// Where to write the kept rows and columns
    #[arg(value_name = "DST", value_parser = location(), required_unless_present = "dry_run")]
    pub(crate) target: Option<Location>,

    #[command(flatten)]
    pub(crate) filtering: Filtering,

    /// Measure a layer, such as counts, and not the main matrix; everything else in the file is filtered, too
    #[arg(long, value_name = "LAYER")]
    pub(crate) by_layer: Option<String>,

    /// Only print how many rows and columns would be kept
    #[arg(long, conflicts_with = "json")]
    pub(crate) dry_run: bool,

    #[command(flatten)]
    pub(crate) reading: reading::SourceFormat,

    #[command(flatten)]
    pub(crate) writing: Writing,

    #[command(flatten)]
    pub(crate) written: Written,
}

/// Conditions on rows and columns.
#[derive(Debug, Group)]
pub(crate) struct Filtering {
    /// Condition on rows, such as nnz>=3, mean>0.1, sum(cols=REGEX)>=5 or chromosome=X. Repeated options are combined
    /// with AND
    #[arg(long, value_name = "CONDITION", value_parser = condition(), allow_negative_numbers = true)]
    rows: Vec<Condition>,

    /// Condition on columns, like --rows
    #[arg(long, value_name = "CONDITION", value_parser = condition(), allow_negative_numbers = true)]
    cols: Vec<Condition>,

    /// Condition on cells: like --rows or --cols, for the axis that has cells
    #[arg(long, alias = "obs", value_name = "CONDITION", value_parser = condition(), allow_negative_numbers = true)]
    cells: Vec<Condition>,

    /// Condition on features: like --rows or --cols, for the axis that has features
    #[arg(long, aliases = FEATURES, value_name = "CONDITION", value_parser = condition(), allow_negative_numbers = true)]
    features: Vec<Condition>,

    /// Allow conditions that keep nothing, such as an empty @FILE
    #[arg(long)]
    allow_empty: bool,
}

#[derive(Clone, Debug)]
enum Condition {
    Text(Conditions),
    File(PathBuf),
}

/// Parses a condition; the name of its file need not be UTF-8.
fn condition() -> impl TypedValueParser<Value = Condition> {
    OsStringValueParser::new().try_map(|text| match listed(&text)? {
        TextOrFile::Text(text) => text.parse().map(Condition::Text),
        TextOrFile::File(path) => Ok(Condition::File(path)),
    })
}

impl Filtering {
    /// Returns the conditions on rows and columns.
    pub(crate) fn of_axes(
        &self,
        source: &Location,
        header: impl FnOnce() -> Result<Header, Error>,
    ) -> Result<[Conditions; 2], Error> {
        let all = |given: &[Condition]| self.all_of(given);
        let axes = [all(&self.rows)?, all(&self.cols)?];
        let kinds = [all(&self.cells)?, all(&self.features)?];
        let (of_kind, and) = (Conditions::of_kind, Conditions::and);
        let found = by_axis(axes, kinds, (source, header), of_kind, and)?;
        Ok(found.map(|found| found.unwrap_or_default().allow_empty(self.allow_empty)))
    }

    fn all_of(&self, given: &[Condition]) -> Result<Option<Conditions>, Error> {
        let mut all: Option<Conditions> = None;
        for one in given {
            let one = match one {
                Condition::Text(conditions) => conditions.clone(),
                Condition::File(path) => {
                    let list = read_list(path, self.allow_empty)?;
                    Conditions::selected(list, format!("@{}", path.display()))
                }
            };
            all = Some(match all.take() {
                Some(before) => before.and(one),
                None => one,
            });
        }
        Ok(all)
    }

    /// Returns whether no option is given.
    pub(crate) fn is_empty(&self) -> bool {
        self.all().next().is_none()
    }

    fn all(&self) -> impl Iterator<Item = &Condition> {
        [&self.rows, &self.cols, &self.cells, &self.features].into_iter().flatten()
    }
}

impl Run for Filter {
    /// Writes the rows and columns that meet conditions, or prints how many do.
    fn run(&self, quiet: bool, context: &Context) -> Result<Outcome, Error> {
        if self.filtering.is_empty() {
            let what = "no condition is given; use --rows, --cols, --cells or --features";
            return Err(Error::argument(what));
        }
        self.target.iter().try_for_each(|target| self.written.check(target))?;
        let options = self.reading.of_conversion(write::options(&self.writing, context)?);
        let header = || write::header_of(&self.source, &self.reading, context);
        let [rows, cols] = self.filtering.of_axes(&self.source, header)?;
        let by_layer = self.by_layer.as_deref();
        let target = match &self.target {
            Some(target) if !self.dry_run => target,
            _ => {
                let source = self.source.clone();
                let found = nnz::filtered(source, [&rows, &cols], by_layer, &options, context)?;
                print_notes(&found, quiet);
                let empty =
                    [&found.rows, &found.cols].into_iter().filter_map(|kept| kept.check().err());
                for nothing in empty.filter(|_| !quiet) {
                    let hint = crate::hints::hint(&nothing);
                    print_message(&format!(
                        "note: nothing would be written: {}{hint}",
                        nothing.without_hint()
                    ));
                }
                with_stdout(|out| {
                    let lines = kept_lines(&found).join("\n");
                    writeln!(out, "{lines}").map_err(failed)
                })?;
                return Ok(Outcome::Good);
            }
        };
        let places = (std::slice::from_ref(&self.source), target);
        let (from, to) = (self.source.clone(), target.clone());
        let (found, summary) = nnz::filter(from, to, [&rows, &cols], by_layer, &options, context)?;
        print_notes(&found, quiet || self.written.is_json());
        self.written.print(quiet, places, &summary, Some(&found))?;
        if !quiet && !self.written.is_json() {
            kept_lines(&found).iter().for_each(|line| print_message(&format!("  {line}")));
        }
        Ok(Outcome::Good)
    }

    fn writing(&mut self) -> Option<&mut Writing> {
        Some(&mut self.writing)
    }
}

fn print_notes(found: &FilterResult, quiet: bool) {
    for note in found.notes.iter().filter(|_| !quiet) {
        print_message(&format!("note: {note}"));
    }
}

/// Says how many rows and columns are kept, and how many each condition alone would keep.
fn kept_lines(found: &FilterResult) -> Vec<String> {
    let mut lines = Vec::new();
    for (axis, kept) in [(Axis::Rows, &found.rows), (Axis::Cols, &found.cols)] {
        let FilteredAxis { len, conditions, .. } = kept;
        let (one, several) = match axis {
            Axis::Rows => ("row", "rows"),
            Axis::Cols => ("column", "columns"),
        };
        lines.push(format!("{} of {} kept", kept.count(), counted(*len, one, several)));
        for (text, alone) in conditions.iter().filter(|_| conditions.len() > 1) {
            lines.push(format!("  {}: {alone}", nnz::text::escaped(text)));
        }
    }
    lines
}
