//! Converting a whole file to another, or to AnnData.

use crate::Context;
use nnz_container::Compression;
use nnz_container::tree::Attribute;
use nnz_core::{Error, MatrixSource, Placed, Result};
use nnz_engine::{Labelled, Transposed};
use nnz_singlecell::anndata::{self, Item as AnnDataItem};
use nnz_singlecell::loom::{self, Item};

use super::{LoomFile, place, target};
use crate::formats::anndata::target as anndata_target;
use crate::formats::whole::{WrittenFile, check_strict, part_options};
use crate::formats::{FileConversion, FormatInfo, MatrixTarget as _, Probe};
use crate::{ConvertOptions, Location, Summary};

/// Content of a file besides its matrices.
pub(in crate::formats) struct LoomExtras {
    /// Numbers and strings of the file as a whole, each with its name in messages.
    pub(in crate::formats) globals: Vec<(String, Attribute, String)>,
    /// Content that is not read.
    pub(in crate::formats) dropped: Vec<String>,
}

/// A matrix of a file, and its location in the target.
pub(in crate::formats) type NamedMatrix<T> = (T, Box<dyn MatrixSource>);

impl FileConversion for LoomFile {
    fn is_target(&self, to: &Location, options: &ConvertOptions) -> bool {
        is_whole_target(to, options) || is_file_of(&crate::formats::anndata::INFO, to, options)
    }

    fn is_file(&self, probe: &Probe) -> Result<bool> {
        // Opening the matrix of a broken file gives the error.
        Ok(matches!(nnz_core::readable(place::find(probe))?, Some(Some((_, None)))))
    }

    fn convert_file(
        &self,
        from: &Probe,
        to: &Location,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<Summary> {
        let (file, _) = place::open(from)?;
        let main = file.matrix(&Item::Matrix)?;
        let mut parts = Vec::new();
        for item in file.items()?.into_iter().filter(|item| *item != Item::Matrix) {
            let source = Placed::new(Box::new(file.matrix(&item)?), place::of_item(from, &item));
            parts.push((item, Box::new(source) as Box<dyn MatrixSource>));
        }
        let globals = file.global_attributes()?;
        let named = globals.into_iter().map(|(name, attribute)| {
            let shown = format!("the attribute {name:?}");
            (name, attribute, shown)
        });
        let mut rest = LoomExtras { globals: named.collect(), dropped: file.unread()? };
        rest.dropped.retain(|path| rest.globals.iter().all(|(_, _, shown)| shown != path));
        let main = Placed::new(Box::new(main), place::of_item(from, &Item::Matrix));
        let main: NamedMatrix<Item> = (Item::Matrix, Box::new(main));
        let bytes = from.opened().and_then(|opened| Some(opened.file()?.len()));
        match is_whole_target(to, options) {
            true => write(main, parts, rest, to, (options, bytes), context),
            false => write_anndata(main, parts, rest, to, (options, bytes), context),
        }
    }
}

/// Returns whether a target is a whole file of a format.
fn is_file_of(info: &FormatInfo, to: &Location, options: &ConvertOptions) -> bool {
    let Location::Path { path, group } = to else { return false };
    let whole = group.as_deref().is_none_or(|group| group.trim_matches('/').is_empty());
    whole
        && match options.format {
            Some(name) => name == info.name,
            None => info.is_extension_of(path),
        }
}

/// Returns whether a target is a Loom file.
pub(in crate::formats) fn is_whole_target(to: &Location, options: &ConvertOptions) -> bool {
    is_file_of(&super::INFO, to, options)
}

/// Writes matrices whose columns are cells as a Loom file. The first has the names and annotations.
pub(in crate::formats) fn write(
    (item, main): NamedMatrix<Item>,
    parts: Vec<NamedMatrix<Item>>,
    LoomExtras { globals, mut dropped }: LoomExtras,
    to: &Location,
    (options, bytes_before): (&ConvertOptions, Option<u64>),
    context: &Context,
) -> Result<Summary> {
    let labels = [&options.row_labels, &options.col_labels];
    let place = main.place();
    let main = Labelled::new(main, labels, context.memory())
        .map_err(|error| error.with_context(&place))?;
    let to = &target::LoomTarget::new(to, options, &main, context)?;
    to.check()?;
    dropped.extend(to.dropped().iter().cloned());
    let mut written = Vec::new();
    for (item, source) in parts {
        match loom::refusal(&item, &main)? {
            Some(why) => dropped.push(format!("{item} ({why})")),
            None => written.push((item, source)),
        }
    }
    let path = to.path().unwrap_or_else(|| std::path::Path::new(""));
    let mut writer =
        loom::FileWriter::create(to.tree()?, &main, (path, to.compression()), context)?;
    for (name, attribute, shown) in globals {
        if !writer.write_attribute(&name, &attribute)? {
            dropped.push(shown);
        }
    }
    check_strict(&dropped, &to.place(), options)?;
    let [of_main, of_others] = &part_options(options);
    let entries = writer.write(item, &main, of_main)?;
    for (item, source) in &written {
        let options = if matches!(item, Item::Layer(_)) { of_main } else { of_others };
        writer.write(item.clone(), &**source, options)?;
    }
    let (shape, tree) = (main.header().shape, writer.finish()?);
    let notes = main.notes();
    WrittenFile { tree, shape, entries, dropped, notes }.commit(&to.place(), bytes_before, context)
}

/// Returns the location in AnnData.
fn in_anndata(item: &Item) -> Result<AnnDataItem> {
    Ok(match item.clone() {
        Item::Matrix => AnnDataItem::X,
        Item::Layer(name) => AnnDataItem::Layer(name),
        Item::RowGraph(name) => AnnDataItem::Varp(name),
        Item::ColGraph(name) => AnnDataItem::Obsp(name),
        Item::RowAttribute(name) => AnnDataItem::Varm(name),
        Item::ColAttribute(name) => AnnDataItem::Obsm(name),
        other => return Err(Error::argument(format!("{other} cannot be stored in AnnData"))),
    })
}

/// Writes a file as AnnData, whose rows are cells.
fn write_anndata(
    (_, main): NamedMatrix<Item>,
    parts: Vec<NamedMatrix<Item>>,
    LoomExtras { globals, mut dropped }: LoomExtras,
    to: &Location,
    (options, bytes_before): (&ConvertOptions, Option<u64>),
    context: &Context,
) -> Result<Summary> {
    let labels = [&options.row_labels, &options.col_labels];
    let place = main.place();
    let main = Labelled::new(main, labels, context.memory())
        .map_err(|error| error.with_context(&place))?;
    let mut notes = main.notes();
    let main = Transposed::new(Box::new(&main as &dyn MatrixSource));
    let to =
        &anndata_target::AnnDataTarget::new(to, options, context)?.without_unsupported(&main)?;
    to.check()?;
    dropped.extend(to.dropped().iter().cloned());
    let path = to.path().unwrap_or_else(|| std::path::Path::new(""));
    let compression: Compression = options.compress.unwrap_or_default();
    let mut writer = anndata::FileWriter::create(to.tree()?, &main, (path, compression), context)?;
    for (name, attribute, shown) in globals {
        if !writer.write_unstructured(&name, &attribute)? {
            dropped.push(shown);
        }
    }
    check_strict(&dropped, &to.place(), options)?;
    let [of_main, of_others] = &part_options(options);
    let entries = writer.write(AnnDataItem::X, &main, of_main)?;
    for (item, source) in &parts {
        let target = in_anndata(item)?;
        match item {
            Item::Layer(_) => {
                let source = Transposed::new(Box::new(&**source));
                writer.write(target, &source, of_main)?;
            }
            _ => {
                writer.write(target, &**source, of_others)?;
            }
        }
    }
    let (shape, tree) = (main.header().shape, writer.finish()?);
    notes.push("transposed: rows are now cells, columns are features".to_owned());
    WrittenFile { tree, shape, entries, dropped, notes }.commit(&to.place(), bytes_before, context)
}
