//! Columns and elements of AnnData, Loom and 10x files.
