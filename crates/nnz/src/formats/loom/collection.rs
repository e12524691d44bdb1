//! A whole file as a collection.

use nnz_core::{Axis, MatrixSource, Place, Placed, Result};
use nnz_singlecell::loom::{Item, Loom};

use super::{INFO, members};
use crate::collection::{
    Collection, Contents, ContentsMember, ElementDifference, MemberRole, NamedAttribute, downcast,
};
use crate::formats::items::{absent, place_of_item};
use crate::formats::{FormatInfo, Member, Probe};
use crate::{Context, DiffOptions, Location};

/// A file, or a group with the contents of one.
#[derive(Debug)]
pub(super) struct LoomCollection {
    file: Loom,
    location: Location,
    /// The group that was found in the file, if none is selected.
    group: Option<String>,
    bytes: Option<u64>,
}

impl LoomCollection {
    pub(super) fn new(file: Loom, probe: &Probe) -> Self {
        Self {
            file,
            location: probe.location().clone(),
            group: probe.group_name().map(ToOwned::to_owned),
            bytes: probe.opened().and_then(|opened| Some(opened.file()?.len())),
        }
    }

    fn place_of(&self, item: &Item) -> Place {
        place_of_item((&self.location, self.group.as_deref()), item)
    }

    fn open_item(&self, item: &Item) -> Result<Box<dyn MatrixSource>> {
        let place = self.place_of(item);
        let source = self.file.matrix(item).map_err(|error| error.with_context(&place))?;
        Ok(Box::new(Placed::new(Box::new(source), place)))
    }
}

impl Collection for LoomCollection {
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
        members::members(&self.file)
    }

    fn open(&self, path: &str) -> Result<Box<dyn MatrixSource>> {
        let item: Item = path.parse()?;
        self.open_item(&item)
            .map_err(|error| absent(error, &item, self.file.items(), &self.location))
    }

    fn has_main(&self) -> Result<bool> {
        Ok(true)
    }

    fn main(&self) -> Result<Box<dyn MatrixSource>> {
        Ok(Box::new(Placed::new(Box::new(self.file.main_matrix()?), self.place())))
    }

    fn axes(&self) -> Result<Box<dyn MatrixSource>> {
        Ok(Box::new(Placed::new(Box::new(self.file.matrix(&Item::Matrix)?), self.place())))
    }

    fn contents(&self) -> Result<Option<Contents>> {
        let main = self.open_item(&Item::Matrix)?;
        let mut contents = Contents::new(main, "matrix", ["row_attrs", "col_attrs"]);
        for item in self.file.items()? {
            let role = match item.clone() {
                Item::Layer(name) => MemberRole::Layer(name),
                Item::RowGraph(name) => MemberRole::AxisGraph(Axis::Rows, name),
                Item::ColGraph(name) => MemberRole::AxisGraph(Axis::Cols, name),
                Item::RowAttribute(name) => MemberRole::AxisMatrix(Axis::Rows, name),
                Item::ColAttribute(name) => MemberRole::AxisMatrix(Axis::Cols, name),
                _ => continue,
            };
            let source = self.open_item(&item)?;
            contents.members.push(ContentsMember::new(role, item.to_string(), source));
        }
        let mut unsupported = self.file.unread()?;
        for (name, value) in self.file.global_attributes()? {
            let shown = format!("the attribute {name:?}");
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
        let (Some(first), Some(second)) = (self.contents()?, other.contents()?) else {
            return Ok(false);
        };
        first.diff(&second, options, context, each)?;
        Ok(true)
    }
}
