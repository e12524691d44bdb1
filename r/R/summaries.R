#' @include open.R
NULL

# Sums, means, variances and extremes of rows and columns, in one pass over the file.

summary_of <- function(x, axis, measures, which) {
  found <- call_nnz("stats", handle(x), axis, measures, memory_limit(), thread_limit())[[which]]
  names <- axis_names(x, axis)
  if (!is.null(names)) {
    names(found) <- names
  }
  found
}

# NaN in a sum is from a missing value, or from infinite ones; only without either, the result is the same with na.rm.
without_missing <- function(found, na.rm) {
  if (isTRUE(na.rm) && anyNA(found)) {
    stop_unsupported("na.rm = TRUE for a matrix with missing values")
  }
  found
}

sum_method <- function(axis, which) {
  force(axis)
  force(which)
  function(x, na.rm = FALSE, dims = 1L) {
    if (dims != 1L) {
      stop_argument("`dims`: expected 1")
    }
    without_missing(summary_of(x, axis, "sums", which), na.rm)
  }
}

#' @rdname NnzMatrix-class
#' @param na.rm Whether missing values are left out; supported only where there are none.
#' @param dims 1.
#' @export
setMethod("rowSums", "NnzMatrix", sum_method("rows", "sum"))

#' @rdname NnzMatrix-class
#' @export
setMethod("colSums", "NnzMatrix", sum_method("cols", "sum"))

#' @rdname NnzMatrix-class
#' @export
setMethod("rowMeans", "NnzMatrix", sum_method("rows", "mean"))

#' @rdname NnzMatrix-class
#' @export
setMethod("colMeans", "NnzMatrix", sum_method("cols", "mean"))

spread_method <- function(axis, measures, which) {
  force(axis)
  force(measures)
  force(which)
  function(x, rows = NULL, cols = NULL, na.rm = FALSE, ...) {
    if (!is.null(rows) || !is.null(cols)) {
      x <- nnz_select(x, rows, cols)
    }
    without_missing(summary_of(x, axis, measures, which), na.rm)
  }
}

# The generic of MatrixGenerics has this name and these arguments; both are found in either order of attaching.
matrix_generic <- function(name) {
  force(name)
  function(x, ...) {
    if (!requireNamespace("MatrixGenerics", quietly = TRUE)) {
      stop_unsupported(name, "() of other classes needs the package MatrixGenerics")
    }
    getExportedValue("MatrixGenerics", name)(x, ...)
  }
}

#' Variances and extremes of rows and columns
#'
#' Of a matrix on disk they are computed in one pass. Everything else is passed to the functions of these names in
#' MatrixGenerics, if it is installed; the methods are registered there, too.
#'
#' @param x A matrix.
#' @param ... `rows`, `cols`: indices of some of them; `na.rm`.
#' @return A vector of numbers, with the names of the rows or columns. The variance has n - 1 in the denominator.
#' @examples
#' x <- nnz_open(system.file("extdata", "small.mtx", package = "nnz"))
#' rowVars(x)
#' colMaxs(x)
#' @name rowVars
#' @export
rowVars <- function(x, ...) UseMethod("rowVars")

#' @rdname rowVars
#' @export
colVars <- function(x, ...) UseMethod("colVars")

#' @rdname rowVars
#' @export
rowMaxs <- function(x, ...) UseMethod("rowMaxs")

#' @rdname rowVars
#' @export
colMaxs <- function(x, ...) UseMethod("colMaxs")

#' @rdname rowVars
#' @export
rowMins <- function(x, ...) UseMethod("rowMins")

#' @rdname rowVars
#' @export
colMins <- function(x, ...) UseMethod("colMins")

#' @export
rowVars.default <- matrix_generic("rowVars")
#' @export
colVars.default <- matrix_generic("colVars")
#' @export
rowMaxs.default <- matrix_generic("rowMaxs")
#' @export
colMaxs.default <- matrix_generic("colMaxs")
#' @export
rowMins.default <- matrix_generic("rowMins")
#' @export
colMins.default <- matrix_generic("colMins")

#' @export
rowVars.NnzMatrix <- spread_method("rows", "variance", "variance")
#' @export
colVars.NnzMatrix <- spread_method("cols", "variance", "variance")
#' @export
rowMaxs.NnzMatrix <- spread_method("rows", "extremes", "max")
#' @export
colMaxs.NnzMatrix <- spread_method("cols", "extremes", "max")
#' @export
rowMins.NnzMatrix <- spread_method("rows", "extremes", "min")
#' @export
colMins.NnzMatrix <- spread_method("cols", "extremes", "min")
