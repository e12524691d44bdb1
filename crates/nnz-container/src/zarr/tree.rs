//! Groups of Zarr stores as trees.

mod array;
mod attribute;
mod group;
mod texts;

pub use group::ZarrGroup;
