//! A whole file as a collection.

use nnz_core::{
    Axis, Error, ErrorKind, MatrixSource, Place, Placed, Repairs, Result, Storage, readable,
};
use nnz_singlecell::anndata::{AnnData, Item};
use std::sync::Arc;

use super::{INFO, members};
use crate::collection::{
    Collection, Contents, ContentsMember, ElementDifference, MemberRole, NamedAttribute, downcast,
};
use crate::formats::items::{absent, place_of_item};
use crate::formats::{FormatInfo, Member, Probe, drop};
use crate::{Context, DiffOptions, Location};

/// A file or store, or a group with the contents of one.
#[derive(Debug)]
pub(in crate::formats) struct AnnDataCollection {
    pub(super) file: AnnData,
    location: Location,
    /// The group that was found in the file, if none is selected.
    group: Option<String>,
    /// The elements to leave out that the file does not have.
    pub(super) missing: Vec<String>,
    bytes: Option<u64>,
}

impl AnnDataCollection {
    /// Creates it from an opened file. `missing` are the elements to leave out that it does not have.
    pub(super) fn new(
        file: AnnData,
        missing: Vec<String>,
        probe: &Probe,
        repairs: Option<Arc<Repairs>>,
    ) -> Self {
        Self {
            file: file.with_repairs(repairs),
            location: probe.location().clone(),
            group: probe.group_name().map(ToOwned::to_owned),
            missing,
            bytes: probe.opened().and_then(|opened| Some(opened.file()?.len())),
        }
    }

    /// Creates it from the AnnData of a group.
    pub(in crate::formats) fn in_group(file: AnnData, place: Place) -> Self {
        let location = Location::parse(place.path.unwrap_or_default());
        Self { file, location, group: None, missing: Vec::new(), bytes: None }
    }

    /// Returns the file, after a check that it has all elements to leave out.
    pub(in crate::formats) fn file(&self) -> Result<&AnnData> {
        match self.missing.first() {
            Some(name) => Err(drop::unknown(name)),
            None => Ok(&self.file),
        }
    }

    /// Returns a name for the data: of the selected group, or of the file without its extension.
    pub(in crate::formats) fn name(&self) -> Option<String> {
        let Location::Path { path, group } = &self.location else { return None };
        let group = group.as_deref().unwrap_or_default().trim_matches('/');
        match group.rsplit('/').next().filter(|name| !name.is_empty()) {
            Some(name) => Some(name.to_owned()),
            None => Some(path.file_stem()?.to_str()?.to_owned()),
        }
    }

    fn place_of(&self, item: &Item) -> Place {
        place_of_item((&self.location, self.group.as_deref()), item)
    }

    /// Returns the error for a file without `X`, which lists the other matrices.
    fn without_main(&self, items: &[Item]) -> Error {
        let what = match items {
            [] => "AnnData without matrices".to_owned(),
            items => {
                let places = items.iter().map(|item| format!("\n  {}", self.place_of(item)));
                format!("AnnData without X; select one of{}", places.collect::<String>())
            }
        };
        Error::new(ErrorKind::Argument(what), self.place())
    }
}

impl Collection for AnnDataCollection {
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
        members::members(self.file()?)
    }

    fn open(&self, path: &str) -> Result<Box<dyn MatrixSource>> {
        let item: Item = path.parse()?;
        let file = self.file()?;
        let matrix = file.matrix(&item);
        let matrix = matrix.map_err(|error| absent(error, &item, file.items(), &self.location))?;
        Ok(Box::new(Placed::new(Box::new(matrix), self.place_of(&item))))
    }

    fn has_main(&self) -> Result<bool> {
        // Opening X of a broken file gives the error.
        Ok(readable(self.file()?.contains(&Item::X))?.unwrap_or(true))
    }

    fn main(&self) -> Result<Box<dyn MatrixSource>> {
        let file = self.file()?;
        let items = file.items()?;
        if !items.contains(&Item::X) {
            return Err(self.without_main(&items));
        }
        Ok(Box::new(Placed::new(Box::new(file.main_matrix(&Item::X)?), self.place())))
    }

    fn axes(&self) -> Result<Box<dyn MatrixSource>> {
        Ok(Box::new(Placed::new(self.file()?.tables()?, self.place())))
    }

    fn contents(&self) -> Result<Option<Contents>> {
        let file = self.file()?;
        if !readable(file.contains(&Item::X))?.unwrap_or(false) {
            return Ok(None);
        }
        let opened = |item: &Item| -> Result<Box<dyn MatrixSource>> {
            let place = self.place_of(item);
            let source = file.matrix(item).map_err(|error| error.with_context(&place))?;
            Ok(Box::new(Placed::new(Box::new(source), place)))
        };
        let mut contents = Contents::new(opened(&Item::X)?, "X", ["obs", "var"]);
        let mut unsupported = file.unread_columns()?;
        unsupported.extend(file.others(&Item::X)?);
        unsupported.extend(file.foreign_attributes(&Item::X, true)?);
        for item in file.items()?.into_iter().filter(|item| *item != Item::X) {
            let source = opened(&item)?;
            let is_dense = source.header().storage == Storage::Dense;
            let role = match item.clone() {
                Item::Layer(name) => MemberRole::Layer(name),
                Item::Obsm(name) if is_dense => MemberRole::AxisMatrix(Axis::Rows, name),
                Item::Varm(name) if is_dense => MemberRole::AxisMatrix(Axis::Cols, name),
                Item::Obsp(name) => MemberRole::AxisGraph(Axis::Rows, name),
                Item::Varp(name) => MemberRole::AxisGraph(Axis::Cols, name),
                Item::RawX => MemberRole::Raw(Axis::Rows),
                Item::RawVarm(_) => {
                    unsupported.push(item.to_string());
                    continue;
                }
                // It stays in the list.
                _ => continue,
            };
            let path = item.to_string();
            unsupported.retain(|other| *other != path && (item != Item::RawX || other != "raw"));
            let attributes = file.foreign_attributes(&item, false)?;
            unsupported.extend(attributes.into_iter().filter(|name| name.starts_with(&path)));
            contents.members.push(ContentsMember::new(role, path, source));
        }
        for (name, value) in file.plain_unstructured()? {
            let shown = format!("uns/{name}");
            unsupported.retain(|other| *other != shown);
            contents.attributes.push(NamedAttribute::new(name, value, shown));
        }
        Ok(Some(Contents { unsupported, ..contents }))
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
        self.file.diff(&other.file, options, context, each)?;
        Ok(true)
    }
}
