//! Selections and computations.
