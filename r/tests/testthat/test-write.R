test_that("matrices of R are written and read again", {
  m <- random_counts()$matrix
  for (extension in c(".h5ad", ".bpcells", ".zarr", ".loom", ".mtx")) {
    path <- tempfile(fileext = extension)
    suppressMessages(suppressWarnings(nnz_write(m, path)))
    expect_equal(unname(as.matrix(nnz_open(path))), unname(as.matrix(m)), label = extension)
  }
  path <- tempfile(fileext = ".h5ad")
  nnz_write(m, path)
  expect_identical(as(nnz_open(path), "dgCMatrix"), m)
  expect_error(nnz_write(m, path), class = "nnz_exists_error")
  nnz_write(m, path, force = TRUE, compress = "gzip:4")
  expect_identical(as(nnz_open(path), "dgCMatrix"), m)
})

test_that("other classes are written", {
  m <- random_counts()$matrix
  dense <- as.matrix(m)
  for (x in list(dense, as(m, "RsparseMatrix"), as(m, "TsparseMatrix"), as(m != 0, "lMatrix"))) {
    path <- tempfile(fileext = ".bpcells")
    suppressMessages(nnz_write(x, path))
    expect_equal(as.matrix(nnz_open(path)), as.matrix(x) * 1, label = class(x)[1])
  }
  for (x in list(1:3, "a", NULL, data.frame(a = 1), list(m), mean)) {
    expect_error(nnz_write(x, tempfile(fileext = ".mtx")), class = "nnz_unsupported_error")
  }
  broken <- m
  broken@i[1] <- 1000L
  expect_error(nnz_write(broken, tempfile(fileext = ".bpcells")), class = "nnz_error")
})

test_that("a matrix on disk is written with its steps", {
  counts <- random_counts()
  x <- nnz_select(log1p(normalize_total(nnz_open(counts$path), 1e4)), rows = 10:1)
  path <- tempfile(fileext = ".h5ad")
  nnz_write(x, path)
  expect_identical(as(nnz_open(path), "dgCMatrix"), as(x, "dgCMatrix"))
})

test_that("a DelayedMatrix is written block by block", {
  skip_if_not_installed("DelayedArray")
  counts <- random_counts()
  d <- DelayedArray::DelayedArray(nnz_open(counts$path)) * 2
  before <- DelayedArray::getAutoBlockSize()
  on.exit(suppressMessages(DelayedArray::setAutoBlockSize(before)))
  for (size in c(before, 60 * 8 * 7)) {
    suppressMessages(DelayedArray::setAutoBlockSize(size))
    path <- tempfile(fileext = ".h5ad")
    suppressMessages(nnz_write(d, path))
    expect_identical(as(nnz_open(path), "dgCMatrix"), counts$matrix * 2)
  }
})

test_that("a SingleCellExperiment survives a file", {
  skip_if_not_installed("SingleCellExperiment")
  counts <- random_counts()
  sce <- SingleCellExperiment::SingleCellExperiment(
    list(counts = DelayedArray::DelayedArray(nnz_open(counts$path)), logcounts = log1p(counts$matrix)),
    colData = S4Vectors::DataFrame(batch = factor(rep(c("b", "a"), 20), c("b", "a")), depth = c(NA, 2:40)),
    rowData = S4Vectors::DataFrame(symbol = rev(rownames(counts$matrix)))
  )
  SingleCellExperiment::reducedDim(sce, "PCA") <- matrix(rnorm(80), 40, dimnames = list(colnames(sce), c("PC1", "PC2")))
  path <- tempfile(fileext = ".h5ad")
  suppressMessages(suppressWarnings(nnz_write(sce, path)))
  again <- suppressWarnings(nnz_read_sce(path))
  expect_true(validObject(again))
  expect_equal(as.matrix(SummarizedExperiment::assay(again, "counts")), as.matrix(counts$matrix))
  expect_equal(as.matrix(SummarizedExperiment::assay(again, "logcounts")), as.matrix(log1p(counts$matrix)))
  expect_identical(again$batch, sce$batch)
  expect_equal(again$depth, sce$depth)
  expect_identical(SummarizedExperiment::rowData(again)$symbol, SummarizedExperiment::rowData(sce)$symbol)
  expect_equal(unname(SingleCellExperiment::reducedDim(again, "PCA")), unname(SingleCellExperiment::reducedDim(sce, "PCA")))
})

test_that("a Seurat object survives a file", {
  skip_if_not_installed("SeuratObject")
  counts <- random_counts()
  seurat <- suppressWarnings(SeuratObject::CreateSeuratObject(counts$matrix))
  seurat$batch <- factor(rep(c("b", "a"), 20), c("b", "a"))
  path <- tempfile(fileext = ".h5ad")
  suppressMessages(suppressWarnings(nnz_write(seurat, path)))
  again <- suppressMessages(suppressWarnings(nnz_read_seurat(path)))
  expect_true(validObject(again))
  expect_identical(dim(again), dim(seurat))
  read <- SeuratObject::GetAssayData(again, "counts")
  expect_equal(as.matrix(read), as.matrix(counts$matrix))
  expect_identical(unname(again$batch), unname(seurat$batch))
})

test_that("fragments are counted in peaks and tiles", {
  text <- tempfile(fileext = ".tsv")
  writeLines(c("chr1\t10\t40\tA\t1", "chr1\t35\t90\tB\t1", "chr2\t5\t20\tA\t1"), text)
  fragments <- tempfile()
  suppressMessages(nnz_import_fragments(text, fragments))
  expect_error(nnz_import_fragments(text, fragments), class = "nnz_exists_error")
  counts <- tempfile(fileext = ".mtx")
  peaks <- data.frame(chrom = c("chr1", "chr2"), start = c(0, 0), end = c(50, 100))
  suppressWarnings(suppressMessages(nnz_count_peaks(fragments, counts, peaks)))
  expect_identical(unname(as.matrix(nnz_open(counts))), matrix(c(2, 2, 1, 0), 2))
  suppressWarnings(suppressMessages(nnz_count_tiles(fragments, counts, 1000, force = TRUE)))
  expect_identical(dim(nnz_open(counts)), c(2L, 2L))
  expect_error(nnz_count_peaks(fragments, counts, 1:3), class = "nnz_argument_error")
})
