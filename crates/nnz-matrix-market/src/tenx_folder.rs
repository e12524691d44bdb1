//! Matrix folders of 10x Genomics' Cell Ranger, and of other programs.
//!
//! `matrix.mtx` has features x cells; `features.tsv` (`genes.tsv` before version 3) has the names
//! of rows and `barcodes.tsv` the names of columns, one per line. Each may be compressed, with
//! `.gz` in its name, or `.bz2`, `.xz` and `.zst`. bustools and alevin write cells x features, under other names.

mod family;
mod files;
mod names;
mod sink;

use std::ops::Range;
use std::path::{Path, PathBuf};

use nnz_core::{
    About, Annotations, At, Axis, AxisKind, Column, ColumnInfo, ColumnType, ColumnValues, Header,
    MatrixSource, Names, Projection, Repairs, Result, UnitReader,
};
use nnz_storage::{InputDirectory, InputFile, Opened};

use crate::MatrixMarketSource;
pub use sink::{CAPABILITIES, FeatureColumns, FolderVersion, MEMBERS, create};

pub(crate) use family::Family;
use files::Files;
pub(crate) use files::variants;
use names::{ColumnReader, Columns, FirstLine};

/// A matrix with names from a 10x directory.
pub struct TenxFolderSource {
    directory: PathBuf,
    container: &'static str,
    matrix: MatrixMarketSource,
    header: Header,
    features: NamesFile,
    barcodes: NamesFile,
    bytes: u64,
    notes: Vec<String>,
}

/// A file of the folder.
struct NamesFile {
    file: InputFile,
    /// The number of columns in its first line.
    columns: usize,
    /// A note, if the first name is unusual.
    oddity: Option<&'static str>,
}

/// Returns whether a directory has a matrix with names.
///
/// # Errors
///
/// Fails if the directory cannot be read.
pub fn looks_like(directory: &InputDirectory) -> Result<bool> {
    Family::is_in(directory)
}

/// Returns the names of the matrices in a directory; of all if there are several.
///
/// # Errors
///
/// Fails if the directory cannot be read.
pub fn matrices(directory: &InputDirectory) -> Result<Vec<String>> {
    Ok(Family::all(directory)?.iter().map(Family::file_name).collect())
}

/// Opens a folder.
/// If there are several files with the same content, the first of these is used, and a note lists
/// the others: uncompressed before compressed, `features` before `genes`.
///
/// # Errors
///
/// Fails if one of the three files is missing or cannot be read, or if the matrix is invalid.
pub fn open(directory: &Path) -> Result<TenxFolderSource> {
    from_directory(&InputDirectory::open(directory)?)
}

/// Opens a directory that has been listed.
///
/// # Errors
///
/// Fails like [`open`].
pub fn from_directory(directory: &InputDirectory) -> Result<TenxFolderSource> {
    open_matrix(directory, None, None)
}

/// Opens a matrix of a directory that has been listed: the one with this name, which may lack its
/// extensions, or `matrix.mtx` or the only one. With `repairs`, a wrong number of entries in the
/// matrix is corrected.
///
/// # Errors
///
/// Fails like [`open`] and [`MatrixMarketSource::repair_count`], if there is no matrix with this
/// name, and if there are several and none is selected.
pub fn open_matrix(
    directory: &InputDirectory,
    name: Option<&str>,
    repairs: Option<&Repairs>,
) -> Result<TenxFolderSource> {
    open_family(directory, &Family::select(directory, name)?, repairs, "directory")
}

/// Opens a matrix of a directory, or of a folder of another `container`.
pub(crate) fn open_family(
    directory: &InputDirectory,
    family: &Family,
    repairs: Option<&Repairs>,
    container: &'static str,
) -> Result<TenxFolderSource> {
    let files = Files::find(directory, family)?;
    let Files { matrix, features, barcodes, cells_by_features, mut notes } = files;
    let features = NamesFile::open(features)?;
    let barcodes = NamesFile::open(barcodes)?;
    for part in [&features, &barcodes] {
        notes.extend(part.oddity.map(|oddity| format!("{}: {oddity}", part.file_name())));
    }
    let bytes = [&matrix, &features.file, &barcodes.file].iter().map(|file| file.len()).sum();
    let mut matrix = crate::from_opened(&Opened::File(matrix))?;
    if let Some(repairs) = repairs {
        matrix = matrix.repair_count(repairs)?;
    }
    let mut header = matrix.header().clone();
    header.axis_kinds = [AxisKind::Features, AxisKind::Cells];
    if cells_by_features {
        header.axis_kinds.reverse();
    }
    Ok(TenxFolderSource {
        directory: directory.path().to_path_buf(),
        container,
        matrix,
        header,
        features,
        barcodes,
        bytes,
        notes,
    })
}

impl NamesFile {
    fn open(file: InputFile) -> Result<Self> {
        let FirstLine { columns, oddity } = FirstLine::of(&file)?;
        Ok(Self { file, columns, oddity })
    }

    /// Returns whether it is `peaks.bed`, whose first three columns are an interval.
    fn is_bed(&self) -> bool {
        nnz_lines::Compression::of_name(&self.file_name()).0.ends_with(".bed")
    }

    fn file_name(&self) -> String {
        let name = self.file.path().file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }
}

impl TenxFolderSource {
    fn part(&self, axis: Axis) -> &NamesFile {
        if self.is_features(axis) { &self.features } else { &self.barcodes }
    }

    fn is_features(&self, axis: Axis) -> bool {
        self.header.axis_kinds[usize::from(axis == Axis::Cols)] == AxisKind::Features
    }

    fn read_columns(&self, axis: Axis, columns: Columns) -> Result<Names<'_>> {
        let expected = self.header.shape.len(axis);
        Ok(Box::new(ColumnReader::open(&self.part(axis).file, columns, expected, axis)?))
    }
}

impl MatrixSource for TenxFolderSource {
    fn header(&self) -> &Header {
        &self.header
    }

    fn about(&self) -> Result<About> {
        let matrix = self.matrix.about()?;
        Ok(About::new("10x directory", self.container)
            .dialect(matrix.dialect)
            .bytes(self.bytes)
            .notes(self.notes.clone()))
    }

    fn read_names(&self, axis: Axis) -> Result<Option<Names<'_>>> {
        let columns = match self.part(axis).is_bed() {
            true => Columns::Interval,
            false => Columns::First,
        };
        self.read_columns(axis, columns).map(Some)
    }

    fn names_column(&self, axis: Axis) -> Option<String> {
        self.is_features(axis).then(|| "id".to_owned())
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

    fn annotations(&self, axis: Axis) -> Result<Option<Box<dyn Annotations + '_>>> {
        let part = self.part(axis);
        if part.columns < 2 || part.is_bed() {
            return Ok(None);
        }
        let features = self.is_features(axis);
        let name = |column: usize| match (column, features) {
            (1, true) => "name".to_owned(),
            (2, true) => "feature_type".to_owned(),
            (column, _) => format!("column {}", column + 1),
        };
        let info = |column| ColumnInfo::new(name(column), ColumnType::String);
        let columns = (1..part.columns).map(info).collect();
        Ok(Some(Box::new(Table { source: self, axis, columns })))
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = self.notes.clone();
        notes.extend(self.matrix.notes());
        notes
    }
}

/// The columns of a table after the first.
struct Table<'a> {
    source: &'a TenxFolderSource,
    axis: Axis,
    columns: Vec<ColumnInfo>,
}

impl Annotations for Table<'_> {
    fn columns(&self) -> &[ColumnInfo] {
        &self.columns
    }

    fn len(&self) -> u64 {
        self.source.header.shape.len(self.axis)
    }

    fn read_column(&self, column: usize, memory: u64) -> Result<Column> {
        let mut strings = self.source.read_columns(self.axis, Columns::Number(column + 1))?;
        let strings = strings.list_with_limit(memory)?;
        Ok(Column { values: ColumnValues::Strings(strings), missing: None })
    }
}

impl std::fmt::Debug for TenxFolderSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("TenxFolderSource").field(&self.directory).finish()
    }
}
