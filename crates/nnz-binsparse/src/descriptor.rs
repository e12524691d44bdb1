//! The JSON descriptor stored with the arrays.

mod json;
mod levels;
mod parse;
mod print;

use nnz_core::{Place, Result, Structure};

use crate::deviation::Deviations;
use crate::{DataType, Format, Keys, Layout, Version};

/// The name of the attribute with the descriptor, and of the object inside it.
pub const DESCRIPTOR: &str = "binsparse";

/// The attribute with the number of entries on the diagonal.
pub(crate) const DIAGONAL: &str = "number_of_diagonal_elements";

/// The descriptor of a matrix or tensor.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Descriptor {
    /// The version of the specification.
    pub version: Version,
    /// The name of the format; `None` if the levels are given instead.
    pub format: Option<Format>,
    /// The levels, given or implied by the format.
    pub layout: Layout,
    /// The length of each dimension.
    pub shape: Vec<u64>,
    /// The number of stored values.
    pub stored: u64,
    /// Whether the array `fill_value` has the value of elements that are not stored.
    pub fill: bool,
    /// How entries that are not stored follow from stored ones.
    pub structure: Structure,
    /// The type of each array.
    pub data_types: Vec<(String, DataType)>,
    /// The object `attributes`.
    pub attributes: Keys,
    /// Other keys, of later versions.
    pub unknown: Keys,
    /// Keys outside of the object `binsparse`, which belong to the user.
    pub user: Keys,
}

nnz_core::setters! {
    Descriptor {
        format: Option<Format>,
        layout: Layout,
        fill: bool,
        structure: Structure,
        data_types: Vec<(String, DataType)>,
        attributes: Keys,
        unknown: Keys,
        user: Keys,
    }
}

impl Descriptor {
    /// Describes a tensor of the current version, by the name of its format if the layout has one.
    #[must_use]
    pub fn new(layout: Layout, shape: Vec<u64>, stored: u64) -> Self {
        Self {
            version: Version::default(),
            format: layout.format(),
            layout,
            shape,
            stored,
            fill: false,
            structure: Structure::General,
            data_types: Vec::new(),
            attributes: Keys::default(),
            unknown: Keys::default(),
            user: Keys::default(),
        }
    }

    /// Parses a descriptor. Locations in errors are keys, such as `binsparse.shape`.
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
    /// Fails if the text is not JSON, or violates the specification in a way that makes its meaning
    /// ambiguous.
    pub fn parse(text: &str, place: &Place) -> Result<Self> {
        let mut deviations = Deviations::default();
        let descriptor = parse::parse(text, place, &mut deviations);
        deviations.into_notes()?;
        descriptor.ok_or_else(|| nnz_core::Error::argument("missing descriptor"))
    }

    /// Parses a descriptor, and lists everything that is wrong with it.
    pub(crate) fn examine(text: &str, place: &Place, found: &mut Deviations) -> Option<Self> {
        parse::parse(text, place, found)
    }

    /// Parses the levels of a tensor with `dimensions` dimensions.
    pub(crate) fn layout_of(keys: &Keys, dimensions: usize) -> Result<Layout> {
        let mut found = Deviations::default();
        let layout = parse::layout(keys, dimensions, &mut found);
        found.into_notes()?;
        layout.ok_or_else(|| nnz_core::Error::argument("missing levels"))
    }

    /// Returns the type of an array.
    #[must_use]
    pub fn data_type(&self, array: &str) -> Option<DataType> {
        self.data_types.iter().find(|(name, _)| name == array).map(|&(_, data_type)| data_type)
    }

    /// Returns the number of entries on the diagonal according to the descriptor.
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
