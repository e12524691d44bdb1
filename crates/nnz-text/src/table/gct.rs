//! The start of GCT files, of the versions 1.2 and 1.3.

use nnz_core::{Result, StringList};

use super::fault::{Expected, Fault};
use super::field::{Field, record};
use super::layout::Layout;
use super::options::{ReadOptions, Separator};
use super::sniff::{Start, names};

const TAB: Separator = Separator::Byte(b'\t');

/// The sizes in the second line.
struct Sizes {
    rows: u64,
    cols: u64,
    /// The number of annotations of rows, without the names.
    of_rows: u64,
    of_cols: u64,
}

/// Returns the number of records before the first row. The text has at least two records.
pub(super) fn preamble_records(text: &[u8]) -> usize {
    let of_cols = record(text, 0, TAB)
        .and_then(|(_, next)| sizes(text, next))
        .map(|(sizes, _)| sizes.of_cols);
    usize::try_from(of_cols.unwrap_or(0)).unwrap_or(usize::MAX).saturating_add(3)
}

/// Parses the second line, and returns the start of the third.
fn sizes(text: &[u8], at: usize) -> Result<(Sizes, usize), Fault> {
    let (fields, next) = record(text, at, TAB)?;
    let size = |index: usize, what| {
        let end = fields.last().map_or(at, |field| field.at);
        let field = fields.get(index).ok_or(Fault::new(end, Expected::Size(what)))?;
        let parsed =
            std::str::from_utf8(&field.text).ok().and_then(|text| text.trim().parse().ok());
        parsed.ok_or_else(|| Fault::new(field.at, Expected::Size(what)))
    };
    let version = text.get(..4);
    let (rows, cols) = (size(0, "rows")?, size(1, "columns")?);
    let sizes = match version {
        Some(b"#1.3") => {
            let of_rows = size(2, "annotations of rows")?;
            Sizes { rows, cols, of_rows, of_cols: size(3, "annotations of columns")? }
        }
        _ => Sizes { rows, cols, of_rows: 1, of_cols: 0 },
    };
    let used = if version == Some(b"#1.3") { 4 } else { 2 };
    // Spreadsheets pad lines with separators.
    match fields.iter().skip(used).find(|field| !field.text.is_empty()) {
        Some(field) => Err(Fault::new(field.at, Expected::EndOfRow { fields: used as u64 })),
        None => Ok((sizes, next)),
    }
}

/// Detects how the rows are written.
pub(super) fn detect(start: &Start<'_>, options: &ReadOptions) -> Result<Layout> {
    layout(start.text, options).map_err(|fault| start.error(&fault))
}

fn layout(text: &[u8], options: &ReadOptions) -> Result<Layout, Fault> {
    let (_, second) = record(text, 0, TAB)?;
    let (sizes, third) = sizes(text, second)?;
    let (header, mut at) = record(text, third, TAB)?;
    let ids = usize::try_from(sizes.of_rows).unwrap_or(usize::MAX).saturating_add(1);
    let expected = sizes.cols.saturating_add(sizes.of_rows).saturating_add(1);
    let check = |fields: &[Field], at: usize| match fields.len() as u64 == expected {
        true => Ok(()),
        false => Err(Fault::new(at, Expected::Fields { found: fields.len() as u64, expected })),
    };
    check(&header, third)?;
    let string = |field: &Field| String::from_utf8_lossy(&field.text).into_owned();
    let mut col_annotations: Vec<(String, StringList)> = Vec::new();
    for _ in 0..sizes.of_cols {
        let (fields, next) = record(text, at, TAB)?;
        check(&fields, at)?;
        let label = fields.first().map(string).unwrap_or_default();
        col_annotations.push((label, names(fields.get(ids..).unwrap_or_default())));
        at = next;
    }
    Ok(Layout {
        separator: TAB,
        decimal: options.decimal,
        na: options.na.clone(),
        ids,
        cols: sizes.cols,
        id_labels: header.iter().take(ids).map(string).collect(),
        col_names: Some(names(header.get(ids..).unwrap_or_default())),
        col_annotations,
        preamble: [0, at],
        stated_rows: Some(sizes.rows),
        gct: Some(if text.starts_with(b"#1.3") { "1.3" } else { "1.2" }),
    })
}
