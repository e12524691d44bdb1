//! Types and traits every nnz format speaks: batches, headers, names, errors
