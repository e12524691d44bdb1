#' @include open.R
NULL

#' Annotations of rows and columns
#'
#' @param x A matrix on disk.
#' @return A data frame with a row for each row or column of the matrix, and its names as row names. Categories are factors,
#'   missing values NA.
#' @examples
#' x <- nnz_open(system.file("extdata", "small.mtx", package = "nnz"))
#' dim(row_data(x))
#' @export
row_data <- function(x) annotations_of(x, "rows")

#' @rdname row_data
#' @export
col_data <- function(x) annotations_of(x, "cols")

annotations_of <- function(x, axis) {
  check_matrix(x)
  columns <- lapply(call_nnz("annotations", handle(x), axis), annotation_column)
  count <- header(x)[[axis]]
  if (count > .Machine$integer.max) {
    stop_unsupported("a data frame of ", format(count, scientific = FALSE), " rows")
  }
  names <- axis_names(x, axis)
  if (is.null(names) || anyDuplicated(names) > 0L) {
    names <- seq_len(count)
  }
  structure(columns, class = "data.frame", row.names = names, names = as.character(names(columns)))
}

annotation_column <- function(column) {
  if (!inherits(column, "nnz_factor")) {
    return(column)
  }
  levels <- as.character(column$levels)
  codes <- column$codes
  codes[which(codes > length(levels))] <- NA
  if (anyDuplicated(levels) > 0L || anyNA(levels)) {
    return(factor(levels[codes], levels = unique(levels), ordered = column$ordered))
  }
  structure(codes, levels = levels, class = c(if (column$ordered) "ordered", "factor"))
}
