//! The formats, by the names users give them.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// Names a format that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A BPCells matrix: a directory, a group of an HDF5 file or an object of R.
    BpCells,
    /// A Binsparse matrix, vector or tensor: a directory of NumPy arrays, an npz file, a Zarr store,
    /// or a group of an HDF5 or NetCDF file.
    Binsparse,
    /// The `dgCMatrix` of R's package Matrix.
    DgcMatrix,
    /// A Matrix Market file.
    MatrixMarket,
    /// A file of DAPHNE, or a directory of segments.
    Daphne,
}

impl Format {
    /// Every format, and the names it goes by.
    const NAMES: [(Self, &'static [&'static str]); 5] = [
        (Self::BpCells, &["bpcells"]),
        (Self::Binsparse, &["binsparse", "bsp"]),
        (Self::DgcMatrix, &["dgcmatrix"]),
        (Self::MatrixMarket, &["mtx", "matrix-market", "matrixmarket"]),
        (Self::Daphne, &["daphne", "dbdf"]),
    ];

    /// Returns the format that a path's ending stands for, if it stands for one.
    #[must_use]
    pub fn of_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let (stem, ending) = name.strip_suffix(".gz").unwrap_or(&name).rsplit_once('.')?;
        match ending {
            "mtx" => Some(Self::MatrixMarket),
            _ if name.ends_with(".gz") => None,
            "bpcells" | "rds" => Some(Self::BpCells),
            "bsp" | "npz" | "zarr" | "nc" | "nc4" => Some(Self::Binsparse),
            "h5" | "hdf5" if stem.ends_with(".bsp") => Some(Self::Binsparse),
            "dbdf" => Some(Self::Daphne),
            "hdfs" if stem.ends_with(".dbdf") => Some(Self::Daphne),
            _ => None,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BpCells => "bpcells",
            Self::Binsparse => "binsparse",
            Self::DgcMatrix => "dgCMatrix",
            Self::MatrixMarket => "mtx",
            Self::Daphne => "daphne",
        })
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let lower = text.to_ascii_lowercase();
        let found = Self::NAMES.iter().find(|(_, names)| names.contains(&lower.as_str()));
        found.map(|(format, _)| *format).ok_or_else(|| {
            format!(
                "unknown format {text:?}: this version writes bpcells, binsparse (also by the names \
                 of its formats, such as CSR), dgCMatrix, mtx and daphne"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_stand_for_formats() {
        for (path, format) in [
            ("a/b.bpcells", Some(Format::BpCells)),
            ("a/b.bpcells/", Some(Format::BpCells)),
            ("b.rds", Some(Format::BpCells)),
            ("b.rds.gz", None),
            ("b.mtx", Some(Format::MatrixMarket)),
            ("b.MTX.gz", Some(Format::MatrixMarket)),
            ("b.gz", None),
            ("b.dbdf", Some(Format::Daphne)),
            ("b.DBDF.gz", None),
            ("b.dbdf.hdfs", Some(Format::Daphne)),
            ("b.hdfs", None),
            ("mtx", None),
            ("b.h5", None),
            ("b.bsp.h5", Some(Format::Binsparse)),
            ("b.npz", Some(Format::Binsparse)),
            ("b.zarr/", Some(Format::Binsparse)),
            ("b.npz.gz", None),
        ] {
            assert_eq!(Format::of_path(Path::new(path)), format, "{path}");
        }
    }
}
