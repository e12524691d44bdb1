#' @include open.R
NULL

#' Write an object of R
#'
#' Writes a matrix or an object with several to a file of any format. It is written completely or not at all.
#'
#' A matrix of [nnz_open()] is written as it is read, with all steps such as [normalize_total()], in bounded memory. A
#' `DelayedMatrix` is written block by block. Other objects are saved to a temporary file, from which they are converted: `matrix`,
#' `SingleCellExperiment`, `SummarizedExperiment`, `Seurat` and all classes of the package Matrix. Their delayed assays are read into
#' memory first.
#'
#' @param x A matrix or an object.
#' @param path Path to write to. Its extension selects the format.
#' @param to The format.
#' @param force Whether an existing target is replaced.
#' @param ... Other options of the command `nnz convert`, as in [nnz_convert()].
#' @return A list that describes what was written, invisibly.
#' @examples
#' x <- Matrix::rsparsematrix(5, 4, 0.5)
#' path <- tempfile(fileext = ".mtx")
#' nnz_write(x, path)
#' nnz_open(path)
#' @export
nnz_write <- function(x, path, to = NULL, force = FALSE, ...) {
  target <- as_path(check_string(path, "path"), "path")
  options <- list(to = to, force = force, ...)
  if (is(x, "NnzMatrix")) {
    return(write_open(handle(x), x@path, target, options))
  }
  if (is(x, "dgCMatrix")) {
    return(write_slots(x, target, options))
  }
  if (is(x, "DelayedMatrix")) {
    return(write_blocks(x, target, options))
  }
  if (is.data.frame(x) || !(is.matrix(x) || isS4(x))) {
    stop_unsupported("an object of the class ", class(x)[1L], " cannot be written")
  }
  file <- tempfile("nnz", fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(without_delayed(x), file, compress = FALSE)
  run_writing("convert", c(file, target), options)
}

# Writes a matrix by its number.
write_open <- function(id, source, target, options) {
  run_writing("convert", c(source, target), options, call = function(arguments) call_nnz("write", id, arguments))
}

write_slots <- function(x, target, options) {
  names <- dimnames(x)
  id <- call_nnz("from_slots", nrow(x), ncol(x), x@p, x@i, x@x, names[[1L]], names[[2L]])
  on.exit(call_nnz("close", id))
  write_open(id, "memory", target, options)
}

# Writes blocks of columns to a temporary directory, and joins them.
write_blocks <- function(x, target, options) {
  directory <- tempfile("nnz")
  dir.create(directory)
  on.exit(unlink(directory, recursive = TRUE))
  grid <- DelayedArray::colAutoGrid(x)
  blocks <- vapply(seq_along(grid), function(at) {
    columns <- seq.int(BiocGenerics::start(grid[[at]])[2L], BiocGenerics::end(grid[[at]])[2L])
    block <- file.path(directory, paste0(at, ".bpcells"))
    write_slots(as(x[, columns, drop = FALSE], "dgCMatrix"), block, list(quiet = TRUE))
    block
  }, "")
  if (length(blocks) < 2L) {
    return(run_writing("convert", c(blocks, target), options))
  }
  joined <- file.path(directory, "all.bpcells")
  suppressMessages(run_writing("concat", c(blocks, joined), list(axis = "cols")))
  run_writing("convert", c(joined, target), options)
}

# Reads delayed assays of an object into memory.
without_delayed <- function(x) {
  if (!is(x, "SummarizedExperiment")) {
    return(x)
  }
  assays <- SummarizedExperiment::assays(x, withDimnames = FALSE)
  for (name in seq_along(assays)) {
    if (is(assays[[name]], "DelayedMatrix")) {
      assays[[name]] <- as(assays[[name]], "dgCMatrix")
    }
  }
  SummarizedExperiment::assays(x, withDimnames = FALSE) <- assays
  x
}
