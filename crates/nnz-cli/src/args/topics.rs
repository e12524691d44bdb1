//! Help pages on formats and locations.

use crate::verbs::format_table;

/// The text after the table of formats.
const FORMATS: &str = "\
The format of a source is detected from its content. The format of a target follows from its
extension, or is given by --to with a name from the first column. --to also accepts a Binsparse
format such as CSR or COOR, and a level tree such as \"dense(sparse(element))\".

Some extensions have several formats. .rds is a BPCells object unless --to dgCMatrix is given. .nc
is Binsparse unless --to bpcells is given. So is .zarr, except that AnnData stays AnnData. .npz is a
SciPy matrix unless another format is given. HDF5 files other than .bsp.h5 and .h5ad need --to.
--to 10x writes an HDF5 file if the extension is .h5, otherwise a folder.

Fragments are read from text by nnz fragments import, and written as text by nnz fragments export.
Frames are converted between .csv and .dbdf.

Values are stored exactly or refused. What a target cannot store, such as names in Matrix Market, is
listed after the conversion; --strict refuses it instead.
";

/// The page on locations.
pub(crate) const LOCATIONS: &str = "\
Locations

  FILE, DIR      A file or a directory. A path that exists is always used as it is, even if it
                 contains ::.
  FILE::GROUP    A group in an HDF5, NetCDF or Zarr file or store, such as study.h5ad::layers/raw. A
                 leading slash is optional. If no group is given, the root is read if it is a
                 matrix, otherwise the only group that is one; if there are several, one has to be
                 named. When writing, the group is added to an existing file; without a group, a
                 new file is written. FILE:: is the root.
  -              Standard input or output, for text: Matrix Market, and for nnz fragments also
                 fragments. ./- is a file of this name.
  URL            To read: s3://BUCKET/KEY, gs://BUCKET/KEY, az://CONTAINER/KEY, https://HOST/PATH; a
                 group is named before the query: https://HOST/x.h5::GROUP?QUERY. Credentials come
                 from the environment, AWS_PROFILE, or --storage-option KEY=VALUE. Nothing is
                 written to a URL. Builds without the feature remote read none.
  @FILE          In --rows, --cols, --cells, --features and --chromosomes: a list of names in a
                 file, one per line. An empty list is an error unless --allow-empty is given.

--rows and --cols select rows and columns; --cells and --features select along the axis of the file
that has them:
  0:100,7        Ranges, with an exclusive end, and positions, counted from 0.
  CD3E,CD8A      Names; or a value of an annotation that only one row or column has, such as the
                 symbol of a gene. nnz annotations prints them.
  COLUMN=A,B     Rows or columns with one of these values in an annotation; COLUMN!=A,B: with none
                 of them; COLUMN>=N, >, <=, <: compared as numbers. A missing value never matches.
If an option is repeated, all its values have to match. A list keeps its own order, a condition the
order of the file.

Paths need not be UTF-8; names of groups have to be.
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
