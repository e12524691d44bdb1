#' @include open.R
NULL

# Reading: x[i, j], as() and as.matrix().

selected_names <- function(x, rows, cols) {
  names <- list(axis_names(x, "rows"), axis_names(x, "cols"))
  if (!is.null(rows$read) && !is.null(names[[1L]])) {
    names[[1L]] <- names[[1L]][rows$read]
  }
  if (!is.null(cols$read) && !is.null(names[[2L]])) {
    names[[2L]] <- names[[2L]][cols$read]
  }
  names
}

selected_dim <- function(x, rows, cols) {
  header <- header(x)
  count <- function(part, all) if (is.null(part$read)) all else length(part$read)
  c(count(rows, header$rows), count(cols, header$cols))
}

# Reads a selection as a dgCMatrix.
read_sparse <- function(x, rows, cols) {
  slots <- call_nnz("sparse", handle(x), rows$read, cols$read, memory_limit(), thread_limit())
  read <- new(
    "dgCMatrix",
    p = slots$p, i = slots$i, x = slots$x, Dim = as.integer(selected_dim(x, rows, cols)), Dimnames = selected_names(x, rows, cols)
  )
  if (!is.null(rows$places)) {
    read <- read[rows$places, , drop = FALSE]
  }
  if (!is.null(cols$places)) {
    read <- read[, cols$places, drop = FALSE]
  }
  read
}

# Reads a selection as a matrix.
read_dense <- function(x, rows, cols) {
  values <- call_nnz("dense", handle(x), rows$read, cols$read, memory_limit(), thread_limit())
  dim(values) <- as.integer(selected_dim(x, rows, cols))
  names <- selected_names(x, rows, cols)
  if (!is.null(names[[1L]]) || !is.null(names[[2L]])) {
    dimnames(values) <- names
  }
  if (!is.null(rows$places)) {
    values <- values[rows$places, , drop = FALSE]
  }
  if (!is.null(cols$places)) {
    values <- values[, cols$places, drop = FALSE]
  }
  values
}

whole <- list(read = NULL, places = NULL)

#' @rdname NnzMatrix-class
#' @param i,j Rows and columns: positions from 1, negative ones to leave out, names, or logical values. What is not a name is
#'   looked up in the annotations, so that genes are found by symbol.
#' @param ... Not used.
#' @param drop Whether one row or column becomes a vector.
#' @return `x[i, j]` is a dgCMatrix, or a vector.
#' @export
setMethod("[", "NnzMatrix", function(x, i, j, ..., drop = TRUE) {
  indices <- nargs() - !missing(drop)
  if (indices == 2L && !missing(i)) {
    stop_unsupported("x[i]: a matrix on disk is indexed by rows and columns, x[i, j]")
  }
  if (indices > 3L) {
    stop_argument("a matrix has rows and columns only")
  }
  rows <- selection(x, if (missing(i)) NULL else i, "rows", missing(i))
  cols <- selection(x, if (missing(j)) NULL else j, "cols", missing(j))
  read <- read_sparse(x, rows, cols)
  if (isTRUE(drop) && any(dim(read) == 1L)) {
    return(read[, , drop = TRUE])
  }
  read
})

setAs("NnzMatrix", "dgCMatrix", function(from) read_sparse(from, whole, whole))
setAs("NnzMatrix", "CsparseMatrix", function(from) read_sparse(from, whole, whole))
setAs("NnzMatrix", "sparseMatrix", function(from) read_sparse(from, whole, whole))
setAs("NnzMatrix", "Matrix", function(from) read_sparse(from, whole, whole))
setAs("NnzMatrix", "matrix", function(from) read_dense(from, whole, whole))

#' @export
as.matrix.NnzMatrix <- function(x, ...) read_dense(x, whole, whole)

#' @export
as.array.NnzMatrix <- function(x, ...) read_dense(x, whole, whole)
