#' @include open.R
NULL

# Analysis of matrices of cells and features. Values are computed as they are read.

# Returns the axis of the cells: the one that the file states, otherwise columns, as in Bioconductor and Seurat.
cell_axis_of <- function(x, axis = NULL) {
  kinds <- header(x)$axis_kinds
  if (is.null(axis)) {
    cells <- match("cells", kinds)
    return(if (is.na(cells)) "cols" else c("rows", "cols")[cells])
  }
  check_string(axis, "axis")
  if (axis %in% c("rows", "cols")) {
    return(axis)
  }
  at <- match(axis, kinds)
  if (!axis %in% c("cells", "features")) {
    stop_argument("`axis`: expected \"rows\", \"cols\", \"cells\" or \"features\"")
  }
  if (is.na(at)) {
    stop_argument("the file does not state which axis has ", axis, "; use rows or cols")
  }
  c("rows", "cols")[at]
}

other_axis <- function(axis) if (axis == "rows") "cols" else "rows"

check_number <- function(value, name) {
  if (!is.null(value) && (!is.numeric(value) || length(value) != 1L || is.na(value))) {
    stop_argument("`", name, "`: expected a number")
  }
  if (is.null(value)) NULL else as.double(value)
}

#' Normalize cells, and take logarithms, as the matrix is read
#'
#' `normalize_total()` scales each cell to the same sum; the sums are computed now, in a pass over the file. `log1p()` replaces
#' each value by the logarithm of 1 plus the value. Both return a matrix on disk: values are computed as they are read, as floats
#' of 32 bits, or of 64 bits if the stored ones have 64.
#'
#' @param x A matrix on disk.
#' @param target_sum The sum of each cell; by default the median of the positive sums.
#' @param axis The axis to scale: `"rows"`, `"cols"`, `"cells"` or `"features"`; by default the cells, or the columns if the file
#'   does not state which axis has cells.
#' @return A matrix on disk.
#' @examples
#' x <- nnz_open(system.file("extdata", "small.mtx", package = "nnz"))
#' y <- normalize_total(x, 1e4) |> log1p()
#' y[1:2, ]
#' @export
normalize_total <- function(x, target_sum = NULL, axis = NULL) {
  check_matrix(x)
  axis <- cell_axis_of(x, axis)
  target <- check_number(target_sum, "target_sum")
  factors <- call_nnz("factors", handle(x), axis, target, memory_limit(), thread_limit())
  derived(x, list("computed", axis, factors))
}

#' @rdname normalize_total
#' @export
setMethod("log1p", "NnzMatrix", function(x) derived(x, list("computed", "log1p", NULL)))

#' @rdname normalize_total
#' @export
setMethod("expm1", "NnzMatrix", function(x) derived(x, list("computed", "expm1", NULL)))

#' Principal components
#'
#' Computed by a randomized block Krylov method in a few passes over the file. Features are centred, and not scaled.
#'
#' @param x A matrix on disk.
#' @param n_components The number of components.
#' @param axis The axis of the observations; by default the cells, or the columns if the file does not state which axis has
#'   cells.
#' @param iterations The number of iterations.
#' @param seed The seed of the random start.
#' @return A list as of [stats::prcomp()]: `x` with a row for each observation, `rotation` with a row for each feature, `sdev`,
#'   `center`, and `total_variance`, the sum of the variances of all features.
#' @examples
#' x <- nnz_open(system.file("extdata", "small.mtx", package = "nnz"))
#' pca(x, 2)$sdev
#' @export
pca <- function(x, n_components = 50, axis = NULL, iterations = NULL, seed = 0) {
  check_matrix(x)
  axis <- cell_axis_of(x, axis)
  components <- check_whole(n_components, "n_components", 1)
  found <- call_nnz(
    "pca", handle(x), axis, components, check_whole(iterations, "iterations", 1), check_whole(seed, "seed"),
    memory_limit(), thread_limit()
  )
  labels <- paste0("PC", seq_len(components))
  shaped <- function(values, axis) {
    matrix(values, ncol = components, byrow = TRUE, dimnames = list(axis_names(x, axis), labels))
  }
  center <- found$mean
  names(center) <- axis_names(x, other_axis(axis))
  list(
    sdev = found$singular_values / sqrt(header(x)[[axis]] - 1),
    rotation = shaped(found$loadings, other_axis(axis)),
    center = center,
    x = shaped(found$scores, axis),
    total_variance = found$total_variance
  )
}

#' Highly variable genes
#'
#' Finds features whose dispersion is high for their mean, as scanpy and Seurat do with the flavor `seurat`. The values are
#' logarithms of normalized counts.
#'
#' @param x A matrix on disk.
#' @param n_top_genes The number of features; by default those within the limits.
#' @param min_mean,max_mean,min_disp,max_disp Limits of the mean and the normalized dispersion.
#' @param n_bins The number of bins of means.
#' @param axis The axis of the cells; by default the one that the file states, otherwise the columns.
#' @return A data frame with a row for each feature: `highly_variable`, `means`, `dispersions` and `dispersions_norm`.
#' @examples
#' x <- nnz_open(system.file("extdata", "small.mtx", package = "nnz"))
#' highly_variable_genes(log1p(normalize_total(x)), n_top_genes = 1)
#' @export
highly_variable_genes <- function(x, n_top_genes = NULL, min_mean = 0.0125, max_mean = 3, min_disp = 0.5, max_disp = Inf,
                                  n_bins = 20, axis = NULL) {
  check_matrix(x)
  axis <- cell_axis_of(x, axis)
  limits <- c(
    check_number(min_mean, "min_mean"), check_number(max_mean, "max_mean"), check_number(min_disp, "min_disp"),
    check_number(max_disp, "max_disp")
  )
  found <- call_nnz(
    "highly_variable", handle(x), axis, check_whole(n_top_genes, "n_top_genes", 1), limits,
    check_whole(n_bins, "n_bins", 1), memory_limit(), thread_limit()
  )
  feature_table(x, found, other_axis(axis))
}

feature_table <- function(x, columns, axis) {
  names <- axis_names(x, axis)
  if (is.null(names) || anyDuplicated(names) > 0L) {
    names <- seq_len(header(x)[[axis]])
  }
  structure(columns, class = "data.frame", row.names = names)
}

# Returns a factor with a value for each row or column: the values, or the name of a column of the annotations.
groups_of <- function(x, by, axis) {
  count <- header(x)[[axis]]
  if (is.character(by) && length(by) == 1L && count != 1L) {
    table <- annotations_of(x, axis)
    if (!by %in% names(table)) {
      stop_argument("no column \"", by, "\" in the annotations of ", axis, class = "nnz_unknown_name_error")
    }
    by <- table[[by]]
  }
  if (is.list(by) && length(by) == 1L) {
    by <- by[[1L]]
  }
  by <- as.factor(by)
  if (length(by) != count) {
    stop_argument("`by`: ", length(by), " values for ", format(count, scientific = FALSE), " ", axis)
  }
  by
}

#' Numbers for groups of cells
#'
#' Computes a number for each group of cells and each feature, in one pass over the file.
#'
#' @param x A matrix on disk.
#' @param by A value for each cell, or the name of a column of their annotations. Cells with NA are in no group.
#' @param fun `"sum"`, `"mean"`, `"var"` or `"count_nonzero"`.
#' @param axis The axis of the groups: the cells by default, or the columns if the file does not state which axis has cells.
#' @param ... Not used.
#' @return A matrix with a row for each feature and a column for each group.
#' @examples
#' x <- nnz_open(system.file("extdata", "small.mtx", package = "nnz"))
#' aggregate(x, c("a", "b", "a", "b"), "mean")
#' @importFrom stats aggregate
#' @export
aggregate.NnzMatrix <- function(x, by, fun = "sum", axis = NULL, ...) {
  axis <- cell_axis_of(x, axis)
  by <- groups_of(x, by, axis)
  found <- call_nnz(
    "aggregate", handle(x), axis, as.integer(by), nlevels(by), check_string(fun, "fun"), memory_limit(), thread_limit()
  )
  matrix(found, ncol = nlevels(by), dimnames = list(axis_names(x, other_axis(axis)), levels(by)))
}

#' Marker features of groups of cells
#'
#' Compares each feature in each group of cells with all other cells, as `scanpy.tl.rank_genes_groups` does. The values are
#' logarithms of normalized counts.
#'
#' @param x A matrix on disk.
#' @param by A value for each cell, or the name of a column of their annotations. Cells with NA are in no
#'   group, but among the others of every group.
#' @param test `"wilcoxon"` or `"t-test"`.
#' @param tie_correct Whether the Wilcoxon test is corrected for ties.
#' @param axis The axis of the cells; by default the one that the file states, otherwise the columns.
#' @return A data frame with a row for each group and feature, in the order of the scores of each group: `group`, `feature`, `score`,
#'   `p_value`, `adjusted_p_value`, `log2_fold_change`, and the fractions of cells with a value in the group and outside of it.
#' @examples
#' x <- nnz_open(system.file("extdata", "small.mtx", package = "nnz"))
#' markers(log1p(x), c("a", "b", "a", "b"))
#' @export
markers <- function(x, by, test = "wilcoxon", tie_correct = FALSE, axis = NULL) {
  check_matrix(x)
  axis <- cell_axis_of(x, axis)
  by <- groups_of(x, by, axis)
  if (!is.logical(tie_correct) || length(tie_correct) != 1L || is.na(tie_correct)) {
    stop_argument("`tie_correct`: expected TRUE or FALSE")
  }
  found <- call_nnz(
    "markers", handle(x), axis, as.integer(by), nlevels(by), check_string(test, "test"), tie_correct,
    memory_limit(), thread_limit()
  )
  features <- axis_names(x, other_axis(axis))
  if (is.null(features)) {
    features <- seq_len(header(x)[[other_axis(axis)]])
  }
  groups <- factor(rep(levels(by), each = length(features)), levels(by))
  table <- data.frame(group = groups, feature = rep(features, nlevels(by)), found)
  table <- table[order(table$group, -table$score), ]
  rownames(table) <- NULL
  table
}
