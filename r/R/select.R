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
  rows <- selection(x, rows, "rows", is.null(rows))
  cols <- selection(x, cols, "cols", is.null(cols))
  if (!is.null(rows$places) || !is.null(cols$places)) {
    stop_argument("a row or column is selected twice, which only x[i, j] supports")
  }
  derived(x, list("select", rows$read, cols$read))
}

check_matrix <- function(x) {
  if (!is(x, "NnzMatrix")) {
    stop_argument("expected a matrix of nnz_open(), not an object of the class ", class(x)[1L])
  }
}
