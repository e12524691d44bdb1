//! The rows of a file that share a value, a file each.

use std::path::{Path, PathBuf};
use std::time::Instant;

use nnz_core::{Error, ErrorKind, Result};

use super::find_for;
use crate::formats::RowGroups;
use crate::{ConvertOptions, Location, Progress, Selection, Summary};

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
/// Fails as [`slice`](fn@super::slice), where the source is one matrix only, there is no such column, or a value is no name of a
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
    let Some((format, probe)) = find_for(from, &target("x"), options)? else {
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
