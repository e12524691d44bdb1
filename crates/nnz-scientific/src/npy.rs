//! Dense matrices in NumPy's `.npy` files.

mod sink;
mod source;

pub use sink::{CAPABILITIES, NpySink, create};
pub use source::NpySource;
