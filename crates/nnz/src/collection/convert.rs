//! Writing collections.

use std::sync::Arc;
use std::time::Instant;

use nnz_core::{Axis, Error, ErrorKind, Result};

use super::{Collection, CollectionConcatOptions, CollectionSlice, groups};
use crate::formats::{CollectionFormat, Format, check_options};
use crate::{Context, ConvertOptions, Location, Summary, reorder};

/// Returns the format that writes a collection with everything in it to a target; `None` if the target is a single
/// matrix.
///
/// # Errors
///
/// Fails if an option is set that the format does not have, and if the name of the target is not one of the format.
pub(crate) fn target_of<'a>(
    source: &dyn Collection,
    to: &Location,
    options: &ConvertOptions,
    context: &'a Context,
) -> Result<Option<&'a dyn CollectionFormat>> {
    let is_group = |group: &Option<String>| {
        group.as_deref().is_some_and(|group| !group.trim_matches('/').is_empty())
    };
    // Rows and columns of collections are not exchanged.
    if options.transpose || !matches!(to, Location::Path { group, .. } if !is_group(group)) {
        return Ok(None);
    }
    let formats = || context.registry().formats().iter();
    let is_whole = formats().any(|format| {
        format.info().name == source.info().name && format.abilities().collections.is_some()
    });
    for &format in formats() {
        let Some(target) = format.abilities().collections else { continue };
        let may_be = || is_whole && target.may_be_target(to, options);
        if !target.is_target(source.info(), to, options) && !may_be() {
            continue;
        }
        target.check_target(to, options, context)?;
        let info = format.info();
        let known: Vec<_> = info.options.iter().map(|option| option.name).collect();
        check_options(info.name.as_str(), &known, options.format_options.names())?;
        return Ok(Some(target));
    }
    Ok(match source.is_several() && groups::is_target(to, options, context)? {
        true => Some(&groups::GroupsFormat),
        false => None,
    })
}

/// Converts a collection with everything in it, or only its main matrix if the target is a single one.
pub(crate) fn convert(
    source: &Arc<dyn Collection>,
    to: &Location,
    options: &ConvertOptions,
    context: &Context,
) -> Result<Summary> {
    let started = Instant::now();
    let written = match target_of(&**source, to, options, context)? {
        Some(target) => write(source, target, to, options, context)
            .map_err(|error| error.with_context(&source.place()))?,
        None => None,
    };
    match written {
        Some(summary) => Ok(summary.seconds(started.elapsed().as_secs_f64())),
        None => {
            let main = source.main().map_err(|error| error.with_context(&source.place()))?;
            let mut summary = crate::convert_source(&*main, to, options, context)?;
            if !summary.dropped.is_empty() {
                summary.notes.extend(whole_formats(&**source, to, options, context));
            }
            Ok(summary)
        }
    }
}

/// Returns a note on the formats that write the whole collection to a store of which only the extension is given.
fn whole_formats(
    source: &dyn Collection,
    to: &Location,
    options: &ConvertOptions,
    context: &Context,
) -> Option<String> {
    let Location::Path { path, .. } = to else { return None };
    let is_store = path.extension().is_some_and(|extension| extension == "zarr");
    if options.format.is_some() || !is_store {
        return None;
    }
    let writes_whole = |format: &&&dyn Format| {
        if !format.info().containers {
            return false;
        }
        let options = ConvertOptions { format: Some(format.info().name), ..options.clone() };
        target_of(source, to, &options, context).is_ok_and(|target| target.is_some())
    };
    let formats = context.registry().formats().iter().filter(writes_whole);
    let names: Vec<_> = formats.map(|format| format.info().name.to_string()).collect();
    let names = names.join(", ");
    (!names.is_empty()).then(|| {
        format!("only the main matrix is stored; formats that store the rest here: {names}")
    })
}

fn write(
    source: &Arc<dyn Collection>,
    target: &dyn CollectionFormat,
    to: &Location,
    options: &ConvertOptions,
    context: &Context,
) -> Result<Option<Summary>> {
    let applied;
    if source.is_several() {
        if options.reorders() {
            let what = "several matrices are not reordered; select one with ::NAME";
            return Err(Error::new(ErrorKind::Argument(what.to_owned()), source.place()));
        }
        return target.write(&**source, to, options, context);
    }
    let options = match options.profile {
        Some(profile) => {
            let has_main = source.has_main()?;
            applied = profile.apply(&*source.main_or_axes()?, to, options, context)?;
            // Without a main matrix, there are no entries to order by.
            let reorder = if has_main { &applied.reorder } else { &options.reorder };
            &applied.clone().reorder(reorder.clone())
        }
        None => options,
    };
    if !options.reorders() {
        return target.write(&**source, to, options, context);
    }
    let ([rows, cols], options) = reorder::new_order(&*source.main()?, options, context)?;
    let reordered = CollectionSlice::new(Arc::clone(source), [&rows, &cols]);
    target.write(&reordered, to, &options, context)
}

/// Concatenates collections along their cells, with everything in them. Returns `None` without doing anything if the
/// target is a single matrix, or the axis another one.
pub(crate) fn concat(
    sources: &[Arc<dyn Collection>],
    to: &Location,
    (axis, how): (Axis, &CollectionConcatOptions),
    options: &ConvertOptions,
    context: &Context,
) -> Result<Option<Summary>> {
    let started = Instant::now();
    let Some(first) = sources.first() else { return Ok(None) };
    let Some(target) = target_of(&**first, to, options, context)? else { return Ok(None) };
    for source in sources {
        let along = target.concat_axis(&**source)?;
        if let Some(own) = along.filter(|own| *own != axis && !target.stores_matrices()) {
            let place = source.place();
            let what = format!("{place}: is concatenated to {to} along {own}, not along {axis}");
            return Err(Error::argument(what));
        }
        if along != Some(axis) {
            return Ok(None);
        }
    }
    if options.reorders() || options.profile.is_some() {
        let what =
            "whole files are reordered, and written with a profile, only when they are converted";
        return Err(Error::argument(what));
    }
    let summary = target.concat(sources, to, how, options, context)?;
    Ok(summary.map(|summary| summary.seconds(started.elapsed().as_secs_f64())))
}
