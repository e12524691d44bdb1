//! Verbs on frames.

use nnz::Context;
use std::io::Write;

use nnz::frames::{self, FrameOptions, FrameSource, FrameSummary};
use nnz::{Axis, CatOptions, Error, Location, OpenOptions, Rounding, Selection, text::escaped};
use serde::Serialize;

use super::write;
use crate::Outcome;
use crate::output::{bytes, failed, print_json, print_message, with_stdout};
use crate::verbs::names::NamesArg;

/// Returns whether the source is converted as a frame in a text file: to DAPHNE, or with types of columns.
/// Otherwise it is a matrix.
pub(super) fn is_text(
    args: &crate::verbs::convert::Convert,
    context: &Context,
) -> Result<bool, Error> {
    let is_text = || frames::is_text(&args.source, &nnz::OpenOptions::new(), context);
    if args.source_options.types.is_some() {
        // Standard input can be a matrix as well; with types of columns it is a frame.
        return match matches!(args.source, Location::Stream) || is_text()? {
            true => Ok(true),
            false => Err(Error::argument("--types applies to .csv sources only")),
        };
    }
    let reading = &args.source_options.reading;
    let given = reading.from_dialect.is_some() || reading.from.format.is_some();
    let format = args.writing.to.as_ref().map(|to| to.format);
    if given || !reading.from.options.0.is_empty() || !frames::is_target(&args.target, format) {
        return Ok(false);
    }
    is_text()
}

/// Converts a frame between text and DAPHNE.
pub(super) fn convert(
    args: &crate::verbs::convert::Convert,
    transpose: bool,
    quiet: bool,
    context: &Context,
) -> Result<Outcome, Error> {
    let writing = &args.writing;
    if transpose {
        let what =
            "contains a data frame, not a matrix; it is only converted between .csv and .dbdf";
        return Err(Error::argument(format!("{}: {what}", args.source)));
    }
    let of_matrices = [
        ("--order", writing.order.is_some()),
        ("--type", writing.value_type.is_some()),
        ("--duplicates", writing.duplicates.is_some()),
        ("--compress", writing.compress.is_some()),
    ];
    let given = of_matrices.into_iter().find(|(_, given)| *given).map(|(option, _)| option);
    if let Some(option) = given.or_else(|| writing.labelling.first()) {
        let what = format!("contains a data frame, to which {option} does not apply");
        return Err(Error::argument(format!("{}: {what}", args.source)));
    }
    let mut options = FrameOptions::default()
        .types(args.source_options.types.clone())
        .open(OpenOptions::new().dialect(args.source_options.reading.from_dialect))
        .format_options(writing.format_options.0.clone())
        .rounding(if writing.lossy { Rounding::Nearest } else { Rounding::Refused })
        .overwrite(writing.force)
        .sync(!writing.no_sync);
    options.format = writing.to.as_ref().map(|to| to.format);
    let summary = frames::convert(&args.source, &args.target, &options, context)?;
    if !quiet {
        summarise(&args.source, &args.target, &summary);
    }
    Ok(Outcome::Good)
}

/// Prints the summary to standard error: the target may be standard output.
fn summarise(source: &Location, target: &Location, summary: &FrameSummary) {
    for note in &summary.notes {
        print_message(&format!("note: {note}"));
    }
    print_message(&write::heading(std::slice::from_ref(source), target));
    let rows = write::counted(summary.rows, "row", "rows");
    print_message(&format!("  {rows}, {}", write::counted(summary.cols, "column", "columns")));
    let sizes: Vec<String> =
        [summary.bytes_before, summary.bytes_after].into_iter().flatten().map(bytes).collect();
    if !sizes.is_empty() {
        print_message(&format!("  {}", sizes.join(" -> ")));
    }
    print_message(&format!("  {:.2} s", summary.seconds));
}

/// Prints all cells: row, column and value.
pub(super) fn cat(
    args: &crate::verbs::cat::Cat,
    options: &CatOptions,
    frame: &FrameSource,
) -> Result<Outcome, Error> {
    if args.expand {
        return Err(Error::argument("--expand does not apply to frames"));
    }
    if args.names {
        return Err(Error::argument("--names does not apply to frames"));
    }
    let range = |selection: &Option<Selection>, axis, len| match selection {
        None => Ok(0..u64::MAX),
        Some(selection) => {
            let range = selection.as_range().ok_or_else(|| {
                Error::argument("--rows and --cols of a frame take one range, such as 0:10")
            })?;
            selection.clipped(&range, axis, len)
        }
    };
    let rows = range(&options.rows, Axis::Rows, frame.rows())?;
    let cols = range(&options.cols, Axis::Cols, frame.columns().len() as u64)?;
    let mut printed = Ok(());
    with_stdout(|out| {
        // Rows read before an error are printed, too.
        printed = frames::print(frame, rows, cols, out);
        Ok(())
    })?;
    printed.map(|()| Outcome::Good)
}

/// Prints the labels of the columns.
pub(super) fn names(
    args: &crate::verbs::names::Names,
    frame: &FrameSource,
    quiet: bool,
) -> Result<Outcome, Error> {
    match args.axis {
        NamesArg::Cols => {}
        NamesArg::Rows if quiet => return Ok(Outcome::Good),
        NamesArg::Rows => {
            print_message("note: the rows have no names");
            return Ok(Outcome::Good);
        }
        NamesArg::Cells | NamesArg::Features | NamesArg::Chromosomes => {
            return Err(Error::argument("a data frame has names of columns only"));
        }
    }
    with_stdout(|out| {
        frame
            .columns()
            .iter()
            .try_for_each(|column| writeln!(out, "{}", column.label))
            .map_err(failed)
    })?;
    Ok(Outcome::Good)
}

/// The output, with the keys of JSON.
#[derive(Serialize)]
struct Report {
    format: String,
    container: String,
    version: Option<String>,
    dialect: Option<String>,
    kind: &'static str,
    rows: u64,
    cols: u64,
    bytes: Option<u64>,
    columns: Vec<Column>,
    blocks: Vec<Blocks>,
}

#[derive(Serialize)]
struct Column {
    label: String,
    #[serde(rename = "type")]
    value_type: String,
}

/// The blocks of one kind and type.
#[derive(Serialize)]
struct Blocks {
    name: String,
    #[serde(rename = "type")]
    value_type: Option<String>,
    bytes: u64,
}

/// Describes a frame.
pub(super) fn info(args: &crate::verbs::info::Info, frame: &FrameSource) -> Result<Outcome, Error> {
    let about = frame.about();
    let columns = frame.columns().iter();
    let report = Report {
        format: about.format,
        container: about.container,
        version: about.version,
        dialect: about.dialect,
        kind: "frame",
        rows: frame.rows(),
        cols: frame.columns().len() as u64,
        bytes: about.bytes,
        columns: columns
            .map(|column| Column {
                label: column.label.clone(),
                value_type: column.value_type.to_string(),
            })
            .collect(),
        blocks: about
            .arrays
            .into_iter()
            .map(|array| Blocks {
                name: array.name,
                value_type: array.value_type.map(|t| t.to_string()),
                bytes: array.bytes.unwrap_or_default(),
            })
            .collect(),
    };
    if args.json {
        print_json(super::info::INFO_SCHEMA, &report)?;
    } else {
        with_stdout(|out| show(&report, out).map_err(failed))?;
    }
    Ok(Outcome::Good)
}

fn show(report: &Report, out: &mut dyn Write) -> std::io::Result<()> {
    let mut line = |key: &str, value: &str| writeln!(out, "{key:<12}{}", escaped(value));
    line("format", &report.format)?;
    line("container", &report.container)?;
    line("version", report.version.as_deref().unwrap_or_default())?;
    line("dialect", report.dialect.as_deref().unwrap_or_default())?;
    line("kind", report.kind)?;
    line("rows", &report.rows.to_string())?;
    line("cols", &report.cols.to_string())?;
    line("size", &bytes(report.bytes.unwrap_or_default()))?;
    if !report.columns.is_empty() {
        writeln!(out, "\n{:<10}label", "type")?;
    }
    for Column { label, value_type } in &report.columns {
        writeln!(out, "{value_type:<9} {}", escaped(label))?;
    }
    if !report.blocks.is_empty() {
        writeln!(out, "\n{:<28}{:<10}{:>12}", "blocks", "type", "size")?;
    }
    for Blocks { name, value_type, bytes: size } in &report.blocks {
        let value_type = value_type.as_deref().unwrap_or("-");
        let name = escaped(name);
        writeln!(out, "{name:<27} {value_type:<9} {:>12}", bytes(*size))?;
    }
    Ok(())
}
