# Seurat and SingleCellExperiment objects that nnz writes, read by the packages that define the classes.
#
# NNZ_BIN is the path of the command. Run by `cargo xtask test`. What is compared with: objects that R builds of the same
# matrices and tables, and for assays of version 5, which SeuratObject 4 does not know, the files that version 5 wrote.

installed <- function(package) suppressMessages(requireNamespace(package, quietly = TRUE))
missing <- Filter(Negate(installed), c("SeuratObject", "SingleCellExperiment"))
if (length(missing) > 0) {
  cat("SKIPPED: packages of R that are not installed:", missing, "(Debian: apt install r-cran-seuratobject",
    "r-bioc-singlecellexperiment)\n")
  quit(status = 0)
}
suppressMessages({
  library(methods)
  library(Matrix)
  library(SeuratObject)
  library(SingleCellExperiment)
})

root <- normalizePath(Sys.getenv("NNZ_ROOT", "."))
source(file.path(root, "tests", "r", "helpers.R"))
golden <- file.path(root, "testdata", "robjects")
h5ad <- function(name) file.path(root, "testdata", "anndata", "valid", "0.12.19", "h5ad", paste0(name, ".h5ad"))

same <- function(found, expected) identical(found, expected, num.eq = FALSE, single.NA = FALSE)

runs <- function(expression) {
  suppressWarnings(suppressMessages(force(expression)))
  TRUE
}

# The kinds of the slots of an object, whether its class is defined or not.
slots_of <- function(object) {
  found <- attributes(object)
  found <- found[sort(setdiff(names(found), "class"))]
  vapply(found, function(slot) if (is.symbol(slot)) "NULL" else paste(typeof(slot), class(slot)[1]), "")
}

source <- h5ad("full_csr")
counts <- convert(paste0(source, "::layers/counts"), "--to", "dgCMatrix")
values <- convert(paste0(source, "::X"), "--to", "dgCMatrix")
scaled <- convert(paste0(source, "::layers/scaled"), "--to", "dgCMatrix")
table_of <- function(axis) {
  to <- file.path(scratch, "table.csv")
  run("annotations", source, axis, to, "--force")
  read.csv(to, row.names = 1, check.names = FALSE, stringsAsFactors = FALSE, na.strings = "", encoding = "UTF-8")
}
cells <- table_of("rows")
features <- table_of("cols")

# Compares the columns of a table with those of the text that nnz prints.
same_table <- function(found, expected) {
  all(vapply(names(expected), function(name) {
    column <- found[[name]]
    if (is.factor(column)) column <- as.character(column)
    if (is.logical(column)) expected[[name]] <- as.logical(expected[[name]])
    isTRUE(all.equal(column, expected[[name]], check.attributes = FALSE, tolerance = 1e-6))
  }, TRUE))
}

# --- Seurat, version 3
s <- convert(source, "--to", "seurat")
check("seurat: valid", validObject(s, complete = TRUE))
check("seurat: counts", same(GetAssayData(s, slot = "counts"), counts))
check("seurat: data", same(GetAssayData(s, slot = "data"), values))
check("seurat: cells", same(colnames(s), rownames(cells)))
check("seurat: features", same(rownames(s), rownames(features)))
check("seurat: meta.data", same_table(s[[]], cells))
check("seurat: ordered", is.ordered(s[[]]$stage) && same(levels(s[[]]$stage), c("early", "late")))
check("seurat: variable", setequal(VariableFeatures(s), rownames(features)[as.logical(features$highly_variable)]))
check("seurat: embeddings", same(dim(Embeddings(s, "pca")), c(ncol(s), 3L)))
check("seurat: keys", same(unname(Key(s)[c("RNA", "pca", "umap")]), c("rna_", "PC_", "UMAP_")))
check("seurat: columns of embeddings", same(colnames(Embeddings(s, "pca")), paste0("PC_", 1:3)))
check("seurat: loadings", all(rownames(Loadings(s, "pca")) %in% rownames(s)))
check("seurat: graphs", setequal(Graphs(s), c("connectivities", "distances")))
check("seurat: identity", same(levels(s), "SeuratProject"))
own <- CreateSeuratObject(counts, meta.data = cells)
check("seurat: slots", same(slots_of(s), slots_of(own)))
# An assay of R without variable features has logical(0).
VariableFeatures(own) <- VariableFeatures(s)
check("seurat: slots of the assay", same(slots_of(s[["RNA"]]), slots_of(own[["RNA"]])))
check("seurat: show", runs(capture.output(print(s))))
check("seurat: subset", runs(s[1:5, 1:5]) && same(dim(s[1:5, 1:4]), c(5L, 4L)))
check("seurat: merge", same(dim(merge(s, s, add.cell.ids = c("a", "b"))), c(nrow(s), 2L * ncol(s))))
check("seurat: fetch", same(names(FetchData(s, c("PC_1", "n_counts"))), c("PC_1", "n_counts")))
check("seurat: rename", runs(RenameCells(s, new.names = paste0("x", colnames(s)))))
check("seurat: update", runs(UpdateSeuratObject(s)))
if (installed("Seurat")) {
  check("seurat: normalize", runs(Seurat::NormalizeData(s, verbose = FALSE)))
  check("seurat: as.SingleCellExperiment", is(suppressWarnings(Seurat::as.SingleCellExperiment(s)), "SingleCellExperiment"))
} else {
  cat("SKIPPED: NormalizeData and as.SingleCellExperiment, without the package Seurat\n")
}

# --- SingleCellExperiment
x <- convert(source, "--to", "sce")
check("sce: valid", validObject(x, complete = TRUE))
check("sce: assays", same(assayNames(x), c("counts", "logcounts", "scaled")))
check("sce: counts", same(counts(x), counts))
check("sce: logcounts", same(logcounts(x), values))
check("sce: dense", is.matrix(assay(x, "scaled")) && same(assay(x, "scaled"), as.matrix(scaled)))
check("sce: names", same(dimnames(x), list(rownames(features), rownames(cells))))
check("sce: colData", same_table(colData(x), cells))
check("sce: rowData", same_table(rowData(x), features))
check("sce: reducedDims", same(reducedDimNames(x), c("PCA", "UMAP")))
check("sce: embeddings", all(reducedDim(x, "PCA") == Embeddings(s, "pca")))
check("sce: rotation", all(attr(reducedDim(x, "PCA"), "rotation") == Loadings(s, "pca")))
check("sce: colPairs", all(colPair(x, "distances", asSparse = TRUE) == as(s[["distances"]], "dgCMatrix")))
own <- SingleCellExperiment(list(counts = counts), colData = DataFrame(cells), rowData = DataFrame(features))
check("sce: slots", same(slots_of(x), slots_of(own)))
check("sce: subset", same(dim(x[1:3, 1:4]), c(3L, 4L)))
check("sce: cbind", same(ncol(cbind(x, x)), 2L * ncol(x)))
check("sce: show", runs(capture.output(print(x))))
sizeFactors(x) <- seq_len(ncol(x))
check("sce: sizeFactors", same(sizeFactors(x), seq_len(ncol(x))))

# --- Ranges of features, and columns with their names
ranged <- readRDS(file.path(golden, "rse_granges.rds"))
back <- file.path(scratch, "ranged.h5ad")
output <- run("convert", "--quiet", file.path(golden, "rse_granges.rds"), back)
x <- convert(back, "--to", "sce")
check("ranges: valid", validObject(x, complete = TRUE))
check("ranges: same", same(granges(rowRanges(x)), local({
  own <- granges(rowRanges(ranged))
  # Lengths of sequences are not read.
  seqlengths(own) <- NA
  genome(own) <- NA
  isCircular(own) <- NA
  own
})))
check("ranges: columns", same_table(rowData(x), as.data.frame(rowData(ranged))))
check("ranges: slots", same(slots_of(rowRanges(x)), slots_of(rowRanges(ranged))))
check("ranges: subset", same(start(x[2:1, 1]), start(ranged)[2:1]))
check("ranges: cbind", same(granges(rowRanges(cbind(x, x))), granges(rowRanges(x))))
check("ranges: overlaps", nrow(subsetByOverlaps(x, rowRanges(x)[1])) >= 1)
reserved <- c("seqnames", "start", "end", "width", "strand", "ranges", "seqlevels", "seqlengths", "isCircular", "element")
with_columns <- function(values) {
  columns <- file.path(scratch, "columns.csv")
  added <- as.data.frame(values, col.names = reserved)[rep(1, nrow(features)), ]
  write.csv(cbind(name = rownames(features), added), columns, row.names = FALSE)
  made <- file.path(scratch, "columns.h5ad")
  file.copy(source, made, overwrite = TRUE)
  output <- run("edit", "--quiet", made, "--add-columns", paste0("features=", columns))
  convert(made, "--to", "sce")
}
x <- with_columns(list("chr1", 1L, 10L, 10L, "+", "a", "b", "c", "d", "e"))
check("reserved names: valid", validObject(x, complete = TRUE))
check("reserved names: ranges", same(as.character(rowRanges(x))[[3]], "chr1:1-10:+"))
check("reserved names: subset", same(dim(x[1:3, 1:4]), c(3L, 4L)))
check("reserved names: columns", all(paste0(reserved[6:10], ".1") %in% names(rowData(x))))
x <- with_columns(list("chr1", 1L, 10L, 9L, "+", "a", "b", "c", "d", "e"))
check("no ranges: valid", validObject(x, complete = TRUE))
check("no ranges: subset", same(dim(x[1:3, 1:4]), c(3L, 4L)) && is(rowRanges(x), "GRangesList"))
check("no ranges: columns", same(rowData(x[3, ])$width.1, 9L) && all(c("seqlevels", "element.1") %in% names(rowData(x))))

# --- Names of layers and reductions that are taken
taken <- file.path(scratch, "taken.h5ad")
output <- file.copy(source, taken)
for (added in list(c("X", "layers/data"), c("layers/counts", "layers/logcounts"), c("obsm/X_umap", "obsm/PCA"))) {
  output <- run("convert", "--quiet", paste0(source, "::", added[1]), paste0(taken, "::", added[2]))
}
x <- convert(taken, "--to", "sce")
check("taken: assays", setequal(assayNames(x), c("counts", "logcounts", "X", "scaled", "data")))
check("taken: values", same(assay(x, "data"), values) && same(logcounts(x), counts) && same(assay(x, "X"), values))
check("taken: reducedDims", setequal(reducedDimNames(x), c("pca", "UMAP", "PCA")) && validObject(x, complete = TRUE))
check("taken: loadings", all(attr(reducedDim(x, "pca"), "rotation") == Loadings(convert(source, "--to", "seurat"), "pca")))
s <- convert(taken, "--to", "seurat")
check("taken: seurat", validObject(s, complete = TRUE) && same(GetAssayData(s, slot = "data"), values))
check("taken: reductions", setequal(Reductions(s), c("pca", "umap", "PCA")) && nrow(Loadings(s, "pca")) > 0)
layers <- attr(attr(convert(taken, "--to", "seurat", "--format-version", "5"), "assays")$RNA, "layers")
check("taken: seurat 5", setequal(names(layers), c("counts", "data", "X", "scaled", "logcounts")))

# --- Assays of version 5: the structure of files of SeuratObject 5
s5 <- convert(source, "--to", "seurat", "--format-version", "5")
own <- readRDS(file.path(golden, "s5_full.rds"))
assay <- attr(s5, "assays")$RNA
check("seurat 5: slots", same(slots_of(s5), slots_of(own)))
check("seurat 5: slots of the assay", same(slots_of(assay), slots_of(attr(own, "assays")$RNA)))
check("seurat 5: layers", same(names(attr(assay, "layers")), c("counts", "data", "scaled")))
check("seurat 5: counts", same(attr(assay, "layers")$counts@x, counts@x))
for (slot in c("cells", "features")) {
  map <- attr(assay, slot)
  check(paste("seurat 5:", slot), isS4(map) && all(as.vector(map)) && same(colnames(map), names(attr(assay, "layers"))))
}
check("seurat 5: names", same(rownames(attr(assay, "features")), rownames(features)))
if (packageVersion("SeuratObject") >= "5") check("seurat 5: valid", validObject(s5, complete = TRUE))

# --- Several assays
tenx <- file.path(root, "testdata", "tenx", "h5", "cr7_feature_barcode.h5")
s <- convert(tenx, "--to", "seurat")
check("10x: valid", validObject(s, complete = TRUE))
check("10x: assays", same(SeuratObject::Assays(s), c("RNA", "ADT", "CRISPR")))
x <- convert(tenx, "--to", "sce")
check("10x: experiments", same(altExpNames(x), c("ADT", "CRISPR")) && validObject(x, complete = TRUE))
check("10x: same", same(GetAssayData(s[["ADT"]], "counts")@x, counts(altExp(x, "ADT"))@x))
part <- file.path(scratch, "part.h5ad")
both <- file.path(scratch, "both.h5mu")
output <- run("slice", source, part, "--features", "0:3")
output <- run("concat", source, part, both, "--axis", "cols", "--modality", "rna", "--modality", "adt")
s <- convert(both, "--to", "seurat")
check("mudata: valid", validObject(s, complete = TRUE))
check("mudata: assays", same(SeuratObject::Assays(s), c("rna", "rna.raw", "adt", "adt.raw")) && same(DefaultAssay(s), "rna"))
check("mudata: reductions", same(DefaultAssay(s[["adt.pca"]]), "adt"))
check("mudata: subset", runs(s[1:3, 1:3]))
x <- convert(both, "--to", "sce")
check("mudata: experiments", same(altExpNames(x), c("rna.raw", "adt", "adt.raw")) && validObject(x, complete = TRUE) && same(mainExpName(x), "rna"))

# --- Empty ones, and names that Seurat does not take
for (name in c("empty_obs", "empty_vars", "zero_by_zero", "zero_nnz")) {
  check(paste(name, "in sce"), validObject(convert(h5ad(name), "--to", "sce"), complete = TRUE))
  check(paste(name, "in seurat"), validObject(convert(h5ad(name), "--to", "seurat"), complete = TRUE))
}
mtx <- file.path(scratch, "a.mtx")
writeLines(c("%%MatrixMarket matrix coordinate integer general", "3 2 2", "1 1 5", "3 2 7"), mtx)
names <- file.path(scratch, "names.txt")
writeLines(c("a_1", "a-1", "b|c"), names)
s <- convert(mtx, "--to", "seurat", "--row-names-file", names)
check("names", same(rownames(s), c("a-1", "a-1-1", "b-c")))
check("previous names", same(s[["RNA"]][["nnz_original_name"]][[1]], c("a_1", "a-1", "b|c")))
check("names: merge", runs(merge(s, s, add.cell.ids = c("a", "b"))))

# --- Objects that R makes, read by nnz
made <- file.path(scratch, "r.rds")
store <- file.path(scratch, "r.h5ad")
read <- function(path) convert(paste0(store, path), "--to", "dgCMatrix")
# More elements than stay in memory.
x <- SingleCellExperiment(list(counts = Matrix(1, 2, 600, sparse = TRUE)))
colnames(x) <- paste0("c", seq_len(600))
rownames(x) <- c("a", "b")
pairs <- expand.grid(from = seq_len(600), to = seq_len(600))
pairs$value <- as.integer(seq_len(nrow(pairs)) %% 1000)
pairs$value[5] <- NA
colPair(x, "near") <- SelfHits(pairs$from, pairs$to, nnode = 600, value = pairs$value)
saveRDS(x, made, compress = FALSE)
near <- convert(paste0(made, "::colPairs/near"), "--to", "dgCMatrix")
check("graph: long integers", identical(is.na(near[5, 1]), TRUE) && all(near[-5, ] == matrix(pairs$value, 600)[-5, ]))
n <- 300000L
x <- SummarizedExperiment(list(counts = sparseMatrix(1, n, x = 1)), colData = DataFrame(a = c(NA, seq_len(n - 1L))))
saveRDS(x, made, compress = FALSE)
output <- run("convert", made, store, "--force")
check("table: long integers", any(grepl("colData/a +nullable", run("info", made))) && any(grepl("obs/a +nullable", run("info", store))))
# Counts of other features.
all_counts <- abs(rsparsematrix(9, 5, 0.5, rand.x = function(n) sample(5, n, TRUE)))
dimnames(all_counts) <- list(paste0("g", 1:9), paste0("c", 1:5))
s <- suppressWarnings(CreateSeuratObject(CreateAssayObject(data = log1p(all_counts[c(2, 4, 7), ]))))
s@assays$RNA@counts <- as(all_counts, "CsparseMatrix")
saveRDS(s, made)
output <- run("convert", made, store, "--force")
check("raw: X", same(read("::X")@x, log1p(all_counts[c(2, 4, 7), ])@x))
check("raw: counts", same(read("::raw/X"), all_counts))


# Levels that are missing, and columns with the names of what the object has.
table_of_cells <- data.frame(
  level = addNA(factor(c("NA", "b", NA, "b", NA))), day = as.Date(c("2020-01-01", NA, "2020-01-03", NA, "1969-12-31")),
  active.ident = letters[1:5], row.names = colnames(all_counts)
)
s <- suppressWarnings(CreateSeuratObject(all_counts, meta.data = table_of_cells))
Idents(s) <- factor(c("x", "y", "x", "y", "x"))
s[["RNA"]]@meta.features$highly_variable <- rep(TRUE, 9)
VariableFeatures(s) <- c("g7", "g2")
adt <- all_counts[1:3, ]
rownames(adt) <- paste0("p", 1:3)
s[["ADT"]] <- CreateAssayObject(adt)
embeddings <- matrix(1:10, 5, dimnames = list(colnames(s), paste0("APC_", 1:2)))
loadings <- matrix(1:6, 3, dimnames = list(rownames(adt), paste0("APC_", 1:2)))
s[["apca"]] <- suppressWarnings(CreateDimReducObject(embeddings, loadings, assay = "ADT", key = "APC_"))
near <- as.Graph(Matrix(diag(5), sparse = TRUE, dimnames = list(colnames(s), colnames(s))))
DefaultAssay(near) <- "ADT"
s[["ADT_nn"]] <- near
saveRDS(s, made)
output <- run("convert", made, store, "--force")
# Other programs read the integers of a plain column, of which missing days are not one.
check("missing days in AnnData", any(grepl("obs/day +nullable", run("info", store))))
for (to in c("seurat", "h5mu")) {
  path <- made
  if (to == "h5mu") {
    path <- file.path(scratch, "r.h5mu")
    output <- run("convert", made, path, "--force")
  }
  again <- convert(path, "--to", "seurat")
  named <- function(what) paste("object by", to, what)
  level <- again[["level"]][[1]]
  check(named("level"), same(levels(level), c("b", "NA")) && same(is.na(level), c(FALSE, FALSE, TRUE, FALSE, TRUE)))
  check(named("day"), all(again[["day"]][[1]] == table_of_cells$day, na.rm = TRUE) && same(is.na(again[["day"]][[1]]), is.na(table_of_cells$day)))
  check(named("identity"), same(as.character(Idents(again)), as.character(Idents(s))) && same(again[["active.ident.1"]][[1]], letters[1:5]))
  check(named("variable"), same(VariableFeatures(again), VariableFeatures(s)) && all(again[["RNA"]][["highly_variable.1"]][[1]]))
  check(named("assay of a reduction"), same(DefaultAssay(again[["apca"]]), "ADT") && all(Loadings(again, "apca") == loadings))
  check(named("assay of a graph"), same(DefaultAssay(again[["ADT_nn"]]), "ADT"))
}

# --- What stopped a conversion, and what alternative experiments have beside matrices.
quality <- matrix(c(1L, NA, 3L, 4L, 5L, 6L), 2)
flags <- matrix(c(TRUE, NA, FALSE, TRUE, TRUE, FALSE), 2)
x <- SingleCellExperiment(list(counts = Matrix(c(1, 0, 2, 3, 0, 4), 2, sparse = TRUE), quality = quality, flags = flags))
dimnames(x) <- list(c("a", "b"), paste0("c", 1:3))
colPair(x, "again") <- SelfHits(c(2L, 1L, 2L, 3L), c(3L, 1L, 3L, 1L), nnode = 3, weight = c(1, 2, 5, 4), second = 1:4)
reducedDim(x, "WNN.umap") <- matrix(1:6 / 2, 3, dimnames = list(colnames(x), NULL))
reducedDim(x, "HARMONY") <- matrix(1:3 / 2, 3, dimnames = list(colnames(x), NULL))
pca <- matrix(1:6 / 4, 3, dimnames = list(colnames(x), NULL))
attr(pca, "percentVar") <- c(60, 40)
reducedDim(x, "PCA") <- pca
y <- SingleCellExperiment(list(counts = Matrix(1:3, 1, sparse = TRUE, dimnames = list("p", NULL))))
reducedDim(y, "PCA") <- matrix(7:9, 3)
colPair(y, "knn") <- SelfHits(1:2, 2:3, nnode = 3, value = c(0.5, 0.25))
altExp(x, "ADT") <- y
metadata(x) <- list(empty = character(), project.name = "p1")
saveRDS(x, made)
listed <- run("info", made)
for (what in c("percentVar", "again/second", "1 pairs that occur again", "altExps/ADT/reducedDims/PCA", "altExps/ADT/colPairs/knn")) {
  check(paste("listed:", what), any(grepl(what, listed, fixed = TRUE)))
}
for (to in c("sce", "h5mu")) {
  path <- made
  if (to == "h5mu") {
    path <- file.path(scratch, "r.h5mu")
    output <- run("convert", made, path, "--force")
  }
  again <- convert(path, "--to", "sce")
  named <- function(what) paste("experiment by", to, what)
  plain <- function(m) unname(as.matrix(m))
  check(named("integers with NA"), identical(is.na(plain(assay(again, "quality"))), is.na(quality)) &&
    all(plain(assay(again, "quality")) == quality, na.rm = TRUE))
  check(named("logicals with NA"), identical(plain(assay(again, "flags")), plain(flags * 1)))
  check(named("the last of two pairs"), all(plain(colPair(again, "again", asSparse = TRUE)) ==
    plain(colPair(x, "again", asSparse = TRUE))))
  check(named("names of reductions"), setequal(reducedDimNames(again), reducedDimNames(x)) &&
    all(plain(reducedDim(again, "WNN.umap")) == plain(reducedDim(x, "WNN.umap"))))
  check(named("reduction of ADT"), all(plain(reducedDim(altExp(again, "ADT"), "PCA")) == matrix(7:9, 3)) &&
    all(plain(reducedDim(again, "PCA")) == plain(pca)))
  check(named("pairs of ADT"), all(plain(colPair(altExp(again, "ADT"), "knn", asSparse = TRUE)) ==
    plain(colPair(y, "knn", asSparse = TRUE))))
  check(named("empty vector"), identical(metadata(again)$empty, character()))
}
s <- convert(made, "--to", "seurat")
check("project", identical(Project(s), "p1"))
check("name of a reduction in Seurat", setequal(Reductions(s), c("WNN.umap", "harmony", "pca", "ADT.pca")) && validObject(s))
s@misc$note <- "kept"
s[["harmony"]] <- NULL
saveRDS(s, made)
output <- run("convert", made, store, "--force")
s <- convert(store, "--to", "seurat")
check("project by AnnData", identical(Project(s), "p1") && identical(Misc(s, "note"), "kept"))

# --- Cells of a SingleCellExperiment are those of the object by position, also after they were renamed.
renamed <- function(change) {
  x <- SingleCellExperiment(list(counts = Matrix(1:24 * 1, 4, sparse = TRUE, dimnames = list(paste0("g", 1:4), paste0("c", 1:6)))))
  pca <- matrix(1:12 / 2, 6, dimnames = list(colnames(x), NULL))
  attr(pca, "rotation") <- matrix(1:4, 2)
  reducedDim(x, "PCA") <- pca
  reducedDim(x, "foo") <- matrix(1:6 + 0.5, 6, dimnames = list(colnames(x), NULL))
  reducedDim(x, "FOO") <- matrix(6:1 + 0.5, 6, dimnames = list(colnames(x), NULL))
  altExp(x, "ADT") <- SingleCellExperiment(list(counts = Matrix(1:12 * 1, 2, sparse = TRUE, dimnames = list(c("p", "q"), colnames(x)))))
  colnames(x) <- change(colnames(x))
  x
}
for (change in c(rev, function(names) paste0("s1_", names), function(names) rep("same", length(names)))) {
  x <- renamed(change)
  saveRDS(x, made)
  listed <- run("convert", made, file.path(scratch, "made.rds"), "--to", "sce", "--force")
  again <- readRDS(file.path(scratch, "made.rds"))
  named <- function(what) paste("cells renamed to", colnames(x)[1], what)
  for (name in c("PCA", "foo", "FOO")) {
    check(named(name), all(reducedDim(again, name) == reducedDim(x, name)))
  }
  check(named("ADT"), all(counts(altExp(again, "ADT")) == counts(altExp(x, "ADT"))))
  # Of two rows it is not known which features they are.
  check(named("loadings without names"), is.null(attr(reducedDim(again, "PCA"), "rotation")) &&
    any(grepl("reducedDims/PCA/loadings (without names of features)", listed, fixed = TRUE)))
}
x <- renamed(rev)
x$date <- as.Date(c(NA, "2020-01-02", "2020-01-03", NA, "2020-01-05", "1960-01-01"))
x$hours <- as.difftime(c(NA, 3, 4, 5, 6, 7), units = "hours")
x[["a/b"]] <- 1:6
x[["a"]] <- 6:1
x[["/"]] <- 1:6
int_metadata(x)$extra <- "lost"
metadata(colData(x))$note <- "lost"
assay(x, "text", withDimnames = FALSE) <- matrix("a", 4, 6)
saveRDS(x, made)
listed <- run("convert", made, store, "--force")
for (what in c('annotation "a/b"', 'annotation "/"', "int_metadata/extra", "metadata(note)", "assays/text", "reducedDims/PCA/loadings")) {
  check(paste("listed:", what), any(grepl(what, listed, fixed = TRUE)))
}
check("the file is valid", identical(run("validate", store), character()))
output <- run("convert", made, file.path(scratch, "r.loom"), "--force")
rows <- run("annotations", file.path(scratch, "r.loom"), "cols")
check("missing days in Loom", !any(grepl("9223372036854775808", c(rows, run("annotations", made, "cells")))))
output <- run("convert", store, file.path(scratch, "made.rds"), "--to", "sce", "--force")
again <- readRDS(file.path(scratch, "made.rds"))
check("missing days by AnnData", identical(is.na(again$date), is.na(x$date)) && all(again$date == x$date, na.rm = TRUE) &&
  identical(is.na(again$hours), is.na(x$hours)) && all(again$hours == x$hours, na.rm = TRUE))
s <- suppressWarnings(CreateSeuratObject(all_counts))
s@assays <- list()
saveRDS(s, made)
check("no assays", any(grepl("an object without assays", suppressWarnings(system2(nnz, c("info", made), stdout = TRUE, stderr = TRUE)))))
end_checks()
