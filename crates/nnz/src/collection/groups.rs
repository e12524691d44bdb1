//! Writing several matrices to the groups of one file.

use std::path::Path;
use std::sync::Arc;

use nnz_core::{Axis, AxisKind, Error, ErrorKind, MatrixSource, Place, Result};
use nnz_engine::{Concat, ConcatOptions, SummaryContent};
use nnz_storage::staging::{self, StagedGroup};

use super::{Collection, CollectionConcatOptions};
use crate::formats::{CollectionFormat, FormatInfo, Member};
use crate::{Context, ConvertOptions, Location, Summary, container_target::has_groups};

/// Files and stores of any format that is written to groups of them, and MAT-files and 10x files.
pub(super) struct GroupsFormat;

/// Returns whether several matrices can be written to a file.
///
/// # Errors
///
/// Fails if the file may have groups, but the format is not known.
pub(super) fn is_target(
    to: &Location,
    options: &ConvertOptions,
    context: &Context,
) -> Result<bool> {
    let Location::Path { path, .. } = to else { return Ok(false) };
    match context.format_of_target(to, options) {
        Ok(format) => format.adds_groups(path),
        Err(error) if has_groups(path)? => Err(error),
        Err(_) => Ok(false),
    }
}

/// The matrices of one or more collections by their paths.
type Open<'a> = &'a dyn Fn(&str) -> Result<Box<dyn MatrixSource + 'a>>;

/// Writes matrices to the groups of a file that appears when all are complete.
fn write(
    (members, open): (Vec<Member>, Open<'_>),
    to: &Location,
    options: &ConvertOptions,
    context: &Context,
) -> Result<Summary> {
    let Location::Path { path, .. } = to else { return Err(Error::argument("not a file")) };
    let place = || Place::path(path);
    let Some(name) = path.file_name().filter(|_| !nnz_core::is_url(path)) else {
        let what = "several matrices are written to local files only; select one with ::NAME";
        return Err(Error::unsupported(place(), what));
    };
    if !options.overwrite && staging::exists(path, context)? {
        return Err(Error::new(ErrorKind::Exists, place()));
    }
    let here = Path::new(".");
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(here);
    let staged = StagedGroup::create(directory, &options.output(context))?;
    let file = staged.path().join(name);
    let mut summary = Summary::default();
    let mut count = 0;
    for member in members {
        context.check()?;
        let is_matrix = matches!(member.shape.len(), 1 | 2) && !member.value_type.is_empty();
        if !is_matrix && member.kind != Member::INVALID {
            summary.dropped.push(format!("{} ({})", member.path, member.kind));
            continue;
        }
        let source = open(&member.path)?;
        let target = Location::Path { path: file.clone(), group: Some(member.path.clone()) };
        let done = crate::convert_source(&*source, target, options, context);
        let done = done.map_err(|error| staged.shown(error.with_context(&source.place())))?;
        let of_member = |texts: Vec<String>| {
            texts.into_iter().map(|text| format!("{}: {text}", member.path)).collect::<Vec<_>>()
        };
        summary.entries += done.entries;
        summary.bytes_after += done.bytes_after;
        summary.disk = summary.disk.max(done.disk);
        summary.dropped.extend(of_member(done.dropped));
        summary.left_out.extend(of_member(done.left_out));
        summary.notes.extend(of_member(done.notes));
        count += 1;
    }
    let name = name.to_str().ok_or_else(|| Error::argument("the name of the file is not UTF-8"))?;
    if count == 0 {
        return Err(Error::unsupported(place(), "there is no matrix to write"));
    }
    if options.strict && !summary.dropped.is_empty() {
        let what = format!("cannot store {}", summary.dropped.join(", "));
        return Err(
            Error::unsupported(place(), what).with_hint("strict", "does not allow dropping data")
        );
    }
    context.check()?;
    staged.commit(&[name.to_owned()])?;
    Ok(summary.content(SummaryContent::Matrices(count)))
}

impl CollectionFormat for GroupsFormat {
    fn is_target(&self, _: &FormatInfo, _: &Location, _: &ConvertOptions) -> bool {
        false
    }

    fn write(
        &self,
        source: &dyn Collection,
        to: &Location,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<Option<Summary>> {
        let members = (source.members()?, &|path: &str| source.open(path) as _);
        let summary = write((members.0, members.1), to, options, context)?;
        Ok(Some(summary.bytes_before(source.bytes())))
    }

    fn concat(
        &self,
        sources: &[Arc<dyn Collection>],
        to: &Location,
        how: &CollectionConcatOptions,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<Option<Summary>> {
        how.check_default()?;
        let Some(first) = sources.first() else { return Ok(None) };
        let members = first.members()?;
        let paths = |members: &[Member]| {
            let mut paths: Vec<_> = members.iter().map(|member| member.path.clone()).collect();
            paths.sort();
            paths
        };
        for other in sources {
            if paths(&other.members()?) != paths(&members) {
                let what = format!("does not have the same matrices as {}", first.place());
                return Err(Error::new(ErrorKind::Argument(what), other.place()));
            }
        }
        let kinds = first.axes()?.header().axis_kinds;
        let axis = AxisKind::cell_axis(kinds).unwrap_or(Axis::Rows);
        let how =
            ConcatOptions::default().value_type(options.value_type).rounding(options.rounding);
        let open = |path: &str| -> Result<Box<dyn MatrixSource>> {
            let parts = sources.iter().map(|source| source.open(path)).collect::<Result<_>>()?;
            Ok(Box::new(Concat::new(parts, axis, &how)?))
        };
        write((members, &open), to, options, context).map(Some)
    }
}
