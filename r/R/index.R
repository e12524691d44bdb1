# Indices of rows and columns as R understands them.

# Returns the positions of an index: `NULL` for all, otherwise from 1, in the order of the index and possibly repeated.
positions <- function(x, index, axis) {
  n <- header(x)[[axis]]
  what <- if (axis == "rows") "row" else "column"
  if (is.null(index)) {
    return(numeric())
  }
  if (is.factor(index)) {
    index <- as.integer(index)
  }
  if (is.character(index)) {
    if (anyNA(index)) {
      stop_argument("a ", what, " index has NA")
    }
    unique_names <- unique(index)
    if (length(unique_names) == 0L) {
      return(numeric())
    }
    found <- call_nnz("find_names", handle(x), axis, unique_names)
    return(found[match(index, unique_names)])
  }
  if (is.logical(index)) {
    if (anyNA(index)) {
      stop_argument("a ", what, " index has NA")
    }
    if (length(index) > n) {
      stop_argument("a logical ", what, " index has ", length(index), " elements for ", n, " ", what, "s")
    }
    if (length(index) == n) {
      return(as.double(which(index)))
    }
    if (length(index) == 0L) {
      return(numeric())
    }
    return(as.double(which(rep_len(index, n))))
  }
  if (!is.numeric(index) || !is.null(dim(index))) {
    stop_argument("a ", what, " index is neither numbers, nor names, nor logical values")
  }
  if (anyNA(index)) {
    stop_argument("a ", what, " index has NA")
  }
  index <- trunc(as.double(index))
  outside <- which(abs(index) > n)
  if (length(outside) > 0L && !all(index <= 0)) {
    stop_argument(
      what, " ", format(index[outside[1L]], scientific = FALSE), " is outside of ", format(n, scientific = FALSE), " ", what, "s",
      class = "nnz_position_error"
    )
  }
  if (any(index < 0)) {
    if (any(index > 0)) {
      stop_argument("a ", what, " index has positive and negative numbers")
    }
    without <- unique(-index[index < 0])
    if (n > .Machine$integer.max) {
      stop_unsupported("negative numbers in an index of ", format(n, scientific = FALSE), " ", what, "s")
    }
    return(as.double(seq_len(n))[-without[without <= n]])
  }
  index[index > 0]
}

# Splits an index into ascending positions, which are read, and their places in the result; `NULL` for all, and if they are the
# index.
selection <- function(x, index, axis, is_missing) {
  if (is_missing) {
    return(list(read = NULL, places = NULL))
  }
  all <- positions(x, index, axis)
  if (!is.unsorted(all, strictly = TRUE)) {
    return(list(read = all, places = NULL))
  }
  # In the order of the file, each chunk is decoded once.
  read <- sort(unique(all))
  list(read = read, places = match(all, read))
}
