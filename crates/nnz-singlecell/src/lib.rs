//! Formats of single-cell genomics: AnnData, MuData, Loom, matrices of 10x in HDF5, fragments as text.

pub mod anndata;
mod covers;
mod dense;
mod dense_writer;
mod enumeration;
pub mod fragment_tsv;
mod globals;
pub mod loom;
pub mod mudata;
mod parts;
pub mod tenx;
mod times;
mod without;

pub use without::{has_member, without};

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
