//! Dense matrices in a `.npy` file of NumPy.

mod sink;
mod source;

pub use sink::{CAPABILITIES, NpySink, create};
pub use source::NpySource;
