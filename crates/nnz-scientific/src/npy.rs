//! Dense matrices in NumPy's `.npy` files.

mod sink;
mod source;

pub use crate::dense_sink::DenseSink;
pub use sink::{CAPABILITIES, create};
pub use source::NpySource;
