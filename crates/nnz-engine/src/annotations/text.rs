//! Tables as text.

use nnz_storage::TaskContext;
use std::io::Write;

use nnz_core::{Annotations, Axis, Error, ErrorKind, MatrixSource, Names, Place, Result};

use super::table::AnnotationTable;

/// Options of writing a table as text.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct AnnotationText {
    /// The separator of values: a comma or a tab.
    pub separator: u8,
}

nnz_core::setters! {
    AnnotationText {
        separator: u8,
    }
}

impl Default for AnnotationText {
    fn default() -> Self {
        Self { separator: b'\t' }
    }
}

/// Writes the names and annotations of an axis, with a header and one line per row. The first column has the
/// names. Missing values are empty; values with a separator, a quote or a line break are quoted.
///
/// # Errors
///
/// Fails if there are no names and no annotations, if they cannot be read or take more memory, and
/// if writing fails.
pub fn write_annotations(
    source: &dyn MatrixSource,
    axis: Axis,
    options: &AnnotationText,
    out: &mut dyn Write,
    context: &TaskContext,
) -> Result<()> {
    let names = source.read_names(axis)?;
    let table = source.annotations(axis)?;
    if names.is_none() && table.is_none() {
        let what = format!("the {axis} have no names and no annotations");
        return Err(Error::argument(what));
    }
    let len = source.header().shape.len(axis);
    write_rows((names, table.as_deref(), len), options, out, context.memory())
}

/// Writes a table as [`write_annotations`].
///
/// # Errors
///
/// Fails if writing fails.
pub fn write_table(
    table: &AnnotationTable,
    options: &AnnotationText,
    out: &mut dyn Write,
) -> Result<()> {
    let names: Names<'_> = table.names().reader();
    write_rows((Some(names), Some(table), table.len()), options, out, u64::MAX)
}

fn write_rows(
    (names, table, len): (Option<Names<'_>>, Option<&dyn Annotations>, u64),
    options: &AnnotationText,
    out: &mut dyn Write,
    memory: u64,
) -> Result<()> {
    let failed = |error| Error::new(ErrorKind::Io(error), Place::default());
    let infos = table.as_ref().map_or(&[][..], |table| table.columns());
    let mut line = Vec::new();
    let mut names = names;
    if names.is_some() {
        let taken = |name: &str| infos.iter().any(|column| column.name == name);
        let header = ["name", "index", "_index"].into_iter().find(|name| !taken(name));
        write_field(header.unwrap_or_default().as_bytes(), options.separator, &mut line);
    }
    for (at, info) in infos.iter().enumerate() {
        if at > 0 || names.is_some() {
            line.push(options.separator);
        }
        write_field(info.name.as_bytes(), options.separator, &mut line);
    }
    line.push(b'\n');
    out.write_all(&line).map_err(failed)?;
    let mut columns = Vec::with_capacity(infos.len());
    let each = memory / (infos.len() as u64).max(1);
    for number in 0..infos.len() {
        if let Some(table) = &table {
            columns.push(table.read_column(number, each)?);
        }
    }
    let mut text = Vec::new();
    for row in 0..len {
        line.clear();
        if let Some(names) = &mut names {
            write_field(names.next_string()?.unwrap_or_default(), options.separator, &mut line);
        }
        for (at, column) in columns.iter().enumerate() {
            if at > 0 || names.is_some() {
                line.push(options.separator);
            }
            text.clear();
            column.write_text(row, &mut text);
            write_field(&text, options.separator, &mut line);
        }
        line.push(b'\n');
        out.write_all(&line).map_err(failed)?;
    }
    Ok(())
}

/// Writes a value, quoted if necessary.
pub(crate) fn write_field(value: &[u8], separator: u8, line: &mut Vec<u8>) {
    let plain = |byte: &u8| *byte != separator && !matches!(byte, b'"' | b'\n' | b'\r');
    if value.iter().all(plain) {
        line.extend_from_slice(value);
        return;
    }
    line.push(b'"');
    for &byte in value {
        if byte == b'"' {
            line.push(b'"');
        }
        line.push(byte);
    }
    line.push(b'"');
}
