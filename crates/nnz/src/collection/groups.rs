//! Writing several matrices to the groups of one file.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use nnz_core::{Axis, AxisKind, Error, ErrorKind, Place, Result};
use nnz_engine::{Concat, ConcatOptions, SummaryContent};
use nnz_storage::staging::{self, StagedGroup};

use super::{Collection, CollectionConcatOptions, SeveralMatrices, downcast};
use crate::concat::by_name::matched_by_name;
use crate::container_target::has_groups;
use crate::formats::{CollectionFormat, Format, FormatInfo, Member, check_strict, location_of};
use crate::{Context, ConvertOptions, Dataset, Location, Summary};

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

/// Opens the parts of one or more collections by their paths.
type Open<'a> = &'a dyn Fn(&Member) -> Result<Dataset>;

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
    let name = name.to_str().ok_or_else(|| Error::argument("the name of the file is not UTF-8"))?;
    let format = context.format_of_target(to, options)?;
    // A matrix that is stored in another format does not keep it.
    let options = &options.clone().format(format.info().name);
    let (parts, mut summary) = parts(members, format)?;
    let mut parts = parts.into_iter().peekable();
    let mut first = match parts.peek() {
        Some((member, _)) => Some(open(member)?),
        None => return Err(Error::unsupported(place(), "there is no matrix to write")),
    };
    check_strict([&summary.dropped, &summary.left_out], &to.place(), options)?;
    if !options.overwrite && staging::exists(path, context)? {
        return Err(Error::new(ErrorKind::Exists, place()));
    }
    if let Some(Dataset::Matrix(matrix)) = &first {
        // Whatever a single matrix would not replace, such as a directory with other files.
        context.target(to, options, &**matrix)?.check()?;
    }
    let here = Path::new(".");
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(here);
    let staged = StagedGroup::create(directory, &options.output(context))?;
    let file = staged.path().join(name);
    let mut count = 0;
    for (member, group) in parts {
        context.check()?;
        let part = first.take().map_or_else(|| open(&member), Ok)?;
        if let Dataset::Matrix(matrix) = &part {
            // Errors have the name of the target.
            context.target(&to.inside(&group), options, &**matrix)?;
        }
        let source = to.inside(&member.path).source_place();
        let target = Location::Path { path: file.clone(), group: Some(group) };
        let done = part.convert(target, options, context);
        let done = done.map_err(|error| staged.shown(error.with_context(&source)))?;
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
    check_strict([&summary.dropped, &summary.left_out], &to.place(), options)?;
    context.check()?;
    staged.commit(&[name.to_owned()])?;
    Ok(summary.content(SummaryContent::Matrices(count)))
}

/// Returns the parts that a format stores, with the names of their groups. The others are listed as dropped in the
/// summary.
fn parts(members: Vec<Member>, format: &dyn Format) -> Result<(Vec<(Member, String)>, Summary)> {
    let mut summary = Summary::default();
    let mut names = BTreeSet::new();
    let mut parts = Vec::new();
    for member in members {
        let is_number = !member.value_type.is_empty();
        let is_stored = match member.shape.len() {
            1 | 2 => is_number,
            _ => is_number && format.abilities().tensors.is_some(),
        };
        if !is_stored && member.kind != Member::INVALID {
            summary.dropped.push(format!("{} ({})", member.path, member.kind));
            continue;
        }
        let name = format.group_name(without_extension(&member.path));
        if name != member.path {
            summary.notes.push(format!("{} is named {name}", member.path));
        }
        if !names.insert(name.clone()) {
            return Err(Error::argument(format!("two matrices would be named {name}; select one")));
        }
        parts.push((member, name));
    }
    Ok((parts, summary))
}

/// Returns the name of a matrix in a folder or an archive, without what all of them have in common.
fn without_extension(path: &str) -> &str {
    let plain = path.strip_suffix(".gz").unwrap_or(path);
    let Some(stem) = plain.strip_suffix(".mtx") else { return path };
    stem.strip_suffix("/matrix").filter(|folder| !folder.is_empty()).unwrap_or(stem)
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
        let open = |member: &Member| match downcast::<SeveralMatrices>(source) {
            Some(several) => several.dataset(&member.path),
            None => source.open(&member.path).map(Dataset::Matrix),
        };
        let summary = write((source.members()?, &open), to, options, context)?;
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
        how.check_of_matrices()?;
        let keys = how.keys_of(sources.iter().map(location_of))?;
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
        let of_values =
            ConcatOptions::default().value_type(options.value_type).rounding(options.rounding);
        let notes = RefCell::new(Vec::new());
        let open = |member: &Member| {
            let parts = sources.iter().enumerate().map(|(number, source)| {
                let part = source.open(&member.path)?;
                let part = match keys.as_ref().and_then(|keys| keys.get(number)) {
                    Some(key) => how.keyed(part, axis, key),
                    None => Ok(part),
                };
                part.map_err(|error| error.with_context(&source.place()))
            });
            let parts = parts.collect::<Result<_>>()?;
            let (parts, note) = matched_by_name(parts, axis.other(), how.join, context.memory())?;
            notes.borrow_mut().extend(note.map(|note| format!("{}: {note}", member.path)));
            Ok(Dataset::Matrix(Box::new(Concat::new(parts, axis, &of_values)?)))
        };
        let mut summary = write((members, &open), to, options, context)?;
        summary.notes.extend(notes.into_inner());
        Ok(Some(summary))
    }
}
