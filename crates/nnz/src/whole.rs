//! Files with several matrices and tables, from one place to another.

use std::time::Instant;

use nnz_core::Result;
use nnz_storage::LocalStorage;

use crate::formats::{Probe, WholeFormat};
use crate::{ConvertOptions, Location, Progress, Selection, Summary};

/// A file that is looked at, and the format that writes it as a whole.
type Found = (&'static dyn WholeFormat, Probe);

/// Looks for a format that writes a file as a whole to a target; `None` where the source is something else, or
/// the target holds one matrix.
fn find(from: &Location, to: &Location, options: &ConvertOptions) -> Result<Option<Found>> {
    let registry = &options.registry;
    let formats = || registry.formats().iter().filter_map(|format| format.whole());
    let source = matches!(from, Location::Path { .. });
    if !source || !formats().any(|format| format.is_target(to, options)) {
        return Ok(None);
    }
    // What cannot be read fails as it is opened as a matrix.
    let Ok(detected) = registry.detect(from, &options.open_options()) else { return Ok(None) };
    let Some(format) = detected.format().whole() else { return Ok(None) };
    let probe = detected.into_probe();
    let whole = format.is_target(to, options) && format.is_file(&probe)?;
    Ok(whole.then_some((format, probe)))
}

/// Writes all of a file with several matrices and tables to a file that holds as much; `None`, and nothing is
/// done, where the source is one matrix or the target holds no more.
///
/// # Errors
///
/// Fails where the file cannot be read or is broken, the target exists and may not be replaced or cannot be
/// written, and where an option is set that applies to one matrix only.
pub fn convert(
    from: &Location,
    to: &Location,
    options: &ConvertOptions,
    progress: &dyn Progress,
) -> Result<Option<Summary>> {
    let to = &to.resolve(&LocalStorage);
    write(from, to, options, |format, probe| format.convert_file(probe, to, options, progress))
}

/// Writes what belongs to some rows and columns of a file with several matrices and tables; `None`, and nothing
/// is done, where the source is one matrix or the target holds no more.
///
/// # Errors
///
/// Fails as [`convert`], and where what is selected is not there.
pub fn slice(
    from: &Location,
    to: &Location,
    selected: [&Selection; 2],
    options: &ConvertOptions,
    progress: &dyn Progress,
) -> Result<Option<Summary>> {
    let to = &to.resolve(&LocalStorage);
    let written = write(from, to, options, |format, probe| {
        format.slice_file(probe, to, selected, options, progress)
    })?;
    // The size of the whole says nothing of that of a part.
    Ok(written.map(|summary| Summary { bytes_before: None, ..summary }))
}

fn write(
    from: &Location,
    to: &Location,
    options: &ConvertOptions,
    write: impl FnOnce(&dyn WholeFormat, &Probe) -> Result<Summary>,
) -> Result<Option<Summary>> {
    let started = Instant::now();
    let Some((format, probe)) = find(from, to, options)? else { return Ok(None) };
    let summary = write(format, &probe).map_err(|error| error.with_context(&from.source_place()))?;
    Ok(Some(Summary { seconds: started.elapsed().as_secs_f64(), ..summary }))
}
