//! Locations of matrices in a file.

use std::fmt;
use std::str::FromStr;

use nnz_core::{Axis, Error};

use super::file::MODALITIES;
use crate::anndata;

/// The location of a matrix in a MuData file.
///
/// ```
/// use nnz_singlecell::mudata::Item;
///
/// let item: Item = "mod/rna/layers/counts".parse()?;
/// assert_eq!(item.modality.as_deref(), Some("rna"));
/// assert_eq!(item.to_string(), "mod/rna/layers/counts");
/// assert!("X".parse::<Item>().is_err());
/// # Ok::<(), nnz_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Item {
    /// The modality; `None` for what belongs to all cells or features.
    pub modality: Option<String>,
    /// The location in it.
    pub item: anndata::Item,
}

impl Item {
    /// Creates the location of a matrix of a modality, or of one of all.
    #[must_use]
    pub fn new(modality: Option<String>, item: anndata::Item) -> Self {
        Self { modality, item }
    }

    /// Returns the axes of the file along which rows and columns are. Those of modalities have other positions.
    #[must_use]
    pub fn collection_axes(&self) -> [Option<Axis>; 2] {
        match &self.modality {
            Some(_) => [None; 2],
            None => self.item.collection_axes(),
        }
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.modality {
            Some(name) => write!(f, "{MODALITIES}/{name}/{}", self.item),
            None => self.item.fmt(f),
        }
    }
}

impl FromStr for Item {
    type Err = Error;

    /// Parses the path of a matrix, with or without a leading slash.
    fn from_str(path: &str) -> Result<Self, Self::Err> {
        let path = path.trim_matches('/');
        let of_modality = path.strip_prefix(MODALITIES).and_then(|rest| rest.strip_prefix('/'));
        let refused = || {
            Error::argument(format!(
                "{path:?} is not the path of a matrix in a MuData file, such as mod/rna/X or obsm/NAME"
            ))
        };
        let (modality, item) = match of_modality {
            Some(rest) => {
                let (name, item) = rest.split_once('/').ok_or_else(refused)?;
                (Some(name.to_owned()), item)
            }
            None => (None, path),
        };
        let item: anndata::Item = item.parse().map_err(|_| refused())?;
        let is_common = matches!(
            item,
            anndata::Item::Obsm(_)
                | anndata::Item::Varm(_)
                | anndata::Item::Obsp(_)
                | anndata::Item::Varp(_)
        );
        if modality.is_none() && !is_common {
            return Err(refused());
        }
        Ok(Self { modality, item })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_matrices_are_parsed() {
        for path in ["mod/rna/X", "mod/a b/layers/x/y", "mod/rna/raw/X", "obsm/X_umap", "varp/c"] {
            assert_eq!(path.parse::<Item>().unwrap().to_string(), path);
        }
        assert_eq!("/mod/rna/X".parse::<Item>().unwrap().item, anndata::Item::X);
        for path in ["", "X", "mod", "mod/rna", "mod/rna/obs/a", "layers/a", "raw/X", "rna/X"] {
            assert!(path.parse::<Item>().is_err(), "{path}");
        }
    }
}
