test_that("a matrix has the shape, names and entries of the file", {
  x <- nnz_open(small())
  expect_identical(dim(x), c(3L, 4L))
  expect_null(dimnames(x))
  expect_identical(nrow(x), 3L)
  expect_identical(length(x), 12L)
  expected <- matrix(c(5, 0, 3, 0, 1, 0, 2, 0, 0, 0, 7, 4), 3)
  expect_identical(as.matrix(x), expected)
  expect_identical(as.matrix(as(x, "dgCMatrix")), unname(expected))
  expect_output(print(x), "3 rows x 4 cols of int64 with 6 entries")
})

test_that("features are rows where the file states which axis has cells", {
  counts <- random_counts()
  x <- nnz_open(counts$path)
  expect_identical(as(x, "dgCMatrix"), counts$matrix)
  expect_identical(as(nnz_open(counts$path, cell_axis = "rows"), "dgCMatrix"), Matrix::t(counts$matrix))
  expect_identical(dim(nnz_open(counts$path, cell_axis = "as-is")), c(40L, 60L))
  # As the command converts it to an object of R.
  rds <- tempfile(fileext = ".rds")
  suppressMessages(nnz_convert(counts$path, rds, to = "dgCMatrix"))
  expect_identical(readRDS(rds), counts$matrix)
})

test_that("a saved matrix opens its path again, with its steps", {
  counts <- random_counts()
  x <- log1p(t(nnz_select(nnz_open(counts$path), rows = 3:1)))
  file <- tempfile(fileext = ".rds")
  saveRDS(x, file)
  again <- readRDS(file)
  again@state$session <- "another process"
  expect_identical(as.matrix(again), as.matrix(x))
  expect_identical(dimnames(again), list(colnames(counts$matrix), c("gene3", "gene2", "gene1")))
})

test_that("a path is absolute, also with a group", {
  counts <- random_counts()
  old <- setwd(dirname(counts$path))
  on.exit(setwd(old))
  x <- nnz_open(paste0(basename(counts$path), "::X"))
  setwd(tempdir())
  expect_identical(x@path, file.path(dirname(counts$path), paste0(basename(counts$path), "::X")))
})

test_that("tables of rows and columns are data frames", {
  m <- nnz_open(testdata("..", "examples", "pbmc_10x_v3_mtx"))
  table <- row_data(m)
  expect_identical(names(table), c("name", "feature_type"))
  expect_identical(rownames(table), rownames(m))
  expect_identical(table["ENSG00000142168", "name"], "SOD1")
  expect_identical(dim(col_data(m)), c(1107L, 0L))
})
