//! Archives and directories of 10x and Matrix Market files.
