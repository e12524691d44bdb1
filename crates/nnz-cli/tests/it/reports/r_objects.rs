//! R objects.
