//! Groups of Zarr stores on disk: version 3 is written, versions 3 and 2 are read.
//!
//! A group is a directory, an array of numbers or a list of strings an array of one dimension in
//! it. Attributes are those of the group: one that is an object in JSON is that object,
//! any other is a string. `docs/formats/zarr.md` says what is read and written.

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
