//! BPCells matrices, read and written on any nnz container
