//! Files with several matrices and tables, from one place to another.

use std::path::{Path, PathBuf};
use std::time::Instant;

use nnz_core::{Error, ErrorKind, MatrixSource, Result, readable};
use nnz_storage::LocalStorage;

pub use nnz_engine::{ElementChange, ElementDifference, Join};

use crate::formats::{Probe, RowGroups, WholeFormat};
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

/// Looks for a format that writes a file as a whole to a target; `None` where the source is something else, or
/// the target holds one matrix.
fn find(from: &Location, to: &Location, options: &ConvertOptions) -> Result<Option<Found>> {
    let registry = &options.registry;
    let formats = || registry.formats().iter().filter_map(|format| format.whole());
    let source = matches!(from, Location::Path { .. });
    if !source || !formats().any(|format| format.is_target(to, options)) {
        return Ok(None);
    }
    // What is broken fails as it is opened as a matrix.
    let detected = readable(registry.detect(from, &options.open_options()))?;
    let Some(detected) = detected else { return Ok(None) };
    let Some(format) = detected.format().whole() else { return Ok(None) };
    let probe = detected.into_probe();
    let whole = format.is_target(to, options) && format.is_file(&probe)?;
    Ok(whole.then_some((format, probe)))
}

/// Returns names and tables of rows and columns, as a matrix without entries, of a file that holds no main matrix but
/// tables; `None` of all else.
///
/// # Errors
///
/// Fails where the file cannot be read or is broken.
pub fn tables(from: &Location, options: &OpenOptions) -> Result<Option<Box<dyn MatrixSource>>> {
    let Some(detected) = readable(options.formats().detect(from, options))? else {
        return Ok(None);
    };
    let Some(format) = detected.format().whole() else { return Ok(None) };
    let probe = detected.into_probe();
    if !format.is_file(&probe)? {
        return Ok(None);
    }
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
        let Some((found, probe)) = find(from, to, options)? else { return Ok(None) };
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
    let look = |from: &Location| -> Result<Option<Found>> {
        if !matches!(from, Location::Path { .. }) {
            return Ok(None);
        }
        let Some(detected) = readable(open.formats().detect(from, &open))? else { return Ok(None) };
        let Some(format) = detected.format().whole() else { return Ok(None) };
        let probe = detected.into_probe();
        Ok(format.is_file(&probe)?.then_some((format, probe)))
    };
    let Some((format, own)) = look(first)? else { return Ok(false) };
    let Some((other_format, other)) = look(second)? else { return Ok(false) };
    if !std::ptr::addr_eq(format, other_format) {
        return Ok(false);
    }
    format.diff_files([&own, &other], options, each)?;
    Ok(true)
}

/// What splitting a file came to.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SplitSummary {
    /// Each file, and what it came to.
    pub files: Vec<(PathBuf, Summary)>,
    /// Rows without a value, which are in none.
    pub missing: u64,
}

/// Writes the rows of a file that share a value of a column to a file each, in a directory that is created if it
/// is not there. Files are named by the values, with the extension `ending`, and appear one after the other,
/// each as a whole. Where splitting fails, a directory that was made for it goes, and the files in it.
///
/// # Errors
///
/// Fails as [`slice`](fn@slice), where the source is one matrix only, there is no such column, or a value is no name of a
/// file.
pub fn split(
    from: &Location,
    directory: &Path,
    (column, ending): (&str, &str),
    options: &ConvertOptions,
    progress: &dyn Progress,
) -> Result<SplitSummary> {
    let target = |name: &str| Location::Path {
        path: directory.join(format!("{name}.{ending}")),
        group: None,
    };
    let Some((format, probe)) = find(from, &target("x"), options)? else {
        // What is missing or broken says so.
        options.open_options().open(from)?;
        let what =
            format!("{from}: not a file that is split into files with the extension {ending}");
        return Err(Error::argument(what));
    };
    let place = from.source_place();
    let found = format.group_rows(&probe, column, options.memory / 4);
    let RowGroups { groups, missing } = found.map_err(|error| error.with_context(&place))?;
    for (value, _) in &groups {
        let target = target(value);
        let names_itself = !value.is_empty() && !value.starts_with('.');
        if !names_itself || value.contains(['/', '\0']) {
            let what = format!("{from}: the value {value:?} of {column:?} is no name of a file");
            return Err(Error::argument(what));
        }
        let name = format!("{value}.{ending}");
        if name.len() > LONGEST_NAME {
            let start: String = value.chars().take(40).collect();
            let what = format!(
                "{from}: the value of {column:?} that starts with {start:?} is too long for the name of a file: {} \
                 bytes, with the extension, of at most {LONGEST_NAME}",
                name.len()
            );
            return Err(Error::argument(what));
        }
        if let (Location::Path { path, .. }, Location::Path { path: own, .. }) = (&target, from)
            && is_same(path, own)
        {
            let what = format!("{from}: the file of {value:?} would replace what is split");
            return Err(Error::argument(what));
        }
        if let Location::Path { path, .. } = &target
            && !options.write.overwrite
            && path.symlink_metadata().is_ok()
        {
            return Err(Error::new(ErrorKind::Exists, target.place()));
        }
    }
    let mut made = Directories::create(directory)?;
    let mut summary = SplitSummary { missing, ..SplitSummary::default() };
    let all = Selection::all();
    for (value, ranges) in groups {
        let started = Instant::now();
        let rows = Selection::ranges(ranges);
        let target = target(&value);
        let done = format.slice_file(&probe, &target, [&rows, &all], options, progress);
        let done = done.map_err(|error| error.with_context(&place))?;
        let done = Summary { bytes_before: None, seconds: started.elapsed().as_secs_f64(), ..done };
        if let Location::Path { path, .. } = target {
            made.files.push(path.clone());
            summary.files.push((path, done));
        }
    }
    made.keep();
    Ok(summary)
}

/// Bytes of the name of a file at the most.
const LONGEST_NAME: usize = 255;

/// Directories that were made for files; they go with these unless they are kept.
struct Directories {
    /// The innermost first.
    made: Vec<PathBuf>,
    /// Files that were written into a directory that was made.
    files: Vec<PathBuf>,
}

impl Directories {
    /// Makes a directory, and those it is in, where they are not there.
    fn create(directory: &Path) -> Result<Self> {
        let missing = directory
            .ancestors()
            .take_while(|path| !path.as_os_str().is_empty() && path.symlink_metadata().is_err());
        let directories =
            Self { made: missing.map(Path::to_path_buf).collect(), files: Vec::new() };
        std::fs::create_dir_all(directory).map_err(|error| Error::io(directory, error))?;
        Ok(directories)
    }

    fn keep(&mut self) {
        self.made.clear();
    }
}

impl Drop for Directories {
    fn drop(&mut self) {
        if self.made.is_empty() {
            return;
        }
        for file in &self.files {
            // What cannot be removed stays, and so do the directories it is in.
            let _ = std::fs::remove_file(file).or_else(|_| std::fs::remove_dir_all(file));
        }
        for directory in &self.made {
            let _ = std::fs::remove_dir(directory);
        }
    }
}

/// Returns whether two paths lead to the same file or directory, which is there.
fn is_same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

fn write(
    from: &Location,
    to: &Location,
    options: &ConvertOptions,
    write: impl FnOnce(&dyn WholeFormat, &Probe) -> Result<Summary>,
) -> Result<Option<Summary>> {
    let started = Instant::now();
    let Some((format, probe)) = find(from, to, options)? else { return Ok(None) };
    let summary =
        write(format, &probe).map_err(|error| error.with_context(&from.source_place()))?;
    Ok(Some(Summary { seconds: started.elapsed().as_secs_f64(), ..summary }))
}
