//! Groups of Zarr stores as trees.

mod array;
mod attribute;
mod group;
mod presence;
mod texts;

pub use group::ZarrGroup;
