//! Formats of scientific computing: sparse matrices of SciPy (`.npz`), arrays of NumPy (`.npy`),
//! variables of MATLAB (`.mat`), and matrices of R's Matrix package.

mod dense_sink;
#[cfg(feature = "matlab")]
pub mod matlab;
pub mod npy;
pub mod r_matrix;
pub mod scipy;
