//! Verbs on frames.

use std::io::Write;

use nnz::frames::{self, FrameSource};
use nnz::{Axis, CatOptions, Error, Selection, text::escaped};
use serde::Serialize;

use crate::Outcome;
use crate::output::{bytes, failed, print_json, print_message, with_stdout};
use crate::verbs::names::NamesArg;

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
