//! The folder that 10x Genomics' Cell Ranger writes a matrix to.
//!
//! `matrix.mtx` holds features x cells; `features.tsv` (`genes.tsv` before version 3) names the
//! rows and `barcodes.tsv` the columns, one a line. Each may be gzipped, with `.gz` in its name.

mod names;

use std::ops::Range;
use std::path::{Path, PathBuf};

use nnz_core::{
    About, At, Axis, AxisKind, Error, ErrorKind, Header, MatrixSource, Names, Place, Projection,
    Result, UnitReader,
};

use crate::MatrixMarketSource;
use names::{ColumnReader, Columns};

/// A 10x folder as one matrix with names.
pub struct TenxFolderSource {
    directory: PathBuf,
    matrix: MatrixMarketSource,
    header: Header,
    features: Part,
    barcodes: Part,
    bytes: u64,
    notes: Vec<String>,
}

/// A file of the folder.
struct Part {
    path: PathBuf,
    /// Columns of its first line.
    columns: usize,
}

const MATRIX: &[&str] = &["matrix.mtx", "matrix.mtx.gz"];
const BARCODES: &[&str] = &["barcodes.tsv", "barcodes.tsv.gz"];
const FEATURES: &[&str] = &["features.tsv", "features.tsv.gz", "genes.tsv", "genes.tsv.gz"];

/// Returns whether a directory holds a matrix as a 10x folder does.
#[must_use]
pub fn looks_like(directory: &Path) -> bool {
    MATRIX.iter().any(|name| directory.join(name).is_file())
}

/// Opens a folder.
///
/// Of several files that hold the same, the first of these counts, and a note tells of the
/// others: uncompressed before compressed, `features` before `genes`.
///
/// # Errors
///
/// Fails where one of the three files is missing or cannot be read, or the matrix is none.
pub fn open(directory: &Path) -> Result<TenxFolderSource> {
    let mut notes = Vec::new();
    let mut find = |names| find(directory, names, &mut notes);
    let matrix = find(MATRIX)?;
    let features = Part::open(find(FEATURES)?)?;
    let barcodes = Part::open(find(BARCODES)?)?;
    let mut bytes = 0;
    for path in [&matrix, &features.path, &barcodes.path] {
        let metadata = path.metadata().map_err(|error| Error::io(path, error))?;
        bytes += metadata.len();
    }
    let matrix = crate::open(&matrix)?;
    let mut header = matrix.header().clone();
    header.axis_kinds = [AxisKind::Features, AxisKind::Cells];
    Ok(TenxFolderSource {
        directory: directory.to_path_buf(),
        matrix,
        header,
        features,
        barcodes,
        bytes,
        notes,
    })
}

/// Finds the first of some files, and notes which others are there.
fn find(directory: &Path, names: &[&str], notes: &mut Vec<String>) -> Result<PathBuf> {
    let mut there = names.iter().filter(|name| directory.join(name).is_file());
    let Some(&first) = there.next() else {
        if let Some(directory) = names.iter().map(|name| directory.join(name)).find(|p| p.is_dir())
        {
            return Err(Error::mismatch(Place::path(directory), "a directory", "a file"));
        }
        let place = Place::array(directory, names.join(" or "));
        return Err(Error::new(ErrorKind::Missing, place));
    };
    notes.extend(there.map(|other| format!("{other} is left aside: {first} is read")));
    Ok(directory.join(first))
}

impl Part {
    fn open(path: PathBuf) -> Result<Self> {
        let columns = names::columns(&path)?;
        Ok(Self { path, columns })
    }

    fn file_name(&self) -> String {
        let name = self.path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// Says which columns no name comes from.
    fn extra(&self, what: [&str; 2]) -> Option<String> {
        let name = self.file_name();
        let [second, third] = what;
        match self.columns {
            0 | 1 => None,
            2 => Some(format!("{name}: column 2{second}")),
            3 => Some(format!("{name}: columns 2 to 3{third}")),
            more => Some(format!("{name}: columns 2 to {more}")),
        }
    }
}

impl TenxFolderSource {
    fn part(&self, axis: Axis) -> &Part {
        match axis {
            Axis::Rows => &self.features,
            Axis::Cols => &self.barcodes,
        }
    }

    fn read_columns(&self, axis: Axis, columns: Columns) -> Result<Names<'_>> {
        let expected = self.header.shape.len(axis);
        Ok(Box::new(ColumnReader::open(&self.part(axis).path, columns, expected, axis)?))
    }
}

impl MatrixSource for TenxFolderSource {
    fn header(&self) -> &Header {
        &self.header
    }

    fn about(&self) -> Result<About> {
        let matrix = self.matrix.about()?;
        Ok(About {
            format: "10x folder".to_owned(),
            container: "directory".to_owned(),
            dialect: matrix.dialect,
            bytes: Some(self.bytes),
            ..About::default()
        })
    }

    fn read_names(&self, axis: Axis) -> Result<Option<Names<'_>>> {
        self.read_columns(axis, Columns::First).map(Some)
    }

    fn read_other_names(&self, axis: Axis) -> Result<Option<Names<'_>>> {
        match self.part(axis).columns {
            0 | 1 => Ok(None),
            _ => self.read_columns(axis, Columns::Others).map(Some),
        }
    }

    fn random_access(&self) -> bool {
        self.matrix.random_access()
    }

    fn rereadable(&self) -> bool {
        self.matrix.rereadable()
    }

    fn units(
        &self,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        self.matrix.units(majors, fields)
    }

    fn locate(&self, row: u64, col: u64) -> Result<Vec<At>> {
        self.matrix.locate(row, col)
    }

    fn extras(&self) -> Vec<String> {
        let features = [" (gene names)", " (gene names, types)"];
        let extras = [self.features.extra(features), self.barcodes.extra(["", ""])];
        extras.into_iter().flatten().collect()
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = self.notes.clone();
        notes.extend(self.matrix.notes());
        notes
    }
}

impl std::fmt::Debug for TenxFolderSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("TenxFolderSource").field(&self.directory).finish()
    }
}
