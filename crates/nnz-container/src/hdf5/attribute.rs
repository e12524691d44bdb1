//! The attributes of groups and datasets, undecoded.

use hdf5_reader::group::Group;
use hdf5_reader::{Dataset, RawAttribute};
use nnz_core::{Place, Result};

use super::headers::{Hidden, HiddenKind};
use super::opened::{Opened, call_library};

/// The attributes of an object, undecoded.
pub(super) struct AttributeList {
    pub(super) all: Vec<RawAttribute>,
    /// Those that are not supported.
    pub(super) hidden: Vec<Hidden>,
}

impl AttributeList {
    /// Reads the attributes of a group.
    pub(super) fn of_group(opened: &Opened, group: &Group, place: &Place) -> Result<Self> {
        let all = call_library(place, || group.raw_attributes())?;
        Ok(Self::new(opened, group.address(), all))
    }

    /// Reads the attributes of a dataset.
    pub(super) fn of_dataset(opened: &Opened, dataset: &Dataset, place: &Place) -> Result<Self> {
        let all = call_library(place, || dataset.raw_attributes())?;
        Ok(Self::new(opened, dataset.address(), all))
    }

    fn new(opened: &Opened, address: u64, all: Vec<RawAttribute>) -> Self {
        let mut hidden = opened.headers.hidden(address);
        hidden.retain(|hidden| hidden.kind == HiddenKind::Attribute);
        Self { all, hidden }
    }

    /// Returns all names, sorted.
    pub(super) fn names(&self) -> Vec<String> {
        let hidden = self.hidden.iter().map(|hidden| hidden.name.clone());
        let mut names: Vec<String> =
            self.all.iter().map(|raw| raw.name().to_owned()).chain(hidden).collect();
        names.sort_unstable();
        names
    }
}
