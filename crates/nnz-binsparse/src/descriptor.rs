//! The description in JSON that stands beside the arrays.

mod json;
mod levels;
mod parse;
mod print;

use nnz_core::{Place, Result, Structure};

use crate::deviation::Deviations;
use crate::{DataType, Format, Keys, Layout, Version};

/// The name of the text that holds the description, and of the object inside it.
pub const DESCRIPTOR: &str = "binsparse";

/// The attribute that counts the entries on the diagonal.
pub(crate) const DIAGONAL: &str = "number_of_diagonal_elements";

/// Describes a matrix or tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Descriptor {
    /// The version of the specification.
    pub version: Version,
    /// The short name that is stated; `None` where levels are.
    pub format: Option<Format>,
    /// The levels, stated or meant by the short name.
    pub layout: Layout,
    /// The length of each dimension.
    pub shape: Vec<u64>,
    /// The number of stored values.
    pub stored: u64,
    /// Whether an array `fill_value` says what cells hold that are not stored.
    pub fill: bool,
    /// How entries that are not stored follow from those that are.
    pub structure: Structure,
    /// The type of each array.
    pub data_types: Vec<(String, DataType)>,
    /// The dictionary `attributes`.
    pub attributes: Keys,
    /// Keys beside these, of later versions.
    pub unknown: Keys,
    /// Keys outside of the description, which belong to the user.
    pub user: Keys,
}

impl Descriptor {
    /// Reads a description. Places in errors are keys, such as `binsparse.shape`.
    ///
    /// ```
    /// let text = r#"{"binsparse": {"version": "0.1", "format": "CVEC", "shape": [4],
    ///     "number_of_stored_values": 2, "data_types": {"indices_0": "uint8", "values": "int32"}}}"#;
    /// let descriptor = nnz_binsparse::Descriptor::parse(text, &Default::default())?;
    /// assert_eq!(descriptor.shape, [4]);
    /// # Ok::<(), nnz_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails where the text is no JSON, or breaks the specification in a way that leaves open what
    /// is meant.
    pub fn parse(text: &str, place: &Place) -> Result<Self> {
        let mut deviations = Deviations::default();
        let descriptor = parse::parse(text, place, &mut deviations);
        deviations.into_notes()?;
        descriptor.ok_or_else(|| nnz_core::Error::argument("no description"))
    }

    /// Reads a description, and lists all that is wrong with it.
    pub(crate) fn examine(text: &str, place: &Place, found: &mut Deviations) -> Option<Self> {
        parse::parse(text, place, found)
    }

    /// Reads the levels of a tensor of so many dimensions from its description.
    pub(crate) fn layout_of(keys: &Keys, dimensions: usize) -> Result<Layout> {
        let mut found = Deviations::default();
        let layout = parse::layout(keys, dimensions, &mut found);
        found.into_notes()?;
        layout.ok_or_else(|| nnz_core::Error::argument("no levels"))
    }

    /// Returns the type of an array.
    #[must_use]
    pub fn data_type(&self, array: &str) -> Option<DataType> {
        self.data_types.iter().find(|(name, _)| name == array).map(|&(_, data_type)| data_type)
    }

    /// Returns the stated number of entries on the diagonal.
    #[must_use]
    pub fn diagonal(&self) -> Option<u64> {
        self.attributes.get(DIAGONAL).and_then(json::count)
    }

    /// Returns the lengths of dimensions in the order of the levels.
    #[must_use]
    pub fn extents(&self) -> Vec<u64> {
        self.layout.stored(&self.shape)
    }
}
