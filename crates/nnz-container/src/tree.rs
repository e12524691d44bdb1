//! Trees: groups, typed attributes, and arrays of any number of dimensions.
//!
//! [`open`] returns the [`Group`] at a path in any kind of container. A group has attributes, child
//! groups and arrays; an [`NdArray`] is read by hyperslab, a range of indices in each dimension.
//! Memory is proportional to the request, not to sizes stated in the file. Symbolic, external and
//! other links out of a file or store are not followed.
//!
//! A [`TreeWriter`] writes a tree to HDF5, Zarr or npz, and [`copy_tree`] copies one from any
//! container. [`edit`] removes and adds members and attributes of a tree in an HDF5 file or a Zarr store.
//!
//! | container | groups | attributes | arrays |
//! |---|---|---|---|
//! | HDF5 | yes | numbers, strings, object references | numbers, strings, compounds |
//! | Zarr 2 and 3 | yes | JSON | numbers, strings, structured types |
//! | NetCDF-4 | yes | as HDF5 | as HDF5 |
//! | NetCDF classic | the root | numbers, text | numbers, characters |
//! | npz, directory of npy | the root | none | numbers, strings |

mod array;
mod attribute;
mod copy;
mod copy_tree;
mod edit;
mod element;
mod flat;
mod float16;
mod group;
mod open;
pub(crate) mod pack;
mod request;
mod selection;
mod source;
mod spec;
mod strings;
mod view;
mod walk;
mod writer;

pub use array::{ArrayStorage, NdArray};
pub use attribute::{Attribute, AttributeValue};
pub use copy_tree::{
    Change, ChangeKind, CopyOptions, CopyReport, OnProgress, copy_array, copy_attributes, copy_tree,
};
pub use edit::edit;
pub use element::{ElementType, Field, Member, StringEncoding};
pub use group::{Attributes, Child, ChildKind, Group};
pub use open::{OpenOptions, open};
pub use selection::one_range;
pub use spec::ArraySpec;
pub use walk::{Visit, walk};
pub use writer::{FieldValues, NodeId, TreeWriter};

pub(crate) use element::{StoredType, TextForm};
pub(crate) use selection::check_rank;
pub(crate) use source::{Layout, ReadRange, Source};
pub(crate) use view::View;

#[cfg(any(feature = "hdf5", feature = "zarr"))]
pub(crate) use {
    element::StoredField,
    float16::float16,
    source::{Chunk, Chunks, StringBlock},
};
