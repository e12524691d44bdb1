//! The files of a folder, with the names that programs give them.

use nnz_core::{Error, ErrorKind, Place, Result};
use nnz_storage::{InputDirectory, InputFile};

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

/// The naming scheme of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// Like 10x, with a prefix, which is usually empty.
    Tenx(String),
    /// Another matrix of STARsolo, with the same names of features and cells.
    Starsolo(String),
    /// bustools: a stem, `.mtx`, `.barcodes.txt` and `.genes.txt`.
    Bustools(String),
    /// alevin and alevin-fry: `quants_mat`.
    Alevin,
}

/// The files of a folder.
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
    /// Returns the naming scheme of a folder; `None` if it has no matrix, or several.
    pub(super) fn family(directory: &InputDirectory) -> Result<Option<Family>> {
        for name in MATRIX {
            if directory.is_file(name)? {
                return Ok(Some(Family::Tenx(String::new())));
            }
        }
        // A folder with too many names is not a matrix folder.
        let Some(names) = directory.names()? else { return Ok(None) };
        let names: Vec<String> =
            names.keys().filter_map(|name| name.to_str().map(ToOwned::to_owned)).collect();
        let has = |name: &str| directory.is_file(name);
        let either = |name: &str| -> Result<bool> { Ok(has(name)? || has(&format!("{name}.gz"))?) };
        if either("quants_mat.mtx")? {
            return Ok(Some(Family::Alevin));
        }
        let texts = names.iter().filter_map(|name| {
            let stem = name.strip_suffix(".gz").unwrap_or(name).strip_suffix(".mtx")?;
            Some((name, stem))
        });
        let mut found: Vec<Family> = Vec::new();
        for (name, stem) in texts {
            let family = if either(&format!("{stem}.barcodes.txt"))? {
                Family::Bustools(stem.to_owned())
            } else if stem.starts_with("UniqueAndMult-") && either("barcodes.tsv")? {
                Family::Starsolo(name.clone())
            } else {
                let Some(prefix) = stem.strip_suffix("matrix") else { continue };
                if !either(&format!("{prefix}barcodes.tsv"))? {
                    continue;
                }
                Family::Tenx(prefix.to_owned())
            };
            if !found.contains(&family) {
                found.push(family);
            }
        }
        Ok(<[Family; 1]>::try_from(found).ok().map(|[only]| only))
    }

    /// Finds the files of a folder.
    pub(super) fn find(directory: &InputDirectory) -> Result<Self> {
        let family = Self::family(directory)?.unwrap_or(Family::Tenx(String::new()));
        let mut notes = Vec::new();
        let mut find = |prefix: &str, names: &[&str]| find(directory, prefix, names, &mut notes);
        let (matrix, features, barcodes) = match &family {
            Family::Tenx(prefix) => {
                (find(prefix, &MATRIX)?, find(prefix, &FEATURES)?, find(prefix, &BARCODES)?)
            }
            Family::Starsolo(matrix) => {
                (find(matrix, &[""])?, find("", &FEATURES)?, find("", &BARCODES)?)
            }
            Family::Bustools(stem) => (
                find(stem, &[".mtx", ".mtx.gz"])?,
                find(stem, &[".genes.txt", ".genes.txt.gz"])?,
                find(stem, &[".barcodes.txt", ".barcodes.txt.gz"])?,
            ),
            Family::Alevin => (
                find("quants_mat", &[".mtx", ".mtx.gz"])?,
                find("quants_mat_cols", &[".txt", ".txt.gz"])?,
                find("quants_mat_rows", &[".txt", ".txt.gz"])?,
            ),
        };
        let cells_by_features = matches!(family, Family::Bustools(_) | Family::Alevin);
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
