#' @include open.R
NULL

#' Select rows and columns without reading
#'
#' @param x A matrix on disk.
#' @param rows,cols Indices as in `x[i, j]`; `NULL` for all. None may occur twice.
#' @return A matrix on disk with these rows and columns, in this order.
#' @examples
#' x <- nnz_open(system.file("extdata", "small.mtx", package = "nnz"))
#' rowSums(nnz_select(x, cols = 1:2))
#' @export
nnz_select <- function(x, rows = NULL, cols = NULL) {
  check_matrix(x)
  derived(x, list("select", unique_positions(x, rows, "rows"), unique_positions(x, cols, "cols")))
}

unique_positions <- function(x, index, axis) {
  if (is.null(index)) {
    return(NULL)
  }
  all <- positions(x, index, axis)
  if (anyDuplicated(all) > 0L) {
    stop_argument("a row or column is selected twice, which only x[i, j] supports")
  }
  all
}

check_matrix <- function(x) {
  if (!is(x, "NnzMatrix")) {
    stop_argument("expected a matrix of nnz_open(), not an object of the class ", class(x)[1L])
  }
}
