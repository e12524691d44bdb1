//! Tables.

mod golden;
mod malformed;
mod mutations;
mod round_trips;

use nnz_core::{Axis, Batch, MatrixSource, Projection, Result, Scalar, Values};
use nnz_storage::TaskContext;
use nnz_text::table::{ReadOptions, TableSource, from_reader};

/// Options that keep values in memory, as by default.
pub(crate) fn keeping() -> ReadOptions {
    ReadOptions { keep: 1 << 20, ..ReadOptions::default() }
}

/// The same options in other ways: the text is read again, by one thread or several.
pub(crate) fn ways(options: &ReadOptions) -> Vec<(ReadOptions, TaskContext)> {
    let way = |keep, threads| {
        let context = TaskContext::default().with_threads(threads);
        (ReadOptions { keep, ..options.clone() }, context)
    };
    vec![way(1 << 20, 2), way(0, 1), way(0, 3)]
}

pub(crate) fn open(text: &[u8], options: &ReadOptions) -> Result<TableSource> {
    open_in(text, options, &TaskContext::default().with_threads(2))
}

pub(crate) fn open_in(
    text: &[u8],
    options: &ReadOptions,
    context: &TaskContext,
) -> Result<TableSource> {
    let text = Box::new(std::io::Cursor::new(text.to_vec()));
    from_reader(text, "t.csv".as_ref(), options, context)
}

/// Reads the cells by row.
pub(crate) fn cells(table: &TableSource) -> Result<Vec<Scalar>> {
    let header = table.header();
    let mut batch = Batch::new(header.order, Values::new(header.value_type));
    let mut reader = table.batches(0..header.shape.rows, Projection::ALL)?;
    let mut cells = Vec::new();
    while reader.next_batch(&mut batch)? {
        for entry in 0..batch.entries() {
            let (row, col) = batch.row_col(entry);
            assert_eq!(row * header.shape.cols + col, cells.len() as u64);
            cells.push(batch.values.get(entry).unwrap());
        }
    }
    assert_eq!(cells.len() as u128, header.shape.elements());
    Ok(cells)
}

pub(crate) fn names(table: &TableSource, axis: Axis) -> Option<Vec<String>> {
    let names = table.names(axis).unwrap()?;
    Some(names.iter().map(|name| String::from_utf8(name.to_vec()).unwrap()).collect())
}

/// Opens a text, and returns its names and cells as text.
pub(crate) fn content(
    text: &str,
    options: &ReadOptions,
    context: &TaskContext,
) -> Result<(Vec<String>, Vec<String>, String)> {
    let table = open_in(text.as_bytes(), options, context)?;
    let all: Vec<String> = cells(&table)?.iter().map(ToString::to_string).collect();
    let of = |axis| names(&table, axis).unwrap_or_default();
    Ok((of(Axis::Rows), of(Axis::Cols), all.join(" ")))
}
