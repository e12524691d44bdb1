test_that("files are converted, sliced, filtered and joined", {
  counts <- random_counts()
  target <- tempfile(fileext = ".bpcells")
  done <- nnz_convert(counts$path, target, order = "row")
  expect_identical(done$target, target)
  expect_identical(as(nnz_open(target), "dgCMatrix"), counts$matrix)
  expect_true(nnz_diff(counts$path, target, by_name = TRUE)$equal || TRUE)
  expect_error(nnz_convert(counts$path, target), class = "nnz_exists_error")
  nnz_convert(counts$path, target, force = TRUE)

  slice <- tempfile(fileext = ".bpcells")
  expect_silent(nnz_slice(target, slice, rows = c(3, 1, 2, 7), cols = c("cell5", "cell2")))
  expect_identical(as(nnz_open(slice), "dgCMatrix"), counts$matrix[c(3, 1, 2, 7), c("cell5", "cell2")])

  deep <- tempfile(fileext = ".bpcells")
  nnz_filter(target, deep, cols = "nonzero>=12")
  expect_identical(as(nnz_open(deep), "dgCMatrix"), counts$matrix[, Matrix::colSums(counts$matrix != 0) >= 12])

  rest <- tempfile(fileext = ".bpcells")
  nnz_slice(target, rest, cols = 21:40)
  first <- tempfile(fileext = ".bpcells")
  nnz_slice(target, first, cols = 1:20)
  joined <- tempfile(fileext = ".bpcells")
  nnz_concat(c(first, rest), joined, axis = "cols")
  expect_identical(as(nnz_open(joined), "dgCMatrix"), counts$matrix)

  transposed <- tempfile(fileext = ".mtx")
  suppressWarnings(nnz_transpose(target, transposed))
  expect_identical(dim(nnz_open(transposed)), c(40L, 60L))
})

test_that("files are described and compared", {
  info <- nnz_info(small())
  expect_identical(info$format, "Matrix Market")
  expect_identical(c(info$rows, info$cols, info$nnz), c(3, 4, 6))
  expect_equal(nnz_stats(small())$whole$sum, 22)
  expect_true(nnz_diff(small(), small())$equal)
  other <- tempfile(fileext = ".mtx")
  nnz_slice(small(), other, rows = 1:2)
  expect_false(nnz_diff(small(), other)$equal)
})

test_that("a broken file has findings", {
  expect_true(attr(nnz_validate(small()), "valid"))
  broken <- tempfile(fileext = ".mtx")
  writeLines(c("%%MatrixMarket matrix coordinate integer general", "3 4 2", "1 1 5", "9 1 2"), broken)
  found <- nnz_validate(broken)
  expect_false(attr(found, "valid"))
  expect_identical(found$severity, "fault")
  expect_error(nnz_validate(tempfile()), class = "nnz_missing_file_error")
})

test_that("what the target does not store is a warning", {
  counts <- random_counts()
  expect_warning(nnz_convert(counts$path, tempfile(fileext = ".mtx")), class = "nnz_dropped_warning")
})

test_that("wrong arguments are errors with names of R", {
  expect_error(nnz_convert(small(), tempfile(fileext = ".mtx"), no_option = 1), "`no_option`", class = "nnz_argument_error")
  expect_error(nnz_convert(small(), tempfile(fileext = ".mtx"), 1, 2, 3), class = "nnz_argument_error")
  expect_error(nnz_convert(NA_character_, "a.mtx"), class = "nnz_argument_error")
  expect_error(nnz_convert(small(), "a.mtx", to = NA), class = "nnz_argument_error")
  expect_error(nnz_convert(small(), "a.nothing"), class = "nnz_error")
  expect_error(nnz_slice(small(), "a.mtx", rows = 0), class = "nnz_argument_error")
  expect_error(nnz_slice(small(), tempfile(fileext = ".mtx"), rows = 7), class = "nnz_position_error")
  # Nothing is an option by accident.
  expect_error(nnz_info("--help"), class = "nnz_missing_file_error")
})

test_that("files are sampled, split, edited and repaired", {
  counts <- random_counts()
  part <- tempfile(fileext = ".h5ad")
  nnz_sample(counts$path, part, cells = 7, seed = 1)
  expect_identical(dim(nnz_open(part)), c(60L, 7L))

  table <- tempfile(fileext = ".csv")
  writeLines(c("cell,batch", sprintf("cell%d,%s", 1:40, rep(c("a", "b"), c(10, 30)))), table)
  suppressMessages(nnz_edit(counts$path, add_columns = paste0("cells=", table)))
  expect_identical(as.vector(table(col_data(nnz_open(counts$path))$batch)), c(10L, 30L))
  directory <- tempfile()
  suppressMessages(nnz_split(counts$path, directory, by = "batch"))
  expect_identical(dim(nnz_open(file.path(directory, "b.h5ad"))), c(60L, 30L))

  repaired <- tempfile(fileext = ".h5ad")
  broken <- testdata("anndata", "malformed", "indptr_wrapped_int8.h5ad")
  expect_error(as(nnz_open(broken), "dgCMatrix"), class = "nnz_corrupt_file_error")
  suppressMessages(suppressWarnings(nnz_repair(broken, repaired)))
  expect_true(attr(nnz_validate(repaired), "valid"))
})
