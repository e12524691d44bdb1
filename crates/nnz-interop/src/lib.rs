//! Formats people already have: Matrix Market, 10x folders and fragment files.
//!
//! All are text. They are read as sequential sources: one pass from start to end, through
//! buffers of a fixed size.

pub mod fragment_tsv;
mod input;
mod lines;
pub mod matrix_market;
pub mod r_matrix;
pub mod tenx_folder;
