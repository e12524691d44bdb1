//! A whole file as a collection.

use std::sync::Arc;

use nnz_core::{Axis, Error, ErrorKind, MatrixSource, Place, Placed, Result, readable};
use nnz_engine::{Selection, default_memory};
use nnz_singlecell::anndata::{self, AnnData};
use nnz_singlecell::mudata::{Item, MuData};

use super::INFO;
use crate::collection::{self, Collection, Contents, ElementDifference, downcast};
use crate::formats::anndata::collection::AnnDataCollection;
use crate::formats::items::{absent, column_members, matrix_member, place_of_item, unread_members};
use crate::formats::{FormatInfo, Member, Probe, drop};
use crate::{Context, DiffOptions, Location};

/// A file or store, or a group with the contents of one.
#[derive(Debug)]
pub(in crate::formats) struct MuDataCollection {
    file: MuData,
    location: Location,
    /// The group that was found in the file, if none is selected.
    group: Option<String>,
    /// The elements to leave out that the file does not have.
    pub(super) missing: Vec<String>,
    bytes: Option<u64>,
}

impl MuDataCollection {
    /// Creates it from an opened file. `missing` are the elements to leave out that it does not have.
    pub(super) fn new(file: MuData, missing: Vec<String>, probe: &Probe) -> Self {
        Self {
            file,
            location: probe.location().clone(),
            group: probe.group_name().map(ToOwned::to_owned),
            missing,
            bytes: probe.opened().and_then(|opened| Some(opened.file()?.len())),
        }
    }

    /// Returns the file, after a check that it has all elements to leave out.
    pub(in crate::formats) fn file(&self) -> Result<&MuData> {
        match self.missing.first() {
            Some(name) => Err(drop::unknown(name)),
            None => Ok(&self.file),
        }
    }

    /// Returns the file, whatever it does not have of the elements to leave out.
    pub(in crate::formats) fn unchecked(&self) -> &MuData {
        &self.file
    }

    pub(in crate::formats) fn place_of(&self, item: &impl std::fmt::Display) -> Place {
        place_of_item((&self.location, self.group.as_deref()), item)
    }
}

/// Lists the modalities, each with its main matrix, the matrices of all cells or features, and the columns of the common
/// tables.
pub(super) fn members(file: &MuData) -> Result<Vec<Member>> {
    let mut members = Vec::new();
    for (name, modality) in file.modalities() {
        let main = modality.tables().map(|tables| tables.header().shape);
        let path = path_of(name);
        members.push(match readable(main)? {
            Some(shape) => Member {
                path,
                shape: vec![shape.rows, shape.cols],
                axes: vec![None; 2],
                kind: "anndata".to_owned(),
                value_type: readable(modality.matrix(&anndata::Item::X))?
                    .map(|matrix| matrix.header().value_type.to_string())
                    .unwrap_or_default(),
            },
            None => {
                let (kind, value_type) = (Member::INVALID.to_owned(), String::new());
                Member { path, shape: Vec::new(), axes: Vec::new(), kind, value_type }
            }
        });
    }
    let is_mask = |item: &anndata::Item| {
        let (anndata::Item::Obsm(own) | anndata::Item::Varm(own)) = item else { return false };
        file.modalities().iter().any(|(name, _)| name == own)
    };
    for item in file.items()? {
        if item.modality.is_none() && !is_mask(&item.item) {
            let matrix = file.matrix(&item);
            let axes = item.collection_axes();
            members.push(matrix_member((&item, axes), matrix, |matrix| matrix.encoding())?);
        }
    }
    let common = file.common();
    let tables = [("obs", Axis::Rows, common.obs()?), ("var", Axis::Cols, common.var()?)];
    for (name, axis, frame) in tables {
        members.extend(column_members(name, axis, &*frame));
        members.extend(unread_members(name, frame.unread_columns()));
    }
    Ok(members)
}

/// Returns the path of a modality.
fn path_of(name: &str) -> String {
    format!("mod/{name}")
}

/// Parses the path of a matrix. The path of a modality is the path of its main matrix.
fn parsed(path: &str) -> Result<Item> {
    let path = path.trim_matches('/');
    match path.strip_prefix("mod/").filter(|name| !name.contains('/')) {
        Some(name) => Ok(Item::new(Some(name.to_owned()), anndata::Item::X)),
        None => path.parse(),
    }
}

impl Collection for MuDataCollection {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn place(&self) -> Place {
        self.location.source_place()
    }

    fn bytes(&self) -> Option<u64> {
        self.bytes
    }

    fn members(&self) -> Result<Vec<Member>> {
        members(self.file()?)
    }

    fn open(&self, path: &str) -> Result<Box<dyn MatrixSource>> {
        let item = parsed(path)?;
        let file = self.file()?;
        let matrix = file.matrix(&item);
        let matrix = matrix.map_err(|error| absent(error, &item, file.items(), &self.location))?;
        Ok(Box::new(Placed::new(Box::new(matrix), self.place_of(&item))))
    }

    fn selected(&self, path: &str, selections: [&Selection; 2]) -> Result<[Selection; 2]> {
        let item = parsed(path)?;
        let file = self.file()?;
        let axes = match &item.modality {
            Some(name) => file.selected(name, selections, default_memory() / 4)?,
            None => selections.map(Clone::clone),
        };
        Ok(item.item.collection_axes().map(|axis| match axis {
            Some(Axis::Rows) => axes[0].clone(),
            Some(Axis::Cols) => axes[1].clone(),
            None => Selection::all(),
        }))
    }

    fn has_main(&self) -> Result<bool> {
        Ok(false)
    }

    fn main(&self) -> Result<Box<dyn MatrixSource>> {
        let modalities = self.file()?.modalities();
        let what = match modalities {
            [] => "MuData without modalities".to_owned(),
            _ => {
                let place = |name| self.place_of(&path_of(name));
                let places = modalities.iter().map(|(name, _)| format!("\n  {}", place(name)));
                let places: String = places.collect();
                format!("MuData has a matrix for each modality; select one of{places}")
            }
        };
        Err(Error::new(ErrorKind::Argument(what), self.place()))
    }

    fn axes(&self) -> Result<Box<dyn MatrixSource>> {
        Ok(Box::new(Placed::new(self.file()?.tables()?, self.place())))
    }

    fn contents(&self) -> Result<Option<Contents>> {
        Ok(None)
    }

    fn diff(
        &self,
        other: &dyn Collection,
        options: &DiffOptions,
        context: &Context,
        each: &mut dyn FnMut(ElementDifference),
    ) -> Result<bool> {
        let Some(other) = downcast::<Self>(other) else { return Ok(false) };
        drop::check_in_any(&[&self.missing, &other.missing])?;
        let compare =
            &mut |files: [&AnnData; 2], name: &str, each: &mut dyn FnMut(ElementDifference)| {
                let [first, second] = files;
                if !options.by_name {
                    return first.diff(second, options, context, each);
                }
                let [first, second] = [(first, self), (second, other)].map(|(file, whole)| {
                    let place = whole.place_of(&path_of(name));
                    let modality: Arc<dyn Collection> =
                        Arc::new(AnnDataCollection::in_group(file.clone(), place));
                    modality
                });
                collection::diff([&first, &second], options, context, each).map(std::mem::drop)
            };
        self.file.diff(&other.file, (options, context), compare, each)?;
        Ok(true)
    }
}
