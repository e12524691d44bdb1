//! Modalities of MuData as assays.

use nnz_core::{Axis, MatrixSource, Placed, Result};
use nnz_singlecell::anndata::Item as AnnDataItem;
use nnz_singlecell::mudata::Item;

use super::modalities::in_order;
use super::write::ObjectContents;
use crate::collection::{Collection, Contents, ContentsMember, MemberRole};
use crate::formats::anndata::collection::AnnDataCollection;
use crate::formats::mudata::collection::MuDataCollection;
use nnz_robjects::write::ObjectClass;

/// Returns the modalities, all with the same cells.
///
/// # Errors
///
/// Fails if one cannot be read, or does not have the cells of all.
pub(super) fn whole(mudata: &MuDataCollection, class: ObjectClass) -> Result<ObjectContents<'_>> {
    let file = mudata.file()?;
    let tables = Box::new(Placed::new(file.tables()?, mudata.place()));
    let cells = file.tables()?.names(Axis::Rows)?;
    let mut parts = Vec::new();
    let mut lost = Vec::new();
    for (name, modality) in file.modalities() {
        let place = mudata.place_of(&format!("mod/{name}"));
        let collection = AnnDataCollection::in_group(modality.clone(), place.clone());
        let in_place = |error: nnz_core::Error| error.with_context(&place);
        match collection.contents().map_err(in_place)? {
            None => lost.push(format!("mod/{name} (without X)")),
            Some(contents) => {
                let what = format!("mod/{name}");
                let contents = in_order(contents, cells.as_ref(), (&what, class))?;
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
    let main = parts.first().map(|(name, _)| name.clone());
    let is_of_first = match parts.first() {
        Some((name, first)) => is_of_one(name, &*first.main, &*tables)?,
        None => false,
    };
    let cells = (!is_of_first).then_some(tables as Box<dyn MatrixSource>);
    Ok(ObjectContents::of_several(parts, main, cells))
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

/// Returns whether all columns of the joined table of cells are those of one modality, which need no prefix.
fn is_of_one(name: &str, modality: &dyn MatrixSource, tables: &dyn MatrixSource) -> Result<bool> {
    let (own, all) = (modality.annotations(Axis::Rows)?, tables.annotations(Axis::Rows)?);
    let (Some(own), Some(all)) = (own, all) else { return Ok(false) };
    let prefixed = own.columns().iter().map(|info| format!("{name}:{}", info.name));
    Ok(prefixed.eq(all.columns().iter().map(|info| info.name.clone())))
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
