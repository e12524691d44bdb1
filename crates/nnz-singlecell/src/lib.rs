//! Formats of single-cell genomics.

pub mod fragment_tsv;
