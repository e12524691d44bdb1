//! DAPHNE binary files (`.dbdf`): matrices and frames in blocks.
//!
//! The published format and what DAPHNE writes differ; [`Dialect`] has the three variants. They are
//! distinguished by the bytes and the length of a file. `docs/formats/daphne.md` describes each of
//! them, and the decisions where the specification is incomplete.

mod ascent;
mod block;
mod code;
pub mod csv;
mod dialect;
mod file;
mod frame;
mod layout;
mod lock;
mod looks;
mod matrix;
mod meta;
mod object;
mod output;
mod segments;
mod validate;
mod zeroed;

pub use block::{Block, BlockType};
pub use code::parse_value_type;
pub use dialect::Dialect;
pub use frame::{Column, FrameBatch, FrameOptions, FrameReader, FrameSink, FrameSource};
pub use looks::looks_like;
pub use matrix::{MatrixSink, MatrixSource, Options, capabilities};
pub use meta::{Hdfs, Meta, MetaColumn};
pub use object::{DataType, ReadOptions, data_type, data_type_of};
pub use segments::{SegmentsSink, SegmentsSource};
pub use validate::{validate, validate_opened};
