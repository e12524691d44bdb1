//! One engine for sparse data on disk: open anything, convert, check
