# What is kept of open matrices by their number: it is not saved with the objects of R.
opened <- new.env(parent = emptyenv())

#' A matrix on disk
#'
#' Objects of this class are made by [nnz_open()]. Nothing is read before it is needed. An object that was saved with
#' [saveRDS()] opens its path again.
#'
#' @slot path The absolute path, with `::GROUP` for a group in a file.
#' @slot options Options of reading.
#' @slot steps Operations on what is stored.
#' @slot state The open matrix.
#'
#' @name NnzMatrix-class
#' @aliases NnzMatrix
#' @exportClass NnzMatrix
setClass(
  "NnzMatrix",
  slots = c(path = "character", options = "list", steps = "list", state = "environment")
)

#' Open a matrix
#'
#' Opens a matrix of any supported format, of any size. Rows are features and columns are cells where the file states which
#' is which, as everywhere in Bioconductor and Seurat: a matrix of AnnData, which has cells in rows, is transposed as it is
#' read. Other matrices are as in the file.
#'
#' @param path A file or directory; `FILE::GROUP` for a matrix in it, such as `"a.h5ad::layers/counts"`; or a URL.
#' @param cell_axis The axis of the cells, if the file states it: `"cols"`, `"rows"`, or `"as-is"` for the axis in the file.
#' @param from The format, which is detected by default.
#' @param memory The most bytes that opening may take.
#' @param ... Options of formats, named as those of the command `nnz` with `_` for `-`.
#' @return An object of the class [NnzMatrix-class]. Its methods are those of a matrix: `dim()`, `dimnames()`, `x[i, j]`,
#'   `t()`, `rowSums()`, `colSums()`, `rowMeans()`, `colMeans()`, `%*%`, `crossprod()`, and [rowVars()] and others.
#'   `as(x, "dgCMatrix")` and `as.matrix()` read all of it.
#' @examples
#' path <- system.file("extdata", "small.mtx", package = "nnz")
#' x <- nnz_open(path)
#' x
#' x[1:2, ]
#' rowSums(x)
#' @export
nnz_open <- function(path, cell_axis = c("cols", "rows", "as-is"), from = NULL, memory = NULL, ...) {
  path <- absolute_path(check_string(path, "path"))
  if (!is.null(from)) {
    check_string(from, "from")
  }
  cell_axis <- match.arg(cell_axis)
  given <- list(...)
  if (length(given) > 0L && (is.null(names(given)) || any(names(given) == ""))) {
    stop_argument("options of formats have names")
  }
  values <- lapply(given, function(value) if (is.logical(value)) tolower(as.character(value)) else as.character(value))
  options <- list(
    from = from,
    names = rep(as.character(names(values)), lengths(values)),
    values = as.character(unlist(values)),
    memory = check_whole(memory, "memory", 1)
  )
  x <- made(path, options, list(), open_path(path, options))
  kinds <- header(x)$axis_kinds
  cells <- match("cells", kinds)
  if (cell_axis != "as-is" && !is.na(cells) && c("rows", "cols")[cells] != cell_axis) {
    x <- derived(x, list("transposed"))
  }
  x
}

open_path <- function(path, options) {
  call_nnz("open", path, options$from, options$names, options$values, options$memory)
}

# Returns a path that is valid in other directories.
absolute_path <- function(path) {
  if (path == "" || grepl("^[A-Za-z][A-Za-z0-9+.-]+://", path)) {
    return(path)
  }
  split <- regexpr("::", path, fixed = TRUE)
  file <- if (split > 0L) substr(path, 1L, split - 1L) else path
  group <- if (split > 0L) substring(path, split) else ""
  file <- path.expand(file)
  if (!grepl("^(/|[A-Za-z]:|\\\\)", file)) {
    file <- file.path(getwd(), file)
  }
  paste0(file, group)
}

# Makes an object of an open matrix, which is closed with it.
made <- function(path, options, steps, id) {
  state <- new.env(parent = emptyenv())
  hold(state, id)
  new("NnzMatrix", path = path, options = options, steps = steps, state = state)
}

hold <- function(state, id) {
  state$id <- id
  state$session <- call_nnz("session")
  assign(format(id, digits = 15), new.env(parent = emptyenv()), envir = opened)
  reg.finalizer(state, release)
}

release <- function(state) {
  if (identical(state$session, call_nnz("session"))) {
    call_nnz("close", state$id)
    name <- format(state$id, digits = 15)
    if (exists(name, envir = opened, inherits = FALSE)) {
      rm(list = name, envir = opened)
    }
  }
}

# Returns the number of the open matrix. In another process than the one that opened it, the path is opened again.
handle <- function(x) {
  state <- x@state
  if (!identical(state$session, call_nnz("session"))) {
    id <- open_path(x@path, x@options)
    for (step in x@steps) {
      before <- id
      id <- apply_step(before, step)
      call_nnz("close", before)
    }
    hold(state, id)
  }
  state$id
}

apply_step <- function(id, step) {
  do.call(call_nnz, c(list(step[[1L]], id), step[-1L]))
}

# Makes the object of a matrix with one more step.
derived <- function(x, step) {
  made(x@path, x@options, c(x@steps, list(step)), apply_step(handle(x), step))
}

# Returns a value of an open matrix, which is computed once.
cached <- function(x, name, compute) {
  id <- handle(x)
  cache <- get(format(id, digits = 15), envir = opened)
  if (!exists(name, envir = cache, inherits = FALSE)) {
    assign(name, compute(id), envir = cache)
  }
  get(name, envir = cache, inherits = FALSE)
}

header <- function(x) cached(x, "header", function(id) call_nnz("header", id))
