//! Writing collections as MuData.

use std::collections::BTreeSet;
use std::sync::Arc;

use nnz_core::{Axis, AxisKind, Error, Place, Result};
use nnz_engine::{Labels, MatrixTarget as _};
use nnz_singlecell::anndata::AnnData;
use nnz_singlecell::mudata::{MuData, user_block};
use nnz_storage::staging::StagedGroup;

use super::collection::MuDataCollection;
use super::{INFO, MODALITY, MuDataFile};
use crate::collection::{Collection, CollectionConcatOptions, CollectionSlice, downcast};
use crate::formats::anndata::collection::AnnDataCollection;
use crate::formats::anndata::target::{self, AnnDataTarget};
use crate::formats::anndata::write::{
    CONCATENATED, file_options, refuse_labels, write_as_anndata, write_file,
};
#[cfg(feature = "robjects")]
use crate::formats::robjects::collection::{Assay, ObjectCollection};
use crate::formats::{CollectionFormat, FormatInfo, check_strict, drop};
use crate::{Context, ConvertOptions, Location, Summary};

impl CollectionFormat for MuDataFile {
    fn is_target(&self, source: &FormatInfo, to: &Location, options: &ConvertOptions) -> bool {
        target::is_target(&INFO, source, to, options)
    }

    fn check_target(
        &self,
        to: &Location,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<()> {
        target::check(&INFO, to, options, context)
    }

    fn check_replaced(
        &self,
        to: &Location,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<()> {
        // Starting to write checks it.
        new_target(to, options, context)?.tree().map(std::mem::drop)
    }

    fn write(
        &self,
        source: &dyn Collection,
        to: &Location,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<Option<Summary>> {
        let flat = CollectionSlice::flatten(source)?;
        let target = || new_target(to, options, context);
        let selections = flat.selections();
        let mut summary = if let Some(whole) = downcast::<MuDataCollection>(flat.whole) {
            refuse_names(options)?;
            refuse_new_names(options)?;
            let file = whole.file()?;
            write_file(
                target,
                (options, source.bytes()),
                context,
                |tree, options| match &selections {
                    None => file.copy_to(tree, options),
                    Some([rows, cols]) => file.slice_to(tree, [rows, cols], options),
                },
            )?
        } else if let Some(own) = downcast::<AnnDataCollection>(flat.whole) {
            if selections.is_some() {
                return Err(Error::argument(
                    "a selection of an AnnData file is not written as MuData; write it as .h5ad first",
                ));
            }
            refuse_labels(
                options,
                "an AnnData file that becomes a modality; use them on the result",
            )?;
            let files = modalities(&[own], options, &[])?;
            write_file(target, (options, source.bytes()), context, |tree, options| {
                MuData::join_to(&files, None, tree, options)
            })?
        } else {
            #[cfg(feature = "robjects")]
            if let Some(own) = downcast::<ObjectCollection>(flat.whole) {
                if selections.is_some() {
                    return Err(Error::argument(
                        "a selection of an object of R is not written as MuData; write it as .h5mu first",
                    ));
                }
                return write_assays(own, to, options, context).map(Some);
            }
            return Ok(None);
        };
        summary.notes.splice(0..0, flat.notes);
        Ok(Some(summary))
    }

    fn concat_axis(&self, source: &dyn Collection) -> Result<Option<Axis>> {
        let cells = AxisKind::cell_axis(source.axes()?.header().axis_kinds);
        // Other files become modalities, whose features follow one another.
        Ok(match downcast::<MuDataCollection>(source) {
            Some(_) => cells,
            None => cells.map(Axis::other),
        })
    }

    fn stores_matrices(&self) -> bool {
        false
    }

    fn format_of_members(&self) -> Option<&'static str> {
        Some(crate::formats::anndata::INFO.name.as_str())
    }

    fn concat(
        &self,
        sources: &[Arc<dyn Collection>],
        to: &Location,
        how: &CollectionConcatOptions,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<Option<Summary>> {
        refuse_labels(options, CONCATENATED)?;
        let target = || new_target(to, options, context);
        let bytes = sources.iter().map(|source| source.bytes()).sum();
        let own = sources.iter().map(|source| downcast::<MuDataCollection>(&**source));
        if let Some(files) = own.collect::<Option<Vec<_>>>() {
            refuse_names(options)?;
            let missing: Vec<&[String]> = files.iter().map(|file| &*file.missing).collect();
            drop::check_in_any(&missing)?;
            let how = file_options(how)?;
            let files: Vec<_> =
                files.iter().map(|file| (file.unchecked().clone(), file.place())).collect();
            let write = write_file(target, (options, bytes), context, |tree, options| {
                MuData::concat_to(&files, tree, &how, options)
            });
            return write.map(Some);
        }
        let own = sources.iter().map(|source| downcast::<AnnDataCollection>(&**source));
        let Some(files) = own.collect::<Option<Vec<_>>>() else { return Ok(None) };
        how.check_of_modalities()?;
        let files = modalities(&files, options, &how.keys)?;
        let write = write_file(target, (options, bytes), context, |tree, options| {
            MuData::join_to(&files, how.join, tree, options)
        });
        write.map(Some)
    }
}

/// Writes the assays of an object of R as modalities, each first to a file of its own beside the target.
#[cfg(feature = "robjects")]
fn write_assays(
    source: &ObjectCollection,
    to: &Location,
    options: &ConvertOptions,
    context: &Context,
) -> Result<Summary> {
    refuse_labels(options, "an object of R that becomes MuData; use them on the result")?;
    let target = new_target(to, options, context)?;
    target.check()?;
    let directory = context.spill_directory(&target.directory(context));
    let staged = StagedGroup::create(&directory, &options.output(context))?;
    let parts = source.assays()?;
    let (mut names, mut files) = (BTreeSet::new(), Vec::with_capacity(parts.len()));
    let mut lost = Summary::default();
    for (number, Assay { name, path: in_object, contents }) in parts.into_iter().enumerate() {
        let name = if name.is_empty() { "main".to_owned() } else { name };
        if name.contains('/') || !names.insert(name.clone()) {
            lost.left_out.push(format!("{in_object} (its name cannot be that of a modality)"));
            continue;
        }
        let path = staged.path().join(format!("{number}.h5ad"));
        let part = Location::from(path.clone());
        let options = &options.clone().compress(None).strict(false);
        let written = write_as_anndata(contents, &part, (options, None), context);
        let written = written.map_err(|error| staged.shown(error))?;
        let of_part = |texts: Vec<String>| {
            texts.into_iter().map(|text| format!("{name}: {text}")).collect::<Vec<_>>()
        };
        lost.dropped.extend(of_part(written.dropped));
        lost.left_out.extend(of_part(written.left_out));
        let is_known = |note: &String| note.starts_with("transposed");
        let notes = written.notes.into_iter().filter(|note| !is_known(note));
        lost.notes.extend(of_part(notes.collect()));
        let file = AnnData::open(nnz_container::tree::open(&path, "")?)?;
        files.push((name, file, source.place()));
    }
    check_strict([&lost.dropped, &lost.left_out], &to.source_place(), options)?;
    let written = write_file(
        || new_target(to, options, context),
        (options, source.bytes()),
        context,
        |tree, options| MuData::join_to(&files, None, tree, options),
    );
    let mut summary = written.map_err(|error| staged.shown(error))?;
    summary.dropped.splice(0..0, lost.dropped);
    summary.left_out.splice(0..0, lost.left_out);
    summary.notes.splice(0..0, lost.notes);
    Ok(summary)
}

fn new_target(to: &Location, options: &ConvertOptions, context: &Context) -> Result<AnnDataTarget> {
    let target = AnnDataTarget::of_format(&INFO, to, options, context)?;
    Ok(target.with_user_block(user_block()))
}

/// Refuses names of modalities for a source that has names.
fn refuse_names(options: &ConvertOptions) -> Result<()> {
    match options.format_options.get(MODALITY) {
        None => Ok(()),
        Some(_) => {
            let what =
                format!("the option {MODALITY} applies only if AnnData files become modalities");
            Err(Error::argument(what))
        }
    }
}

/// Refuses other names of cells and features, by which modalities belong to them. Tables can be joined.
fn refuse_new_names(options: &ConvertOptions) -> Result<()> {
    let named = [&options.row_labels, &options.col_labels].map(|labels| labels.clone().table(None));
    match named.iter().all(Labels::is_default) {
        true => Ok(()),
        false => {
            let what = "options for names do not apply to a whole MuData file; use them on a modality, as in FILE.h5mu::mod/NAME";
            Err(Error::argument(what))
        }
    }
}

/// Returns the names of modalities for AnnData files, which are the keys if there are any, with the files and their places.
fn modalities(
    files: &[&AnnDataCollection],
    options: &ConvertOptions,
    keys: &[String],
) -> Result<Vec<(String, AnnData, Place)>> {
    let given = options.format_options.all(MODALITY);
    if !keys.is_empty() && !given.is_empty() {
        let what = format!("the options keys and {MODALITY} both name the modalities");
        return Err(Error::argument(what));
    }
    let given = if keys.is_empty() { given } else { keys };
    if !given.is_empty() && given.len() != files.len() {
        let (names, files) = (given.len(), files.len());
        let what = format!("the option {MODALITY} is given {names} times, for {files} files");
        return Err(Error::argument(what));
    }
    let mut seen = BTreeSet::new();
    let mut modalities = Vec::with_capacity(files.len());
    for (number, file) in files.iter().enumerate() {
        let place = file.place();
        let name = match given.get(number) {
            Some(name) => name.clone(),
            None => file.name().ok_or_else(|| {
                let what = format!("{place}: there is no name for the modality");
                Error::argument(what).with_hint(MODALITY, "sets the names of modalities")
            })?,
        };
        if name.is_empty() || name.contains('/') || name == "." || name == ".." {
            return Err(Error::argument(format!("{name:?} cannot be the name of a modality")));
        }
        if !seen.insert(name.clone()) {
            let what = format!("two modalities have the name {name:?}");
            return Err(Error::argument(what).with_hint(MODALITY, "sets the names of modalities"));
        }
        modalities.push((name, file.file()?.clone(), place));
    }
    Ok(modalities)
}
