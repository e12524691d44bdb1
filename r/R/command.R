# The commands of nnz as functions. Arguments become options: snake_case is --kebab-case, TRUE is the option alone.

# Options with indices of rows and columns.
index_options <- c("rows", "cols", "cells", "features")

# Returns strings for numbers.
as_text <- function(value) {
  if (is.numeric(value)) format(value, digits = 17, scientific = FALSE, trim = TRUE) else as.character(value)
}

# Returns the arguments of the command for an option.
option_arguments <- function(name, value, state) {
  if (is.null(value) || identical(value, FALSE)) {
    return(character())
  }
  option <- paste0("--", gsub("_", "-", name, fixed = TRUE))
  if (isTRUE(value)) {
    return(option)
  }
  if (!is.atomic(value) || anyNA(value)) {
    stop_argument("`", name, "`: expected strings or numbers without NA")
  }
  is_index <- name %in% index_options && state$indices
  if (is_index && is.numeric(value) && length(value) > 0L) {
    value <- position_ranges(value, name)
  } else if (is_index && length(value) != 1L) {
    value <- names_file(value, state)
  }
  paste0(option, "=", as_text(value))
}

# Writes names to a file for the command.
names_file <- function(value, state) {
  file <- tempfile("nnz", fileext = ".txt")
  state$files <- c(state$files, file)
  writeLines(enc2utf8(as.character(value)), file, useBytes = TRUE)
  paste0("@", file)
}

# Returns a list of ranges for the command, which counts positions from 0.
position_ranges <- function(positions, name) {
  if (any(positions < 1 | positions != trunc(positions))) {
    stop_argument("`", name, "`: expected positions from 1")
  }
  first <- c(TRUE, diff(positions) != 1)
  starts <- positions[first]
  ends <- positions[c(first[-1L], TRUE)]
  paste(as_text(starts - 1), as_text(ends), sep = ":", collapse = ",")
}

# Paths are no options and no standard streams.
as_path <- function(path, name) {
  if (!is.character(path) || anyNA(path)) {
    stop_argument("`", name, "`: expected a path")
  }
  ifelse(path == "-", "./-", path.expand(path))
}

# Runs a command and returns what it printed; notes become messages. Without `indices`, rows and columns are conditions or numbers.
run_command <- function(verb, paths, options, json = TRUE, indices = TRUE, call = NULL) {
  if (length(options) > 0L && (is.null(names(options)) || any(names(options) == ""))) {
    stop_argument("options have names")
  }
  state <- new.env(parent = emptyenv())
  state$files <- character()
  state$indices <- indices
  on.exit(unlink(state$files), add = TRUE)
  if (json) {
    options <- c(options, list(json = TRUE))
  }
  arguments <- unlist(Map(option_arguments, names(options), options, MoreArgs = list(state = state)), use.names = FALSE)
  arguments <- c("nnz", strsplit(verb, " ", fixed = TRUE)[[1L]], arguments, "--", paths)
  answer <- tryCatch(
    if (is.null(call)) call_nnz("command", arguments, json) else call(arguments),
    nnz_error = function(error) {
      error$message <- with_argument_names(error$message)
      stop(error)
    }
  )
  for (note in answer$messages) {
    message(with_argument_names(note))
  }
  answer
}

# Names options in a message as in R.
with_argument_names <- function(text) {
  found <- gregexpr("(?<![A-Za-z0-9-])--[a-z][a-z0-9-]*", text, perl = TRUE)
  regmatches(text, found) <- lapply(regmatches(text, found), function(options) {
    paste0("`", gsub("-", "_", sub("^--", "", options), fixed = TRUE), "`")
  })
  text
}

# Runs a command that writes. What the target does not store is a warning.
run_writing <- function(verb, paths, options, ...) {
  summary <- run_command(verb, paths, options, ...)$output
  for (what in summary$dropped) {
    warning(structure(
      class = c("nnz_dropped_warning", "warning", "condition"),
      list(message = paste("not supported by the target, dropped:", what), call = NULL)
    ))
  }
  for (note in summary$notes) {
    message("note: ", with_argument_names(note))
  }
  invisible(summary)
}

#' Convert, slice, filter and join files
#'
#' The commands of `nnz`, which work on files of any size in bounded memory. The target is written completely or not at all.
#' `nnz_edit()` changes a file of AnnData or MuData in one step; `nnz_repair()` writes a corrected copy of a file with known errors.
#'
#' @param source,sources Paths, as in [nnz_open()].
#' @param target Path to write to. Its extension selects the format.
#' @param to The format of the target.
#' @param rows,cols,cells,features For `nnz_slice()`: names or positions from 1, or one string as in the command, such as
#'   `"batch=a"`. For `nnz_filter()`: conditions, such as `"nonzero>=200"`.
#' @param seed For `nnz_sample()`: the seed of the selection, and `rows`, `cols`, `cells` and `features` are how many.
#' @param directory,by For `nnz_split()`: the directory of the parts, and the column of the annotations with a value for each part.
#' @param drop For `nnz_edit()`: paths in the file to remove, such as `"layers/raw"`.
#' @param axis For `nnz_concat()`: the axis along which to join, `"rows"`, `"cols"`, `"cells"` or `"features"`.
#' @param force Whether an existing target is replaced.
#' @param ... Other options of the command of the same name, with `_` for `-`: `order = "row"`, `compress = "gzip:4"`, `cell_axis = "as-is"`, `memory = "4G"`.
#' @return A list that describes what was written, invisibly; of `nnz_split()`, `nnz_edit()` and `nnz_repair()` the path. What the target cannot store is a warning of the class
#'   `nnz_dropped_warning`.
#' @examples
#' source <- system.file("extdata", "small.mtx", package = "nnz")
#' target <- tempfile(fileext = ".h5ad")
#' nnz_convert(source, target)
#' nnz_slice(source, tempfile(fileext = ".mtx"), rows = 2:3)
#' @export
nnz_convert <- function(source, target, to = NULL, force = FALSE, ...) {
  paths <- c(as_path(source, "source"), as_path(target, "target"))
  run_writing("convert", paths, list(to = to, force = force, ...))
}

#' @rdname nnz_convert
#' @export
nnz_transpose <- function(source, target, to = NULL, force = FALSE, ...) {
  paths <- c(as_path(source, "source"), as_path(target, "target"))
  run_writing("transpose", paths, list(to = to, force = force, ...))
}

#' @rdname nnz_convert
#' @export
nnz_slice <- function(source, target, rows = NULL, cols = NULL, cells = NULL, features = NULL, to = NULL, force = FALSE, ...) {
  paths <- c(as_path(source, "source"), as_path(target, "target"))
  run_writing("slice", paths, list(
    rows = rows, cols = cols, cells = cells, features = features, to = to, force = force, ...
  ))
}

#' @rdname nnz_convert
#' @export
nnz_filter <- function(source, target, rows = NULL, cols = NULL, cells = NULL, features = NULL, to = NULL, force = FALSE, ...) {
  paths <- c(as_path(source, "source"), as_path(target, "target"))
  options <- list(rows = rows, cols = cols, cells = cells, features = features, to = to, force = force, ...)
  run_writing("filter", paths, options, indices = FALSE)
}

#' @rdname nnz_convert
#' @export
nnz_concat <- function(sources, target, axis, to = NULL, force = FALSE, ...) {
  paths <- c(as_path(sources, "sources"), as_path(target, "target"))
  run_writing("concat", paths, list(axis = axis, to = to, force = force, ...))
}

#' @rdname nnz_convert
#' @export
nnz_sample <- function(source, target, rows = NULL, cols = NULL, cells = NULL, features = NULL, seed = 0, to = NULL, force = FALSE,
                       ...) {
  paths <- c(as_path(source, "source"), as_path(target, "target"))
  options <- list(
    rows = rows, cols = cols, cells = cells, features = features, seed = check_whole(seed, "seed"), to = to, force = force, ...
  )
  run_writing("sample", paths, options, indices = FALSE)
}

#' @rdname nnz_convert
#' @export
nnz_split <- function(source, directory, by, force = FALSE, ...) {
  paths <- c(as_path(source, "source"), as_path(directory, "directory"))
  run_command("split", paths, list(by = by, force = force, ...), json = FALSE)
  invisible(directory)
}

#' @rdname nnz_convert
#' @export
nnz_edit <- function(source, drop = NULL, ...) {
  run_command("edit", as_path(source, "source"), list(drop = drop, ...), json = FALSE)
  invisible(source)
}

#' @rdname nnz_convert
#' @export
nnz_repair <- function(source, target, to = NULL, force = FALSE, ...) {
  paths <- c(as_path(source, "source"), as_path(target, "target"))
  run_command("repair", paths, list(to = to, force = force, ...), json = FALSE)
  invisible(target)
}

#' Describe, check and compare files
#'
#' @param source,first,second Paths, as in [nnz_open()].
#' @param ... Options of the command `nnz info`, `nnz stats`, `nnz validate` or `nnz diff`, with `_` for `-`.
#' @return The JSON output of the command as a list; `nnz_validate()` returns a data frame with the findings, whose attribute
#'   `valid` is `TRUE` if none is a fault.
#' @examples
#' path <- system.file("extdata", "small.mtx", package = "nnz")
#' nnz_info(path)$format
#' nnz_validate(path)
#' nnz_diff(path, path)$equal
#' @export
nnz_info <- function(source, ...) run_command("info", as_path(source, "source"), list(...))$output

#' @rdname nnz_info
#' @export
nnz_stats <- function(source, ...) run_command("stats", as_path(source, "source"), list(...))$output

#' @rdname nnz_info
#' @export
nnz_validate <- function(source, ...) {
  found <- run_command("validate", as_path(source, "source"), list(...))$output
  column <- function(name) vapply(found$findings, function(finding) finding[[name]], "")
  table <- data.frame(severity = column("severity"), place = column("place"), message = column("message"))
  attr(table, "valid") <- found$valid
  table
}

#' @rdname nnz_info
#' @export
nnz_diff <- function(first, second, ...) {
  run_command("diff", c(as_path(first, "first"), as_path(second, "second")), list(...))$output
}
