# The package nnz beside HDF5Array, in one process of two threads: medians of --runs for nnz, one run for HDF5Array.
arguments <- commandArgs(TRUE)
cells <- as.integer(arguments[1])
runs <- as.integer(arguments[2])

suppressPackageStartupMessages({
  library(nnz)
  library(HDF5Array)
})
options(nnz.threads = 2)

# With rhdf5 2.42 of Debian, HDF5Array 1.26 takes every path for a dataset and a group.
is_type <- function(type) {
  function(filepath, name) {
    listed <- rhdf5::h5ls(filepath)
    path <- paste0(sub("/$", "", listed$group), "/", listed$name)
    any(listed$otype[path == paste0("/", gsub("^/+", "", name))] == type)
  }
}
utils::assignInNamespace("h5isdataset", is_type("H5I_DATASET"), "HDF5Array")
utils::assignInNamespace("h5isgroup", is_type("H5I_GROUP"), "HDF5Array")

# 1,000 counts of 20,000 genes in each cell.
genes <- 20000L
each <- 1000L
set.seed(1)
counts <- new(
  "dgCMatrix",
  Dim = c(genes, cells), p = each * (0:cells),
  i = unlist(lapply(seq_len(cells), function(cell) sort.int(sample.int(genes, each)) - 1L)),
  x = as.numeric(rpois(as.double(each) * cells, 1) + 1),
  Dimnames = list(paste0("gene", seq_len(genes)), paste0("cell", seq_len(cells)))
)
picked <- sample.int(cells, 1000)
h5ad <- tempfile(fileext = ".h5ad")
tenx <- tempfile(fileext = ".h5")
suppressMessages(nnz_write(counts, h5ad))
suppressMessages(suppressWarnings(nnz_write(counts, tenx, to = "10x")))
rm(counts)
invisible(gc())

elapsed <- function(work) system.time(work())[["elapsed"]]
files <- list(
  list(name = "uncompressed .h5ad", path = h5ad, theirs = function() H5ADMatrix(h5ad)),
  list(name = "gzipped 10x", path = tenx, theirs = function() TENxMatrix(tenx, "matrix"))
)
cat(sprintf("%-20s %-28s %9s %11s %7s\n", "file", "task", "nnz (s)", "theirs (s)", "ratio"))
for (file in files) {
  ours <- nnz_open(file$path)
  theirs <- file$theirs()
  tasks <- list(
    "column sums" = function(x) colSums(x),
    "row variances" = function(x) MatrixGenerics::rowVars(x),
    "1,000 random cells" = function(x) as(x[, picked], "dgCMatrix"),
    "all to dgCMatrix" = function(x) as(x, "dgCMatrix")
  )
  for (name in names(tasks)) {
    task <- tasks[[name]]
    our_time <- median(vapply(seq_len(runs), function(run) elapsed(function() task(ours)), 0))
    their_time <- elapsed(function() their_result <<- task(theirs))
    stopifnot(all.equal(task(ours), their_result, check.attributes = FALSE))
    cat(sprintf("%-20s %-28s %9.3f %11.3f %7.1f\n", file$name, name, our_time, their_time, their_time / our_time))
  }
}
cat(sprintf("open: %.3f s\n", elapsed(function() nnz_open(h5ad))))
