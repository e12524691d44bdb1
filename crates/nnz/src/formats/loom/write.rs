//! Writing collections as Loom.

use std::sync::Arc;

use nnz_container::tree::{Attribute, TreeWriter};
use nnz_core::{Axis, Error, MatrixSource, Result};
use nnz_engine::MatrixTarget as _;
use nnz_singlecell::loom::{self as format, Item};

use super::target::LoomTarget;
use super::{INFO, LoomFile};
use crate::collection::{Collection, CollectionConcatOptions, Contents, MemberRole};
use crate::formats::collections::{
    ContentsTarget, ContentsWriter, apply_to_contents, concat_contents, is_file_of, write_contents,
};
use crate::formats::{CollectionFormat, FormatInfo};
use crate::{Context, ConvertOptions, Location, Summary};

impl CollectionFormat for LoomFile {
    fn is_target(&self, _: &FormatInfo, to: &Location, options: &ConvertOptions) -> bool {
        is_file_of(&INFO, to, options)
    }

    fn write(
        &self,
        source: &dyn Collection,
        to: &Location,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<Option<Summary>> {
        let contents = if apply_to_contents(options) { source.contents()? } else { None };
        let Some(contents) = contents else { return Ok(None) };
        write(contents, to, (options, source.bytes()), context).map(Some)
    }

    fn concat(
        &self,
        sources: &[Arc<dyn Collection>],
        to: &Location,
        how: &CollectionConcatOptions,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<Option<Summary>> {
        let contents = match apply_to_contents(options) {
            true => concat_contents(sources, how, options, context)?,
            false => None,
        };
        let Some(contents) = contents else { return Ok(None) };
        write(contents, to, (options, None), context).map(Some)
    }
}

/// Writes the contents of a collection, with cells as columns.
fn write(
    contents: Contents,
    to: &Location,
    (options, bytes_before): (&ConvertOptions, Option<u64>),
    context: &Context,
) -> Result<Summary> {
    let (contents, exchanged) = contents.labelled(options, context)?.with_cells_along(Axis::Cols);
    let target = LoomTarget::new(to, options, &*contents.main, context)?;
    let mut summary = write_contents(contents, &target, options, context)?;
    summary.notes.extend(target.note());
    if exchanged {
        let what = "transposed: rows are now features, columns are cells";
        summary.notes.push(what.to_owned());
    }
    Ok(summary.bytes_before(bytes_before))
}

/// The reason why `raw` is not stored.
const OTHER_FEATURES: &str = "it has features of its own";

/// Returns the location of a matrix, or of the main matrix; `None` if Loom has none for it.
fn item(role: Option<&MemberRole>) -> Option<Item> {
    Some(match role.cloned() {
        None => Item::Matrix,
        Some(MemberRole::Layer(name)) => Item::Layer(name),
        Some(MemberRole::AxisMatrix(Axis::Rows, name)) => Item::RowAttribute(name),
        Some(MemberRole::AxisMatrix(Axis::Cols, name)) => Item::ColAttribute(name),
        Some(MemberRole::AxisGraph(Axis::Rows, name)) => Item::RowGraph(name),
        Some(MemberRole::AxisGraph(Axis::Cols, name)) => Item::ColGraph(name),
        Some(MemberRole::Raw(_)) => return None,
    })
}

impl ContentsTarget for LoomTarget {
    fn dropped(&self) -> &[String] {
        self.dropped()
    }

    fn refusal(&self, role: &MemberRole, main: &dyn MatrixSource) -> Result<Option<&'static str>> {
        match item(Some(role)) {
            Some(item) => format::refusal(&item, main),
            None => Ok(Some(OTHER_FEATURES)),
        }
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
        format::FileWriter::write_attribute(self, name, attribute)
    }

    fn write(
        &mut self,
        role: Option<&MemberRole>,
        source: &dyn MatrixSource,
        options: &nnz_engine::ConvertOptions,
    ) -> Result<u64> {
        let item = item(role).ok_or_else(|| Error::argument(OTHER_FEATURES))?;
        format::FileWriter::write(self, item, source, options)
    }

    fn finish(self: Box<Self>) -> Result<Box<dyn TreeWriter>> {
        format::FileWriter::finish(*self)
    }
}
