//! Formats of scientific computing: sparse matrices of SciPy (`.npz`), arrays of NumPy (`.npy`),
//! and matrices of R's Matrix package.

pub mod npy;
pub mod r_matrix;
pub mod scipy;
