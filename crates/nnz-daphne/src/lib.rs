//! DAPHNE binary files (`.dbdf`): matrices and frames in blocks.
