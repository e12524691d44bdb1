# Returns the blocks of code of a page: language, lines, and the lines of the output that follows.
blocks_of <- function(lines) {
  fences <- grep("^```", lines)
  starts <- fences[c(TRUE, FALSE)]
  ends <- fences[c(FALSE, TRUE)]
  contents <- Map(function(start, end) lines[seq_len(end - start - 1L) + start], starts, ends)
  info <- sub("^```", "", lines[starts])
  lapply(grep("^r( |$)", info), function(at) {
    output <- if (at < length(info) && info[at + 1L] == "text") contents[[at + 1L]]
    list(needs = sub("^r *", "", info[at]), code = contents[[at]], output = output)
  })
}

test_that("the code in the page on the package prints what it says", {
  page <- file.path(root(), "docs", "r", "package.md")
  directory <- tempfile()
  dir.create(directory)
  old <- setwd(directory)
  on.exit(setwd(old))
  file.symlink(file.path(root(), "examples"), "examples")
  environment <- new.env(parent = globalenv())
  has_bioconductor <- all(vapply(
    c("DelayedArray", "SingleCellExperiment", "scuttle"), requireNamespace, TRUE,
    quietly = TRUE
  ))
  for (block in blocks_of(readLines(page))) {
    if (block$needs == "bioconductor" && !has_bioconductor) next
    printed <- suppressMessages(capture.output(
      for (expression in parse(text = block$code)) {
        shown <- withVisible(eval(expression, environment))
        if (shown$visible) {
          # The method of an S4 object.
          if (isS4(shown$value)) show(shown$value) else print(shown$value)
        }
      }
    ))
    printed <- gsub(paste0(normalizePath("."), "/"), "", printed, fixed = TRUE)
    expect_identical(trimws(printed, "right"), trimws(block$output, "right"))
  }
})
