//! Reading a BPCells object.

use std::path::Path;

use nnz_container::rds::{self, Document, Rds, Value};
use nnz_container::tree::{Attributes, Child, ChildKind, Group, NdArray};
use nnz_container::{Capabilities, ContainerInfo};
use nnz_core::{At, Error, Names, Order, Place, Result, StringList, ValueType};

use super::class::{describe_other, no_data, versions_of};
use super::views::ConvertedArray;
use crate::version;

/// A BPCells matrix or fragments saved by R, presented as named arrays.
///
/// A clone shares the data.
#[derive(Clone)]
pub struct RObject {
    rds: Rds,
    version: String,
    /// Whether shape, names and order are in slots of R.
    in_slots: bool,
}

/// The members of a matrix, and the slots of an S4 object that have the same content.
const SHAPE: (&str, &str) = ("shape", "dim");
const NAMES: [(&str, &str); 2] = [("row_names", "dimnames[[1]]"), ("col_names", "dimnames[[2]]")];
const STORAGE_ORDER: (&str, &str) = ("storage_order", "transpose");

impl RObject {
    /// Wraps the content of an R file.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be an object of BPCells, and like [`open`](Self::open).
    pub fn from_document(path: &Path, document: Document) -> Result<Self> {
        if let Some(what) = describe_other(&document.object) {
            return Err(Error::unsupported(Place::path(path), what));
        }
        Self::open(Rds::from_document(path, document)?)
    }

    /// Wraps an object of R.
    ///
    /// # Errors
    ///
    /// Fails if the class of the object contains no data (the message has the path of the data), or
    /// if its version is missing or does not match the class.
    pub fn open(rds: Rds) -> Result<Self> {
        let expected = match rds.class() {
            None => None,
            Some(class) => match versions_of(class) {
                Some(start) => Some(start),
                None => return Err(no_data(&rds, class)),
            },
        };
        let version = rds.text(version::TAG)?;
        if let Some(start) = expected
            && !version.starts_with(start)
        {
            let place = Place::array(rds.path(), version::TAG);
            let class = rds.class().unwrap_or_default();
            let expected = format!("{start}..., since the class is {class}");
            return Err(Error::mismatch(
                place,
                format!("\"{}\"", version.escape_debug()),
                expected,
            ));
        }
        let in_slots = expected.is_some_and(|start| start.contains("-matrix-"));
        Ok(Self { rds, version, in_slots })
    }

    /// Returns the version, which distinguishes matrices from fragments.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    fn place(&self, name: &str) -> Place {
        Place::array(self.rds.path(), name)
    }

    /// Returns the slot of a member.
    fn slot<'a>(&self, name: &'a str) -> &'a str {
        let slots = NAMES.iter().chain([&SHAPE, &STORAGE_ORDER]);
        let found = slots.into_iter().find(|(member, _)| self.in_slots && *member == name);
        found.map_or(name, |(_, slot)| slot)
    }

    /// Reads `transpose`: whether the matrix is stored by row.
    fn order(&self) -> Result<Order> {
        let (_, slot) = STORAGE_ORDER;
        let value = &self.rds.object(slot)?.value;
        if let Value::Logical(flags) = value {
            match flags[..] {
                [0] => return Ok(Order::Col),
                [1] => return Ok(Order::Row),
                _ => {}
            }
        }
        Err(Error::mismatch(self.place(slot), value.kind(), "TRUE or FALSE"))
    }

    /// Checks that `dim` has no negative or missing value, whose bits would be a large number.
    fn check_shape(&self) -> Result<()> {
        let (_, slot) = SHAPE;
        let Value::Integer(sides) = &self.rds.object(slot)?.value else { return Ok(()) };
        let bad = (0..sides.len().min(2)).find(|&i| sides.get(i).is_some_and(|side| side < 0));
        match bad {
            None => Ok(()),
            Some(element) => {
                let place = self.place(slot).at(At::Element(element));
                let found = sides.get(element).unwrap_or(0);
                Err(Error::mismatch(place, found, "0 or more"))
            }
        }
    }
}

/// Returns whether an array has counts or pointers, which are 64-bit integers in other containers.
fn is_wide(name: &str) -> bool {
    matches!(name, "idxptr" | "chr_ptr") || name.ends_with("_idx_offsets")
}

const CAPABILITIES: Capabilities = rds::INFO.capabilities.value_types(&[
    ValueType::U32,
    ValueType::U64,
    ValueType::F32,
    ValueType::F64,
]);

/// Describes objects of BPCells.
pub(super) const INFO: ContainerInfo = rds::INFO.capabilities(CAPABILITIES);

impl Attributes for RObject {}

impl Group for RObject {
    fn path(&self) -> &Path {
        self.rds.path()
    }

    fn info(&self) -> &'static ContainerInfo {
        &INFO
    }

    fn children(&self) -> Result<Vec<Child>> {
        let names = self.member_names()?.into_iter();
        Ok(names.map(|name| Child { name, kind: ChildKind::Array }).collect())
    }

    fn group(&self, name: &str) -> Result<Box<dyn Group>> {
        self.rds.group(name)
    }

    fn member_names(&self) -> Result<Vec<String>> {
        let mut members = self.rds.member_names()?;
        if self.in_slots {
            let slots = ["dim", "dimnames", "transpose"];
            members.retain(|name| !slots.contains(&&**name));
            let renamed = NAMES.iter().chain([&SHAPE, &STORAGE_ORDER]);
            members.extend(renamed.map(|(name, _)| (*name).to_owned()));
            members.sort_unstable();
        }
        Ok(members)
    }

    fn text(&self, name: &str) -> Result<String> {
        self.rds.text(name)
    }

    fn array(&self, name: &str) -> Result<Box<dyn NdArray>> {
        let slot = self.slot(name);
        if slot == SHAPE.1 {
            self.check_shape()?;
        }
        let array = self.rds.array(slot)?;
        Ok(match array.value_type()? {
            ValueType::F64 if is_wide(name) => Box::new(ConvertedArray::whole_numbers(array)),
            ValueType::U32 if name == "val" && self.version.contains("-float-") => {
                Box::new(ConvertedArray::bit_cast(array, ValueType::F32))
            }
            _ => array,
        })
    }

    fn list_bytes(&self, name: &str) -> Result<u64> {
        let slot = self.slot(name);
        if slot == STORAGE_ORDER.1 {
            return self.order().map(|_| size_of::<i32>() as u64);
        }
        self.rds.list_bytes(slot)
    }

    fn read_list(&self, name: &str) -> Result<Names<'_>> {
        let slot = self.slot(name);
        if slot == STORAGE_ORDER.1 {
            let order: StringList = std::iter::once(self.order()?.to_string()).collect();
            return Ok(order.into_reader());
        }
        self.rds.read_list(slot)
    }
}

impl std::fmt::Debug for RObject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RObject").field("path", &self.rds.path()).finish_non_exhaustive()
    }
}
