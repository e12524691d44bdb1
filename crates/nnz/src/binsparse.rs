//! Types of Binsparse: descriptors, and tensors of any number of dimensions.

pub use nnz_binsparse::{
    DESCRIPTOR, DataType, Descriptor, Format, Keys, Layout, Level, LevelKind, Tensor, Version,
};
