# One measurement of BPCells in a separate process: the call, its CPU and wall time, its peak memory, and what it found.
#
# usage: Rscript calls.R CALL PATH SCRATCH
#
# Loading the package is not timed. Opening a file on disk is.

suppressMessages(library(BPCells))

target <- 1e4
genes <- 2000
components <- 50

arguments <- commandArgs(trailingOnly = TRUE)
path <- arguments[2]
scratch <- arguments[3]

opened <- function() open_matrix_dir(path)
# The sums of cells are known where values are normalized.
totals <- if (startsWith(arguments[1], "normalized")) colSums(opened())
normalized <- function() multiply_cols(opened(), target / totals)
variance <- function(m) matrix_stats(m, row_stats = "variance")$row_stats["variance", ]
ones <- function(m, width = 1) matrix(1, ncol(m), width)

# As in the vignette of the package: what the components are computed from is written once.
pipeline <- function() {
  m <- opened()
  values <- multiply_cols(m, target / colSums(m))
  found <- sort(head(order(variance(values), decreasing = TRUE), genes))
  logarithms <- log1p(values[found, ])
  stats <- matrix_stats(logarithms, row_stats = "variance")$row_stats
  kept <- write_matrix_dir(logarithms, file.path(scratch, "kept"), compress = FALSE)
  svds((kept - stats["mean", ]) / sqrt(stats["variance", ]), k = components)$d
}

calls <- list(
  "sums of cells" = function() colSums(opened()),
  "sums of genes" = function() rowSums(opened()),
  "variance of genes" = function() variance(opened()),
  "maximum of genes" = function() rowMaxs.IterableMatrix(opened()),
  "normalized, sums of genes" = function() rowSums(normalized()),
  "normalized, variance of genes" = function() variance(normalized()),
  "normalized, log1p, sums of genes" = function() rowSums(log1p(normalized())),
  "normalized, log1p, variance of genes" = function() variance(log1p(normalized())),
  "matrix x vector" = function() opened() %*% ones(opened()),
  "normalized matrix x vector" = function() normalized() %*% ones(opened()),
  "normalized, log1p, matrix x vector" = function() log1p(normalized()) %*% ones(opened()),
  "matrix x 32 columns" = function() opened() %*% ones(opened(), 32),
  "storage order on disk" = function() {
    transpose_storage_order(opened(), outdir = file.path(scratch, "by_gene"), tmpdir = scratch)
    0
  },
  "pipeline" = pipeline,
  "pipeline, all components precise" = pipeline,
  "markers of 10 groups" = function() {
    found <- marker_features(logarithms, group, method = "wilcoxon")
    # It has p-values, and no scores: those of groups without a difference are 1.
    mean(found$p_val_raw)
  }
)

# What is compared is known, and stored by gene.
if (arguments[1] == "markers of 10 groups") {
  by_gene <- open_matrix_dir(sub("(\\.bpcells)?$", "-by-gene.bpcells", sub("\\.bpcells$", "", path)))
  logarithms <- log1p(multiply_cols(by_gene, target / colSums(opened())))
  group <- paste("group", (seq_len(ncol(by_gene)) - 1) %% 10)
}

before <- proc.time()
found <- calls[[arguments[1]]]()
used <- proc.time() - before
status <- readLines("/proc/self/status")
peak <- as.numeric(gsub("[^0-9]", "", grep("^VmHWM", status, value = TRUE))) / 1024
check <- if (startsWith(arguments[1], "pipeline")) found[1:20] else sum(found)
cat(sprintf(
  '{"cpu": %f, "wall": %f, "megabytes": %f, "check": [%s]}\n',
  used[["user.self"]] + used[["sys.self"]], used[["elapsed"]], peak,
  paste(format(check, digits = 10), collapse = ", ")
))
