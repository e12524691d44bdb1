//! The names of the matrices of an archive.

use std::path::{Path, PathBuf};

use nnz_lines::Compression;

use crate::tenx_folder::Family;

/// A matrix of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveMatrix {
    pub(super) folder: PathBuf,
    pub(super) name: String,
    /// Its naming scheme, if there are names for it.
    pub(super) family: Option<Family>,
}

impl ArchiveMatrix {
    /// Returns the path in the archive.
    #[must_use]
    pub fn path(&self) -> String {
        let mut path = String::new();
        for part in &self.folder {
            path += &part.to_string_lossy();
            path.push('/');
        }
        path + &self.name
    }

    /// Returns whether it has names.
    #[must_use]
    pub fn is_named(&self) -> bool {
        self.family.is_some()
    }

    /// Returns whether it has the name of its folder, as the main matrix of a collection.
    pub(super) fn is_main(&self) -> bool {
        let folder = self.folder.file_name();
        self.family.is_none() && folder.is_some_and(|folder| folder == stem(&self.name))
    }

    /// Returns whether it is the matrix at a path, or the last part of one, with or without its extensions.
    pub(super) fn is_at(&self, wanted: &str) -> bool {
        Path::new(stem(&self.path())).ends_with(stem(wanted))
    }

    /// Returns whether it is in the folder at a path, or the last part of one.
    pub(super) fn is_inside(&self, wanted: &str) -> bool {
        self.folder.ends_with(wanted)
    }
}

/// Returns whether a name has the extension of a Matrix Market file.
pub(super) fn is_matrix(name: &str) -> bool {
    stem(name).len() < Compression::of_name(name).0.len()
}

/// Returns a name without the extensions of matrices.
fn stem(name: &str) -> &str {
    let (plain, _) = Compression::of_name(name);
    let at = plain.len().saturating_sub(4);
    match plain.get(at..) {
        Some(extension) if extension.eq_ignore_ascii_case(".mtx") => &plain[..at],
        _ => name,
    }
}
