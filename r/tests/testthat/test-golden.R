# Reads everything of a file: a matrix, or an error of the package.
read_all <- function(file) {
  caught({
    x <- nnz_open(file)
    read <- as(x, "dgCMatrix")
    expect_true(validObject(read), label = file)
    expect_identical(dim(read), dim(x), label = file)
    expect_identical(nrow(row_data(x)), nrow(x), label = file)
    expect_identical(nrow(col_data(x)), ncol(x), label = file)
    read
  })
}

test_that("every matrix of AnnData is read", {
  files <- list.files(testdata("anndata", "valid"), pattern = "[.]h5ad$", full.names = TRUE, recursive = TRUE)
  expect_gt(length(files), 100)
  read <- lapply(files, read_all)
  failed <- vapply(read, inherits, TRUE, "error")
  expect_lt(mean(failed), 0.2)
  for (error in read[failed]) {
    expect_s3_class(error, "nnz_error")
  }
})

test_that("every malformed file is an error and not a crash", {
  folders <- list.files(testdata(), pattern = "^malformed$", full.names = TRUE, recursive = TRUE, include.dirs = TRUE)
  files <- list.files(folders, full.names = TRUE)
  expect_gt(length(files), 100)
  for (file in files) {
    read <- read_all(file)
    if (inherits(read, "error")) {
      expect_s3_class(read, "nnz_error")
    }
  }
})

test_that("Matrix Market files are read as Matrix reads them", {
  files <- list.files(testdata("matrix-market", "valid"), pattern = "[.]mtx$", full.names = TRUE)
  compared <- 0
  for (file in files) {
    theirs <- caught(suppressWarnings(suppressMessages(as(Matrix::readMM(file), "CsparseMatrix"))))
    ours <- read_all(file)
    if (inherits(theirs, "dMatrix") && !inherits(ours, "error")) {
      expect_equal(as.matrix(ours), as.matrix(theirs), label = file, ignore_attr = TRUE)
      compared <- compared + 1
    }
  }
  expect_gt(compared, 3)
})

test_that("objects of R are read as R reads them", {
  files <- list.files(testdata("rds"), pattern = "[.]rds$", full.names = TRUE, recursive = TRUE)
  compared <- 0
  for (file in files) {
    theirs <- caught(suppressWarnings(readRDS(file)))
    ours <- read_all(file)
    is_known <- is.matrix(theirs) && is.numeric(theirs) || is(theirs, "dMatrix")
    if (is_known && !inherits(ours, "error")) {
      expect_equal(as.matrix(ours), as.matrix(theirs), label = file, ignore_attr = TRUE)
      compared <- compared + 1
    }
  }
  expect_gt(compared, 10)
})
