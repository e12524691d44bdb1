//! Writing collections as AnnData.

use std::sync::Arc;

use nnz_container::tree::{Attribute, TreeWriter};
use nnz_core::{Axis, Error, MatrixSource, Result, Shape};
use nnz_engine::MatrixTarget as _;
use nnz_singlecell::anndata::{self as format, AnnData, FileOptions, Item, Report};

use super::collection::AnnDataCollection;
use super::target::{self, AnnDataTarget};
use super::{AnnDataFile, INFO};
use crate::collection::{
    Collection, CollectionConcatOptions, CollectionSlice, Contents, MemberRole, downcast,
};
use crate::formats::collections::{
    ContentsTarget, ContentsWriter, apply_to_contents, check_strict, concat_contents,
    write_contents,
};
use crate::formats::{CollectionFormat, FormatInfo, drop};
use crate::{
    Context, ConvertOptions, Location, Summary,
    output::{CellAxis, StructurePolicy},
};

impl CollectionFormat for AnnDataFile {
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
        AnnDataTarget::new(to, options, context)?.tree().map(std::mem::drop)
    }

    fn write(
        &self,
        source: &dyn Collection,
        to: &Location,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<Option<Summary>> {
        let flat = CollectionSlice::flatten(source)?;
        let Some(whole) = downcast::<AnnDataCollection>(flat.whole) else {
            let contents = if apply_to_contents(options) { source.contents()? } else { None };
            let Some(contents) = contents else { return Ok(None) };
            return write_as_anndata(contents, to, (options, source.bytes()), context).map(Some);
        };
        let file = whole.file()?;
        let to = || AnnDataTarget::new(to, options, context);
        let mut summary = write_file(to, (options, source.bytes()), context, |tree, options| {
            match flat.selections() {
                None => file.copy_to(tree, options),
                Some([rows, cols]) => file.slice_to(tree, [&rows, &cols], options),
            }
        })?;
        summary.notes.splice(0..0, flat.notes);
        Ok(Some(summary))
    }

    fn concat(
        &self,
        sources: &[Arc<dyn Collection>],
        to: &Location,
        how: &CollectionConcatOptions,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<Option<Summary>> {
        let own = sources.iter().map(|source| downcast::<AnnDataCollection>(&**source));
        let Some(files) = own.collect::<Option<Vec<_>>>() else {
            let contents = match apply_to_contents(options) {
                true => concat_contents(sources, how, options, context)?,
                false => None,
            };
            let Some(contents) = contents else { return Ok(None) };
            return write_as_anndata(contents, to, (options, None), context).map(Some);
        };
        let missing: Vec<&[String]> = files.iter().map(|file| &*file.missing).collect();
        drop::check_in_any(&missing)?;
        refuse_labels(options, CONCATENATED)?;
        let how = file_options(how)?;
        let bytes = files.iter().map(|file| file.bytes()).sum();
        let to = || AnnDataTarget::new(to, options, context);
        let files: Vec<_> = files.iter().map(|file| (file.file.clone(), file.place())).collect();
        write_file(to, (options, bytes), context, |tree, options| {
            AnnData::concat_to(&files, tree, &how, options)
        })
        .map(Some)
    }
}

/// The files for which options of names and annotations do not apply, and what to do.
pub(in crate::formats) const CONCATENATED: &str =
    "concatenated files; use them on the sources or on the result";

/// Refuses names and annotations; `what` are the files for which they do not apply, and what to do.
pub(in crate::formats) fn refuse_labels(options: &ConvertOptions, what: &str) -> Result<()> {
    match [&options.row_labels, &options.col_labels].iter().all(|labels| labels.is_default()) {
        true => Ok(()),
        false => {
            let what = format!("options for names and annotations do not apply to {what}");
            Err(Error::argument(what))
        }
    }
}

/// Returns the options of files whose cells are concatenated.
pub(in crate::formats) fn file_options(
    how: &CollectionConcatOptions,
) -> Result<format::ConcatFilesOptions<'_>> {
    how.check_keys_used()?;
    Ok(format::ConcatFilesOptions {
        join: how.join,
        label: how.label.as_deref(),
        index_unique: how.index_unique.as_deref(),
        keys: &how.keys,
        fill: how.fill,
    })
}

/// A tree that was written, and what was dropped or left out.
type WrittenTree = (Box<dyn TreeWriter>, Report);

/// Writes the elements of AnnData files, or of a format that is stored like it, and commits them.
pub(in crate::formats) fn write_file(
    to: impl FnOnce() -> Result<AnnDataTarget>,
    (options, bytes_before): (&ConvertOptions, Option<u64>),
    context: &Context,
    write: impl FnOnce(Box<dyn TreeWriter>, &FileOptions<'_>) -> Result<WrittenTree>,
) -> Result<Summary> {
    check_options(options)?;
    let to = to()?;
    to.check()?;
    let directory = context.spill_directory(&to.directory(context));
    let file_options = FileOptions {
        compression: options.compress,
        context,
        directory: &directory,
        labels: [&options.row_labels, &options.col_labels],
        repairs: options.open.repairs.as_deref(),
    };
    let (tree, report) = write(to.tree()?, &file_options)?;
    let Report { shape, entries, dropped, left_out, notes, .. } = report;
    check_strict([&dropped, &left_out], &to.place(), options)?;
    context.check()?;
    let bytes_after = tree.finish().map_err(|error| error.with_context(&to.place()))?;
    Ok(Summary::default()
        .shape(shape.unwrap_or(Shape { rows: 0, cols: 0 }))
        .entries(entries)
        .bytes_before(bytes_before)
        .bytes_after(bytes_after)
        .dropped(dropped)
        .left_out(left_out)
        .notes(notes))
}

/// Refuses options that concern the storage of a single matrix.
fn check_options(options: &ConvertOptions) -> Result<()> {
    let set = [
        ("order", options.order.is_some()),
        ("type", options.value_type.is_some()),
        ("duplicates", options.duplicates.is_some()),
        ("structure", options.structure == StructurePolicy::Auto),
        ("cell-axis", matches!(options.cell_axis, CellAxis::Axis(_))),
    ];
    match set.iter().find(|(_, set)| *set) {
        None => Ok(()),
        Some((name, _)) => {
            let what = format!(
                "the option {name} applies to one matrix, not to a whole file; select a matrix, as in \
                 FILE.h5ad::X"
            );
            Err(Error::argument(what))
        }
    }
}

/// Writes the contents of other collections, with cells as rows.
pub(in crate::formats) fn write_as_anndata(
    contents: Contents,
    to: &Location,
    (options, bytes_before): (&ConvertOptions, Option<u64>),
    context: &Context,
) -> Result<Summary> {
    let (contents, exchanged) = contents.labelled(options, context)?.with_cells_along(Axis::Rows);
    let target = AnnDataTarget::new(to, options, context)?.without_unsupported(&*contents.main)?;
    let repeated = crate::convert::unexpected_names(&*contents.main, &target, context)?;
    let mut summary = write_contents(contents, &target, options, context)?;
    summary.notes.extend(repeated);
    if exchanged {
        let what = "transposed: rows are now cells, columns are features";
        summary.notes.push(what.to_owned());
    }
    Ok(summary.bytes_before(bytes_before))
}

impl ContentsTarget for AnnDataTarget {
    fn dropped(&self) -> &[String] {
        self.dropped()
    }

    fn refusal(&self, role: &MemberRole, _: &dyn MatrixSource) -> Result<Option<&'static str>> {
        let name = match role {
            MemberRole::Layer(name)
            | MemberRole::AxisMatrix(_, name)
            | MemberRole::AxisGraph(_, name) => name,
            MemberRole::Raw(_) => return Ok(None),
        };
        let is_refused = name.is_empty() || name.contains('/');
        Ok(is_refused.then_some("an empty name, or one with a slash"))
    }

    fn start<'a>(
        &'a self,
        main: &dyn MatrixSource,
        context: &'a Context,
    ) -> Result<Box<dyn ContentsWriter + 'a>> {
        let path = self.path().unwrap_or_else(|| std::path::Path::new(""));
        let how = (path, self.compression());
        Ok(Box::new(format::FileWriter::create(self.tree()?, main, how, context)?))
    }
}

impl ContentsWriter for format::FileWriter<'_> {
    fn write_attribute(&mut self, name: &str, attribute: &Attribute) -> Result<bool> {
        self.write_unstructured(name, attribute)
    }

    fn write(
        &mut self,
        role: Option<&MemberRole>,
        source: &dyn MatrixSource,
        options: &nnz_engine::ConvertOptions,
    ) -> Result<u64> {
        let item = match role.cloned() {
            None => Item::X,
            Some(MemberRole::Layer(name)) => Item::Layer(name),
            Some(MemberRole::AxisMatrix(Axis::Rows, name)) => Item::Obsm(name),
            Some(MemberRole::AxisMatrix(Axis::Cols, name)) => Item::Varm(name),
            Some(MemberRole::AxisGraph(Axis::Rows, name)) => Item::Obsp(name),
            Some(MemberRole::AxisGraph(Axis::Cols, name)) => Item::Varp(name),
            Some(MemberRole::Raw(_)) => Item::RawX,
        };
        format::FileWriter::write(self, item, source, options)
    }

    fn finish(self: Box<Self>) -> Result<Box<dyn TreeWriter>> {
        format::FileWriter::finish(*self)
    }
}
