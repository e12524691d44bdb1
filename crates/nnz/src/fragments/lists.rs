//! Lists of regions.

use std::path::Path;

use nnz_core::Result;
use nnz_singlecell::fragment_tsv::each_region;

use super::Peaks;

/// Reads the first three columns of a BED file: chromosome, start and end, counted from 0, the end
/// exclusive.
///
/// Blank lines and lines that begin with `#`, `track` or `browser` are skipped; the file may be
/// gzipped.
///
/// # Errors
///
/// Fails if the file cannot be read, or if a line is not a region or has no bases.
pub fn read_peaks(path: &Path) -> Result<Peaks> {
    let mut peaks = Peaks::default();
    each_region(path, |name, start, end| peaks.push(name, start, end))?;
    Ok(peaks)
}
