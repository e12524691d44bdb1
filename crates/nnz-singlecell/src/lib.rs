//! Formats of single-cell genomics: AnnData, Loom, matrices of 10x in HDF5, fragments as text.

pub mod anndata;
mod cells;
mod covers;
mod dense;
mod enumeration;
pub mod fragment_tsv;
mod globals;
pub mod loom;
mod parts;
pub mod tenx;
mod times;
mod without;

pub use without::{has_member, without};

/// What the README shows is compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
