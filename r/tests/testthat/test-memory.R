test_that("a selection of a large matrix takes little memory", {
  skip_on_cran()
  skip_if_not(file.exists("/proc/self/status"))
  path <- tempfile(fileext = ".h5ad")
  columns <- 40000
  # 8 million entries, which are 96 MB as a dgCMatrix.
  m <- new(
    "dgCMatrix",
    Dim = c(2000L, as.integer(columns)), p = as.integer(200 * (0:columns)), i = rep(as.integer(10 * (0:199)), columns),
    x = as.numeric(rep_len(1:7, 200 * columns))
  )
  nnz_write(m, path)
  code <- sprintf(
    paste(
      ".libPaths(%s); library(nnz)",
      "peak <- function() as.numeric(sub('[^0-9]*([0-9]+).*', '\\\\1', grep('VmHWM', readLines('/proc/self/status'), value = TRUE)))",
      "x <- nnz_open('%s'); invisible(x[, 1:2]); before <- peak()",
      "s <- sum(x[, 1000:1999]) + sum(colSums(x)) + sum(colSums(log1p(normalize_total(x, 1))))",
      "cat(peak() - before)",
      sep = "; "
    ),
    paste(deparse(.libPaths()), collapse = ""), path
  )
  grown <- as.numeric(system2("Rscript", c("-e", shQuote(code)), stdout = TRUE))
  expect_lt(grown, 48 * 1024)
})
