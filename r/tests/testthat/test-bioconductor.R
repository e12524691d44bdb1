test_that("a matrix is a seed of a DelayedArray", {
  skip_if_not_installed("DelayedArray")
  suppressPackageStartupMessages(library(DelayedArray))
  counts <- random_counts()
  x <- nnz_open(counts$path)
  d <- DelayedArray(x)
  expect_s4_class(d, "DelayedMatrix")
  expect_true(is_sparse(d))
  expect_identical(type(d), "double")
  expect_identical(dimnames(d), dimnames(counts$matrix))
  expect_identical(path(d), x@path)
  expect_identical(chunkdim(d), c(60L, 1L))
  expect_identical(as(d, "dgCMatrix"), counts$matrix)
  expect_identical(as.matrix(d[c(3, 3, 1), 7:5]), as.matrix(counts$matrix[c(3, 3, 1), 7:5]))
  expect_identical(extract_array(x, list(NULL, 2L)), as.matrix(counts$matrix[, 2, drop = FALSE]))
  expect_identical(dim(extract_array(x, list(integer(), NULL))), c(0L, 40L))
  expect_equal(as.matrix(log1p(d * 2)[1:3, ]), log1p(as.matrix(counts$matrix)[1:3, ] * 2))
  expect_equal(rowSums(d), rowSums(x))
  expect_equal(as.matrix(d %*% matrix(1, 40, 1)), x %*% matrix(1, 40, 1))
})

test_that("functions of MatrixGenerics and the package are the same", {
  skip_if_not_installed("MatrixGenerics")
  x <- nnz_open(random_counts()$path)
  expect_identical(MatrixGenerics::rowVars(x), nnz::rowVars(x))
  expect_identical(MatrixGenerics::colMaxs(x, useNames = FALSE), unname(nnz::colMaxs(x)))
  m <- matrix(c(1, 2, 4, 8), 2)
  expect_identical(nnz::rowVars(m), MatrixGenerics::rowVars(m))
})

# With rhdf5 2.42 of Debian, HDF5Array 1.26 takes every path for a dataset and a group.
mend_hdf5array <- function() {
  skip_if_not_installed("HDF5Array")
  is_type <- function(type) {
    function(filepath, name) {
      listed <- rhdf5::h5ls(filepath)
      path <- paste0(sub("/$", "", listed$group), "/", listed$name)
      any(listed$otype[path == paste0("/", gsub("^/+", "", name))] == type)
    }
  }
  utils::assignInNamespace("h5isdataset", is_type("H5I_DATASET"), "HDF5Array")
  utils::assignInNamespace("h5isgroup", is_type("H5I_GROUP"), "HDF5Array")
}

test_that("AnnData is read as HDF5Array reads it", {
  mend_hdf5array()
  counts <- random_counts()
  theirs <- HDF5Array::H5ADMatrix(counts$path)
  ours <- nnz_open(counts$path)
  expect_identical(dim(ours), dim(theirs))
  expect_identical(as(ours, "dgCMatrix"), as(theirs, "dgCMatrix"))
})

test_that("10x files are read as HDF5Array reads them", {
  mend_hdf5array()
  counts <- random_counts()
  path <- tempfile(fileext = ".h5")
  suppressWarnings(suppressMessages(nnz_convert(counts$path, path, to = "10x")))
  theirs <- HDF5Array::TENxMatrix(path, "matrix")
  expect_equal(as(nnz_open(path), "dgCMatrix"), as(theirs, "dgCMatrix"), ignore_attr = TRUE)
})

test_that("scuttle and SingleCellExperiment compute on it", {
  skip_if_not_installed("scuttle")
  skip_if_not_installed("SingleCellExperiment")
  counts <- random_counts()
  made <- function(assay) SingleCellExperiment::SingleCellExperiment(list(counts = assay))
  ours <- made(DelayedArray::DelayedArray(nnz_open(counts$path)))
  theirs <- made(counts$matrix)
  expect_equal(scuttle::perCellQCMetrics(ours), scuttle::perCellQCMetrics(theirs))
  expect_equal(
    as.matrix(SummarizedExperiment::assay(scuttle::logNormCounts(ours), "logcounts")),
    as.matrix(SummarizedExperiment::assay(scuttle::logNormCounts(theirs), "logcounts"))
  )
})
