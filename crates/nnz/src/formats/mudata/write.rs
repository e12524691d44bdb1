//! Writing collections as MuData.

use std::collections::BTreeSet;
use std::sync::Arc;

use nnz_core::{Axis, AxisKind, Error, Place, Result};
use nnz_engine::Labels;
use nnz_singlecell::anndata::AnnData;
use nnz_singlecell::mudata::{MuData, user_block};

use super::collection::MuDataCollection;
use super::{INFO, MODALITY, MuDataFile};
use crate::collection::{Collection, CollectionConcatOptions, CollectionSlice, downcast};
use crate::formats::anndata::collection::AnnDataCollection;
use crate::formats::anndata::target::{self, AnnDataTarget};
use crate::formats::anndata::write::{CONCATENATED, file_options, refuse_labels, write_file};
use crate::formats::{CollectionFormat, FormatInfo, drop};
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
