//! The lines before the first row, and the text at the start of each row.

use nnz_core::{
    Annotations, Column, Error, Header, Names, Place, Result, StringList, StringReader,
};

use super::{TableKind, WriteOptions};

/// The label of the annotation that GCT 1.2 stores.
const DESCRIPTION: &str = "Description";
/// The text of a missing value of GCT.
const MISSING: &[u8] = b"na";

/// The lines before the first row, and what precedes the numbers of each row.
pub(super) struct Preamble {
    pub(super) text: Vec<u8>,
    pub(super) rows: RowStarts,
}

/// Text before the numbers of each row.
pub(super) struct RowStarts {
    separator: u8,
    names: Option<StringList>,
    columns: Vec<Column>,
    /// Whether GCT requires a description that there is not.
    described: bool,
}

impl Preamble {
    pub(super) fn new(
        header: &Header,
        [row_names, col_names]: [Option<Names<'_>>; 2],
        [of_rows, of_cols]: [Option<&dyn Annotations>; 2],
        (options, memory): (&WriteOptions, u64),
    ) -> Result<Self> {
        let separator = options.kind.separator();
        let list = |names: Option<Names<'_>>| {
            names.map(|mut names| names.list_with_limit(memory)).transpose()
        };
        let names = list(row_names)?;
        let gct = options.kind == TableKind::Gct;
        let of_rows = of_rows.filter(|_| gct).map(|table| read(table, memory));
        let of_cols = of_cols.filter(|_| gct).map(|table| read(table, memory));
        let of_rows = of_rows.transpose()?.unwrap_or_default();
        let of_cols = of_cols.transpose()?.unwrap_or_default();
        let plain = of_cols.is_empty()
            && (of_rows.is_empty() || matches!(&of_rows[..], [(label, _)] if label == DESCRIPTION));
        let mut text = Vec::new();
        if gct {
            let shape = header.shape;
            let sizes = match plain {
                true => format!("#1.2\n{}\t{}\n", shape.rows, shape.cols),
                false => format!(
                    "#1.3\n{}\t{}\t{}\t{}\n",
                    shape.rows,
                    shape.cols,
                    of_rows.len(),
                    of_cols.len()
                ),
            };
            text.extend_from_slice(sizes.as_bytes());
        }
        match (gct, plain) {
            (false, _) => {}
            (true, true) => text.extend_from_slice(b"Name\tDescription"),
            (true, false) => {
                text.extend_from_slice(b"id");
                for (label, _) in &of_rows {
                    text.push(separator);
                    write_field(&mut text, label.as_bytes(), separator)?;
                }
            }
        }
        write_labels(&mut text, header.shape.cols, col_names, separator)?;
        for (label, column) in &of_cols {
            write_field(&mut text, label.as_bytes(), separator)?;
            for _ in &of_rows {
                text.push(separator);
                text.extend_from_slice(MISSING);
            }
            for col in 0..header.shape.cols {
                text.push(separator);
                write_annotation(&mut text, column, col, separator)?;
            }
            text.push(b'\n');
        }
        let described = gct && plain && of_rows.is_empty();
        let columns = of_rows.into_iter().map(|(_, column)| column).collect();
        Ok(Self { text, rows: RowStarts { separator, names, columns, described } })
    }
}

impl RowStarts {
    /// Appends the text before the numbers of a row.
    pub(super) fn write(&self, row: u64, text: &mut Vec<u8>) -> Result<()> {
        match &self.names {
            Some(names) => write_field(text, names.get(row).unwrap_or_default(), self.separator)?,
            None => text.extend_from_slice(row.to_string().as_bytes()),
        }
        for column in &self.columns {
            text.push(self.separator);
            write_annotation(text, column, row, self.separator)?;
        }
        if self.described {
            text.push(self.separator);
            text.extend_from_slice(MISSING);
        }
        Ok(())
    }
}

/// Reads a table into memory.
fn read(table: &dyn Annotations, memory: u64) -> Result<Vec<(String, Column)>> {
    let columns = table.columns().iter().enumerate();
    columns.map(|(at, info)| Ok((info.name.clone(), table.read_column(at, memory)?))).collect()
}

/// Writes the names of columns, each after a separator.
fn write_labels(
    text: &mut Vec<u8>,
    cols: u64,
    names: Option<Box<dyn StringReader + '_>>,
    separator: u8,
) -> Result<()> {
    match names {
        Some(mut names) => {
            while let Some(name) = names.next_string()? {
                text.push(separator);
                write_field(text, name, separator)?;
            }
        }
        None => {
            for col in 0..cols {
                text.push(separator);
                text.extend_from_slice(col.to_string().as_bytes());
            }
        }
    }
    text.push(b'\n');
    Ok(())
}

fn write_annotation(text: &mut Vec<u8>, column: &Column, row: u64, separator: u8) -> Result<()> {
    let mut value = Vec::new();
    match column.is_missing(row) {
        true => value.extend_from_slice(MISSING),
        false => column.write_text(row, &mut value),
    }
    write_field(text, &value, separator)
}

/// Writes a field, quoted if this is necessary.
fn write_field(text: &mut Vec<u8>, field: &[u8], separator: u8) -> Result<()> {
    if std::str::from_utf8(field).is_err() || field.contains(&0) {
        let found = format!("the name \"{}\"", String::from_utf8_lossy(field).escape_debug());
        return Err(Error::mismatch(Place::default(), found, "UTF-8 without zero bytes"));
    }
    let special = |byte: &u8| *byte == separator || matches!(byte, b'"' | b'\n' | b'\r');
    if !field.iter().any(special) {
        text.extend_from_slice(field);
        return Ok(());
    }
    text.push(b'"');
    for &byte in field {
        if byte == b'"' {
            text.push(b'"');
        }
        text.push(byte);
    }
    text.push(b'"');
    Ok(())
}
