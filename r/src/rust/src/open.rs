//! Opening matrices, and matrices that select from others.

use std::ops::Range;
use std::sync::Arc;

use nnz::engine::{Slice, Transposed};
use nnz::formats::{FormatOptions, Registry, list};
use nnz::matrix::{AxisKind, Storage, Structure};
use nnz::{Dataset, Error, Location, MatrixSource, OpenOptions, Order, Selection};

use crate::args::Args;
use crate::error::Failure;
use crate::sources::{self, of};
use crate::task::{self, Limits};
use crate::value::Value;

/// Opens the matrix of a path: path, format or `NULL`, names and values of options, bytes of memory or `NULL`.
pub(crate) fn open(args: &Args<'_>) -> Result<Value, Failure> {
    let location = location(args.text(0)?);
    let options = options(args.optional_text(1)?, &args.texts(2)?, &args.texts(3)?)?;
    let limits = Limits { memory: args.optional_whole(4)?, threads: None };
    let opened = task::run_detached(limits, move |context| {
        let opened = options.open(&location, context).and_then(Dataset::into_matrix);
        opened.map_err(|error| error.with_context(&location.source_place()))
    })?;
    Ok(sources::insert(opened.into()))
}

/// Parses a path, possibly with a group after `::`. Standard input is not a path.
fn location(path: &str) -> Location {
    match Location::parse(path) {
        Location::Stream => Location::Path { path: "-".into(), group: None },
        found => found,
    }
}

/// Parses the format and the options of a source.
fn options(format: Option<&str>, names: &[&str], values: &[&str]) -> nnz::Result<OpenOptions> {
    let mut given = FormatOptions::default();
    for (name, value) in names.iter().zip(values) {
        let is_named =
            |option: &&&nnz::formats::FormatOption| option.name.replace('-', "_") == *name;
        let known: Vec<_> = list().into_iter().flat_map(|format| format.read_options).collect();
        let mut refused = format!("unknown option {name:?}");
        let mut set = false;
        for option in known.iter().filter(is_named) {
            match (option.check)(value) {
                Ok(()) if option.repeated => given.add(option.name, *value),
                Ok(()) => given.set(option.name, *value),
                Err(error) => {
                    refused = format!("{name} {value:?}: {error}");
                    continue;
                }
            }
            set = true;
            break;
        }
        if !set {
            return Err(Error::argument(refused));
        }
    }
    let options = OpenOptions::new().format_options(given);
    let Some(name) = format else { return Ok(options) };
    match Registry::default().find(name) {
        Some(format) => Ok(options.format(format.info().name)),
        None => Err(Error::argument(format!("unknown format {name:?}"))),
    }
}

/// Closes a matrix.
pub(crate) fn close(args: &Args<'_>) -> Result<Value, Failure> {
    sources::remove(args.whole(0)?);
    Ok(Value::Null)
}

/// Describes a matrix.
pub(crate) fn header(args: &Args<'_>) -> Result<Value, Failure> {
    let matrix = of(args, 0)?.matrix;
    let described = Arc::clone(&matrix);
    // It may read or request something.
    let about = task::run_detached(Limits::default(), move |_| described.about())?;
    let header = matrix.header();
    let kinds = header.axis_kinds.map(|kind| match kind {
        AxisKind::Cells => Some("cells".to_owned()),
        AxisKind::Features => Some("features".to_owned()),
        AxisKind::Unknown => None,
    });
    let structure = header.structure;
    let structure = (structure != Structure::General).then(|| structure.to_string());
    let is_sparse = header.storage == Storage::Sparse;
    Ok(Value::list([
        ("rows", Value::whole(header.shape.rows)),
        ("cols", Value::whole(header.shape.cols)),
        ("entries", header.nnz.map_or(Value::Null, Value::whole)),
        ("type", Value::text(header.value_type.name())),
        ("order", Value::text(if header.order == Order::Row { "row" } else { "col" })),
        ("axis_kinds", Value::Texts(kinds.into())),
        ("structure", Value::optional_text(structure)),
        ("sparse", Value::flag(is_sparse)),
        ("random_access", Value::flag(matrix.random_access())),
        ("format", Value::text(about.format)),
        ("container", Value::text(about.container)),
        ("notes", Value::Texts(matrix.notes().into_iter().map(Some).collect())),
    ]))
}

/// Transposes a matrix.
pub(crate) fn transposed(args: &Args<'_>) -> Result<Value, Failure> {
    let matrix = of(args, 0)?.matrix;
    Ok(sources::insert(Arc::new(Transposed::new(Box::new(matrix)))))
}

/// Selects unique rows and columns, or all.
pub(crate) fn select(args: &Args<'_>) -> Result<Value, Failure> {
    let matrix = of(args, 0)?.matrix;
    let slice = selected(matrix, args.optional_positions(1)?, args.optional_positions(2)?)?;
    Ok(sources::insert(slice))
}

/// Selects unique positions, or all.
pub(crate) fn selected(
    matrix: Arc<dyn MatrixSource>,
    rows: Option<Vec<u64>>,
    cols: Option<Vec<u64>>,
) -> Result<Arc<dyn MatrixSource>, Failure> {
    if rows.is_none() && cols.is_none() {
        return Ok(matrix);
    }
    let [rows, cols] = [rows, cols].map(|positions| match positions {
        Some(positions) => Selection::ranges(ranges(&positions)).allow_empty(true),
        None => Selection::all(),
    });
    let slice =
        task::run_detached(Limits::default(), move |_| Slice::new(Box::new(matrix), &rows, &cols))?;
    Ok(Arc::new(slice))
}

/// Merges adjacent positions.
fn ranges(positions: &[u64]) -> Vec<Range<u64>> {
    let mut ranges: Vec<Range<u64>> = Vec::new();
    for &position in positions {
        match ranges.last_mut() {
            Some(last) if last.end == position => last.end += 1,
            _ => ranges.push(position..position.saturating_add(1)),
        }
    }
    ranges
}
