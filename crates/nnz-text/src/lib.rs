//! Sparse and dense data as text: SVMlight, edge lists, METIS graphs and tables of numbers.

mod blocks;
pub mod edges;
mod entry_text;
mod fault;
pub mod metis;
mod options;
mod scan;
pub mod svmlight;
pub mod table;
mod text;
mod values;

pub use nnz_lines::TextTarget;
pub use options::{Base, Size};
