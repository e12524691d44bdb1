//! Formats people already have: Matrix Market and 10x folders.
//!
//! Both are text. They are read as sequential sources: one pass from start to end, through
//! buffers of a fixed size.

mod input;
mod lines;
pub mod matrix_market;
pub mod tenx_folder;
