//! Edge lists: a line for each edge, with two nodes and an optional weight.
//!
//! `docs/formats/edges.md` describes what is read and written.

mod counts;
mod form;
mod names;
mod parse;
mod sink;
mod source;
mod survey;

pub use counts::is_konect;
pub use form::{Nodes, Weight};
pub use sink::{WriteOptions, capabilities, create};
pub use source::{EdgeListSource, ReadOptions, from_bytes, from_opened, open_stdin};
