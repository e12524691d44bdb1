//! MAT-files.
