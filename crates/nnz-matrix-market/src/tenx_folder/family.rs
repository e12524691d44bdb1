//! The matrices of a folder, by the naming schemes of programs.

use nnz_core::{Error, ErrorKind, Result};
use nnz_lines::Compression;
use nnz_storage::InputDirectory;

use super::files::{self, Files};

/// Matrices that are listed in a message.
const MOST: usize = 20;

/// A matrix of a folder and its naming scheme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// Like 10x, with a prefix, which is usually empty.
    Tenx(String),
    /// Another matrix, as in outputs of STARsolo, beside `features.tsv` and `barcodes.tsv`.
    Starsolo(String),
    /// bustools: the stem of the matrix, and the stem of `.barcodes.txt` and `.genes.txt`, which
    /// several matrices can share.
    Bustools { matrix: String, stem: String },
    /// alevin and alevin-fry: `quants_mat`.
    Alevin,
}

impl Family {
    /// Returns the name of the matrix without extensions.
    fn stem(&self) -> String {
        match self {
            Self::Tenx(prefix) => format!("{prefix}matrix"),
            Self::Starsolo(stem) | Self::Bustools { matrix: stem, .. } => stem.clone(),
            Self::Alevin => "quants_mat".to_owned(),
        }
    }

    /// Returns whether a folder has a matrix with names.
    pub(super) fn is_in(directory: &InputDirectory) -> Result<bool> {
        // Usually without a list of the names.
        Ok(has(directory, "matrix.mtx")? || !Self::all(directory)?.is_empty())
    }

    /// Returns all matrices of a folder, sorted by name, with `matrix.mtx` first.
    pub(super) fn all(directory: &InputDirectory) -> Result<Vec<Self>> {
        // A folder with too many names is not a matrix folder.
        let Some(names) = directory.names()? else {
            let only = has(directory, "matrix.mtx")?.then(|| Self::Tenx(String::new()));
            return Ok(only.into_iter().collect());
        };
        let mut found = Vec::new();
        for name in names.keys().filter_map(|name| name.to_str()) {
            let (plain, _) = Compression::of_name(name);
            let Some(stem) = plain.strip_suffix(".mtx").filter(|stem| !stem.starts_with('.'))
            else {
                continue;
            };
            let family = match stem {
                // Other files may be missing, which is an error when it is opened.
                "matrix" => Some(Self::Tenx(String::new())),
                "quants_mat" => Some(Self::Alevin),
                _ => Self::of(directory, stem)?,
            };
            // A directory may have the name of a matrix.
            if let Some(family) = family
                && !found.contains(&family)
                && directory.is_file(name)?
            {
                found.push(family);
            }
        }
        found.sort_by_key(|family| *family != Self::Tenx(String::new()));
        Ok(found)
    }

    /// Returns the naming scheme of a matrix, if there are names for it.
    fn of(directory: &InputDirectory, stem: &str) -> Result<Option<Self>> {
        // `cells_x_genes.nascent.mtx` has the names of `cells_x_genes`.
        let shorter = stem.rsplit_once('.').map(|(shorter, _)| shorter);
        for names in std::iter::once(stem).chain(shorter) {
            if exists(directory, &format!("{names}.barcodes.txt"))? {
                let (matrix, stem) = (stem.to_owned(), names.to_owned());
                return Ok(Some(Self::Bustools { matrix, stem }));
            }
        }
        if let Some(prefix) = stem.strip_suffix("matrix")
            && exists(directory, &format!("{prefix}barcodes.tsv"))?
        {
            return Ok(Some(Self::Tenx(prefix.to_owned())));
        }
        let both = exists(directory, "barcodes.tsv")? && exists(directory, "features.tsv")?;
        Ok(both.then(|| Self::Starsolo(stem.to_owned())))
    }

    /// Returns the matrices of a folder for which there are names, with the names of their files.
    pub(crate) fn named(directory: &InputDirectory) -> Result<Vec<(String, Self)>> {
        let mut named = Vec::new();
        for family in Self::all(directory)? {
            if Files::has_names(directory, &family)? {
                named.push((family.file_name(), family));
            }
        }
        Ok(named)
    }

    /// Returns the matrix with a name, with or without its extensions. Without a name, `matrix.mtx`,
    /// or the only one.
    pub(super) fn select(directory: &InputDirectory, name: Option<&str>) -> Result<Self> {
        let mut all = match name {
            // Usually without a list of the names.
            None if has(directory, "matrix.mtx")? => vec![Self::Tenx(String::new())],
            _ => Self::all(directory)?,
        };
        let refused = |what: String, kind: fn(String) -> ErrorKind| {
            Err(Error::new(kind(what), directory.place()))
        };
        let Some(name) = name else {
            return match all.len() {
                0 => Ok(Self::Tenx(String::new())),
                1 => Ok(all.swap_remove(0)),
                _ => refused(
                    format!("contains several matrices; select one:{}", choices(directory, &all)),
                    ErrorKind::Argument,
                ),
            };
        };
        let (plain, _) = Compression::of_name(name);
        let wanted = plain.strip_suffix(".mtx").unwrap_or(plain);
        match all.iter().position(|family| family.stem() == wanted) {
            Some(at) => Ok(all.swap_remove(at)),
            None => {
                let what = format!("has no matrix \"{}\"", name.escape_debug());
                let list = match all.is_empty() {
                    true => String::new(),
                    false => format!("; select one:{}", choices(directory, &all)),
                };
                refused(what + &list, ErrorKind::Unrecognized)
            }
        }
    }

    /// Returns the name of the matrix in a folder, as it is listed.
    pub(super) fn file_name(&self) -> String {
        format!("{}.mtx", self.stem())
    }
}

/// Returns the locations of matrices, one per line.
fn choices(directory: &InputDirectory, all: &[Family]) -> String {
    let place = |family: &Family| {
        let mut whole = directory.path().as_os_str().to_owned();
        whole.push(format!("::{}", family.file_name()));
        format!("\n  {}", nnz_core::Place::path(whole))
    };
    let mut list: String = all.iter().take(MOST).map(place).collect();
    if all.len() > MOST {
        list += "\n  ...";
    }
    list
}

/// Returns whether a file exists, plain or gzipped, as programs write it.
fn has(directory: &InputDirectory, name: &str) -> Result<bool> {
    Ok(directory.is_file(name)? || directory.is_file(format!("{name}.gz"))?)
}

/// Returns whether a file exists, plain or compressed.
fn exists(directory: &InputDirectory, name: &str) -> Result<bool> {
    Ok(!files::variants(directory, &[name])?.is_empty())
}
