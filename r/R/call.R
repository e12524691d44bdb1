# Calls of the compiled part, and its errors as conditions.

call_nnz <- function(name, ...) {
  arguments <- lapply(list(...), function(argument) {
    if (is.character(argument)) enc2utf8(argument) else argument
  })
  result <- .Call(nnz_call, name, arguments)
  if (inherits(result, "nnz_failure")) {
    stop(structure(
      class = c(result$classes, "error", "condition"),
      list(
        message = result$message, call = NULL, path = result$path, array = result$array,
        position = unlist(result$position)
      )
    ))
  }
  result
}

# Raises the error of a wrong argument.
stop_argument <- function(..., class = NULL) {
  classes <- c(class, "nnz_argument_error", "nnz_error", "error", "condition")
  stop(structure(
    class = classes,
    list(message = paste0(...), call = NULL, path = NULL, array = NULL, position = NULL)
  ))
}

stop_unsupported <- function(...) {
  classes <- c("nnz_unsupported_error", "nnz_error", "error", "condition")
  stop(structure(
    class = classes,
    list(message = paste0(...), call = NULL, path = NULL, array = NULL, position = NULL)
  ))
}

check_string <- function(value, name) {
  if (!is.character(value) || length(value) != 1L || is.na(value)) {
    stop_argument("`", name, "`: expected a string")
  }
  value
}

# Checks a whole number; NULL is kept.
check_whole <- function(value, name, least = 0) {
  if (is.null(value)) {
    return(NULL)
  }
  if (!is.numeric(value) || length(value) != 1L || !is.finite(value) || value < least || value != trunc(value)) {
    stop_argument("`", name, "`: expected a whole number, at least ", least)
  }
  as.double(value)
}

# The limits of operations on open matrices, from the options of R.
memory_limit <- function() check_whole(getOption("nnz.memory"), "nnz.memory", 1)
thread_limit <- function() check_whole(getOption("nnz.threads"), "nnz.threads", 1)
