//! Files with several matrices and tables, as wholes.

mod by_name;
mod file_names;
mod split;

use crate::Context;
use std::time::Instant;

use nnz_core::{Error, MatrixSource, Placed, Result, readable};

pub use nnz_engine::{ElementChange, ElementDifference, Join};
pub use split::{SplitSummary, split};

use crate::formats::{FormatInfo, Probe, WholeFormat, check_options, convert_whole};
use crate::reorder;
use crate::{ConvertOptions, DiffOptions, Location, OpenOptions, Selection, Summary};

/// Options of concatenating files. By default, all must have the same columns.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ConcatFilesOptions {
    /// Which columns of matrices, joined by name, and which columns of tables are kept.
    pub join: Option<Join>,
    /// A column of the table of rows to add, with the number of the file.
    pub label: Option<String>,
    /// The separator between the name of a row and the number of its file, which is appended; by default
    /// names are unchanged.
    pub index_unique: Option<String>,
    /// The value of missing elements of dense arrays; by default NaN.
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
    /// Returns whether no option is set.
    #[must_use]
    pub fn is_default(&self) -> bool {
        let Self { join, label, index_unique, fill } = self;
        join.is_none() && label.is_none() && index_unique.is_none() && fill.is_none()
    }
}

/// A file, and the format that writes it as a whole.
struct WholeFile {
    format: &'static dyn WholeFormat,
    info: &'static FormatInfo,
    probe: Probe,
}

/// Returns the file and its format if the source has several matrices and tables, otherwise `None`. A broken source
/// fails when it is opened as a matrix.
fn find(from: &Location, options: &OpenOptions, context: &Context) -> Result<Option<WholeFile>> {
    if !matches!(from, Location::Path { .. }) {
        return Ok(None);
    }
    let Some(detected) = readable(context.detect(from, options))? else {
        return Ok(None);
    };
    let info = detected.format().info();
    let Some(format) = detected.format().abilities().whole else { return Ok(None) };
    let probe = detected.into_probe();
    Ok(format.is_file(&probe)?.then_some(WholeFile { format, info, probe }))
}

/// Returns the same; `None` also if the target is a single matrix. Fails if an option is set that the format does
/// not have.
fn find_for(
    from: &Location,
    to: &Location,
    options: &ConvertOptions,
    context: &Context,
) -> Result<Option<WholeFile>> {
    if options.transpose {
        // Rows and columns of whole files are not exchanged.
        return Ok(None);
    }
    let formats = context.registry().formats().iter().filter_map(|format| format.abilities().whole);
    // Before the source is opened, which can take long.
    if !formats.into_iter().any(|format| format.is_target(to, options)) {
        return Ok(None);
    }
    let found = find(from, &options.open, context)?;
    let found = found.filter(|found| found.format.is_target(to, options));
    if let Some(WholeFile { info, format, .. }) = found {
        // Here, because the source is not part of these errors.
        format.check_target(to, options, context)?;
        let known: Vec<_> = info.options.iter().map(|option| option.name).collect();
        check_options(info.name.as_str(), &known, options.format_options.names())?;
    }
    Ok(found)
}

/// Returns names and annotations of rows and columns, as a matrix without entries, of a file that has tables but no
/// main matrix; otherwise `None`.
///
/// # Errors
///
/// Fails if the file cannot be read or is broken.
pub fn tables(
    from: &Location,
    options: &OpenOptions,
    context: &Context,
) -> Result<Option<Box<dyn MatrixSource>>> {
    let Some(WholeFile { format, probe, .. }) = find(from, options, context)? else {
        return Ok(None);
    };
    let place = from.source_place();
    let tables = format.tables(&probe).map_err(|error| error.with_context(&place))?;
    Ok(tables.map(|tables| Box::new(Placed::new(tables, place)) as Box<dyn MatrixSource>))
}

/// Converts a file with several matrices and tables to another. If the source or target is a single matrix,
/// returns `None` without doing anything.
///
/// # Errors
///
/// Fails if the file cannot be read or is broken, if the target exists and may not be replaced or cannot
/// be written, and if an option applies to single matrices only.
pub fn convert(
    from: &Location,
    to: &Location,
    options: &ConvertOptions,
    context: &Context,
) -> Result<Option<Summary>> {
    let to = &to.resolve_target()?;
    if let Some(profile) = options.profile {
        if !is_written(from, to, options, context)? {
            return Ok(None);
        }
        let options = match tables(from, &options.open, context)? {
            // There are no entries to order by.
            Some(tables) => {
                let applied = profile.apply(&*tables, to, options, context)?;
                applied.reorder(options.reorder.clone())
            }
            None => {
                profile.apply(&*options.open.open_matrix(from, context)?, to, options, context)?
            }
        };
        return convert(from, to, &options, context);
    }
    if options.reorders() && is_written(from, to, options, context)? {
        let source = options.open.open_matrix(from, context)?;
        let ([rows, cols], options) = &reorder::new_order(&*source, options, context)?;
        drop(source);
        return write(
            from,
            to,
            options,
            |format, probe| format.slice_file(probe, to, [rows, cols], options, context),
            context,
        );
    }
    let written = write(
        from,
        to,
        options,
        |format, probe| format.convert_file(probe, to, options, context),
        context,
    )?;
    match written {
        Some(summary) => Ok(Some(summary)),
        None => convert_to_other(from, to, options, context),
    }
}

/// Converts a file with several matrices and tables to one of another format, if that can store all of what the format
/// of the source has; otherwise returns `None`.
fn convert_to_other(
    from: &Location,
    to: &Location,
    options: &ConvertOptions,
    context: &Context,
) -> Result<Option<Summary>> {
    let started = Instant::now();
    let formats = context.registry().formats().iter();
    let mut conversions = formats.filter_map(|format| format.abilities().conversion);
    let possible = convert_whole(options) && matches!(from, Location::Path { .. });
    // Before the source is opened, which can take long.
    if !possible || !conversions.any(|conversion| conversion.is_target(to, options)) {
        return Ok(None);
    }
    let Some(detected) = readable(context.detect(from, &options.open))? else {
        return Ok(None);
    };
    let Some(conversion) = detected.format().abilities().conversion else { return Ok(None) };
    let probe = detected.into_probe();
    if !conversion.is_target(to, options) || !conversion.is_file(&probe)? {
        return Ok(None);
    }
    // Options of the target are checked.
    context.format_of_target(to, options)?;
    let summary = conversion.convert_file(&probe, to, options, context);
    let summary = summary.map_err(|error| error.with_context(&from.source_place()))?;
    Ok(Some(summary.seconds(started.elapsed().as_secs_f64())))
}

/// Returns whether a source has several matrices and tables, and the target supports them.
pub(crate) fn is_written(
    from: &Location,
    to: &Location,
    options: &ConvertOptions,
    context: &Context,
) -> Result<bool> {
    Ok(find_for(from, &to.resolve_target()?, options, context)?.is_some())
}

/// Writes what belongs to selected rows and columns of a file with several matrices and tables. If the source
/// or target is a single matrix, returns `None` without doing anything.
///
/// # Errors
///
/// Fails as [`convert`], and if a selected row or column does not exist.
pub fn slice(
    from: &Location,
    to: &Location,
    selected: [&Selection; 2],
    options: &ConvertOptions,
    context: &Context,
) -> Result<Option<Summary>> {
    let to = &to.resolve_target()?;
    refuse_reordering(from, to, options, context)?;
    let written = write(
        from,
        to,
        options,
        |format, probe| format.slice_file(probe, to, selected, options, context),
        context,
    )?;
    // The size of the source is not the size of the selection.
    Ok(written.map(|summary| summary.bytes_before(None)))
}

/// Concatenates the rows of files with several matrices and tables. If a source or the target is a single
/// matrix, returns `None` without doing anything.
///
/// # Errors
///
/// Fails as [`convert`], and if columns or types do not match.
pub fn concat(
    from: &[Location],
    to: &Location,
    how: &ConcatFilesOptions,
    options: &ConvertOptions,
    context: &Context,
) -> Result<Option<Summary>> {
    let started = Instant::now();
    let to = &to.resolve_target()?;
    if let Some(first) = from.first() {
        refuse_reordering(first, to, options, context)?;
    }
    let mut format = None;
    let mut probes = Vec::with_capacity(from.len());
    for from in from {
        let Some(found) = find_for(from, to, options, context)? else { return Ok(None) };
        format = Some(found.format);
        probes.push(found.probe);
    }
    let Some(format) = format else { return Ok(None) };
    let summary = format.concat_files(&probes, to, how, options, context)?;
    Ok(Some(summary.seconds(started.elapsed().as_secs_f64())))
}

/// Compares all elements of two files with several matrices and tables, opened with the same options, and passes
/// differences to `each`. Returns whether they are such files; otherwise nothing is done.
///
/// # Errors
///
/// Fails if one of them cannot be read or is broken.
pub fn diff(
    [first, second]: [&Location; 2],
    open: &OpenOptions,
    options: &DiffOptions,
    context: &Context,
    each: &mut dyn FnMut(ElementDifference),
) -> Result<bool> {
    let Some(WholeFile { format, probe, .. }) = find(first, open, context)? else {
        return Ok(false);
    };
    let Some(other) = find(second, open, context)? else { return Ok(false) };
    if !std::ptr::addr_eq(format, other.format) {
        return Ok(false);
    }
    match options.by_name {
        true => by_name::diff(
            format,
            [&probe, &other.probe],
            ([first, second], open),
            options,
            context,
            each,
        )?,
        false => format.diff_files([&probe, &other.probe], options, context, each)?,
    }
    Ok(true)
}

/// Fails if rows or columns of a whole file are reordered in another operation than a conversion.
fn refuse_reordering(
    from: &Location,
    to: &Location,
    options: &ConvertOptions,
    context: &Context,
) -> Result<()> {
    let wanted = options.reorders() || options.profile.is_some();
    if wanted && is_written(from, to, options, context)? {
        let what =
            "whole files are reordered, and written with a profile, only when they are converted";
        return Err(Error::argument(what));
    }
    Ok(())
}

fn write(
    from: &Location,
    to: &Location,
    options: &ConvertOptions,
    write: impl FnOnce(&dyn WholeFormat, &Probe) -> Result<Summary>,
    context: &Context,
) -> Result<Option<Summary>> {
    let started = Instant::now();
    let Some(WholeFile { format, probe, .. }) = find_for(from, to, options, context)? else {
        return Ok(None);
    };
    let summary =
        write(format, &probe).map_err(|error| error.with_context(&from.source_place()))?;
    Ok(Some(summary.seconds(started.elapsed().as_secs_f64())))
}
