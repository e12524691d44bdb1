test_that("errors have a class, and the place of what is wrong", {
  error <- caught(nnz_open("/no/such/file.h5ad"))
  expect_s3_class(error, c("nnz_missing_file_error", "nnz_storage_error", "nnz_error", "error", "condition"), exact = TRUE)
  expect_identical(error$path, "/no/such/file.h5ad")
  broken <- tempfile(fileext = ".mtx")
  writeLines(c("%%MatrixMarket matrix coordinate integer general", "3 4 2", "1 1 5", "9 1 2"), broken)
  error <- caught(as(nnz_open(broken), "dgCMatrix"))
  expect_s3_class(error, "nnz_corrupt_file_error")
  expect_identical(error$path, broken)
  expect_identical(error$position[["line"]], 4)
})

test_that("arguments that are no paths are errors", {
  for (path in list("", character(), c("a", "b"), NULL, NA, NA_character_, 1, list())) {
    expect_error(nnz_open(path), class = "nnz_error")
  }
  expect_error(nnz_open(small(), from = "nothing"), class = "nnz_argument_error")
  expect_error(nnz_open(small(), no_option = 1), class = "nnz_argument_error")
  expect_error(nnz_open(small(), memory = -1), class = "nnz_argument_error")
  expect_error(nnz_open(small(), NULL, NULL, NULL, 3), class = "error")
})

test_that("integers that numbers of R do not have are refused by name", {
  file <- tempfile(fileext = ".mtx")
  writeLines(c("%%MatrixMarket matrix coordinate integer general", "2 3 2", "1 1 5", "2 3 9007199254740993"), file)
  error <- caught(as(nnz_open(file), "dgCMatrix"))
  expect_s3_class(error, "nnz_cast_error")
  expect_identical(error$position, c(row = 1, col = 2))
  expect_match(conditionMessage(error), "9007199254740993")
  expect_error(as.matrix(nnz_open(file)), class = "nnz_cast_error")
})

test_that("what R cannot hold is refused before it is read", {
  file <- tempfile(fileext = ".mtx")
  writeLines(c("%%MatrixMarket matrix coordinate integer general", "3000000000 2 2", "1 1 5", "2999999999 2 7"), file)
  x <- nnz_open(file)
  expect_identical(dim(x), c(3e9, 2))
  expect_error(as(x, "dgCMatrix"), class = "nnz_unsupported_error")
  expect_equal(colSums(x), c(5, 7))
  expect_identical(as.matrix(x[2999999998:2999999999, ]), matrix(c(0, 0, 0, 7), 2))
})

test_that("interrupts end the work and R continues", {
  skip_on_os("windows")
  skip_on_cran()
  file <- tempfile(fileext = ".mtx")
  # Enough lines to take longer than the interrupt.
  rows <- 2e6
  lines <- sprintf("%d 1 1", seq_len(rows))
  writeLines(c("%%MatrixMarket matrix coordinate integer general", sprintf("%d 1 %d", rows, rows), lines), file)
  target <- tempfile(fileext = ".npz")
  child <- parallel::mcparallel({
    ended <- tryCatch(
      {
        for (i in 1:1000) {
          nnz_convert(file, target, force = TRUE)
        }
        "completed"
      },
      interrupt = function(interrupt) "interrupted"
    )
    list(ended, sum(nnz_open(small())[, ]))
  })
  Sys.sleep(1)
  tools::pskill(child$pid, tools::SIGINT)
  found <- parallel::mccollect(child)[[1]]
  expect_identical(found, list("interrupted", 22))
})

test_that("any arguments of the compiled part are values or errors", {
  x <- nnz_open(small())
  values <- list(
    NULL, NA, NaN, Inf, -1, "a", character(), list(), quote(a), sum, globalenv(), 1:3, NA_character_, as.raw(1), 1i, 1e300, 1.5,
    TRUE, nnz:::handle(x)
  )
  names <- c(
    "annotations", "aggregate", "from_slots", "command", "computed", "count", "dense", "factors", "find_names", "header",
    "highly_variable", "markers", "names", "open", "pca", "product", "select", "session", "sparse", "stats", "transposed", "write", "none"
  )
  set.seed(1)
  for (name in rep(names, each = 20)) {
    arguments <- c(list(nnz:::handle(x)), sample(values, sample(0:7, 1), TRUE))
    found <- .Call(nnz:::nnz_call, name, arguments)
    if (inherits(found, "nnz_failure")) {
      expect_identical(tail(found$classes, 1), "nnz_error")
    }
  }
  expect_error(.Call(nnz:::nnz_call, 1, list()))
  expect_error(.Call(nnz:::nnz_call, "open", 1))
})
