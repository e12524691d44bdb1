#' @include open.R
#' @importMethodsFrom Matrix show dim t crossprod tcrossprod rowSums colSums rowMeans colMeans %*%
NULL

# Whole numbers that R's integers have are integers.
as_lengths <- function(numbers) {
  if (all(numbers <= .Machine$integer.max)) as.integer(numbers) else numbers
}

#' @rdname NnzMatrix-class
#' @param x,object A matrix on disk.
#' @export
setMethod("dim", "NnzMatrix", function(x) {
  header <- header(x)
  as_lengths(c(header$rows, header$cols))
})

#' @rdname NnzMatrix-class
#' @export
setMethod("length", "NnzMatrix", function(x) as_lengths(prod(dim(x))))

axis_names <- function(x, axis) {
  cached(x, axis, function(id) call_nnz("names", id, axis))
}

#' @rdname NnzMatrix-class
#' @export
setMethod("dimnames", "NnzMatrix", function(x) {
  names <- list(axis_names(x, "rows"), axis_names(x, "cols"))
  if (is.null(names[[1L]]) && is.null(names[[2L]])) NULL else names
})

#' @rdname NnzMatrix-class
#' @export
setMethod("show", "NnzMatrix", function(object) {
  header <- header(object)
  number <- function(value) format(value, big.mark = ",", scientific = FALSE, trim = TRUE)
  kinds <- ifelse(is.na(header$axis_kinds), c("rows", "cols"), header$axis_kinds)
  entries <- if (is.null(header$entries)) "" else paste0(" with ", number(header$entries), " entries")
  cat(
    "<NnzMatrix> ", number(header$rows), " ", kinds[1L], " x ", number(header$cols), " ", kinds[2L], " of ", header$type,
    entries, ", by ", if (header$order == "row") "row" else "column", "\n",
    header$format, ": ", object@path, "\n",
    sep = ""
  )
  steps <- step_labels(object)
  if (length(steps) > 0L) {
    cat("steps: ", paste(steps, collapse = ", "), "\n", sep = "")
  }
})

step_labels <- function(x) {
  vapply(x@steps, function(step) {
    switch(step[[1L]],
      transposed = "transposed",
      select = "selected",
      computed = switch(step[[2L]], rows = , cols = "scaled", step[[2L]]),
      step[[1L]]
    )
  }, "")
}

#' @rdname NnzMatrix-class
#' @export
setMethod("t", "NnzMatrix", function(x) derived(x, list("transposed")))
