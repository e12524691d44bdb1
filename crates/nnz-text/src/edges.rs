//! Edge lists: a line for each edge, with two nodes and an optional weight.
//!
//! `docs/formats/edges.md` describes what is read and written.

mod form;
mod names;
mod parse;
mod sink;
mod source;
mod survey;

pub use form::{Nodes, Weight, is_konect};
pub use sink::{WriteOptions, capabilities, create};
pub use source::{EdgeListSource, ReadOptions, from_bytes, from_opened, open_stdin};
