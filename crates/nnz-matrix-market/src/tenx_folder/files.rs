//! The files of a folder, with the names that programs give them.

use nnz_core::{Error, ErrorKind, Place, Result};
use nnz_storage::{InputDirectory, InputFile};

use super::family::Family;

const MATRIX: [&str; 2] = ["matrix.mtx", "matrix.mtx.gz"];
const BARCODES: [&str; 2] = ["barcodes.tsv", "barcodes.tsv.gz"];
const FEATURES: [&str; 6] = [
    "features.tsv",
    "features.tsv.gz",
    "genes.tsv",
    "genes.tsv.gz",
    // Of Cell Ranger ATAC.
    "peaks.bed",
    "peaks.bed.gz",
];

/// Features of all samples in a directory.
const SHARED_FEATURES: [&str; 4] = ["features.tsv", "features.tsv.gz", "genes.tsv", "genes.tsv.gz"];

/// The files of a matrix.
pub(super) struct Files {
    pub(super) matrix: InputFile,
    pub(super) features: InputFile,
    pub(super) barcodes: InputFile,
    /// Whether rows are cells.
    pub(super) cells_by_features: bool,
    /// Notes on files that are ignored.
    pub(super) notes: Vec<String>,
}

impl Files {
    /// Returns whether there is a file with names of a matrix.
    pub(super) fn has_names(directory: &InputDirectory, family: &Family) -> Result<bool> {
        let (prefix, names) = match family {
            Family::Tenx(prefix) => (&**prefix, [&BARCODES[..], &FEATURES[..]].concat()),
            Family::Alevin => {
                ("quants_mat_", vec!["cols.txt", "cols.txt.gz", "rows.txt", "rows.txt.gz"])
            }
            Family::Starsolo(_) | Family::Bustools { .. } => return Ok(true),
        };
        for name in names {
            if directory.is_file(format!("{prefix}{name}"))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Finds the files of a matrix.
    pub(super) fn find(directory: &InputDirectory, family: &Family) -> Result<Self> {
        let mut notes = Vec::new();
        let mut find = |prefix: &str, names: &[&str]| find(directory, prefix, names, &mut notes);
        let (matrix, features, barcodes) = match family {
            Family::Tenx(prefix) => {
                let matrix = find(prefix, &MATRIX)?;
                let features = match find(prefix, &FEATURES) {
                    // Samples in one directory may share a file of features. The error names the file of the sample.
                    Err(error)
                        if !prefix.is_empty() && matches!(error.kind(), ErrorKind::Missing) =>
                    {
                        match find("", &SHARED_FEATURES) {
                            Err(shared) if matches!(shared.kind(), ErrorKind::Missing) => {
                                return Err(error);
                            }
                            found => found?,
                        }
                    }
                    found => found?,
                };
                (matrix, features, find(prefix, &BARCODES)?)
            }
            Family::Starsolo(matrix) => {
                (find(matrix, &[".mtx", ".mtx.gz"])?, find("", &FEATURES)?, find("", &BARCODES)?)
            }
            Family::Bustools { matrix, stem } => (
                find(matrix, &[".mtx", ".mtx.gz"])?,
                find(stem, &[".genes.txt", ".genes.txt.gz"])?,
                find(stem, &[".barcodes.txt", ".barcodes.txt.gz"])?,
            ),
            Family::Alevin => (
                find("quants_mat", &[".mtx", ".mtx.gz"])?,
                find("quants_mat_cols", &[".txt", ".txt.gz"])?,
                find("quants_mat_rows", &[".txt", ".txt.gz"])?,
            ),
        };
        let cells_by_features = matches!(family, Family::Bustools { .. } | Family::Alevin);
        Ok(Self { matrix, features, barcodes, cells_by_features, notes })
    }
}

/// Finds the first of some files, and notes which others exist.
fn find(
    directory: &InputDirectory,
    prefix: &str,
    names: &[&str],
    notes: &mut Vec<String>,
) -> Result<InputFile> {
    let names: Vec<String> = names.iter().map(|name| format!("{prefix}{name}")).collect();
    let mut there = Vec::new();
    for name in &names {
        if directory.is_file(name)? {
            there.push(name);
        }
    }
    let mut there = there.into_iter();
    let missing = || {
        let plain: Vec<&str> =
            names.iter().map(String::as_str).filter(|name| !name.ends_with(".gz")).collect();
        let names = format!("{} (plain or .gz)", plain.join(" or "));
        let place = Place::array(directory.path(), names);
        Error::new(ErrorKind::Missing, place)
    };
    let Some(first) = there.next() else {
        for name in &names {
            if directory.is_directory(name)? {
                let place = Place::path(directory.path().join(name));
                return Err(Error::mismatch(place, "a directory", "a file"));
            }
        }
        return Err(missing());
    };
    notes.extend(there.map(|other| format!("{other} is ignored: {first} is read")));
    directory.file(first)?.ok_or_else(missing)
}
