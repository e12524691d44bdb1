# The command, a directory for files and counted checks, for all tests of this directory.
#
# NNZ_BIN is the path of the command. `root`, the path of the repository, is set before.

nnz <- Sys.getenv("NNZ_BIN")
scratch <- tempfile("nnz")
dir.create(scratch)
checks <- 0L
failures <- character()

run <- function(...) {
  output <- suppressWarnings(system2(nnz, shQuote(c(...)), stdout = TRUE, stderr = TRUE))
  status <- attr(output, "status")
  if (!is.null(status)) stop(paste(c(..., "\n", output), collapse = " "))
  output
}

# Converts, and reads the target into R.
convert <- function(from, ...) {
  to <- file.path(scratch, "made.rds")
  run("convert", "--quiet", "--no-sync", "--force", from, to, ...)
  readRDS(to)
}

check <- function(what, good) {
  checks <<- checks + 1L
  good <- tryCatch(isTRUE(good), error = function(e) {
    cat(what, "- error:", conditionMessage(e), "\n")
    FALSE
  })
  if (!good) failures <<- c(failures, what)
}

# Prints the result, and ends R with an error if a check failed.
end_checks <- function() {
  unlink(scratch, recursive = TRUE)
  cat(checks, "checks,", length(failures), "failed\n")
  if (length(failures) > 0L) {
    cat(paste0("FAILED: ", failures, "\n"), sep = "")
    quit(status = 1L)
  }
}
