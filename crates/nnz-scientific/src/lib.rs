//! Formats of scientific computing: sparse matrices of SciPy (`.npz`), arrays of NumPy (`.npy`),
//! and variables of MATLAB (`.mat`).

mod dense_sink;
#[cfg(feature = "matlab")]
pub mod matlab;
pub mod npy;
pub mod scipy;
