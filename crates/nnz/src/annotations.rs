//! Annotations of rows and columns.

use std::path::Path;

use nnz_core::{Error, Place, Result};
use nnz_lines::Input;
use nnz_storage::Opened;

pub use nnz_core::{
    Annotations, Categorical, Categories, Column, ColumnInfo, ColumnType, ColumnValues,
    ORIGINAL_POSITION,
};
pub use nnz_engine::{
    AnnotationTable, AnnotationText, Labelled, Labels, OriginalPositions, write_annotations,
};

/// Returns the separator of the values of a table by the extension of its file: a comma for `.csv`, a tab
/// for `.tsv` and `.txt`, also with `.gz`.
///
/// # Errors
///
/// Fails for any other extension.
pub fn separator_of(path: &Path) -> Result<u8> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    match Path::new(name.trim_end_matches(".gz")).extension().and_then(|ending| ending.to_str()) {
        Some("csv") => Ok(b','),
        Some("tsv" | "txt") => Ok(b'\t'),
        _ => Err(Error::argument(format!(
            "{}: expected .csv, .tsv or .txt, also with .gz",
            path.display()
        ))),
    }
}

/// Reads a table of comma- or tab-separated values, plain or gzipped, which may take `memory` bytes. See
/// [`AnnotationTable::from_text`].
///
/// # Errors
///
/// Fails as [`separator_of`] and [`AnnotationTable::from_text`], and if the file cannot be read.
pub fn read_table(path: impl AsRef<Path>, memory: u64) -> Result<AnnotationTable> {
    let path = path.as_ref();
    let separator = separator_of(path)?;
    let input = Input::open(&Opened::local(path)?)?;
    let table = AnnotationTable::from_text(input.reader, separator, memory);
    let place = Place::path(path);
    match table {
        Ok(table) => Ok(table.with_place(place)),
        Err(error) => Err(error.with_context(&place)),
    }
}
