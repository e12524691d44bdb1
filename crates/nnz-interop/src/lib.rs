//! Formats people already have: Matrix Market and 10x folders
