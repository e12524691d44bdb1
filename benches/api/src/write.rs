//! Writing a matrix from memory to a file.

use std::path::{Path, PathBuf};
use std::time::Instant;

use nnz::{
    Context, ConvertOptions, Location, ReadOptions, formats::FormatOptions, matrix::Storage,
};

use crate::{Measured, Result, measured};

/// Reads a matrix, which is not timed, and writes it without the final sync. Freeing the matrix is
/// not part of the time.
pub(crate) fn measure(source: &Location, target: PathBuf, threads: usize) -> Result<Measured> {
    let dense = nnz::open(source)?.into_matrix()?.header().storage == Storage::Dense;
    let context = Context::default().with_threads(threads);
    let read = ReadOptions::default();
    let opened = match dense {
        true => nnz::read_dense(source, &read, &context)?.into_source()?,
        false => nnz::read(source, &read, &context)?.into_source()?,
    };
    // A few entries in each of many rows are written as rows, not as a dense matrix.
    let sparse = !dense && is_daphne(&target);
    let mut format_options = FormatOptions::new();
    if sparse {
        format_options.set("block-type", "sparse");
    }
    let options =
        ConvertOptions::default().overwrite(true).sync(false).format_options(format_options);
    let target = Location::parse(target);
    let started = Instant::now();
    let summary = nnz::convert_source(&*opened, &target, &options, &context)?;
    let seconds = started.elapsed().as_secs_f64();
    Ok(measured([
        ("seconds", seconds.into()),
        ("entries", summary.entries.into()),
        ("bytes", summary.bytes_after.into()),
    ]))
}

fn is_daphne(target: &Path) -> bool {
    target.extension().is_some_and(|extension| extension == "dbdf")
}
