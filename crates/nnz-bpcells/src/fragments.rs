//! Genomic fragments.

mod columns;
mod end_max;
mod members;
mod overlap;
mod reader;
mod segments;
mod sink;
mod source;
mod validate;

pub use members::FRAGMENT_MEMBERS;
pub use sink::FragmentSink;
pub use source::FragmentSource;
pub use validate::validate_fragments;
