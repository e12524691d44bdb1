//! Splitting a file into one per value of a column, or of several.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use nnz_core::{Axis, AxisKind, Error, ErrorKind, MatrixSource, Place, Result};
use nnz_storage::staging::{self, StagedGroup};

use super::file_names::file_names;
use super::{Collection, CollectionSlice, JoinedTables, target_of};
use crate::compute::aggregate::{self, named};
use crate::location::is_same;
use crate::{Context, ConvertOptions, Dataset, Location, Selection, Summary};

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

/// Writes the cells of each value of a column to one file, in a directory that is created if it does not exist. Several columns
/// make a file of each combination of their values that occurs, named by the values with `_` between, as groups of
/// [`aggregate`](crate::compute::aggregate()). Tables of the options are joined first, so that they can provide columns.
///
/// Files are named after the values, with the extension `ending`, by default that of the format of the source; characters
/// that are not valid in file names are replaced, which is noted. In a local directory all files appear at the end, or none
/// if splitting fails.
///
/// # Errors
///
/// Fails as [`slice`](fn@crate::slice), if the source or the target is a single matrix, and if there is no such column.
pub fn split(
    from: &Location,
    directory: &Path,
    (by, ending): (&[&str], Option<&str>),
    options: &ConvertOptions,
    context: &Context,
) -> Result<SplitSummary> {
    let place = from.source_place();
    let found = match options.open.open(from, context)? {
        Dataset::Collection(collection) => {
            let own = collection.info().extensions.first().copied();
            let of_source = || place.path.as_deref()?.extension()?.to_str();
            let ending = ending.or(own).or_else(of_source).unwrap_or_default();
            let target =
                Location::Path { path: directory.join(format!("x.{ending}")), group: None };
            let format = target_of(&*collection, &target, options, context)?;
            format.map(|format| (collection, format, ending))
        }
        _ => None,
    };
    let Some((collection, format, ending)) = found else {
        let formats = context.registry().formats().iter();
        // Others are written to files of any name only if they are given.
        let formats = formats.filter(|format| {
            format.abilities().collections.is_some() && !format.info().extensions.is_empty()
        });
        let names: Vec<_> = formats.map(|one| one.info().name.as_str()).collect();
        let what = match options.format {
            Some(format) if !names.contains(&format.as_str()) => {
                format!("split writes files of the format {}, not {format}", names.join(" or "))
            }
            _ => format!("{from}: only files of the format {} can be split", names.join(" or ")),
        };
        return Err(Error::argument(what));
    };
    let joined = JoinedTables::new(&*collection, options, context)?;
    let found = Groups::of(&*joined.axes, by, context.memory() / 4);
    let Groups { axis, groups, missing, notes } =
        found.map_err(|error| error.with_context(&place))?;
    if groups.is_empty() && missing > 0 {
        let what = format!("{from}: none of the rows has a value of {}", named(by));
        return Err(Error::argument(what));
    }
    let staged = match nnz_core::is_url(directory) {
        true => None,
        false => Some(StagedGroup::create(directory, &options.output(context))?),
    };
    let values = groups.iter().map(|(value, _)| value.as_str());
    let ignores_case = staged.as_ref().is_some_and(StagedGroup::ignores_case);
    let names = file_names(values.clone(), ending, ignores_case);
    let mut summary = SplitSummary { missing, notes, ..SplitSummary::default() };
    summary.notes.extend(joined.axes.notes());
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
    let every = 0..joined.axes.header().shape.len(axis.other());
    let others = std::slice::from_ref(&every);
    for ((_, ranges), name) in groups.into_iter().zip(&names) {
        context.check()?;
        let started = Instant::now();
        let cells = Selection::ranges(ranges.iter().cloned()).allow_empty(true);
        let (selected, positions) = match axis {
            Axis::Rows => ([&cells, &all], [&*ranges, others]),
            Axis::Cols => ([&all, &cells], [others, &*ranges]),
        };
        let options = &joined.options_of(positions)?;
        let part: Arc<dyn Collection> =
            Arc::new(CollectionSlice::new(Arc::clone(&collection), selected));
        let at = |directory: &Path| Location::Path { path: directory.join(name), group: None };
        let target = at(staged.as_ref().map_or(directory, StagedGroup::path));
        let done = super::convert(&part, &target, options, context);
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

/// The cells of a collection, grouped by their values in columns.
struct Groups {
    axis: Axis,
    /// The values of each group as text, and the positions of its cells.
    groups: Vec<(String, Vec<Range<u64>>)>,
    /// The number of cells without a value.
    missing: u64,
    /// The cells that columns do not cover.
    notes: Vec<String>,
}

impl Groups {
    /// Groups the cells, or the rows if it is not known what has cells, by columns that may each take `memory` bytes.
    fn of(axes: &dyn MatrixSource, by: &[&str], memory: u64) -> Result<Self> {
        let axis = AxisKind::cell_axis(axes.header().axis_kinds).unwrap_or(Axis::Rows);
        let aggregate::Groups { codes, table } = aggregate::Groups::new(axes, axis, by, memory)?;
        let mut groups = Vec::new();
        for label in table.names().iter() {
            let name = String::from_utf8(label.to_vec()).map_err(|error| {
                let found = format!("{} not in UTF-8", named(by));
                Error::mismatch(axes.place(), found, "UTF-8").with_source(error)
            })?;
            groups.push((name, Vec::new()));
        }
        let mut missing = 0;
        for (position, code) in (0..).zip(codes) {
            let Some(code) = code.and_then(|code| usize::try_from(code).ok()) else {
                missing += 1;
                continue;
            };
            let Some((_, ranges)): Option<&mut (_, Vec<Range<u64>>)> = groups.get_mut(code) else {
                continue;
            };
            match ranges.last_mut().filter(|last| last.end == position) {
                Some(last) => last.end = position + 1,
                None => ranges.push(position..position + 1),
            }
        }
        let mut notes = Vec::new();
        if let Some(table) = axes.annotations(axis)? {
            for (column, info) in table.columns().iter().enumerate() {
                if by.contains(&&*info.name) {
                    notes.extend(table.uncovered(column, memory)?);
                }
            }
        }
        Ok(Self { axis, groups, missing, notes })
    }
}
