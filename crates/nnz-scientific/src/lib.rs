//! Formats of scientific computing: matrices of R's Matrix package.

pub mod r_matrix;
