//! Stored entries as text.

use std::io::Write;
use std::ops::Range;

use nnz_core::{Error, ErrorKind, Fields, MatrixSource, Order, Place, Result, Structure, Values};

use crate::check::Uniqueness;
use crate::sort::sorted;
use crate::stages::{Batches, DuplicatePolicy, Mirror, Mirroring, Unique, empty_batch};
use crate::{Location, open};

/// Says which entries are written, and how.
#[derive(Clone, Debug)]
pub struct CatOptions {
    /// The rows, counted from 0; the end may be past the last one.
    pub rows: Option<Range<u64>>,
    /// The columns.
    pub cols: Option<Range<u64>>,
    /// Whether entries that follow from the structure are written behind those they follow from.
    pub expand: bool,
    /// What to do with entries that share a place, where the format leaves that open.
    pub duplicates: DuplicatePolicy,
    /// Bytes of memory for sorting, which only looking for duplicates takes.
    pub memory: u64,
}

impl Default for CatOptions {
    fn default() -> Self {
        Self {
            rows: None,
            cols: None,
            expand: false,
            duplicates: DuplicatePolicy::default(),
            memory: crate::default_memory(),
        }
    }
}

/// Writes the stored entries of a matrix in storage order, one a line: row and column counted from
/// 0, and the value, with tabs between.
///
/// # Errors
///
/// Fails where the matrix cannot be read or is broken, and where writing fails. What was read up to
/// there is written.
pub fn cat(location: &Location, options: &CatOptions, out: &mut dyn Write) -> Result<()> {
    let opened = open(location)?;
    let source = &*opened.source;
    let header = source.header();
    let (rows, cols) = (
        options.rows.clone().unwrap_or(0..header.shape.rows),
        options.cols.clone().unwrap_or(0..header.shape.cols),
    );
    let mut uniqueness = Uniqueness::new(source, options.duplicates, options.memory);
    let mut reader = read(source, options, &rows, &cols)?;
    let mut batch = empty_batch(header.order, header.value_type);
    let mut text = Vec::with_capacity(128 << 10);
    let all = options.rows.is_none() && options.cols.is_none();
    loop {
        let more =
            reader.next_batch(&mut batch).map_err(|error| error.within(&location.source_place()));
        let Ok(true) = more else {
            flush(&mut text, out)?;
            more?;
            break;
        };
        uniqueness.watch(&batch)?;
        batch.try_for_each(|entry, major, minor| {
            let (row, col) = batch.order.row_col(major, minor);
            if all || (rows.contains(&row) && cols.contains(&col)) {
                line(&mut text, row, col, &batch.values, entry);
                if text.len() > 64 << 10 {
                    flush(&mut text, out)?;
                }
            }
            Ok::<(), Error>(())
        })?;
    }
    drop(reader);
    uniqueness.finish().map_err(|error| error.within(&location.source_place()))
}

/// Starts reading what is asked for.
fn read<'a>(
    source: &'a dyn MatrixSource,
    options: &CatOptions,
    rows: &Range<u64>,
    cols: &Range<u64>,
) -> Result<Batches<'a>> {
    let header = source.header();
    let majors = header.shape.major(header.order);
    let expands = options.expand && header.structure != Structure::General;
    let wanted = match header.order {
        Order::Row => rows,
        Order::Col => cols,
    };
    let range = if source.random_access() && !expands {
        let end = wanted.end.min(majors);
        wanted.start.min(end)..end
    } else {
        0..majors
    };
    let mut reader = source.batches(range, Fields::ALL)?;
    if options.duplicates == DuplicatePolicy::Sum {
        reader = summed(reader, source, options.memory)?;
    }
    if expands {
        reader = Box::new(Mirror::new(
            reader,
            header.structure,
            Mirroring::Expand,
            header.order,
            header.shape,
            header.value_type,
        ));
    }
    Ok(reader)
}

/// Sorts entries and adds up those at one place; a mirrored pair counts as one place.
fn summed<'a>(reader: Batches<'a>, source: &dyn MatrixSource, memory: u64) -> Result<Batches<'a>> {
    let header = source.header();
    let reader: Batches<'a> = match header.structure {
        Structure::General => reader,
        structure => Box::new(Mirror::new(
            reader,
            structure,
            Mirroring::Fold,
            header.order,
            header.shape,
            header.value_type,
        )),
    };
    let spool = std::env::temp_dir();
    let (reader, _) = sorted(reader, header, header.order, memory, &spool, |_| {})?;
    Ok(Box::new(Unique::new(reader, DuplicatePolicy::Sum, header.order, header.shape)))
}

fn line(text: &mut Vec<u8>, row: u64, col: u64, values: &Values, entry: usize) {
    nnz_core::write_scalar(text, nnz_core::Scalar::U64(row), "");
    text.push(b'\t');
    nnz_core::write_scalar(text, nnz_core::Scalar::U64(col), "");
    text.push(b'\t');
    values.write_text(entry, text, "\t");
    text.push(b'\n');
}

fn flush(text: &mut Vec<u8>, out: &mut dyn Write) -> Result<()> {
    out.write_all(text)
        .map_err(|error| Error::new(ErrorKind::Io(error), Place::path("standard output")))?;
    text.clear();
    Ok(())
}
