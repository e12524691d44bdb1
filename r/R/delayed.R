#' @include open.R
NULL

# Methods for generics of Bioconductor, registered when its packages are loaded.

# Returns a generic function of one of some packages, if it is loaded.
find_generic <- function(name, packages) {
  for (package in packages) {
    if (isNamespaceLoaded(package) && exists(name, envir = asNamespace(package), inherits = FALSE)) {
      found <- get(name, envir = asNamespace(package))
      if (isGeneric(name, where = asNamespace(package))) {
        return(found)
      }
    }
  }
  NULL
}

register_method <- function(name, packages, method) {
  generic <- find_generic(name, packages)
  if (!is.null(generic)) {
    setMethod(generic, "NnzMatrix", method, where = registered)
  }
}

# Methods of other packages' generics are kept here, since the namespace is locked.
registered <- new.env(parent = baseenv())

# Index of one dimension of a seed: NULL for all.
seed_selection <- function(x, index, axis) selection(x, index, axis, is.null(index))

extract_array_method <- function(x, index) {
  read_dense(x, seed_selection(x, index[[1L]], "rows"), seed_selection(x, index[[2L]], "cols"))
}

extract_sparse_method <- function(x, index) {
  read <- read_sparse(x, seed_selection(x, index[[1L]], "rows"), seed_selection(x, index[[2L]], "cols"))
  dimnames(read) <- list(NULL, NULL)
  # Before version 0.28, DelayedArray had a class of its own.
  class <- if (isNamespaceLoaded("SparseArray")) "SVT_SparseMatrix" else "SparseArraySeed"
  as(read, class)
}

chunkdim_method <- function(x) {
  header <- header(x)
  if (!header$random_access) {
    return(NULL)
  }
  dim <- dim(x)
  if (header$order == "row") c(min(1L, dim[1L]), dim[2L]) else c(dim[1L], min(1L, dim[2L]))
}

register_delayed_array <- function(...) {
  seeds <- c("DelayedArray", "S4Arrays", "SparseArray", "BiocGenerics")
  register_method("extract_array", seeds, extract_array_method)
  register_method("extract_sparse_array", seeds, extract_sparse_method)
  register_method("is_sparse", seeds, function(x) header(x)$sparse)
  register_method("chunkdim", seeds, chunkdim_method)
  register_method("path", seeds, function(object, ...) object@path)
  register_method("type", seeds, function(x) "double")
}

register_matrix_generics <- function(...) {
  methods <- list(
    rowVars = rowVars.NnzMatrix, colVars = colVars.NnzMatrix, rowMaxs = rowMaxs.NnzMatrix, colMaxs = colMaxs.NnzMatrix,
    rowMins = rowMins.NnzMatrix, colMins = colMins.NnzMatrix
  )
  for (name in names(methods)) {
    register_method(name, "MatrixGenerics", with_names_argument(methods[[name]]))
  }
}

# Adds the argument of the generics of MatrixGenerics that leaves out names.
with_names_argument <- function(method) {
  force(method)
  function(x, rows = NULL, cols = NULL, na.rm = FALSE, ..., useNames = TRUE) {
    found <- method(x, rows = rows, cols = cols, na.rm = na.rm)
    if (isFALSE(useNames)) unname(found) else found
  }
}

.onLoad <- function(libname, pkgname) {
  hooks <- list(
    DelayedArray = register_delayed_array, SparseArray = register_delayed_array, MatrixGenerics = register_matrix_generics
  )
  for (package in names(hooks)) {
    setHook(packageEvent(package, "onLoad"), hooks[[package]])
    if (isNamespaceLoaded(package)) {
      hooks[[package]]()
    }
  }
}
