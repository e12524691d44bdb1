//! Collections of several assays or modalities.

use nnz_core::{Axis, AxisKind, Error, ErrorKind, Result, StringList};
use nnz_engine::Selection;
use nnz_robjects::write::ObjectClass;

use super::collection::{Assay, ObjectCollection};
use super::target::ASSAY;
use super::write::ObjectContents;
use crate::ConvertOptions;
use crate::collection::{Collection, CollectionSlice, Contents, downcast};
#[cfg(feature = "singlecell")]
use crate::formats::{anndata::write::refuse_labels, mudata::collection::MuDataCollection};

/// Returns the assays of an object, or the modalities of MuData; `None` for another collection, and for a part of an object.
///
/// # Errors
///
/// Fails if one cannot be read, or does not have the cells of all.
pub(super) fn whole<'a>(
    source: &'a dyn Collection,
    class: ObjectClass,
    options: &ConvertOptions,
) -> Result<Option<ObjectContents<'a>>> {
    let flat = CollectionSlice::flatten(source)?;
    let is_part = flat.selections().is_some();
    if let Some(object) = downcast::<ObjectCollection>(flat.whole) {
        let labelled = [&options.row_labels, &options.col_labels];
        return match is_part || labelled.iter().any(|labels| !labels.is_default()) {
            true => Ok(None),
            false => of_object(object, class),
        };
    }
    #[cfg(feature = "singlecell")]
    if let Some(mudata) = downcast::<MuDataCollection>(flat.whole) {
        if is_part {
            let what = "a selection of MuData is not written as an object of R; write it as .h5mu first, then convert it";
            return Err(Error::argument(what));
        }
        refuse_labels(options, "MuData that becomes an object of R; use them on a modality")?;
        return super::mudata::whole(mudata, class).map(Some);
    }
    Ok(None)
}

/// Returns the assays of an object, all with the same cells.
fn of_object(object: &ObjectCollection, class: ObjectClass) -> Result<Option<ObjectContents<'_>>> {
    let Some(all_cells) = object.cells()? else { return Ok(None) };
    let cells = all_cells.names(Axis::Rows)?;
    let mut parts: Vec<(String, Contents)> = Vec::new();
    for Assay { name, path, contents } in object.assays()? {
        match (in_order(contents, cells.as_ref(), (&path, class)), parts.first_mut()) {
            (Ok(contents), _) => parts.push((name, contents)),
            (Err(error), Some((_, main))) => match error.kind() {
                ErrorKind::Unsupported(_) => {
                    main.left_out.push(format!("{path} (has other cells)"))
                }
                _ => return Err(error),
            },
            (Err(error), None) => return Err(error),
        }
    }
    let main = parts.first().map(|(name, _)| name.clone()).filter(|name| !name.is_empty());
    for (name, _) in parts.iter_mut().filter(|(name, _)| name.is_empty()) {
        ASSAY.clone_into(name);
    }
    Ok(Some(ObjectContents::of_several(parts, main, Some(all_cells))))
}

/// Returns an assay with its cells in the order of all. `what` is its path in messages.
pub(super) fn in_order(
    contents: Contents,
    cells: Option<&StringList>,
    (what, class): (&str, ObjectClass),
) -> Result<Contents> {
    let axis = AxisKind::cell_axis(contents.main.header().axis_kinds).unwrap_or(Axis::Rows);
    let (Some(cells), Some(own)) = (cells, contents.main.names(axis)?) else {
        return Ok(contents);
    };
    if own == *cells {
        return Ok(contents);
    }
    let found = nnz_robjects::positions(&own, cells);
    let found: Option<Vec<u64>> = found.iter().copied().collect();
    match found.filter(|found| found.len() as u64 == own.len()) {
        Some(found) => {
            let (found, all) =
                (Selection::ranges(found.into_iter().map(|at| at..at + 1)), Selection::all());
            contents.slice(if axis == Axis::Rows { [&found, &all] } else { [&all, &found] })
        }
        None => {
            let object = match class {
                ObjectClass::Seurat(_) => "assays of a Seurat object",
                ObjectClass::Experiment => "experiments of a SingleCellExperiment",
            };
            let what = format!(
                "{what} has {} of {} cells, but all {object} have the same cells; convert one matrix, as in FILE::{what}, or \
                 slice the file to cells that all have",
                own.len(),
                cells.len()
            );
            Err(Error::unsupported(contents.main.place(), what))
        }
    }
}
