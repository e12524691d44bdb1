//! Files with several matrices and tables, from one place to another.

mod split;

use std::time::Instant;

use nnz_core::{MatrixSource, Result, readable};
use nnz_storage::LocalStorage;

pub use nnz_engine::{ElementChange, ElementDifference, Join};
pub use split::{SplitSummary, split};

use crate::formats::{Probe, WholeFormat};
use crate::{ConvertOptions, DiffOptions, Location, OpenOptions, Progress, Selection, Summary};

/// How files are put together. By default all have to have the same columns.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ConcatFilesOptions {
    /// Which columns of matrices are kept, which are joined by name, and which columns of tables.
    pub join: Option<Join>,
    /// The name of a column of the table of rows that gets the number of the file.
    pub label: Option<String>,
    /// What is put between the name of a row and the number of its file; by default names stay as they are.
    pub index_unique: Option<String>,
    /// The value of what a file does not have in dense arrays; by default not a number.
    pub fill: Option<f64>,
}

nnz_core::setters! {
    ConcatFilesOptions {
        join: Option<Join>,
        label: Option<String>,
        index_unique: Option<String>,
        fill: Option<f64>,
    }
}

impl ConcatFilesOptions {
    /// Returns whether nothing is set.
    #[must_use]
    pub fn is_default(&self) -> bool {
        let Self { join, label, index_unique, fill } = self;
        join.is_none() && label.is_none() && index_unique.is_none() && fill.is_none()
    }
}

/// A file that is looked at, and the format that writes it as a whole.
type Found = (&'static dyn WholeFormat, Probe);

/// Looks for a file with several matrices and tables; `None` where the source is something else. What is broken fails
/// as it is opened as a matrix.
fn find(from: &Location, options: &OpenOptions) -> Result<Option<Found>> {
    if !matches!(from, Location::Path { .. }) {
        return Ok(None);
    }
    let Some(detected) = readable(options.formats().detect(from, options))? else {
        return Ok(None);
    };
    let Some(format) = detected.format().whole() else { return Ok(None) };
    let probe = detected.into_probe();
    Ok(format.is_file(&probe)?.then_some((format, probe)))
}

/// Looks for such a file; `None`, too, where the target holds one matrix.
fn find_for(from: &Location, to: &Location, options: &ConvertOptions) -> Result<Option<Found>> {
    if options.transpose {
        // What it is a file of has rows and columns that stay.
        return Ok(None);
    }
    let formats = options.registry.formats().iter().filter_map(|format| format.whole());
    // Before the source is looked at, which may take long.
    if !formats.into_iter().any(|format| format.is_target(to, options)) {
        return Ok(None);
    }
    let found = find(from, &options.open_options())?;
    Ok(found.filter(|(format, _)| format.is_target(to, options)))
}

/// Returns names and tables of rows and columns, as a matrix without entries, of a file that holds no main matrix but
/// tables; `None` of all else.
///
/// # Errors
///
/// Fails where the file cannot be read or is broken.
pub fn tables(from: &Location, options: &OpenOptions) -> Result<Option<Box<dyn MatrixSource>>> {
    let Some((format, probe)) = find(from, options)? else { return Ok(None) };
    format.tables(&probe).map_err(|error| error.with_context(&from.source_place()))
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
    let to = &to.resolve(&LocalStorage)?;
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
    let to = &to.resolve(&LocalStorage)?;
    let written = write(from, to, options, |format, probe| {
        format.slice_file(probe, to, selected, options, progress)
    })?;
    // The size of the whole says nothing of that of a part.
    Ok(written.map(|summary| Summary { bytes_before: None, ..summary }))
}

/// Writes the rows of several files with several matrices and tables one behind the other; `None`, and nothing
/// is done, where a source is one matrix or the target holds no more.
///
/// # Errors
///
/// Fails as [`convert`], and where columns or types do not go together.
pub fn concat(
    from: &[Location],
    to: &Location,
    how: &ConcatFilesOptions,
    options: &ConvertOptions,
    progress: &dyn Progress,
) -> Result<Option<Summary>> {
    let started = Instant::now();
    let to = &to.resolve(&LocalStorage)?;
    let mut format = None;
    let mut probes = Vec::with_capacity(from.len());
    for from in from {
        let Some((found, probe)) = find_for(from, to, options)? else { return Ok(None) };
        format = Some(found);
        probes.push(probe);
    }
    let Some(format) = format else { return Ok(None) };
    let summary = format.concat_files(&probes, to, how, options, progress)?;
    Ok(Some(Summary { seconds: started.elapsed().as_secs_f64(), ..summary }))
}

/// Compares all that is in two files with several matrices and tables, and passes what differs to `each`. Returns
/// whether they are such files: if not, nothing is done.
///
/// # Errors
///
/// Fails where one of them cannot be read or is broken.
pub fn diff(
    first: &Location,
    second: &Location,
    options: &DiffOptions,
    each: &mut dyn FnMut(ElementDifference),
) -> Result<bool> {
    let open = OpenOptions::new().memory_limit(options.memory);
    let Some((format, own)) = find(first, &open)? else { return Ok(false) };
    let Some((other_format, other)) = find(second, &open)? else { return Ok(false) };
    if !std::ptr::addr_eq(format, other_format) {
        return Ok(false);
    }
    format.diff_files([&own, &other], options, each)?;
    Ok(true)
}

fn write(
    from: &Location,
    to: &Location,
    options: &ConvertOptions,
    write: impl FnOnce(&dyn WholeFormat, &Probe) -> Result<Summary>,
) -> Result<Option<Summary>> {
    let started = Instant::now();
    let Some((format, probe)) = find_for(from, to, options)? else { return Ok(None) };
    let summary =
        write(format, &probe).map_err(|error| error.with_context(&from.source_place()))?;
    Ok(Some(Summary { seconds: started.elapsed().as_secs_f64(), ..summary }))
}
