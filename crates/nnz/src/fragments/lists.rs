//! Lists of regions.

use std::path::Path;

use nnz_core::Result;
use nnz_singlecell::fragment_tsv::each_region;

use super::Peaks;

/// Reads the first three columns of a BED file: chromosome, start and end, counted from 0, the
/// end not a part of it.
///
/// Lines that are blank, or begin with `#`, `track` or `browser` are passed over; the file may
/// be gzipped.
///
/// # Errors
///
/// Fails where the file cannot be read, or a line is no region or has no bases.
pub fn read_peaks(path: &Path) -> Result<Peaks> {
    let mut peaks = Peaks::default();
    each_region(path, |name, start, end| peaks.push(name, start, end))?;
    Ok(peaks)
}
