//! BPCells objects of R.
//!
//! R has neither 64-bit integers nor 32-bit floats: it stores pointers and offsets as doubles, and
//! the bits of floats in integers. An S4 object also has slots of R for shape, names and order:
//! `dim`, `dimnames` and `transpose`. This module presents all of it as named arrays.

mod class;
mod reader;
mod views;
mod writer;

pub use reader::RObject;
pub use writer::{RObjectOptions, RObjectWriter};
