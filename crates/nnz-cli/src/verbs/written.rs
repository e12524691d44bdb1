//! The summary of a written target, as text or JSON.

use clap::Args as Group;
use nnz::engine::{FilterResult, FilteredAxis, SummaryContent};
use nnz::{Error, Location, Summary};
use serde::Serialize;

use super::write::summarise;
use crate::output::print_json;

/// How the summary is printed.
#[derive(Debug, Default, Group)]
pub(crate) struct Written {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The summary as JSON.
#[derive(Default, Serialize)]
struct Json<'a> {
    sources: Vec<String>,
    target: String,
    kind: &'static str,
    rows: u64,
    cols: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<u64>,
    bytes_before: Option<u64>,
    bytes: u64,
    temporary_bytes: u64,
    seconds: f64,
    dropped: Vec<&'a str>,
    notes: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kept: Option<[Kept<'a>; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    variance_ratio: Option<&'a [f64]>,
}

/// How many rows or columns are kept.
#[derive(Serialize)]
struct Kept<'a> {
    axis: &'static str,
    kept: u64,
    of: u64,
    conditions: Vec<Condition<'a>>,
}

#[derive(Serialize)]
struct Condition<'a> {
    condition: &'a str,
    kept: u64,
}

impl<'a> Kept<'a> {
    fn new(axis: &'static str, found: &'a FilteredAxis) -> Self {
        let conditions = found.conditions.iter();
        let conditions =
            conditions.map(|(condition, kept)| Condition { condition, kept: *kept }).collect();
        Self { axis, kept: found.count(), of: found.len, conditions }
    }
}

const SCHEMA: &str = "nnz-written/1";

impl Written {
    /// Checks that the target is not written where the summary is printed.
    pub(super) fn check(&self, target: &Location) -> Result<(), Error> {
        match (self.json, target) {
            (true, Location::Stream) => Err(Error::argument(
                "--json prints the summary on standard output, where the matrix is written",
            )),
            _ => Ok(()),
        }
    }

    /// Returns whether JSON is printed.
    pub(super) fn is_json(&self) -> bool {
        self.json
    }

    /// Prints the summary: text on standard error, unless `quiet`.
    pub(super) fn print(
        &self,
        quiet: bool,
        (sources, target): (&[Location], &Location),
        summary: &Summary,
        found: Option<&FilterResult>,
    ) -> Result<(), Error> {
        if !self.json {
            if !quiet {
                summarise(sources, target, summary);
            }
            return Ok(());
        }
        let notes = found.map_or(&[][..], |found| &found.notes);
        let json = Json {
            kind: match &summary.content {
                SummaryContent::Tensor(extents) if extents.len() == 1 => "vector",
                SummaryContent::Tensor(_) => "tensor",
                SummaryContent::Matrices(_) => "matrices",
                SummaryContent::Table => "table",
                SummaryContent::Fragments { .. } => "fragments",
                _ => "matrix",
            },
            rows: summary.shape.rows,
            cols: summary.shape.cols,
            entries: Some(summary.entries),
            bytes_before: summary.bytes_before,
            bytes: summary.bytes_after,
            temporary_bytes: summary.disk,
            seconds: summary.seconds,
            dropped: summary.dropped.iter().chain(&summary.left_out).map(String::as_str).collect(),
            notes: notes.iter().chain(&summary.notes).map(String::as_str).collect(),
            kept: found
                .map(|found| [Kept::new("rows", &found.rows), Kept::new("cols", &found.cols)]),
            ..of_locations(sources, target)
        };
        print_json(SCHEMA, &json)
    }

    /// Prints the summary of principal components as JSON.
    pub(super) fn print_components(
        (source, target): (&Location, &Location),
        done: &nnz::compute::PcaSummary,
    ) -> Result<(), Error> {
        let json = Json {
            kind: "components",
            rows: done.shape.rows,
            cols: done.shape.cols,
            bytes: done.bytes,
            seconds: done.seconds,
            variance_ratio: Some(&done.variance_ratio),
            notes: done.notes.iter().map(String::as_str).collect(),
            ..of_locations(std::slice::from_ref(source), target)
        };
        print_json(SCHEMA, &json)
    }

    /// Prints the summary of markers as JSON.
    pub(super) fn print_markers(
        (source, target): (&Location, &Location),
        done: &nnz::compute::MarkersSummary,
    ) -> Result<(), Error> {
        let json = Json {
            kind: "markers",
            rows: done.shape.rows,
            cols: done.shape.cols,
            bytes: done.bytes,
            seconds: done.seconds,
            notes: done.notes.iter().map(String::as_str).collect(),
            ..of_locations(std::slice::from_ref(source), target)
        };
        print_json(SCHEMA, &json)
    }
}

fn of_locations<'a>(sources: &[Location], target: &Location) -> Json<'a> {
    let sources = sources.iter().map(ToString::to_string).collect();
    Json { sources, target: target.to_string(), ..Json::default() }
}
