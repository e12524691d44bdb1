//! Locations of matrices in a file.

use std::fmt;
use std::str::FromStr;

use nnz_core::{Axis, AxisKind, Error};

/// The location of a matrix in a Loom file.
///
/// ```
/// use nnz_singlecell::loom::Item;
///
/// let item: Item = "layers/spliced".parse()?;
/// assert_eq!(item, Item::Layer("spliced".to_owned()));
/// assert_eq!(item.to_string(), "layers/spliced");
/// assert!("attrs/Title".parse::<Item>().is_err());
/// # Ok::<(), nnz_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Item {
    /// The main matrix: `matrix`.
    Matrix,
    /// Another matrix of the same shape: `layers/NAME`.
    Layer(String),
    /// A graph of rows: `row_graphs/NAME`.
    RowGraph(String),
    /// A graph of columns: `col_graphs/NAME`.
    ColGraph(String),
    /// Several numbers for each row: `row_attrs/NAME`.
    RowAttribute(String),
    /// Several numbers for each column, such as an embedding: `col_attrs/NAME`.
    ColAttribute(String),
}

/// A group whose members are matrices, and the location of a member.
pub(super) type Collection = (&'static str, fn(String) -> Item);

/// The groups of which all members are matrices.
pub(super) const COLLECTIONS: [Collection; 3] =
    [("layers", Item::Layer), ("row_graphs", Item::RowGraph), ("col_graphs", Item::ColGraph)];

/// The groups of attributes, of which those with two dimensions are matrices.
pub(super) const ATTRIBUTES: [Collection; 2] =
    [("row_attrs", Item::RowAttribute), ("col_attrs", Item::ColAttribute)];

impl Item {
    /// Returns the axes of the file to which rows and columns belong; `None` for columns without
    /// names.
    #[must_use]
    pub fn axes(&self) -> [Option<Axis>; 2] {
        match self {
            Self::Matrix | Self::Layer(_) => [Some(Axis::Rows), Some(Axis::Cols)],
            Self::RowGraph(_) => [Some(Axis::Rows); 2],
            Self::ColGraph(_) => [Some(Axis::Cols); 2],
            Self::RowAttribute(_) => [Some(Axis::Rows), None],
            Self::ColAttribute(_) => [Some(Axis::Cols), None],
        }
    }

    /// Returns the kinds of rows and columns.
    #[must_use]
    pub fn axis_kinds(&self) -> [AxisKind; 2] {
        self.axes().map(|axis| match axis {
            Some(Axis::Rows) => AxisKind::Features,
            Some(Axis::Cols) => AxisKind::Cells,
            None => AxisKind::Unknown,
        })
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Matrix => f.write_str("matrix"),
            Self::Layer(name) => write!(f, "layers/{name}"),
            Self::RowGraph(name) => write!(f, "row_graphs/{name}"),
            Self::ColGraph(name) => write!(f, "col_graphs/{name}"),
            Self::RowAttribute(name) => write!(f, "row_attrs/{name}"),
            Self::ColAttribute(name) => write!(f, "col_attrs/{name}"),
        }
    }
}

impl FromStr for Item {
    type Err = Error;

    /// Parses the path of a matrix, with or without a leading slash.
    fn from_str(path: &str) -> Result<Self, Self::Err> {
        let path = path.trim_matches('/');
        if path == "matrix" {
            return Ok(Self::Matrix);
        }
        let named = COLLECTIONS.iter().chain(&ATTRIBUTES).find_map(|(group, item)| {
            let name = path.strip_prefix(group)?.strip_prefix('/')?;
            (!name.is_empty()).then(|| item(name.to_owned()))
        });
        named.ok_or_else(|| {
            Error::argument(format!(
                "{path:?} is not the path of a matrix in a Loom file, such as matrix or layers/NAME"
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
            "matrix",
            "layers/spliced",
            "layers/a/b",
            "row_graphs/corr",
            "col_graphs/KNN",
            "row_attrs/PCA",
            "col_attrs/Embedding",
        ] {
            assert_eq!(path.parse::<Item>().unwrap().to_string(), path);
        }
        assert_eq!("/matrix/".parse::<Item>().unwrap(), Item::Matrix);
        for path in ["", "X", "layers", "layers/", "row_attrs", "matrix/a", "attrs/a"] {
            assert!(path.parse::<Item>().is_err(), "{path}");
        }
    }
}
