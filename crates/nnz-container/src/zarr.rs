//! Groups of Zarr stores on disk: version 3 is written, versions 3 and 2 are read.
//!
//! A group is a directory; arrays of numbers and lists of strings are arrays of one dimension in
//! it. Attributes are those of the group: an attribute that is a JSON object is stored as that
//! object, any other as a string. `docs/formats/zarr.md` describes what is read and written.

mod announce;
mod chunks;
mod codec;
mod consolidated;
mod container;
mod find;
mod kind;
mod metadata;
mod node;
mod numbers;
mod open;
mod read;
mod store;
mod strings;
mod tree;
mod writer;

pub use container::Zarr;
pub use find::{groups_with, is_zarr};
pub use kind::ZarrKind;
pub use open::ZarrStore;
pub use tree::ZarrGroup;
pub use writer::{ZarrOptions, ZarrTreeOptions, ZarrTreeWriter, ZarrVersion, ZarrWriter};
