//! Streams of Arrow's C data interface: what is read as one, and one as a table that is written.

mod abi;
mod column;
mod import;
mod stream;

pub(crate) use column::{ArrayData, Field, annotations, strings};
pub(crate) use import::StreamReader;
pub(crate) use stream::{Batches, export};
