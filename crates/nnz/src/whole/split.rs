//! Splitting a file into one per value of a column.

use std::path::{Path, PathBuf};
use std::time::Instant;

use nnz_core::{Cancellation, Error, ErrorKind, Result};
use nnz_storage::staging;

use super::{Found, find_for};
use crate::formats::RowGroups;
use crate::location::is_same;
use crate::{ConvertOptions, Location, Progress, Selection, Summary};

/// The result of splitting a file.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SplitSummary {
    /// The files, with the summary of each.
    pub files: Vec<(PathBuf, Summary)>,
    /// The number of rows without a value, which are not written.
    pub missing: u64,
}

/// Writes the rows of each value of a column to one file, in a directory that is created if it does not exist.
/// Files are named after the values, with the extension `ending`, and appear one after the other, each complete.
/// If splitting fails, a directory that it created is removed with the files in it.
///
/// # Errors
///
/// Fails as [`slice`](fn@super::slice), if the source is a single matrix, if there is no such column, or if a value is
/// not a valid name of a file.
pub fn split(
    from: &Location,
    directory: &Path,
    (column, ending): (&str, &str),
    options: &ConvertOptions,
    progress: &dyn Progress,
) -> Result<SplitSummary> {
    let _entered = options.cancellation.as_ref().map(Cancellation::enter);
    let target = |name: &str| Location::Path {
        path: directory.join(format!("{name}.{ending}")),
        group: None,
    };
    let Some(Found { format, probe, .. }) = find_for(from, &target("x"), options)? else {
        // Errors of opening the source come first.
        options.open_options().open(from)?;
        let formats = options.registry.formats().iter();
        let names = formats.filter(|format| format.whole().is_some()).map(|one| one.info().name);
        let names: Vec<&str> = names.collect();
        let what = match options.format {
            Some(format) if !names.contains(&format) => {
                format!("split writes files of the format {}, not {format}", names.join(" or "))
            }
            _ => format!("{from}: only AnnData files can be split"),
        };
        return Err(Error::argument(what));
    };
    super::refuse_reordering(from, &target("x"), options)?;
    let place = from.source_place();
    let found = format.group_rows(&probe, column, options.memory / 4);
    let RowGroups { groups, missing } = found.map_err(|error| error.with_context(&place))?;
    for (value, _) in &groups {
        let target = target(value);
        let names_itself = !value.is_empty() && !value.starts_with('.');
        if !names_itself || value.contains(['/', '\0']) {
            let what =
                format!("{from}: the value {value:?} of {column:?} is not a valid name of a file");
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
            let what = format!("{from}: the file for {value:?} would replace the source");
            return Err(Error::argument(what));
        }
        if let Location::Path { path, .. } = &target
            && !options.write.overwrite
            && staging::exists(path)?
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

/// Maximum length of the name of a file in bytes.
const LONGEST_NAME: usize = 255;

/// Directories that were created; they are removed with their files unless they are kept.
struct Directories {
    /// The innermost first.
    made: Vec<PathBuf>,
    /// Files that were written into a directory that was created.
    files: Vec<PathBuf>,
}

impl Directories {
    /// Creates a directory and its missing parents.
    fn create(directory: &Path) -> Result<Self> {
        if nnz_core::is_url(directory) {
            // Object storage has none.
            return Ok(Self { made: Vec::new(), files: Vec::new() });
        }
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
            // Errors of removing are ignored.
            let _ = std::fs::remove_file(file).or_else(|_| std::fs::remove_dir_all(file));
        }
        for directory in &self.made {
            let _ = std::fs::remove_dir(directory);
        }
    }
}
