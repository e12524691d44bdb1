#' @include open.R
NULL

# Products with dense matrices, in one pass over the file.

multiply <- function(x, y) {
  if (!is.numeric(y)) {
    stop_argument("a product with values that are not numbers")
  }
  if (nrow(y) != ncol(x)) {
    stop_argument("non-conformable arguments: ", ncol(x), " columns and ", nrow(y), " rows")
  }
  if (anyNA(y)) {
    storage.mode(y) <- "double"
  }
  found <- call_nnz("product", handle(x), as.double(t(y)), ncol(y), memory_limit(), thread_limit())
  found <- matrix(found, ncol = ncol(y), byrow = TRUE)
  names <- list(axis_names(x, "rows"), colnames(y))
  if (!is.null(names[[1L]]) || !is.null(names[[2L]])) {
    dimnames(found) <- names
  }
  found
}

# A vector is a column or a row, whichever fits.
as_right <- function(y, n) {
  if (is.null(dim(y))) {
    return(if (length(y) == n) matrix(y, ncol = 1L) else matrix(y, nrow = 1L))
  }
  as.matrix(y)
}

as_left <- function(x, n) {
  if (is.null(dim(x))) {
    return(if (length(x) == n) matrix(x, nrow = 1L) else matrix(x, ncol = 1L))
  }
  as.matrix(x)
}

product_right <- function(x, y) multiply(x, as_right(y, ncol(x)))
product_left <- function(x, y) t(multiply(t(y), t(as_left(x, nrow(y)))))

#' @rdname NnzMatrix-class
#' @param y A matrix or a vector.
#' @return Products with matrices and vectors are matrices in memory.
#' @export
setMethod("%*%", signature("NnzMatrix", "ANY"), product_right)

#' @rdname NnzMatrix-class
#' @export
setMethod("%*%", signature("ANY", "NnzMatrix"), product_left)

#' @rdname NnzMatrix-class
#' @export
setMethod("%*%", signature("NnzMatrix", "NnzMatrix"), function(x, y) {
  as(x, "dgCMatrix") %*% as(y, "dgCMatrix")
})

#' @rdname NnzMatrix-class
#' @export
setMethod("crossprod", signature("NnzMatrix", "missing"), function(x, y = NULL, ...) {
  Matrix::crossprod(as(x, "dgCMatrix"))
})

#' @rdname NnzMatrix-class
#' @export
setMethod("crossprod", signature("NnzMatrix", "ANY"), function(x, y = NULL, ...) {
  if (is.null(y)) Matrix::crossprod(as(x, "dgCMatrix")) else product_right(t(x), y)
})

#' @rdname NnzMatrix-class
#' @export
setMethod("tcrossprod", signature("NnzMatrix", "missing"), function(x, y = NULL, ...) {
  Matrix::tcrossprod(as(x, "dgCMatrix"))
})

#' @rdname NnzMatrix-class
#' @export
setMethod("tcrossprod", signature("NnzMatrix", "ANY"), function(x, y = NULL, ...) {
  if (is.null(y)) {
    return(Matrix::tcrossprod(as(x, "dgCMatrix")))
  }
  product_right(x, if (is.null(dim(y))) as_left(y, ncol(x)) |> t() else t(as.matrix(y)))
})
