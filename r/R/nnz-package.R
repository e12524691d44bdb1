#' Sparse matrices on disk
#'
#' [nnz_open()] opens a matrix of any supported format: AnnData, 10x Genomics, Loom, BPCells, Matrix Market, Zarr, R
#' objects and others. It is read as needed, `x[i, j]` is a dgCMatrix, and `DelayedArray(x)` and sums of rows and columns
#' read it block by block with all cores. [nnz_convert()] and others convert, slice, join, check and compare files.
#'
#' The options `nnz.memory` (bytes) and `nnz.threads` limit what operations on open matrices use.
#'
#' Errors are conditions of the class `nnz_error` and of a more special one, such as `nnz_corrupt_file_error`,
#' `nnz_missing_file_error`, `nnz_unsupported_error` or `nnz_argument_error`, with the fields `path`, `array` and
#' `position`.
#'
#' @keywords internal
#' @import methods
#' @importClassesFrom Matrix dgCMatrix Matrix
#' @useDynLib nnz, nnz_call
"_PACKAGE"
