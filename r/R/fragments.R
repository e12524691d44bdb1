#' Import and count fragments
#'
#' `nnz_import_fragments()` writes fragments of a text file as BPCells fragments. The others count insertions or fragments of each cell in
#' peaks, or in tiles of the genome, in one pass over these.
#'
#' @param source For `nnz_import_fragments()`: a file of 10x (`.tsv.gz`) or a BED file. For the others: BPCells fragments.
#' @param target Path to write to. For a matrix, its extension selects the format.
#' @param peaks Path of a BED file with the peaks, or a data frame with the columns `chrom`, `start` and `end`, where positions are
#'   counted from 0 and ends are exclusive, or a `GRanges`.
#' @param width The number of bases of a tile.
#' @param force Whether an existing target is replaced.
#' @param ... Other options of the command `nnz fragments import` or `nnz fragments count`, with `_` for `-`.
#' @return The target, invisibly. The summary of the command is a message.
#' @examples
#' text <- tempfile(fileext = ".tsv")
#' writeLines(c("chr1\t10\t40\tA\t1", "chr1\t35\t90\tB\t1"), text)
#' fragments <- tempfile()
#' nnz_import_fragments(text, fragments)
#' counts <- tempfile(fileext = ".mtx")
#' nnz_count_peaks(fragments, counts, data.frame(chrom = "chr1", start = 0, end = 50))
#' @export
nnz_import_fragments <- function(source, target, force = FALSE, ...) {
  work_on_fragments("import", source, target, list(force = force, ...))
}

#' @rdname nnz_import_fragments
#' @export
nnz_count_peaks <- function(source, target, peaks, force = FALSE, ...) {
  if (!is.character(peaks)) {
    file <- tempfile("nnz", fileext = ".bed")
    on.exit(unlink(file))
    write_bed(peaks, file)
    peaks <- file
  }
  work_on_fragments("count", source, target, list(peaks = as_path(peaks, "peaks"), force = force, ...))
}

#' @rdname nnz_import_fragments
#' @export
nnz_count_tiles <- function(source, target, width, force = FALSE, ...) {
  work_on_fragments("count", source, target, list(tiles = check_whole(width, "width", 1), force = force, ...))
}

work_on_fragments <- function(verb, source, target, options) {
  paths <- c(as_path(source, "source"), as_path(target, "target"))
  run_command(paste("fragments", verb), paths, options, json = FALSE)
  invisible(target)
}

# Writes regions as BED.
write_bed <- function(regions, file) {
  if (is(regions, "GRanges")) {
    regions <- as.data.frame(regions)
    # GRanges count from 1, and have the last base.
    regions <- data.frame(chrom = regions$seqnames, start = regions$start - 1, end = regions$end)
  }
  if (!is.data.frame(regions) || !all(c("chrom", "start", "end") %in% names(regions))) {
    stop_argument("`peaks`: expected a path, a data frame with the columns chrom, start and end, or a GRanges")
  }
  lines <- paste(regions$chrom, as_text(regions$start), as_text(regions$end), sep = "\t")
  writeLines(enc2utf8(lines), file, useBytes = TRUE)
}
