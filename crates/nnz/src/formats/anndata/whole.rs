//! Whole files, with everything in them.

use crate::Context;
use nnz_container::tree::TreeWriter;
use nnz_core::{Error, MatrixSource, Result, Shape, readable};
use nnz_singlecell::anndata::{self as format, AnnData, FileOptions, Item, Report};

use super::{AnnDataFile, INFO, place, target};
use crate::formats::{MatrixTarget as _, Probe, RowGroups, WholeFormat, drop};
use crate::whole::{ConcatFilesOptions, ElementDifference};
use crate::{
    ConvertOptions, DiffOptions, Location, Selection, Summary,
    output::{CellAxis, StructurePolicy},
};

impl WholeFormat for AnnDataFile {
    fn is_target(&self, to: &Location, options: &ConvertOptions) -> bool {
        let Location::Path { path, group } = to else { return false };
        let whole = group.as_deref().is_none_or(|group| group.trim_matches('/').is_empty());
        whole
            && match options.format {
                Some(name) => name == INFO.name,
                None => INFO.is_extension_of(path) || target::is_zarr(path),
            }
    }

    fn check_target(
        &self,
        to: &Location,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<()> {
        match to {
            Location::Path { path, .. } => target::check(path, options, context),
            Location::Stream => Ok(()),
        }
    }

    fn check_replaced(
        &self,
        to: &Location,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<()> {
        // Starting to write checks it.
        target::AnnDataTarget::new(to, options, context)?.tree().map(drop)
    }

    fn is_file(&self, probe: &Probe) -> Result<bool> {
        // Opening X of a broken file gives the error.
        Ok(matches!(readable(place::find(probe))?, Some(Some((_, None)))))
    }

    fn tables(&self, probe: &Probe) -> Result<Option<Box<dyn MatrixSource>>> {
        match place::open(probe)? {
            (file, None) if !file.contains(&Item::X)? => file.tables().map(Some),
            _ => Ok(None),
        }
    }

    fn convert_file(
        &self,
        from: &Probe,
        to: &Location,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<Summary> {
        let (file, _) = place::open(from)?;
        let file = file.with_repairs(options.open.repairs.clone());
        let from = std::slice::from_ref(from);
        write(from, to, options, context, |tree, options| file.copy_to(tree, options))
    }

    fn slice_file(
        &self,
        from: &Probe,
        to: &Location,
        selected: [&Selection; 2],
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<Summary> {
        let (file, _) = place::open(from)?;
        let from = std::slice::from_ref(from);
        write(from, to, options, context, |tree, options| file.slice_to(tree, selected, options))
    }

    fn concat_files(
        &self,
        from: &[Probe],
        to: &Location,
        how: &ConcatFilesOptions,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<Summary> {
        let (mut files, mut missing) = (Vec::with_capacity(from.len()), Vec::new());
        for probe in from {
            let place = probe.location().source_place();
            let opened = place::open_any(probe).map_err(|error| error.with_context(&place));
            let (file, _, lacks) = opened?;
            files.push((file, place));
            missing.push(lacks);
        }
        if let Some(first) = from.first() {
            drop::check_in_any(first, &missing)?;
        }
        if [&options.row_labels, &options.col_labels].iter().any(|labels| !labels.is_default()) {
            let what = "options for names and annotations do not apply to concatenated files; use them on \
                        the sources or on the result";
            return Err(Error::argument(what));
        }
        let how = format::ConcatFilesOptions {
            join: how.join,
            label: how.label.as_deref(),
            index_unique: how.index_unique.as_deref(),
            fill: how.fill,
        };
        write(from, to, options, context, |tree, options| {
            AnnData::concat_to(&files, tree, &how, options)
        })
    }

    fn diff_files(
        &self,
        [first, second]: [&Probe; 2],
        options: &DiffOptions,
        context: &Context,
        each: &mut dyn FnMut(ElementDifference),
    ) -> Result<()> {
        let probe = first;
        let [(first, _, of_first), (second, _, of_second)] =
            [place::open_any(first)?, place::open_any(second)?];
        drop::check_in_any(probe, &[of_first, of_second])?;
        first.diff(&second, options, context, each)
    }

    fn group_rows(&self, from: &Probe, column: &str, memory: u64) -> Result<RowGroups> {
        let format::Groups { groups, missing } = place::open(from)?.0.groups(column, memory)?;
        Ok(RowGroups::new(groups, missing))
    }
}

/// A tree that was written, and what was dropped or left out.
type Written = (Box<dyn TreeWriter>, Report);

/// Writes a file and commits it.
fn write(
    from: &[Probe],
    to: &Location,
    options: &ConvertOptions,
    context: &Context,
    write: impl FnOnce(Box<dyn TreeWriter>, &FileOptions<'_>) -> Result<Written>,
) -> Result<Summary> {
    check_options(options)?;
    let to = target::AnnDataTarget::new(to, options, context)?;
    to.check()?;
    // Now, because the target may be the source itself.
    let size = |probe: &Probe| Some(probe.opened()?.file()?.len());
    let bytes_before = from.iter().map(size).sum();
    let directory = context.spill_directory(&to.directory(context));
    let file_options = FileOptions {
        compression: options.compress,
        context,
        directory: &directory,
        labels: [&options.row_labels, &options.col_labels],
        repairs: options.open.repairs.as_deref(),
    };
    let (tree, report) = write(to.tree()?, &file_options)?;
    finish(tree, report, &to, options, bytes_before, context)
}

/// The effect of the option `strict`, in hints.
const STRICT: &str = "does not allow dropping data";

/// Commits a tree, unless what was dropped is an error.
fn finish(
    tree: Box<dyn TreeWriter>,
    report: Report,
    to: &target::AnnDataTarget,
    options: &ConvertOptions,
    bytes_before: Option<u64>,
    context: &Context,
) -> Result<Summary> {
    let Report { shape, entries, dropped, left_out, notes, .. } = report;
    if options.strict && !dropped.is_empty() {
        let what = format!("cannot store {}", dropped.join(", "));
        return Err(Error::unsupported(to.place(), what).with_hint("strict", STRICT));
    }
    if options.strict && !left_out.is_empty() {
        let what = format!("cannot keep {}", left_out.join(", "));
        return Err(Error::unsupported(to.place(), what).with_hint("strict", STRICT));
    }
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
