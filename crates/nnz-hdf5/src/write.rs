//! Writing new files, and adding to existing ones.

pub(crate) mod dataset;
pub(crate) mod existing;
pub(crate) mod finish;
pub(crate) mod group;
pub(crate) mod insert;
pub(crate) mod object;
pub(crate) mod output;
pub(crate) mod pack;
mod pool;
pub(crate) mod spec;
pub(crate) mod value;
pub(crate) mod writer;
