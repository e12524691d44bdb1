//! The files of a folder, with the names that programs give them.

use nnz_core::{Error, ErrorKind, Place, Result};
use nnz_storage::{InputDirectory, InputFile};

use super::family::Family;

const MATRIX: &str = "matrix.mtx";
const BARCODES: &str = "barcodes.tsv";
/// The last one is of Cell Ranger ATAC.
const FEATURES: [&str; 3] = ["features.tsv", "genes.tsv", "peaks.bed"];

/// Features of all samples in a directory.
const SHARED_FEATURES: [&str; 2] = ["features.tsv", "genes.tsv"];

/// Extensions of compressed files. The last ones are only looked for where there is no other file.
const COMPRESSED: [&[&str]; 2] = [&["", ".gz"], &[".bz2", ".xz", ".zst"]];

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
            Family::Tenx(prefix) => (&**prefix, [&[BARCODES], &FEATURES[..]].concat()),
            Family::Alevin => ("quants_mat_", vec!["cols.txt", "rows.txt"]),
            Family::Starsolo(_) | Family::Bustools { .. } => return Ok(true),
        };
        let names: Vec<String> = names.iter().map(|name| format!("{prefix}{name}")).collect();
        Ok(!variants(directory, &names)?.is_empty())
    }

    /// Finds the files of a matrix.
    pub(super) fn find(directory: &InputDirectory, family: &Family) -> Result<Self> {
        let mut notes = Vec::new();
        let mut find = |prefix: &str, names: &[&str]| find(directory, prefix, names, &mut notes);
        let (matrix, features, barcodes) = match family {
            Family::Tenx(prefix) => {
                let matrix = find(prefix, &[MATRIX])?;
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
                (matrix, features, find(prefix, &[BARCODES])?)
            }
            Family::Starsolo(matrix) => {
                (find(matrix, &[".mtx"])?, find("", &FEATURES)?, find("", &[BARCODES])?)
            }
            Family::Bustools { matrix, stem } => (
                find(matrix, &[".mtx"])?,
                find(stem, &[".genes.txt"])?,
                find(stem, &[".barcodes.txt"])?,
            ),
            Family::Alevin => (
                find("quants_mat", &[".mtx"])?,
                find("quants_mat_cols", &[".txt"])?,
                find("quants_mat_rows", &[".txt"])?,
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
    let mut there = variants(directory, &names)?.into_iter();
    let missing = || {
        let names = format!("{} (plain or .gz)", names.join(" or "));
        let place = Place::array(directory.path(), names);
        Error::new(ErrorKind::Missing, place)
    };
    let Some(first) = there.next() else {
        for name in names.iter().flat_map(|name| [name.clone(), format!("{name}.gz")]) {
            if directory.is_directory(&name)? {
                let place = Place::path(directory.path().join(name));
                return Err(Error::mismatch(place, "a directory", "a file"));
            }
        }
        return Err(missing());
    };
    notes.extend(there.map(|other| format!("{other} is ignored: {first} is read")));
    directory.file(&first)?.ok_or_else(missing)
}

/// Returns which files exist of those with some names, plain or compressed.
pub(crate) fn variants(
    directory: &InputDirectory,
    names: &[impl AsRef<str>],
) -> Result<Vec<String>> {
    let mut there = Vec::new();
    for extensions in COMPRESSED {
        for name in names {
            for extension in extensions {
                let name = format!("{}{extension}", name.as_ref());
                if directory.is_file(&name)? {
                    there.push(name);
                }
            }
        }
        if !there.is_empty() {
            break;
        }
    }
    Ok(there)
}
