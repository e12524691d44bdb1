//! Collections of several modalities.

use nnz_core::{Axis, Error, Placed, Result, StringList};
use nnz_engine::Selection;
use nnz_robjects::write::ObjectClass;
use nnz_singlecell::anndata::Item as AnnDataItem;
use nnz_singlecell::mudata::Item;

use super::write::ObjectContents;
use crate::collection::{
    Collection, CollectionSlice, Contents, ContentsMember, MemberRole, downcast,
};
use crate::formats::anndata::collection::AnnDataCollection;
use crate::formats::mudata::collection::MuDataCollection;

/// Returns the modalities of MuData; `None` for another collection.
///
/// # Errors
///
/// Fails if one cannot be read, or does not have the cells of all.
pub(super) fn whole(
    source: &dyn Collection,
    class: ObjectClass,
) -> Result<Option<ObjectContents<'_>>> {
    let flat = CollectionSlice::flatten(source)?;
    let Some(mudata) = downcast::<MuDataCollection>(flat.whole) else { return Ok(None) };
    if flat.selections().is_some() {
        let what = "a selection of MuData is not written as an object of R; write it as .h5mu first, then convert it";
        return Err(Error::argument(what));
    }
    let file = mudata.file()?;
    let tables = Box::new(Placed::new(file.tables()?, mudata.place()));
    let cells = file.tables()?.names(Axis::Rows)?;
    let mut parts = Vec::new();
    let mut lost = Vec::new();
    for (name, modality) in file.modalities() {
        let place = mudata.place_of(&format!("mod/{name}"));
        let collection = AnnDataCollection::in_group(modality.clone(), place.clone());
        let in_place = |error: Error| error.with_context(&place);
        match collection.contents().map_err(in_place)? {
            None => lost.push(format!("mod/{name} (without X)")),
            Some(contents) => {
                let contents = in_order(contents, cells.as_ref(), (name, class))?;
                parts.push((name.clone(), prefixed(contents, name)));
            }
        }
    }
    if let Some((_, first)) = parts.first_mut() {
        for item in file.items()?.into_iter().filter(|item| item.modality.is_none()) {
            add_common(mudata, first, item, &mut lost)?;
        }
        first.unsupported.extend(lost);
    }
    Ok(Some(ObjectContents::of_several(parts, tables)))
}

/// Adds the name of a modality to paths in messages.
fn prefixed(mut contents: Contents, name: &str) -> Contents {
    let full = |path: &String| format!("mod/{name}/{path}");
    for member in &mut contents.members {
        member.path = full(&member.path);
    }
    contents.unsupported = contents.unsupported.iter().map(full).collect();
    contents.left_out = contents.left_out.iter().map(full).collect();
    Contents { main_path: full(&contents.main_path), ..contents }
}

/// Returns a modality with its cells in the order of all.
fn in_order(
    contents: Contents,
    cells: Option<&StringList>,
    (name, class): (&str, ObjectClass),
) -> Result<Contents> {
    let (Some(cells), Some(own)) = (cells, contents.main.names(Axis::Rows)?) else {
        return Ok(contents);
    };
    if own == *cells {
        return Ok(contents);
    }
    let found = nnz_robjects::positions(&own, cells);
    let found: Option<Vec<u64>> = found.iter().copied().collect();
    match found.filter(|found| found.len() as u64 == own.len()) {
        Some(found) => {
            let rows = Selection::ranges(found.into_iter().map(|at| at..at + 1));
            contents.slice([&rows, &Selection::all()])
        }
        None => {
            let object = match class {
                ObjectClass::Seurat(_) => "assays of a Seurat object",
                ObjectClass::Experiment => "experiments of a SingleCellExperiment",
            };
            let what = format!(
                "mod/{name} has {} of {} cells, but all {object} have the same cells; convert one modality, as in \
                 FILE.h5mu::mod/{name}, or slice the file to cells that all modalities have",
                own.len(),
                cells.len()
            );
            Err(Error::unsupported(contents.main.place(), what))
        }
    }
}

/// Adds a matrix that belongs to all cells.
fn add_common(
    mudata: &MuDataCollection,
    first: &mut Contents,
    item: Item,
    lost: &mut Vec<String>,
) -> Result<()> {
    let path = item.to_string();
    let is_mask = |name: &str| {
        let modalities = mudata.unchecked().modalities();
        modalities.iter().any(|(modality, _)| modality == name)
    };
    let role = match item.item.clone() {
        AnnDataItem::Obsm(name) | AnnDataItem::Varm(name) if is_mask(&name) => return Ok(()),
        AnnDataItem::Obsm(name) => MemberRole::AxisMatrix(Axis::Rows, name),
        AnnDataItem::Obsp(name) => MemberRole::AxisGraph(Axis::Rows, name),
        _ => {
            lost.push(path);
            return Ok(());
        }
    };
    if first.members.iter().any(|member| member.role == role) {
        lost.push(format!("{path} (another matrix has its name)"));
        return Ok(());
    }
    let source = Box::new(Placed::new(mudata.open(&path)?, mudata.place_of(&path)));
    first.members.push(ContentsMember::new(role, path, source));
    Ok(())
}
