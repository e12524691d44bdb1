# R reads files of nnz, which are identical to objects that R builds itself.
#
# NNZ_BIN is the path of the command. Run by `cargo xtask test`.

suppressMessages({
  library(methods)
  library(Matrix)
})

root <- normalizePath(Sys.getenv("NNZ_ROOT", "."))
source(file.path(root, "tests", "r", "helpers.R"))
bpcells <- file.path(root, "testdata", "bpcells")

# Identical bit by bit, including the order of attributes.
same <- function(found, expected) {
  identical(found, expected, num.eq = FALSE, single.NA = FALSE, attrib.as.set = FALSE)
}

# The unpacked classes of BPCells, which R can fill itself.
classes <- c(
  uint = "UnpackedMatrixMem_uint32_t", float = "UnpackedMatrixMem_float",
  double = "UnpackedMatrixMem_double"
)
for (type in names(classes)) {
  setClass(classes[[type]], slots = c(
    val = if (type == "double") "numeric" else "integer",
    index = "integer", idxptr = "numeric", version = "character",
    dim = "integer", transpose = "logical", dimnames = "list"
  ))
}

# The classes are defined here, as BPCells need not be installed.
of_package <- function(object, package) {
  attr(object, "class") <- structure(class(object), package = package)
  object
}

bits_of_float <- function(x) readBin(writeBin(x, raw(), size = 4L), "integer", length(x), size = 4L)

from_bits <- function(hex) {
  size <- nchar(hex[1]) / 2
  all <- paste(hex, collapse = "")
  starts <- seq(1L, nchar(all), 2L)
  bytes <- as.raw(strtoi(substring(all, starts, starts + 1L), 16L))
  readBin(bytes, "numeric", length(hex), size = size, endian = "big")
}

# The BPCells object of a dgCMatrix in memory.
build <- function(m, type, order) {
  by <- if (order == "row") t(m) else m
  val <- switch(type, uint = as.integer(by@x), float = bits_of_float(by@x), double = by@x)
  object <- new(classes[[type]],
    val = val, index = by@i, idxptr = as.numeric(by@p),
    version = paste0("unpacked-", type, "-matrix-v2"),
    dim = m@Dim, transpose = order == "row", dimnames = m@Dimnames
  )
  of_package(object, "BPCells")
}

# BPCells objects that BPCells saved from R.
for (path in list.files(file.path(bpcells, "matrix_rds"), full.names = TRUE)) {
  store <- sub("(\\.uncompressed_rds)?\\.rds$", "", basename(path))
  from <- file.path(bpcells, "matrix_dir", store)
  if (!dir.exists(from)) next
  unpacked <- if (grepl(".unpacked.", store, fixed = TRUE)) "--unpacked"
  expected <- readRDS(path)
  check(paste("as BPCells saved it:", store), same(convert(from, unpacked), expected))
  check(paste("from the object itself:", store), same(convert(path, unpacked), expected))
}
check("objects of BPCells were found", checks >= 80L)

# BPCells objects built by R: all types, orders and sets of names.
set.seed(20261121L)
whole <- rsparsematrix(40L, 25L, 0.2, rand.x = function(n) sample(1000L, n, replace = TRUE))
fractions <- whole
fractions@x <- whole@x / 8 - 30
names_of <- list(
  none = list(NULL, NULL),
  rows = list(paste0("gene", 1:40), NULL),
  cols = list(NULL, paste0("cell", 1:25)),
  both = list(c("g\u00e8ne", paste0("gene", 2:40)), c("\u7d30\u80de", paste0("cell", 2:25)))
)
for (named in names(names_of)) {
  for (type in names(classes)) {
    m <- if (type == "uint") whole else fractions
    m@Dimnames <- names_of[[named]]
    source <- file.path(scratch, "source.rds")
    saveRDS(m, source)
    for (order in c("row", "col")) {
      what <- paste(type, order, named)
      found <- convert(source, "--unpacked", "--type", type, "--order", order)
      expected <- build(m, type, order)
      check(paste("built by R:", what), same(found, expected))
      check(paste("valid:", what), validObject(of_package(found, ".GlobalEnv")))
      # Packed and back.
      packed <- file.path(scratch, "packed.rds")
      run("convert", "--quiet", "--no-sync", "--force", source, packed, "--type", type, "--order", order)
      object <- readRDS(packed)
      check(paste("packed class:", what), identical(
        class(object), structure(sub("^Unp", "P", classes[[type]]), package = "BPCells")
      ))
      check(paste("packed slots:", what), identical(attr(object, "dim"), m@Dim) &&
        identical(attr(object, "dimnames"), m@Dimnames) &&
        identical(attr(object, "transpose"), order == "row"))
      check(paste("unpacked again:", what), same(convert(packed, "--unpacked"), expected))
      check(paste("a dgCMatrix again:", what), same(convert(packed, "--to", "dgCMatrix"), m))
    }
    for (how in c("none", "gzip:1", "gzip:9")) {
      found <- convert(source, "--to", "dgCMatrix", "--compress", how)
      check(paste("dgCMatrix:", type, named, how), same(found, m) && validObject(found))
    }
    # The bytes as well: those of saveRDS, except for the version of R in the header.
    plain <- function(path) {
      bytes <- readBin(path, "raw", file.size(path))
      bytes[-(7:10)]
    }
    made <- file.path(scratch, "made.rds")
    convert(source, "--to", "dgCMatrix", "--compress", "none")
    saveRDS(m, source, compress = FALSE)
    check(paste("bytes of a dgCMatrix:", type, named), identical(plain(made), plain(source)))
  }
}

# R matrices of all classes are converted to the same dgCMatrix as in R.
for (name in c(
  "dgC", "dgR", "dgT", "dge", "lgC", "ngC", "plain_double", "dsC_up", "dsC_lo", "dsR", "dsT",
  "nsC", "dtC", "dgC_0x3", "dgC_4x0"
)) {
  path <- file.path(root, "testdata", "rds", paste0(name, ".rds"))
  m <- readRDS(path)
  if (!is(m, "Matrix")) m <- Matrix(m, sparse = TRUE)
  expected <- as(as(as(m, "dMatrix"), "generalMatrix"), "CsparseMatrix")
  if (name == "dge") expected <- drop0(expected)
  found <- convert(path, "--to", "dgCMatrix")
  check(paste("made a dgCMatrix:", name), same(found, expected))
  check(paste("valid:", name), validObject(found))
  # And the output of nnz is the list of entries in R.
  if (name %in% c("dgC", "dgR")) {
    listed <- summary(as(m, "TsparseMatrix"))
    printed <- read.table(text = run("cat", path), colClasses = c("integer", "integer", "numeric"))
    listed <- listed[if (name == "dgR") order(listed$i, listed$j) else order(listed$j, listed$i), ]
    check(paste("printed:", name), identical(printed[[1]] + 1L, listed$i) &&
      identical(printed[[2]] + 1L, listed$j) && identical(printed[[3]], listed$x))
  }
}

# Directories of BPCells are converted to the dgCMatrix of their expected entries.
for (name in c("basic_uint", "basic_float", "basic_double", "explicit_zero_uint", "utf8names_uint")) {
  listed <- read.table(file.path(bpcells, "expected", paste0(name, ".coo.tsv")), comment.char = "#",
    colClasses = c("integer", "integer", "numeric", "character"))
  object <- readRDS(file.path(bpcells, "matrix_rds", paste0(name, ".packed.col.rds")))
  # Floats by their bits, since R does not parse all decimals exactly.
  x <- if (grepl("uint", name)) listed[[3]] else from_bits(listed[[4]])
  expected <- sparseMatrix(listed[[1]], listed[[2]],
    x = x, dims = attr(object, "dim"), dimnames = attr(object, "dimnames"), index1 = FALSE)
  found <- convert(file.path(bpcells, "matrix_dir", paste0(name, ".packed.col")), "--to", "dgCMatrix")
  check(paste("entries of", name), same(found, expected))
  check(paste("valid:", name), validObject(found))
}

# Version 1, for which BPCells has no class, is a list of the arrays in the directory.
member <- function(path) {
  file <- file(path, "rb")
  on.exit(close(file))
  type <- rawToChar(readBin(file, "raw", 8L))
  left <- file.size(path) - 8L
  switch(type,
    UINT32v1 = , FLOATSv1 = readBin(file, "integer", left / 4L, endian = "little"),
    # All of these are below 2^31.
    UINT64v1 = as.numeric(matrix(readBin(file, "integer", left / 4L, endian = "little"), 2L)[1L, ]),
    DOUBLEv1 = readBin(file, "numeric", left / 8L, endian = "little"),
    readLines(path, encoding = "UTF-8")
  )
}
old <- Filter(function(path) grepl(".v1.", basename(path), fixed = TRUE), list.files(
  file.path(bpcells, c("matrix_dir", "fragments_dir")), full.names = TRUE))
for (from in old) {
  found <- convert(from, "--format-version", "1", if (grepl(".unpacked", from)) "--unpacked")
  expected <- sapply(list.files(from), function(name) member(file.path(from, name)), simplify = FALSE)
  check(paste("a list of", basename(from)), is.null(attr(found, "class")) && is.list(found) &&
    same(found[sort(names(found))], expected[sort(names(expected))]))
}
check("directories of version 1 were found", length(old) >= 20L)

# Names of a symmetric matrix, on any of its axes.
triangle <- new("dsCMatrix", i = c(0L, 0L), p = 0:2, x = c(1, 2), Dim = c(2L, 2L))
sides <- list(
  unlike = list(c("a", "b"), c("c", "d")), rows = list(c("a", "b"), NULL),
  cols = list(NULL, c("c", "d")), none = list(NULL, NULL)
)
from <- file.path(scratch, "symmetric.rds")
for (name in names(sides)) {
  triangle@Dimnames <- sides[[name]]
  saveRDS(triangle, from)
  check(paste("names of a symmetric matrix:", name), same(
    dimnames(convert(from, "--to", "dgCMatrix")), dimnames(as(triangle, "generalMatrix"))))
}

# Objects that R considers invalid are refused.
attr(triangle, "uplo") <- "L"
check("R refuses the other triangle", inherits(try(validObject(triangle), TRUE), "try-error"))
saveRDS(triangle, from)
check("the other triangle", inherits(try(run("cat", from), TRUE), "try-error"))

# Tables as text: R reads what nnz writes, and nnz what R writes.
for (type in c("integer", "double")) {
  table <- matrix(0, 7, 5, dimnames = list(
    c("a,b", "q\"x", "line\nbreak", " sp ", "\u00e9", "6", "g7"), paste("c", 1:5, sep = "")))
  table[] <- if (type == "integer") rep(c(0L, 3L, 0L, 2147483647L, 1L), 7) else rep(c(0, 0.1, 1e300, -2.5, Inf), 7)
  storage.mode(table) <- type
  source <- file.path(scratch, "source.csv")
  write.csv(table, source)
  for (name in c("t.csv", "t.csv.gz", "t.tsv", "t.txt.gz")) {
    target <- file.path(scratch, name)
    run("convert", "--quiet", "--force", source, target)
    found <- read.table(target, header = TRUE, row.names = 1, check.names = FALSE, quote = "\"",
      sep = if (grepl("csv", name)) "," else "\t", comment.char = "", encoding = "UTF-8")
    found <- as.matrix(found)
    check(paste("table", type, name, "values"), identical(unname(found), unname(table)))
    check(paste("table", type, name, "columns"), identical(colnames(found), colnames(table)))
    check(paste("table", type, name, "rows"),
      identical(enc2utf8(rownames(found)), enc2utf8(rownames(table))))
  }
  plain <- table
  rownames(plain) <- paste("g", 1:7, sep = "")
  for (write in c("write.table", "write.csv", "write.csv2")) {
    written <- file.path(scratch, "written.txt")
    get(write)(plain, written)
    decimal <- if (write == "write.csv2") c("--decimal", ",") else character()
    run("convert", "--quiet", "--force", written, file.path(scratch, "t.csv"), decimal)
    found <- as.matrix(read.csv(file.path(scratch, "t.csv"), row.names = 1))
    check(paste("table", type, write), identical(found, plain))
  }
}

end_checks()
