//! BPCells objects of R.
//!
//! R has neither 64-bit integers nor 32-bit floats: pointers and offsets are doubles there, and
//! floats lie bit for bit in integers. An S4 object also says its shape, names and order in the way
//! of R: `dim`, `dimnames` and `transpose`. Here all that looks like the named arrays it stands for.

mod class;
mod reader;
mod views;
mod writer;

pub use reader::RObject;
pub use writer::{RObjectOptions, RObjectWriter};
