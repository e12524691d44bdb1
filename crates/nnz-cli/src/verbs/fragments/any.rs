//! Verbs for matrices that are used with a store of fragments.

use nnz::Context;
use std::io::Write;

use nnz::fragments::{self, FragmentDifference, FragmentSource};
use nnz::{Error, text::escaped};
use serde::Serialize;

use super::super::{info::others, names::print_names};
use super::print;
use crate::Outcome;
use crate::output::{bytes, failed, print_answer, print_json, with_stdout};
use crate::verbs::names::NamesArg;

/// Prints all fragments: chromosome, start, end and cell.
pub(crate) fn cat(
    args: &crate::verbs::cat::Cat,
    source: &dyn FragmentSource,
    context: &Context,
) -> Result<Outcome, Error> {
    if !args.selecting.is_empty() || args.expand || args.names {
        return Err(Error::argument("options for rows and columns do not apply to fragments"));
    }
    print(&args.source, source, &[], context)
}

/// Prints names of cells or chromosomes.
pub(crate) fn names(
    args: &crate::verbs::names::Names,
    source: &dyn FragmentSource,
) -> Result<Outcome, Error> {
    let (mut names, what) = match args.axis {
        NamesArg::Cells => (source.read_cell_names()?, "cells"),
        NamesArg::Chromosomes => (source.chromosome_names()?.into_reader(), "chromosomes"),
        NamesArg::Rows | NamesArg::Cols | NamesArg::Features => {
            return Err(Error::argument("fragments have names of cells and chromosomes only"));
        }
    };
    print_names(&mut *names, &args.source, what)
}

/// Compares two stores.
pub(crate) fn diff(args: &crate::verbs::diff::Diff, context: &Context) -> Result<Outcome, Error> {
    let mut differences = Vec::new();
    let options = fragments::DiffOptions::default().max_diffs(args.max_diffs.max(1));
    let each = &mut |found| differences.push(found);
    fragments::diff(&args.first, &args.second, &options, context, each)?;
    print_answer(|out| {
        for difference in &differences {
            print_difference(difference, out).map_err(failed)?;
        }
        Ok(())
    })?;
    Ok(if differences.is_empty() { Outcome::Good } else { Outcome::Bad })
}

fn print_difference(difference: &FragmentDifference, out: &mut dyn Write) -> std::io::Result<()> {
    match difference {
        FragmentDifference::Chromosomes => writeln!(out, "the names of the chromosomes differ"),
        FragmentDifference::Cells => writeln!(out, "the names of the cells differ"),
        FragmentDifference::Fragment { chromosome, number, first, second } => {
            out.write_all(chromosome)?;
            write!(out, "\t{number}")?;
            for side in [first, second] {
                match side {
                    Some((start, end, cell)) => {
                        write!(out, "\t{start}-{end} ")?;
                        out.write_all(cell)?;
                    }
                    None => write!(out, "\t-")?,
                }
            }
            writeln!(out)
        }
        _ => Ok(()),
    }
}

/// The output, with the keys of JSON.
#[derive(Serialize)]
struct Report {
    format: String,
    container: String,
    version: Option<String>,
    kind: &'static str,
    fragments: u64,
    chromosomes: u64,
    cells: u64,
    bytes: Option<u64>,
    bytes_per_fragment: Option<f64>,
    arrays: Vec<Array>,
    notes: Vec<String>,
    /// Other groups of the file with data, if no group was named.
    other_groups: Vec<String>,
}

#[derive(Serialize)]
struct Array {
    name: String,
    #[serde(rename = "type")]
    value_type: String,
    len: Option<u64>,
    bytes: Option<u64>,
    bits_per_fragment: Option<f64>,
}

/// Describes a store.
pub(crate) fn info(
    args: &crate::verbs::info::Info,
    source: &dyn FragmentSource,
    groups: Result<Vec<String>, Error>,
) -> Result<Outcome, Error> {
    let about = source.about()?;
    let header = source.header();
    let per_fragment = |bytes: u64, factor: f64| {
        let count = Some(header.count).filter(|count| *count > 0)?;
        Some((ratio(bytes, count) * factor * 100.0).round() / 100.0)
    };
    let (other_groups, notes) = others(groups, about.notes);
    let report = Report {
        notes,
        other_groups,
        kind: "fragments",
        fragments: header.count,
        chromosomes: header.chromosomes.into(),
        cells: source.cell_count()?,
        bytes: about.bytes,
        bytes_per_fragment: about.bytes.and_then(|bytes| per_fragment(bytes, 1.0)),
        arrays: about
            .arrays
            .into_iter()
            .map(|array| Array {
                bits_per_fragment: array.bytes.and_then(|bytes| per_fragment(bytes, 8.0)),
                name: array.name,
                value_type: array.value_type.map_or("string".to_owned(), |t| t.to_string()),
                len: array.len,
                bytes: array.bytes,
            })
            .collect(),
        format: about.format,
        container: about.container,
        version: about.version,
    };
    if args.json {
        print_json(crate::verbs::info::INFO_SCHEMA, &report)?;
    } else {
        with_stdout(|out| show(&report, out).map_err(failed))?;
    }
    Ok(Outcome::Good)
}

#[expect(clippy::cast_precision_loss, reason = "shown with two decimals")]
fn ratio(a: u64, b: u64) -> f64 {
    a as f64 / b as f64
}

fn show(report: &Report, out: &mut dyn Write) -> std::io::Result<()> {
    let mut line = |key: &str, value: String| writeln!(out, "{key:<12}{}", escaped(&value));
    line("format", report.format.clone())?;
    line("container", report.container.clone())?;
    if let Some(version) = &report.version {
        line("version", version.clone())?;
    }
    line("kind", report.kind.to_owned())?;
    line("fragments", report.fragments.to_string())?;
    line("chromosomes", report.chromosomes.to_string())?;
    line("cells", report.cells.to_string())?;
    if let Some(size) = report.bytes {
        let each = report.bytes_per_fragment.map(|each| format!(", {each} bytes per fragment"));
        line("size", format!("{}{}", bytes(size), each.unwrap_or_default()))?;
    }
    if !report.other_groups.is_empty() {
        line("also holds", nnz::formats::list_groups(&report.other_groups))?;
    }
    for note in &report.notes {
        line("note", note.clone())?;
    }
    writeln!(
        out,
        "\n{:<20}{:<10}{:>16}{:>12}{:>14}",
        "array", "type", "elements", "size", "bits/fragment"
    )?;
    for array in &report.arrays {
        let len = array.len.map(|len| len.to_string()).unwrap_or_default();
        let bits = array.bits_per_fragment.map(|bits| format!("{bits:.2}")).unwrap_or_default();
        let (name, value_type, size) =
            (escaped(&array.name), &array.value_type, array.bytes.map(bytes).unwrap_or_default());
        writeln!(out, "{name:<19} {value_type:<9} {len:>16} {size:>11} {bits:>13}")?;
    }
    Ok(())
}
