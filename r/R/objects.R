#' Read a file as an object of Bioconductor or Seurat
#'
#' Reads everything of a file that the object can have, into memory: matrices, tables of cells and features, and reductions. What it
#' cannot have is a warning of the class `nnz_dropped_warning`.
#'
#' @param path A file, as in [nnz_open()]: AnnData, Loom, 10x, MuData or others.
#' @param ... Other options of the command `nnz convert`, as in [nnz_convert()].
#' @return `nnz_read_sce()`: a `SingleCellExperiment`. `nnz_read_seurat()`: a `Seurat` object; its assays are of version 3, which all
#'   versions of SeuratObject from 4 on read, or of version 5 with `format_version = 5`.
#' @examples
#' path <- system.file("extdata", "small.mtx", package = "nnz")
#' if (requireNamespace("SingleCellExperiment", quietly = TRUE)) {
#'   nnz_read_sce(path)
#' }
#' @export
nnz_read_sce <- function(path, ...) read_object(path, "sce", "SingleCellExperiment", list(...))

#' @rdname nnz_read_sce
#' @export
nnz_read_seurat <- function(path, ...) read_object(path, "seurat", "SeuratObject", list(...))

read_object <- function(path, to, package, options) {
  if (!requireNamespace(package, quietly = TRUE)) {
    stop_unsupported("the package ", package, " is not installed")
  }
  file <- tempfile("nnz", fileext = ".rds")
  on.exit(unlink(file))
  options <- c(list(to = to, compress = "none"), options)
  run_writing("convert", c(as_path(check_string(path, "path"), "path"), file), options)
  readRDS(file)
}
