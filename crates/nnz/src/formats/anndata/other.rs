//! Converting a whole file to Loom.

use crate::Context;
use nnz_core::{MatrixSource, Placed, Result, Storage};
use nnz_engine::Transposed;
use nnz_singlecell::anndata::Item;
use nnz_singlecell::loom::Item as LoomItem;

use super::{AnnDataFile, item_place, place};
use crate::formats::loom::{self, LoomExtras, NamedMatrix};
use crate::formats::{FileConversion, Probe};
use crate::{ConvertOptions, Location, Summary};

impl FileConversion for AnnDataFile {
    fn is_target(&self, to: &Location, options: &ConvertOptions) -> bool {
        loom::is_whole_target(to, options)
    }

    fn is_file(&self, probe: &Probe) -> Result<bool> {
        // Opening X of a broken file gives the error, also of one without X.
        Ok(match nnz_core::readable(place::open(probe))? {
            Some((file, None)) => nnz_core::readable(file.contains(&Item::X))?.unwrap_or(false),
            _ => false,
        })
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
        let mut parts: Vec<NamedMatrix<LoomItem>> = Vec::new();
        let mut dropped = file.unread_columns()?;
        dropped.extend(file.others(&Item::X)?);
        dropped.extend(file.foreign_attributes(&Item::X, true)?);
        for item in file.items()?.into_iter().filter(|item| *item != Item::X) {
            let place = item_place(from, &item);
            let source = file.matrix(&item).map_err(|error| error.with_context(&place))?;
            let is_dense = source.header().storage == Storage::Dense;
            let to = match item.clone() {
                Item::Layer(name) => LoomItem::Layer(name),
                Item::Obsm(name) if is_dense => LoomItem::ColAttribute(name),
                Item::Varm(name) if is_dense => LoomItem::RowAttribute(name),
                Item::Obsp(name) => LoomItem::ColGraph(name),
                Item::Varp(name) => LoomItem::RowGraph(name),
                // It stays in the list.
                _ => continue,
            };
            dropped.retain(|path| *path != item.to_string());
            let attributes = file.foreign_attributes(&item, false)?;
            dropped
                .extend(attributes.into_iter().filter(|name| name.starts_with(&item.to_string())));
            let source = Placed::new(Box::new(source), place);
            let source: Box<dyn MatrixSource> = match to {
                LoomItem::Layer(_) => Box::new(Transposed::new(Box::new(source))),
                _ => Box::new(source),
            };
            parts.push((to, source));
        }
        let globals = file.plain_unstructured()?.into_iter().map(|(name, attribute)| {
            let shown = format!("uns/{name}");
            (name, attribute, shown)
        });
        let globals: Vec<_> = globals.collect();
        dropped.retain(|path| globals.iter().all(|(_, _, shown)| shown != path));
        let rest = LoomExtras { globals, dropped };
        let main = Placed::new(Box::new(file.matrix(&Item::X)?), item_place(from, &Item::X));
        let main: NamedMatrix<LoomItem> =
            (LoomItem::Matrix, Box::new(Transposed::new(Box::new(main))));
        let bytes = from.opened().and_then(|opened| Some(opened.file()?.len()));
        // Options name the rows and columns of the source.
        let options = options
            .clone()
            .row_labels(options.col_labels.clone())
            .col_labels(options.row_labels.clone());
        let mut summary = loom::write(main, parts, rest, to, (&options, bytes), context)?;
        summary.notes.push("transposed: rows are now features, columns are cells".to_owned());
        Ok(summary)
    }
}
