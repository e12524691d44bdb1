//! Formats of single-cell genomics: AnnData, matrices of 10x in HDF5, fragments as text.

pub mod anndata;
pub mod fragment_tsv;
pub mod tenx;

/// What the README shows is compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
