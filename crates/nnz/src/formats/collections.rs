//! Writing collections, in formats of files with several matrices and tables.

use std::sync::Arc;

use nnz_container::tree::{Attribute, TreeWriter};
use nnz_core::{Axis, AxisKind, Error, MatrixSource, Place, Result, Rounding};
use nnz_engine::{ConcatOptions, MatrixTarget};

use super::FormatInfo;
use crate::collection::{
    Collection, CollectionConcatOptions, Contents, ContentsMember, MemberRole,
};
use crate::concat::by_name::Matching;
use crate::output::{CellAxis, StructurePolicy};
use crate::{Context, ConvertOptions, Location, Summary};

/// A format that stores collections: several matrices and tables in one file. A location that selects one matrix in a
/// file is not a collection.
pub trait CollectionFormat: Sync {
    /// Returns whether a target is a file of this format, judging by the options and its name only. `source` is the
    /// format of the source.
    fn is_target(&self, source: &FormatInfo, to: &Location, options: &ConvertOptions) -> bool;

    /// Returns whether a target may be a file of this format or of others, which is then an error: a format must be given.
    /// This is asked for sources that are collections of matrices and tables.
    fn may_be_target(&self, to: &Location, options: &ConvertOptions) -> bool {
        let _ = (to, options);
        false
    }

    /// Checks the name of a target. By default, every name is valid.
    ///
    /// # Errors
    ///
    /// Fails if the name belongs to another format.
    fn check_target(
        &self,
        to: &Location,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<()> {
        let _ = (to, options, context);
        Ok(())
    }

    /// Checks that a target that exists may be replaced. By default it is checked only when it is written.
    ///
    /// # Errors
    ///
    /// Fails if it may not be replaced.
    fn check_replaced(
        &self,
        to: &Location,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<()> {
        let _ = (to, options, context);
        Ok(())
    }

    /// Writes a collection with everything in it that the format stores. Returns `None` without doing anything if only
    /// its main matrix can be written.
    ///
    /// # Errors
    ///
    /// Fails if the source is broken or cannot be read, if the target cannot be written, or if an option does not
    /// apply.
    fn write(
        &self,
        source: &dyn Collection,
        to: &Location,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<Option<Summary>>;

    /// Returns the axis along which collections such as this one are concatenated; `None` if they cannot be.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read.
    fn concat_axis(&self, source: &dyn Collection) -> Result<Option<Axis>> {
        Ok(AxisKind::cell_axis(source.axes()?.header().axis_kinds))
    }

    /// Returns whether single matrices are written, too. By default they are.
    fn stores_matrices(&self) -> bool {
        true
    }

    /// Returns the format of the matrices in a file, if it is another one: they are added to existing files as in that format. By
    /// default it is this one.
    fn format_of_members(&self) -> Option<&'static str> {
        None
    }

    /// Concatenates several collections. Returns `None` without doing anything if only their main matrices
    /// can be written.
    ///
    /// # Errors
    ///
    /// Fails as [`write`](Self::write), and if columns or types do not match.
    fn concat(
        &self,
        sources: &[Arc<dyn Collection>],
        to: &Location,
        how: &CollectionConcatOptions,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<Option<Summary>>;
}

/// Returns whether a target is a file that has the extension of a format, or for which the format is given.
pub(super) fn is_file_of(info: &FormatInfo, to: &Location, options: &ConvertOptions) -> bool {
    match (options.format, to) {
        (Some(name), _) => name == info.name,
        (None, Location::Path { path, .. }) => info.is_extension_of(path),
        (None, Location::Stream) => false,
    }
}

/// Returns whether options can be used to write the contents of a collection. Others are for single matrices.
pub(super) fn apply_to_contents(options: &ConvertOptions) -> bool {
    options.cell_axis == CellAxis::Format && options.structure == StructurePolicy::Keep
}

/// Concatenates the contents of collections along cells; `None` if one has no main matrix.
pub(super) fn concat_contents(
    sources: &[Arc<dyn Collection>],
    how: &CollectionConcatOptions,
    options: &ConvertOptions,
    context: &Context,
) -> Result<Option<Contents>> {
    how.check_of_matrices()?;
    let keys = how.keys_of(sources.iter().map(location_of))?;
    let mut all: Vec<Contents> = Vec::with_capacity(sources.len());
    for source in sources {
        let contents = source.contents().map_err(|error| error.with_context(&source.place()))?;
        let Some(contents) = contents else { return Ok(None) };
        all.push(contents);
    }
    let kinds = all.first().map(|first| first.main.header().axis_kinds);
    let axis = kinds.and_then(AxisKind::cell_axis).unwrap_or(Axis::Rows);
    if let Some(keys) = keys {
        let keyed = all.into_iter().zip(sources).zip(&keys).map(|((contents, source), key)| {
            let main = how.keyed(contents.main, axis, key);
            let main = main.map_err(|error| error.with_context(&source.place()))?;
            Ok(Contents { main, ..contents })
        });
        all = keyed.collect::<Result<_>>()?;
    }
    let mains: Vec<&dyn MatrixSource> = all.iter().map(|contents| &*contents.main).collect();
    let matching = Matching::of(&mains, axis.other(), how.join, context.memory())?;
    let how = ConcatOptions::default().value_type(options.value_type).rounding(options.rounding);
    let same = ConcatOptions::default().rounding(Rounding::Refused);
    Contents::concat(all, axis, matching.as_ref(), [&how, &same]).map(Some)
}

/// Returns the location that a collection was opened at.
pub(crate) fn location_of(source: &Arc<dyn Collection>) -> Location {
    source.place().path.map_or(Location::Stream, Location::from)
}

/// A target of the contents of a collection.
pub(super) trait ContentsTarget: MatrixTarget {
    /// Lists annotations of the main matrix that are not stored.
    fn dropped(&self) -> &[String];

    /// Returns the reason why a matrix is not stored beside the main matrix, if it is not.
    fn refusal(&self, role: &MemberRole, main: &dyn MatrixSource) -> Result<Option<&'static str>>;

    /// Starts writing, with the names and annotations of the main matrix.
    fn start<'a>(
        &'a self,
        main: &dyn MatrixSource,
        context: &'a Context,
    ) -> Result<Box<dyn ContentsWriter + 'a>>;
}

/// Writes the contents of a collection.
pub(super) trait ContentsWriter {
    /// Writes an attribute, and returns whether it is supported.
    fn write_attribute(&mut self, name: &str, attribute: &Attribute) -> Result<bool>;

    /// Writes a matrix, or the main matrix, and returns the number of its entries.
    fn write(
        &mut self,
        role: Option<&MemberRole>,
        source: &dyn MatrixSource,
        options: &nnz_engine::ConvertOptions,
    ) -> Result<u64>;

    /// Returns the tree, which the caller finishes.
    fn finish(self: Box<Self>) -> Result<Box<dyn TreeWriter>>;
}

/// Writes the contents of a collection, whose cells are along the axis of the target.
pub(super) fn write_contents(
    contents: Contents,
    target: &dyn ContentsTarget,
    options: &ConvertOptions,
    context: &Context,
) -> Result<Summary> {
    target.check()?;
    let Contents { main, members, attributes, unsupported: mut dropped, left_out, notes, .. } =
        contents;
    dropped.extend(target.dropped().iter().cloned());
    let mut written = Vec::new();
    for member in members {
        match target.refusal(&member.role, &*main)? {
            Some(why) => dropped.push(format!("{} ({why})", member.path)),
            None => written.push(member),
        }
    }
    let mut writer = target.start(&*main, context)?;
    for attribute in attributes {
        if !writer.write_attribute(&attribute.name, &attribute.value)? {
            dropped.push(attribute.shown);
        }
    }
    check_strict([&dropped, &left_out], &target.place(), options)?;
    // Dropped elements are known, so these conversions are not strict.
    let of_main = options.engine().strict(false).structure(StructurePolicy::Keep);
    let of_others = of_main.clone().order(None).value_type(None);
    let entries = writer.write(None, &*main, &of_main)?;
    for ContentsMember { role, source, .. } in &written {
        let options = if matches!(role, MemberRole::Layer(_)) { &of_main } else { &of_others };
        writer.write(Some(role), &**source, options)?;
    }
    let tree = writer.finish()?;
    context.check()?;
    let bytes_after = tree.finish().map_err(|error| error.with_context(&target.place()))?;
    Ok(Summary::default()
        .shape(main.header().shape)
        .entries(entries)
        .bytes_after(bytes_after)
        .dropped(dropped)
        .left_out(left_out)
        .notes(notes.into_iter().chain(main.notes()).collect()))
}

/// Fails if something is dropped or left out, and that is an error.
pub(crate) fn check_strict(
    [dropped, left_out]: [&[String]; 2],
    place: &Place,
    options: &ConvertOptions,
) -> Result<()> {
    for (verb, lost) in [("store", dropped), ("keep", left_out)] {
        if options.strict && !lost.is_empty() {
            let what = format!("cannot {verb} {}", lost.join(", "));
            return Err(Error::unsupported(place.clone(), what)
                .with_hint("strict", "does not allow dropping data"));
        }
    }
    Ok(())
}
