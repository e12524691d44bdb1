//! Arrow streams (C data interface): exporting rows, and importing a table to write.

mod abi;
mod column;
mod import;
mod stream;

pub(crate) use column::{ArrayData, Field, annotations, strings};
pub(crate) use import::StreamReader;
pub(crate) use stream::{Batches, export};
