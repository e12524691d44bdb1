# The repository, which has the files of most tests; without it, they are skipped.
root <- function() {
  found <- Sys.getenv("NNZ_ROOT")
  skip_if(found == "", "NNZ_ROOT is not set")
  found
}

testdata <- function(...) file.path(root(), "testdata", ...)

small <- function() system.file("extdata", "small.mtx", package = "nnz")

# A random matrix of counts with names, as a file and as a dgCMatrix.
random_counts <- function(rows = 60, cols = 40, extension = ".h5ad", seed = 1) {
  set.seed(seed)
  m <- Matrix::rsparsematrix(rows, cols, 0.2, rand.x = function(n) as.numeric(rpois(n, 3) + 1))
  dimnames(m) <- list(paste0("gene", seq_len(rows)), paste0("cell", seq_len(cols)))
  rds <- tempfile(fileext = ".rds")
  saveRDS(m, rds)
  path <- tempfile(fileext = extension)
  suppressMessages(nnz_convert(rds, path))
  list(path = path, matrix = m)
}

caught <- function(code) tryCatch(code, error = identity)
