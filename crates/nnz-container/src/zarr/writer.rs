//! Writing a group of a store, and changing an existing store.

mod array;
mod attribute;
mod change;
mod chunk;
mod consolidated;
mod element;
mod encoding;
mod metadata;
mod options;
mod strings;
mod target;
mod tree;

pub use options::{ZarrOptions, ZarrVersion};
pub use tree::ZarrWriter;
