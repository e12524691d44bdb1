//! The `nnz` command.
fn main() {}
