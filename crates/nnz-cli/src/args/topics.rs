//! Help pages on formats and locations.

use crate::verbs::format_table;

/// The text after the table of formats.
const FORMATS: &str = "\
The format of a source is detected from its content. The format of a target follows from its
extension, or is given by --to with a name from the first column. --to also accepts a Binsparse
format such as CSR, COOR or \"dense(sparse(element))\".

Some extensions have several formats:

  extension  without --to                            with --to
  .rds       BPCells object                          dgCMatrix
  .nc        Binsparse                               bpcells
  .zarr      AnnData if SRC is, otherwise Binsparse  bpcells, binsparse, anndata
  .npz       SciPy matrix                            bpcells, binsparse (also CSR, ...)
  .h5        an error                                10x, bpcells, binsparse, anndata
  other      an error                                any; 10x, bpcells and binsparse: a directory

Fragments are read from text by nnz fragments import, and written as text by nnz fragments export.
DAPHNE data frames (.dbdf) are converted to and from .csv.

Values are stored exactly, or the conversion fails. Anything else that a target cannot store, such
as names in Matrix Market, is dropped and listed; --strict makes it an error.
";

/// The page on locations.
pub(crate) const LOCATIONS: &str = "\
Locations

  FILE, DIR      A file or a directory. A path that exists is always used as it is, even if it
                 contains ::.
  FILE::GROUP    A group in an HDF5, NetCDF or Zarr container, such as study.h5ad::layers/raw. A
                 leading slash is optional. Without ::GROUP, nnz reads the root if it is a matrix,
                 otherwise the only matrix in the file; if there are several, name one. When
                 writing, the group is added to an existing file; without a group, a new file is
                 written. FILE:: is the root.
  FILE::NAME     A variable of a MAT-file, or a .mtx file in a tar archive (.tar.gz). When writing a
                 MAT-file, the name of its only variable.
  DIR::NAME      A matrix of a directory with several, such as an output of STARsolo.
  -              Standard input or output: Matrix Market, and fragments with nnz fragments. ./- is
                 a file of this name.
  URL            s3://BUCKET/KEY, gs://BUCKET/KEY, az://CONTAINER/KEY; a source also
                 https://HOST/PATH. A group is named before the query:
                 https://HOST/x.h5::GROUP?QUERY. Credentials come from the environment,
                 AWS_PROFILE, or --storage-option KEY=VALUE. A target is written to --temp-dir, and
                 uploaded when it is complete; nothing is added to an existing one. Replacing a
                 directory with --force is not atomic: the old one is removed first. A build
                 without the feature remote has no URLs.
  @FILE          In --rows, --cols, --cells, --features and --chromosomes: a file with one name per
                 line, or for rows and columns also one position. An empty file is an error, like
                 any selection of nothing, unless --allow-empty is given.

--rows and --cols select rows and columns; --cells and --features select along the axis of the file
that has them:
  0:100,7        Ranges, with an exclusive end, and positions, counted from 0.
  CD3E,CD8A      Names, or any annotation value that is unique, such as a gene symbol. They
                 are printed by nnz annotations.
  COLUMN=A,B     Rows or columns with one of these values in an annotation; COLUMN!=A,B: with none
                 of them; COLUMN>=N, >, <=, <: compared as numbers. A missing value never matches.
Repeated options are combined with AND. Lists select in the given order, conditions in file order.

Paths may contain any bytes; group names must be UTF-8.
";

/// Returns the page on formats.
pub(crate) fn formats() -> String {
    format!("Formats\n\n{}\n{FORMATS}", format_table())
}

/// Returns both pages.
pub(crate) fn all() -> String {
    let formats = formats();
    let examples = "Examples:\n  nnz help convert\n  nnz help formats\n  nnz help locations";
    format!("{examples}\n\n{formats}\n{LOCATIONS}")
}
