//! Locations of matrices in a file.

use std::fmt;
use std::str::FromStr;

use nnz_core::{Axis, AxisKind, Error};

/// The location of a matrix in an AnnData file.
///
/// ```
/// use nnz_singlecell::anndata::Item;
///
/// let item: Item = "layers/counts".parse()?;
/// assert_eq!(item, Item::Layer("counts".to_owned()));
/// assert_eq!(item.to_string(), "layers/counts");
/// assert!("obs/n_counts".parse::<Item>().is_err());
/// # Ok::<(), nnz_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Item {
    /// The main matrix.
    X,
    /// Another matrix of the same shape: `layers/NAME`.
    Layer(String),
    /// The matrix before genes were selected, whose columns have their own names: `raw/X`.
    RawX,
    /// Columns for cells, such as an embedding: `obsm/NAME`.
    Obsm(String),
    /// Columns for genes: `varm/NAME`.
    Varm(String),
    /// Columns for genes of `raw`: `raw/varm/NAME`.
    RawVarm(String),
    /// A graph of cells: `obsp/NAME`.
    Obsp(String),
    /// A graph of genes: `varp/NAME`.
    Varp(String),
}

/// The table that an axis of a matrix corresponds to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableAxis {
    Obs,
    Var,
    RawVar,
    /// Columns without names.
    Nothing,
}

/// A group whose members are matrices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Collection {
    /// The name of the group.
    pub(super) path: &'static str,
    /// The name before anndata 0.7, if it was different.
    pub(super) old: Option<&'static str>,
    pub(super) item: fn(String) -> Item,
}

/// All groups of matrices.
pub(super) const COLLECTIONS: [Collection; 6] = [
    Collection { path: "layers", old: None, item: Item::Layer },
    Collection { path: "obsm", old: None, item: Item::Obsm },
    Collection { path: "varm", old: None, item: Item::Varm },
    Collection { path: "obsp", old: None, item: Item::Obsp },
    Collection { path: "varp", old: None, item: Item::Varp },
    Collection { path: "raw/varm", old: Some("raw.varm"), item: Item::RawVarm },
];

impl Item {
    /// Returns the tables for rows and columns.
    pub(super) fn axes(&self) -> [TableAxis; 2] {
        match self {
            Self::X | Self::Layer(_) => [TableAxis::Obs, TableAxis::Var],
            Self::RawX => [TableAxis::Obs, TableAxis::RawVar],
            Self::Obsm(_) => [TableAxis::Obs, TableAxis::Nothing],
            Self::Varm(_) => [TableAxis::Var, TableAxis::Nothing],
            Self::RawVarm(_) => [TableAxis::RawVar, TableAxis::Nothing],
            Self::Obsp(_) => [TableAxis::Obs, TableAxis::Obs],
            Self::Varp(_) => [TableAxis::Var, TableAxis::Var],
        }
    }

    /// Returns the axes of the file along which rows and columns are: cells are rows, genes columns; `None` for others.
    #[must_use]
    pub fn collection_axes(&self) -> [Option<Axis>; 2] {
        self.axes().map(|along| match along {
            TableAxis::Obs => Some(Axis::Rows),
            TableAxis::Var => Some(Axis::Cols),
            TableAxis::RawVar | TableAxis::Nothing => None,
        })
    }

    /// Returns the kinds of rows and columns.
    #[must_use]
    pub fn axis_kinds(&self) -> [AxisKind; 2] {
        self.axes().map(|along| match along {
            TableAxis::Obs => AxisKind::Cells,
            TableAxis::Var | TableAxis::RawVar => AxisKind::Features,
            TableAxis::Nothing => AxisKind::Unknown,
        })
    }

    /// Returns the possible paths of the matrix, the current one first.
    pub(super) fn paths(&self) -> Vec<String> {
        let mut paths = vec![self.to_string()];
        match self {
            Self::RawX => paths.push("raw.X".to_owned()),
            Self::RawVarm(name) => paths.push(format!("raw.varm/{name}")),
            _ => {}
        }
        paths
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::X => f.write_str("X"),
            Self::Layer(name) => write!(f, "layers/{name}"),
            Self::RawX => f.write_str("raw/X"),
            Self::Obsm(name) => write!(f, "obsm/{name}"),
            Self::Varm(name) => write!(f, "varm/{name}"),
            Self::RawVarm(name) => write!(f, "raw/varm/{name}"),
            Self::Obsp(name) => write!(f, "obsp/{name}"),
            Self::Varp(name) => write!(f, "varp/{name}"),
        }
    }
}

impl FromStr for Item {
    type Err = Error;

    /// Parses the path of a matrix, with or without a leading slash.
    fn from_str(path: &str) -> Result<Self, Self::Err> {
        let path = path.trim_matches('/');
        match path {
            "X" => return Ok(Self::X),
            "raw/X" | "raw.X" => return Ok(Self::RawX),
            _ => {}
        }
        let named = COLLECTIONS.iter().find_map(|collection| {
            let prefixes = [Some(collection.path), collection.old].into_iter().flatten();
            let mut names =
                prefixes.filter_map(|prefix| path.strip_prefix(prefix)?.strip_prefix('/'));
            let name = names.next().filter(|name| !name.is_empty())?;
            Some((collection.item)(name.to_owned()))
        });
        named.ok_or_else(|| {
            Error::argument(format!(
                "{path:?} is not the path of a matrix in an AnnData file, such as X or layers/NAME"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_matrices_are_parsed() {
        for path in [
            "X",
            "layers/counts",
            "layers/a/b",
            "raw/X",
            "obsm/X_pca",
            "varm/PCs",
            "raw/varm/PCs",
            "obsp/connectivities",
            "varp/corr",
        ] {
            assert_eq!(path.parse::<Item>().unwrap().to_string(), path);
        }
        assert_eq!("/raw.X".parse::<Item>().unwrap(), Item::RawX);
        assert_eq!("raw.varm/PCs".parse::<Item>().unwrap(), Item::RawVarm("PCs".to_owned()));
        for path in ["", "x", "layers", "layers/", "layersX/a", "obs/a", "uns/a", "raw", "XX"] {
            assert!(path.parse::<Item>().is_err(), "{path}");
        }
    }
}
