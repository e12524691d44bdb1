//! Splitting a file into one per value of a column.

use crate::Context;
use std::path::{Path, PathBuf};
use std::time::Instant;

use nnz_core::{Error, ErrorKind, Place, Result};
use nnz_storage::staging::{self, StagedGroup};

use super::file_names::file_names;
use super::{WholeFile, find_for};
use crate::formats::RowGroups;
use crate::location::is_same;
use crate::{ConvertOptions, Location, Selection, Summary};

/// The result of splitting a file.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SplitSummary {
    /// The files, with the summary of each.
    pub files: Vec<(PathBuf, Summary)>,
    /// The number of rows without a value, which are not written.
    pub missing: u64,
    /// The values that are not names of files, and where their rows are.
    pub notes: Vec<String>,
}

/// Writes the rows of each value of a column to one file, in a directory that is created if it does not exist.
/// Files are named after the values, with the extension `ending`; characters that are not valid in file names are
/// replaced, which is noted. In a local directory all files appear at the end, or none if splitting fails.
///
/// # Errors
///
/// Fails as [`slice`](fn@super::slice), if the source is a single matrix, and if there is no such column.
pub fn split(
    from: &Location,
    directory: &Path,
    (column, ending): (&str, &str),
    options: &ConvertOptions,
    context: &Context,
) -> Result<SplitSummary> {
    let target = |name: &str| Location::Path {
        path: directory.join(format!("{name}.{ending}")),
        group: None,
    };
    let Some(WholeFile { format, probe, .. }) = find_for(from, &target("x"), options, context)?
    else {
        // Errors of opening the source come first.
        options.open.open(from, context)?;
        let formats = context.registry().formats().iter();
        let names = formats
            .filter(|format| format.abilities().whole.is_some())
            .map(|one| one.info().name.as_str());
        let names: Vec<_> = names.collect();
        let what = match options.format {
            Some(format) if !names.contains(&format.as_str()) => {
                format!("split writes files of the format {}, not {format}", names.join(" or "))
            }
            _ => format!("{from}: only AnnData files can be split"),
        };
        return Err(Error::argument(what));
    };
    super::refuse_reordering(from, &target("x"), options, context)?;
    let place = from.source_place();
    let found = format.group_rows(&probe, column, context.memory() / 4);
    let RowGroups { groups, missing } = found.map_err(|error| error.with_context(&place))?;
    if groups.is_empty() && missing > 0 {
        let what = format!("{from}: none of the rows has a value of {column:?}");
        return Err(Error::argument(what));
    }
    let staged = match nnz_core::is_url(directory) {
        true => None,
        false => Some(StagedGroup::create(directory, &options.output(context))?),
    };
    let values = groups.iter().map(|(value, _)| value.as_str());
    let ignores_case = staged.as_ref().is_some_and(StagedGroup::ignores_case);
    let names = file_names(values.clone(), ending, ignores_case);
    let mut summary = SplitSummary { missing, ..SplitSummary::default() };
    for (value, name) in values.zip(&names) {
        let path = directory.join(name);
        if let Location::Path { path: own, .. } = from
            && is_same(&path, own)
        {
            let what = format!("{from}: the file for {value:?} would replace the source");
            return Err(Error::argument(what));
        }
        if !options.overwrite && staging::exists(&path, context)? {
            return Err(Error::new(ErrorKind::Exists, Place::path(path)));
        }
        if staged.is_some() && path.is_dir() {
            format.check_replaced(&Location::Path { path, group: None }, options, context)?;
        }
        if name.strip_suffix(ending).and_then(|name| name.strip_suffix('.')) != Some(value) {
            summary.notes.push(format!("rows with the value {value:?} are in {name:?}"));
        }
    }
    let all = Selection::all();
    for ((_, ranges), name) in groups.into_iter().zip(&names) {
        context.check()?;
        let started = Instant::now();
        let rows = Selection::ranges(ranges).allow_empty(true);
        let at = |directory: &Path| Location::Path { path: directory.join(name), group: None };
        let target = at(staged.as_ref().map_or(directory, StagedGroup::path));
        let done = format.slice_file(&probe, &target, [&rows, &all], options, context);
        let done = done.map_err(|error| match &staged {
            Some(staged) => staged.shown(error.with_context(&place)),
            None => error.with_context(&place),
        })?;
        let done = done.bytes_before(None).seconds(started.elapsed().as_secs_f64());
        summary.files.push((directory.join(name), done));
    }
    if let Some(staged) = staged {
        context.check()?;
        staged.commit(&names)?;
    }
    Ok(summary)
}
