//! Groups of Zarr stores on disk: version 3 is written, versions 3 and 2 are read.
//!
//! `docs/formats/zarr.md` describes what is read and written.

mod announce;
mod chunks;
mod codec;
mod consolidated;
mod find;
mod kind;
mod metadata;
mod node;
mod open;
mod read;
mod store;
mod strings;
mod tree;
mod writer;

pub use find::{groups_with, is_zarr};
pub use kind::ZarrKind;
pub use open::ZarrStore;
pub use tree::ZarrGroup;
pub use writer::{ZarrOptions, ZarrVersion, ZarrWriter};
